"""Notices a world that hangs and ends its process, so that a supervisor can restart it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Self, final

LOOK_S, MOST = 0.5, 20  # between checks, and how many in a row may find that no step has ended


@final
class Watchdog:
    """Ends the process once no step has ended for 10 s; a context manager with a thread.

    It counts its checks instead of reading a clock: a process that was stopped and continued does not hang.

    Attributes:
        steps: counted by its user
    """

    def __init__(self, what: str, look_s: float = LOOK_S, end: Callable[[int], object] = os._exit) -> None:
        self._what, self._look_s, self._end = what, look_s, end
        self.steps, self._seen, self._idle = 0, -1, 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def look(self) -> None:
        """Check once."""
        self._idle = 0 if self.steps != self._seen else self._idle + 1
        self._seen = self.steps
        if self._idle >= MOST:
            print(f"{self._what} hangs: no step has ended for {MOST * LOOK_S:g} s", file=sys.stderr, flush=True)
            self._end(1)

    def _watch(self) -> None:
        while not self._over.wait(self._look_s):
            self.look()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
