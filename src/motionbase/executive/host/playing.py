"""A file, a ring or a manoeuvre that moves a base as a host would."""

from __future__ import annotations

import time
from typing import Self, final

from motionbase.executive.exchange import Exchange
from motionbase.executive.host.feed import Told
from motionbase.executive.host.motions import motion_of
from motionbase.host.counting import Verdict
from motionbase.host.pacing import Paced
from motionbase.host.url import Played

LOOK_S = 0.05  # between looks whether the base has ended


@final
class Playing:
    """Plays from its begin to every base that comes."""

    def __init__(self, source: Played) -> None:
        self._source, self._motion = source, motion_of(source)

    @property
    def sentence(self) -> str:
        """What is played."""
        return f"plays a {self._motion.kind.value} of {self._source.text} at {self._source.rate:g} Hz"

    def serve(self, exchange: Exchange) -> None:
        """Play until the base ends; at the end of the motion the base is left in silence."""
        paced, told, counts = Paced(self._motion, self._source.rate), Told(exchange), [0] * len(Verdict)
        while not exchange.is_replaced():
            time.sleep(LOOK_S if paced.is_over else min(LOOK_S, paced.due_in()))
            frame = paced.frame()
            if frame is not None:
                counts[Verdict.FRAME] += 1
                counts[Verdict.LOST] = paced.skipped
                told.frame(frame.row, counts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._motion.close()
