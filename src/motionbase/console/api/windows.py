"""A stretch of a recording as a window frame, decimated without losing spikes; see docs/console_protocol.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from motionbase.arrays import Array
from motionbase.console.live.derived import formula_of
from motionbase.console.live.frames import window_frame
from motionbase.console.live.history import Window
from motionbase.errors import UsageError
from motionbase.recording.computed import Computed
from motionbase.recording.recording import Recording
from motionbase.recording.times import check_times

Columns: TypeAlias = tuple[Array, Array, Array]  # time (n,), least and largest (channels, n)
MOST_CHANNELS, MOST_PIXELS, MOST_FORMULAS = 64, 8192, 32
_CURVES: WeakKeyDictionary[Recording, dict[str, Computed]] = WeakKeyDictionary()
EXACT_PER_PIXEL = 2  # up to so many records per pixel are sent undecimated


def window(
    recording: Recording, channels: str, formulas: Sequence[str], start: float | None, stop: float | None, pixels: int
) -> bytes:
    """The frame of channels given by place, such as "3,4", between two times [s] since the epoch; None for the ends.

    Results of formulas follow the channels, at places after those of the recording.
    """
    base = len(recording.schema.channels)
    places = checked_places(channels, base) if channels or not formulas else []
    if len(formulas) > MOST_FORMULAS:
        raise UsageError(f"{len(formulas)} formulas, {MOST_FORMULAS} in one window are the most")
    curves = [computed(recording, text) for text in formulas]
    if not 1 <= pixels <= MOST_PIXELS:
        raise UsageError(f"pixels is {pixels}, it must be 1 to {MOST_PIXELS}")
    check_times(start, stop)
    first, last = recording.rows_between(start, stop)
    names = [recording.schema.channels[place].name for place in places]
    exact = last - first <= EXACT_PER_PIXEL * pixels
    found = [(_exact if exact else _envelopes)(recording, names, start, stop, pixels)] if names else []
    if exact:
        found += [(t, values[None], values[None]) for t, values in (c.columns(recording, first, last) for c in curves)]
    else:
        found += [c.envelopes(recording, start, stop, pixels) for c in curves]
    t, least, most = found[0][0], *(np.concatenate([part[k] for part in found]) for k in (1, 2))
    places += [base + k for k in range(len(curves))]
    size = 1 if exact else max(2, math.ceil((last - first) / max(1, len(t))))
    asked = (recording.start if start is None else start, recording.end if stop is None else stop)
    return window_frame(
        0, 0, places, asked, Window(size, first // size, t, least, most, recording.start, recording.end)
    )


def computed(recording: Recording, text: str) -> Computed:
    """The curve of a formula; the last few of a recording are cached."""
    known = _CURVES.setdefault(recording, {})
    if text not in known:
        formula = formula_of(text, recording.schema)
        names = tuple(recording.schema.channels[place].name for place in formula.places)
        while len(known) >= MOST_FORMULAS:
            known.pop(next(iter(known)))
        known[text] = Computed(names, formula)
    return known[text]


def checked_places(text: str, count: int) -> list[int]:
    """Places of channels, checked against their number."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not 1 <= len(parts) <= MOST_CHANNELS:
        raise UsageError(f"channels names {len(parts)} places, 1 to {MOST_CHANNELS} are wanted, such as 3,4")
    for part in parts:
        if not (part.isascii() and part.isdigit() and len(part) < 9 and int(part) < count):
            raise UsageError(f"channels: {part!r:.40} is no place, the recording has 0 to {count - 1}")
    return [int(part) for part in parts]


def _exact(recording: Recording, names: list[str], start: float | None, stop: float | None, _: int) -> Columns:
    found = recording.columns(list(dict.fromkeys(names)), start, stop)
    values = np.stack([found[name] for name in names])
    return found["time"], values, values


def _envelopes(recording: Recording, names: list[str], start: float | None, stop: float | None, pixels: int) -> Columns:
    return recording.envelopes(names, start, stop, pixels)
