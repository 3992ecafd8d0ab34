"""Frames of a motion at a fixed rate, as a host would send them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

from motionbase.host.format import Frame
from motionbase.host.motions import Motion

Clock = Callable[[], float]
ROUNDING = 1e-6  # of a frame
SOON_S = 1e-9  # is now: clocks of files are sums of small times


@final
class Paced:
    """Frames of a motion, by a clock; frames that were not asked for in time are skipped, and so are their numbers.

    Args:
        rate: [Hz]
        run: of the frames
        clock: [s]
        ahead: whether frames tell what comes, where the motion knows

    Attributes:
        skipped: frames that nobody asked for in time
        is_over: whether the motion has ended
    """

    def __init__(
        self, motion: Motion, rate: float, run: int = 0, clock: Clock = time.monotonic, *, ahead: bool = False
    ) -> None:
        self.skipped, self.is_over = 0, False
        self._ahead = ahead
        self._motion, self._rate, self._run, self._clock = motion, rate, run, clock
        self._begin: float | None = None
        self._next = 0

    def due_in(self) -> float:
        """Seconds until the next frame; the first call begins the motion."""
        now = self._clock()
        if self._begin is None:
            self._begin = now
        due = self._begin + self._next / self._rate - now
        return due if due > SOON_S else 0.0

    def frame(self) -> Frame | None:
        """The frame of this moment; None if none is due or the motion has no row."""
        if self.is_over or self.due_in() > 0:
            return None
        assert self._begin is not None
        number = max(self._next, int((self._clock() - self._begin) * self._rate + ROUNDING))
        last = self._motion.duration * self._rate + ROUNDING
        if number > last >= self._next:  # however late it is, a motion is played to its end
            number = int(last)
        t = number / self._rate
        row = self._motion.row(t)
        self.skipped += number - self._next
        self._next, self.is_over = number + 1, self._motion.is_over(t)
        if row is None:
            return None
        return Frame(row, number + 1, t, self._run, preview=self._motion.ahead(t) if self._ahead else ())
