"""Threads that may wait give way to the event loop, which carries the emergency stop, and to the ring's writer."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

NICE = 5  # below the event loop and the ring's writer, above those who work in the background


def give_way() -> None:
    """The calling thread, and processes that it starts, step back; on Linux, where a thread has a priority."""
    if sys.platform == "linux":
        with suppress(OSError):  # one that is niced further already, by its user, stays there
            if os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) < NICE:
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
