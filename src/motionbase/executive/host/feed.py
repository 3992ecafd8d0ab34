"""What brings frames to a base: the interface, and the row that it fills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, final

import numpy as np

from motionbase.arrays import Array
from motionbase.executive.exchange import Exchange
from motionbase.executive.host.rows import FRAME_AT
from motionbase.executive.preview import Previews
from motionbase.host.format import Frame

UNWANTED = Previews(None)


class Feed(Protocol):
    """A context manager that keeps what it needs, such as a socket, from one base to the next."""

    @property
    def sentence(self) -> str:
        """Where it listens, for people."""

    def serve(self, exchange: Exchange, previews: Previews = UNWANTED) -> None:
        """Bring frames to a base until that ends, and previews to its planner."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


@final
class LoopRow:
    """The row that the loop reads: counters and the newest frame; its preview goes to the planner."""

    def __init__(self, exchange: Exchange, previews: Previews = UNWANTED) -> None:
        self._box, self._states, self._previews = exchange.answers, exchange.states, previews
        self._row: Array = np.zeros(1 + exchange.blocks.n)
        self._put()  # begins to count again

    def frame(self, frame: Frame, counts: Sequence[int]) -> None:
        """A new frame, with the counters."""
        self._row[1 + FRAME_AT :] = frame.row
        self._row[0] += 1.0
        self.counts(counts)
        if frame.preview and self._previews.are_wanted and (state := self._states.get()) is not None:
            self._previews.tell(frame, float(self._row[0]), float(state[1]))

    def counts(self, counts: Sequence[int]) -> None:
        """Counters alone."""
        self._row[1 : 1 + FRAME_AT] = counts
        self._put()

    def _put(self) -> None:
        self._box.put(self._row)
