"""Doing things at a steady rate: deadlines are counted from the start, so that no delay adds up."""

from __future__ import annotations

import threading
import time
from typing import final

SHORTEST_PAUSE_S = 1e-3  # above 1 kHz several records are due at each wake
LONGEST_ARREARS_S = 1.0  # after a longer hold-up (a suspended machine) the clock goes on from now


@final
class Pace:
    """Tells how many records have become due, and sleeps until the next one is.

    Attributes:
        done: records that were due so far
        held_up: times the process was away for so long that its arrears were given up
    """

    def __init__(self, rate: float) -> None:
        self.rate, self.done, self.held_up = rate, 0, 0
        self._start = time.monotonic()

    def due(self) -> int:
        """Records that have become due since the last call."""
        late = time.monotonic() - self._start - self.done / self.rate
        if late > LONGEST_ARREARS_S:
            self.held_up += 1
            self._start += late
            late = 0.0
        count = int(late * self.rate) + 1 if late >= 0 else 0
        self.done += count
        return count

    def rest(self, stop: threading.Event) -> None:
        """Until the next record is due, a millisecond at least; returns at once when `stop` is set."""
        next_due = self._start + self.done / self.rate - time.monotonic()
        stop.wait(max(SHORTEST_PAUSE_S, next_due))
