"""Answers to requests for a stretch of time; they may be slow and are computed in other threads."""

from __future__ import annotations

import json
import math

import numpy as np

from motionbase.console.live import frames, messages
from motionbase.console.live.follower import Follower
from motionbase.console.live.history import Summary
from motionbase.console.live.runs import Run
from motionbase.errors import MotionBaseError


def there(run: Run | None, follower: Follower) -> Run:
    """The run of a follower; an error if there is none yet."""
    if run is None:
        raise MotionBaseError(f"ring {follower.ring!r} has shown nothing yet ({follower.state_text})")
    return run


def answer(run: Run, asked: messages.AskWindow | messages.AskStatistics) -> bytes | str:
    """The answer to a request: a frame or a text."""
    return window(run, asked) if isinstance(asked, messages.AskWindow) else statistics(run, asked)


def window(run: Run, asked: messages.AskWindow) -> bytes:
    """The frame of a stretch of time."""
    _in_order(asked)
    found = run.history.window(asked.begin, asked.end, asked.pixels, np.asarray(asked.channels, np.intp))
    return frames.window_frame(asked.id, run.generation, asked.channels, (asked.begin, asked.end), found)


def statistics(run: Run, asked: messages.AskStatistics) -> str:
    """The statistics of a stretch of time, as text."""
    _in_order(asked)
    exact, found = run.history.statistics(asked.begin, asked.end, list(asked.channels))
    rows = [_row(place, summary) for place, summary in zip(asked.channels, found, strict=True)]
    return json.dumps({"kind": "statistics", "id": asked.id, "exact": exact, "rows": rows}, allow_nan=False)


def _row(place: int, s: Summary) -> dict[str, float | int | None]:
    values = {"min": s.least, "max": s.most, "mean": s.mean, "rms": s.rms, "first": s.first, "last": s.last}
    return {"place": place, "n": s.n, **{k: v if math.isfinite(v) else None for k, v in values.items()}}


def _in_order(asked: messages.AskWindow | messages.AskStatistics) -> None:
    if asked.begin > asked.end:
        raise MotionBaseError(f"from {asked.begin:g} to {asked.end:g} s: the end must not be before the beginning")
