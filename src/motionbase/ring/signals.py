"""Ends from outside: signals, and the death of the parent process."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@contextmanager
def heard(stop: Callable[[signal.Signals], None], parent: int | None = None) -> Iterator[None]:
    """Call `stop` on SIGINT, SIGTERM, SIGHUP and SIGQUIT while the block runs, then restore the earlier handlers.

    SIGHUP comes from a closed terminal or a lost connection. If it is ignored already, as under nohup, it stays
    ignored. Python receives signals in its main thread only; in another thread nothing is changed.

    Args:
        parent: with a process number, the system sends SIGTERM when the parent ends, however it ends
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        stop(signal.Signals(number))

    wanted = [n for n in STOPPING if n is not signal.SIGHUP or signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in wanted}
    restored = _parent_death_signal(signal.SIGTERM) if parent is not None else None
    try:
        yield
    finally:
        if restored is not None:
            _parent_death_signal(restored)
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def orphaned(parent: int | None) -> bool:
    """Whether the watched parent process has ended."""
    return parent is not None and os.getppid() != parent


def _parent_death_signal(number: int) -> int | None:
    """Set it; returns the earlier one, or None if the system has none."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "prctl"):
        return None
    before = ctypes.c_int(0)
    libc.prctl(PR_GET_PDEATHSIG, ctypes.byref(before))
    libc.prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(number))
    return before.value
