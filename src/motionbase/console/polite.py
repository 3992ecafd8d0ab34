"""Lower priority for threads that may wait, below the event loop, which carries the emergency stop."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

NICE = 5  # below the event loop and the ring's writer, above background processes


def give_way() -> None:
    """Lower the priority of the calling thread and of processes that it starts; only on Linux."""
    if sys.platform == "linux":
        with suppress(OSError):  # fails if the user has set a lower priority already
            if os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) < NICE:
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
