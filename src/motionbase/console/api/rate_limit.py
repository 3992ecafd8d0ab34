"""Rate limit for expensive requests of a page."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import final

from motionbase.console.api.sentences import TooMany

MOST_CLIENTS = 1024  # clients remembered


@final
class RateLimit:
    """Limits the requests of each client in any second; used only in the event loop.

    Args:
        what: name of the request, for messages
        a_second: limit
        clock: monotonic [s]
    """

    def __init__(self, what: str, a_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._a_second, self._clock = what, a_second, clock
        self._asked: dict[str, deque[float]] = {}

    def check(self, client: str) -> None:
        """Count a request; refused if there were too many in the last second."""
        now = self._clock()
        if client not in self._asked and len(self._asked) >= MOST_CLIENTS:
            self._asked = {name: times for name, times in self._asked.items() if now - times[-1] < 1.0}
        times = self._asked.setdefault(client, deque(maxlen=self._a_second))
        if len(times) == self._a_second and now - times[0] < 1.0:
            raise TooMany(f"{self._what}: {self._a_second} requests a second are the most for one page; ask later")
        times.append(now)
