"""A process among others: how urgent it is, and how it ends in good order.

What may take its time must not take it from others, and a recorder must not fall behind.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

IOPRIO_SET = {"x86_64": 251, "aarch64": 30}  # numbers of the system call
THIS_PROCESS, LOWEST = 1, 2 << 13 | 7  # of the usual class: the idle class may never get its turn
PROMPT, CAP_SYS_NICE = -10, 23


def be_gentle() -> None:
    """The lowest priority for processor and disk, as far as the system has such; for the whole process, for good."""
    with suppress(OSError, AttributeError):
        os.nice(19)
    if (number := IOPRIO_SET.get(platform.machine())) and platform.system() == "Linux":
        ctypes.CDLL(None).syscall(number, THIS_PROCESS, 0, LOWEST)


def be_prompt() -> None:
    """Before ordinary processes, where the system allows it; for the whole process and its later threads.

    All threads get the same: one of low priority could hold Python's lock while it waits for a processor.
    """
    with suppress(OSError):
        if (nice := prompt_nice()) < os.getpriority(os.PRIO_PROCESS, 0):
            os.setpriority(os.PRIO_PROCESS, 0, nice)


def prompt_nice() -> int:
    """-10 where SCHED_FIFO is allowed, which a writer then has: it still comes before what is merely prompt. Else 0."""
    if platform.system() != "Linux":
        return 0
    may_be_real_time = resource.getrlimit(resource.RLIMIT_RTPRIO)[0] != 0
    with suppress(OSError, ValueError, IndexError):
        capabilities = Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0]
        may_be_real_time = may_be_real_time or bool(int(capabilities, 16) >> CAP_SYS_NICE & 1)
    return PROMPT if may_be_real_time else 0


@contextmanager
def stop_requested() -> Iterator[threading.Event]:
    """An event that SIGINT, SIGTERM, SIGHUP and SIGQUIT set; what they did before comes back afterwards.

    SIGHUP stays ignored where it is, as under nohup.
    """
    stop = threading.Event()
    hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, *hangup)
    before = [signal.signal(number, lambda *_: stop.set()) for number in signals]
    try:
        yield stop
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def stop_after(seconds: float | None, stop: threading.Event) -> Iterator[None]:
    """Set the event after a time; never where that is None."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
