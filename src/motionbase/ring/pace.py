"""Work at a steady rate: deadlines count from the start, so that delays do not add up."""

from __future__ import annotations

import threading
import time
from typing import final

SHORTEST_PAUSE_S = 1e-3  # above 1 kHz several records are due at each wake
LONGEST_ARREARS_S = 1.0  # after a longer interruption (a suspended machine) the schedule restarts from now


@final
class Pace:
    """Counts the records that are due, and sleeps until the next one.

    Attributes:
        done: records that were due so far
        held_up: number of interruptions so long that the missed records were skipped
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
        """Sleep until the next record is due, at least a millisecond; returns at once when `stop` is set."""
        next_due = self._start + self.done / self.rate - time.monotonic()
        stop.wait(max(SHORTEST_PAUSE_S, next_due))
