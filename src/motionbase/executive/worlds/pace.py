"""Periods in real time: waits for the next one, and counts those that were missed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

MOST_BEHIND_S = 0.1  # delay that is caught up with; older periods are skipped


@final
class Pace:
    """Counts periods.

    Args:
        clock: [s]

    Attributes:
        missed: periods that were skipped
    """

    def __init__(
        self, dt: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self._dt, self._clock, self._sleep = dt, clock, sleep
        self._due = clock()
        self.missed = 0

    def wait(self) -> float:
        """Wait for the next period, if it is not due already; returns the time [s]."""
        self._due += self._dt
        now = self._clock()
        if self._due > now:
            self._sleep(self._due - now)
            return self._clock()
        if now - self._due > MOST_BEHIND_S:
            periods = int((now - self._due) / self._dt)
            self.missed += periods
            self._due += periods * self._dt
        return now
