"""Priority of a process, and its orderly end on a signal.

Background work gets the lowest priority; a recorder, which must not fall behind, gets a high one.
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

IOPRIO_SET = {"x86_64": 251, "aarch64": 30}  # number of the system call by machine
THIS_PROCESS, LOWEST = 1, 2 << 13 | 7  # lowest level of the best-effort class: the idle class can starve
PROMPT, CAP_SYS_NICE = -10, 23


def be_gentle() -> None:
    """Give the whole process the lowest priority for processor and disk, where the system supports it; permanent."""
    with suppress(OSError, AttributeError):
        os.nice(19)
    if (number := IOPRIO_SET.get(platform.machine())) and platform.system() == "Linux":
        ctypes.CDLL(None).syscall(number, THIS_PROCESS, 0, LOWEST)


def be_prompt() -> None:
    """Give the process and its later threads a priority above ordinary processes, if the system allows it.

    All threads get the same priority: a low-priority thread could hold Python's lock while it waits for a processor.
    """
    with suppress(OSError):
        if (nice := prompt_nice()) < os.getpriority(os.PRIO_PROCESS, 0):
            os.setpriority(os.PRIO_PROCESS, 0, nice)


def prompt_nice() -> int:
    """Nice value of `be_prompt`: -10 if SCHED_FIFO is allowed, because the writer then still comes first; else 0."""
    if platform.system() != "Linux":
        return 0
    may_be_real_time = resource.getrlimit(resource.RLIMIT_RTPRIO)[0] != 0
    with suppress(OSError, ValueError, IndexError):
        capabilities = Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0]
        may_be_real_time = may_be_real_time or bool(int(capabilities, 16) >> CAP_SYS_NICE & 1)
    return PROMPT if may_be_real_time else 0


@contextmanager
def stop_requested() -> Iterator[threading.Event]:
    """Context manager with an event that SIGINT, SIGTERM, SIGHUP and SIGQUIT set; restores their handlers at the end.

    SIGHUP stays ignored if it is ignored already, as under nohup.
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
    """Set the event after `seconds`; never if that is None."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
