"""A file, a ring or a manoeuvre that moves a base as a host would."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Self, final

from motionbase.executive.exchange import Exchange
from motionbase.executive.host.feed import UNWANTED, LoopRow
from motionbase.executive.host.motions import motion_of
from motionbase.executive.host.rows import drives
from motionbase.executive.preview import Previews
from motionbase.host.counting import Verdict
from motionbase.host.format import Frame, Kind
from motionbase.host.motions import ANGLES
from motionbase.host.pacing import Paced
from motionbase.host.url import Played

LOOK_S = 0.05  # between looks whether the base has ended


@final
class Playing:
    """Plays to every base that comes.

    A file or manoeuvre begins when the base drives; until then its first sample is told, at rest. If the base leaves
    drive before the end, the motion begins again. After the end there is silence. A ring is followed from the start.
    """

    def __init__(self, source: Played) -> None:
        self._source, self._motion = source, motion_of(source)
        self._waits = source.scheme != "ring"

    @property
    def sentence(self) -> str:
        """What is played."""
        return f"plays a {self._motion.kind.value} of {self._source.text} at {self._source.rate:g} Hz"

    def serve(self, exchange: Exchange, previews: Previews = UNWANTED) -> None:
        """Play until the base ends."""
        told, counts = LoopRow(exchange, previews), [0] * len(Verdict)
        for frame, skipped in self._frames(exchange, previews.are_wanted):
            counts[Verdict.LOST] += skipped
            if frame is not None:
                counts[Verdict.FRAME] += 1
                told.frame(frame, counts)
            if exchange.is_replaced():
                return

    def _frames(self, exchange: Exchange, ahead: bool) -> Iterator[tuple[Frame | None, int]]:
        """Frames when they are due, and how many were skipped before; None after a while with nothing to tell."""
        rate = self._source.rate
        while True:
            while self._waits and not drives(exchange):
                time.sleep(1 / rate)
                yield self._first(), 0
            paced, skipped = Paced(self._motion, rate, ahead=ahead), 0
            while not self._waits or paced.is_over or drives(exchange):
                time.sleep(LOOK_S if paced.is_over else min(LOOK_S, paced.due_in()))
                yield paced.frame(), paced.skipped - skipped
                skipped = paced.skipped

    def _first(self) -> Frame | None:
        """The first sample; a pose stands."""
        row = self._motion.row(0.0)
        if row is None:
            return None
        return Frame(row if self._motion.kind is Kind.VEHICLE else (*row[: ANGLES.stop], *(0.0,) * 12))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._motion.close()
