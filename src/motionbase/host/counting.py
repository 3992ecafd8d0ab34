"""Which datagrams of a host are used, and how many of what other kinds came.

Its sequence number, which may wrap around, tells whether a frame is new, late or a duplicate. Numbers that are far off,
or old but in order, come from a host that was restarted: as in RFC 3550, appendix A.1, a new sequence is accepted after
several of them in a row.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import final

from motionbase.host.format import Frame
from motionbase.record.cueing import LINK

WINDOW = 64  # frames back that are remembered, to tell late ones from duplicates
FURTHEST = 3000  # frames forward: a larger step is no loss; as in RFC 3550
STRIDE = 16  # largest step between numbers that come in order
ENOUGH_FAR, ENOUGH_NEAR = 2, 10  # frames in order that are believed: far off, or old by no more than the window
SILENCE_S = 0.5  # after it, whatever comes begins a sequence
BACK_S = 0.5  # a stamp that is older by less is late, else the host's time began again


class Verdict(IntEnum):
    """What a datagram is; the numbers are the places of the counters in `record.cueing.LINK`."""

    FRAME = 0
    LOST = 1
    LATE = 2
    DUPLICATE = 3
    MALFORMED = 4
    FOREIGN = 5


assert [f"link_{verdict.name.lower()}" for verdict in Verdict][1:] == [channel.name for channel in LINK][1:]


@final
class Sequence:
    """The sequence of one host.

    Args:
        bits: of its numbers

    Attributes:
        lost: missing frames; one that arrives late is subtracted again
    """

    def __init__(self, bits: int = 64) -> None:
        self._mask, self._half = (1 << bits) - 1, 1 << (bits - 1)
        self.lost = 0
        self._begun, self._run, self._former = False, 0, 0
        self._newest = self._span = self._seen = 0  # bit k of `seen`: the frame before the newest by k has come
        self._stamp, self._at = -math.inf, -math.inf
        self._strays, self._stray = 0, (0, 0)

    def judge(self, frame: Frame, now: float) -> Verdict:
        """Whether a frame is new (FRAME), LATE or a DUPLICATE.

        Args:
            now: time of its arrival [s]
        """
        verdict = self._by_stamp(frame) if frame.sequence is None else self._by_number(frame.run, frame.sequence)
        if verdict is not Verdict.FRAME and (now - self._at > SILENCE_S or self._is_restart(frame)):
            self._begin(frame)
            verdict = Verdict.FRAME
        if verdict is Verdict.FRAME:
            self._at, self._strays = now, 0
            self._stamp = -math.inf if frame.stamp is None else frame.stamp
        return verdict

    def _by_number(self, run: int, number: int) -> Verdict:
        if run != self._run or not self._begun:
            if self._begun and run == self._former:
                return Verdict.LATE
            self._begin(Frame((), number, run=run))
            return Verdict.FRAME
        step = self._step(self._newest, number)
        if 0 < step <= FURTHEST:
            self.lost += step - 1
            self._newest, self._span = number, self._span + step
            self._seen = (self._seen << step | 1) & ((1 << WINDOW) - 1)
            return Verdict.FRAME
        if not -WINDOW < step <= 0:
            return Verdict.LATE
        if self._seen >> -step & 1:
            return Verdict.DUPLICATE
        self._seen |= 1 << -step
        self.lost -= -step <= self._span  # what was sent before the first frame was never missed
        return Verdict.LATE

    def _by_stamp(self, frame: Frame) -> Verdict:
        back = 0.0 if frame.stamp is None else self._stamp - frame.stamp
        return Verdict.LATE if 0 < back < BACK_S else Verdict.FRAME

    def _is_restart(self, frame: Frame) -> bool:
        """Whether enough frames out of order have come in an order of their own."""
        if frame.sequence is None:
            self._strays += 1
            return self._strays >= ENOUGH_NEAR
        run, before = self._stray
        in_order = frame.run == run and 0 < self._step(before, frame.sequence) <= STRIDE
        self._strays, self._stray = self._strays + 1 if in_order else 1, (frame.run, frame.sequence)
        near = frame.run != self._run or abs(self._step(self._newest, frame.sequence)) < WINDOW
        return self._strays >= (ENOUGH_NEAR if near else ENOUGH_FAR)

    def _begin(self, frame: Frame) -> None:
        if frame.run != self._run:
            self._former = self._run
        self._begun, self._run, self._newest, self._span, self._seen = True, frame.run, frame.sequence or 0, 0, 1

    def _step(self, before: int, number: int) -> int:
        """From one number to another, the shorter way round."""
        step = (number - before) & self._mask
        return step - self._mask - 1 if step >= self._half else step
