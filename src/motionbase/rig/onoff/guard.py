"""A thread that shuts the valves when the program that opened them hangs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread, current_thread
from time import monotonic
from typing import final

from motionbase.rig.onoff.acquisition import AcquisitionError

LOOKS = 4  # in the time after which it acts


@final
class Guard:
    """Acts once if nobody has fed it for a time while something was open; it cannot outlive its process."""

    def __init__(self, act: Callable[[], None], after: float) -> None:
        """Start it.

        Args:
            act: shuts what is open; its AcquisitionError is ignored
            after: time without being fed [s]
        """
        self._act, self._after = act, after
        self._fed_at, self._open = monotonic(), False
        self._closed = Event()
        self._thread = Thread(target=self._watch, name="valve guard", daemon=True)
        self._thread.start()

    def fed(self, is_open: bool) -> None:
        """The program is alive, and something is open or not."""
        self._fed_at, self._open = monotonic(), is_open

    def close(self) -> None:
        """End it without acting."""
        self._closed.set()
        if self._thread is not current_thread():
            self._thread.join()

    def _watch(self) -> None:
        while not self._closed.wait(self._after / LOOKS):
            if self._open and monotonic() - self._fed_at > self._after:
                self._open = False
                with suppress(AcquisitionError):
                    self._act()
