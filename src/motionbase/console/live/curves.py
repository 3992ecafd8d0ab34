"""Live frames of a page: buckets that are new since the last frame, or all of them after a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from motionbase.console.live import frames
from motionbase.console.live.history import History, bucket_size
from motionbase.console.live.runs import Run

KEPT_BODIES = 16


@final
@dataclass(frozen=True)
class Subscription:
    """Curves of some channels over the last `span` seconds, on `pixels` pixels."""

    places: tuple[int, ...]
    span: float
    pixels: int


class Shape(NamedTuple):
    """Content of a frame, equal for pages with equal subscriptions at the same time."""

    generation: int
    revision: int
    places: tuple[int, ...]
    size: int
    first: int
    records: int


@final
class Bodies:
    """Bodies of the frames of one ring, made once for all pages that need the same."""

    def __init__(self) -> None:
        self._made: dict[Shape, tuple[bytes, int]] = {}

    def of(self, shape: Shape, history: History) -> tuple[bytes, int]:
        """Newest record and columns, and their number of buckets. The caller holds the history's lock."""
        if found := self._made.get(shape):
            return found
        newest = history.newest()
        assert newest is not None
        last = -(-shape.records // shape.size)
        places = np.asarray((0, *shape.places), np.intp)
        if shape.places:
            made = history.buckets(shape.first, last, shape.size, places)
            count = made.least.shape[1]
            columns = (newest, made.least[0], frames.paired(made.least[1:], made.most[1:]))
            found = (frames.body(*columns), count)
        else:
            found = (newest.tobytes(), 0)
        if len(self._made) >= KEPT_BODIES:
            self._made.clear()
        self._made[shape] = found
        return found


@final
class Curves:
    """The curves of one page."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._subscription: Subscription | None = None
        self._has: Shape | None = None

    def subscribe(self, subscription: Subscription) -> None:
        """Change the subscription; the next frame has everything."""
        self._subscription, self._has = subscription, None

    def move(self, bodies: Bodies) -> None:
        """Change to another ring, of which the page has nothing yet."""
        self._bodies, self._has = bodies, None

    def next(self, run: Run, frame: int) -> bytes | None:
        """The next frame; None if the page is up to date."""
        wanted = self._subscription
        if wanted is None:
            return None
        history = run.history
        with history.lock:
            if not history.count:
                return None
            shape, backfill = self._shape(wanted, run, history)
            if shape == self._has:
                return None
            body, count = self._bodies.of(shape, history)
            t = float(history.rows(history.count - 1, history.count, slice(0, 1))[0, 0])
        self._has = shape
        header: dict[str, Any] = {
            "kind": "live", "frame": frame, "generation": shape.generation, "t": t, "bucket": shape.size,
            "first": shape.first, "count": count, "channels": shape.places, "backfill": backfill,
            "width": len(body) // 8 - count * (1 + 2 * len(shape.places)) if shape.places else len(body) // 8,
        }  # fmt: skip
        return frames.head(header) + body

    def _shape(self, wanted: Subscription, run: Run, history: History) -> tuple[Shape, bool]:
        places = tuple(p for p in wanted.places if p < history.width)
        span = int(min(wanted.span / run.period, 2.0**53)) + 1
        size = max(bucket_size(span, wanted.pixels), history.finest_for(span))
        oldest = max(-(-history.held(size) // size), (history.count - span) // size)
        has = self._has
        same = has is not None and (has.generation, has.revision, has.places, has.size) == (
            run.generation, run.revision, places, size,
        )  # fmt: skip
        first = max(oldest, has.records // size) if has is not None and same else oldest
        return Shape(run.generation, run.revision, places, size, first, history.count), not same
