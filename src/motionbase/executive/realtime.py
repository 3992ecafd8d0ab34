"""Real-time settings that a run requests from the system, so that ticks come on time. None of them is required.

Each request ends in a sentence: whether it was allowed, and what to do if not. Settings of the thread end with the
thread of the loop; those of the process are undone when the run ends.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import NamedTuple, final

from motionbase.errors import ScheduleError
from motionbase.executive.native_loop import native

MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4
MADV_POPULATE_WRITE = 23
PR_SET_TIMERSLACK = 29
STACK_BYTES = 256 * 1024
LIMITS_FILE = "/etc/security/limits.d/realtime.conf"


class Grant(NamedTuple):
    """One request and its answer."""

    what: str
    allowed: bool
    sentence: str


@final
@dataclass(frozen=True)
class RealTime:
    """What to ask for.

    Attributes:
        priority: of SCHED_FIFO, 1 to 99, or None to stay an ordinary thread
        lock_memory: keep the process's memory from being paged out
        quiet_collector: no garbage collection during the run
        cpus: the processors the loop may use, or None for all
    """

    priority: int | None = 80
    lock_memory: bool = True
    quiet_collector: bool = True
    cpus: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.priority is not None and not 1 <= self.priority <= 99:
            raise ScheduleError(f"priority is {self.priority!r}, it must be 1 to 99, or None for an ordinary thread")
        if self.cpus is not None and not self.cpus:
            raise ScheduleError("cpus is empty; name at least one processor, or None for all")

    @contextmanager
    def process(self, ring: tuple[int, int] | None = None) -> Iterator[tuple[Grant, ...]]:
        """Memory and garbage collection, for as long as the block runs.

        Args:
            ring: address and bytes of the ring's memory, if there is one
        """
        with ExitStack() as undo:
            grants = [_populate(*ring)] if ring is not None else []
            if self.quiet_collector:
                grants.append(_quiet_collector(undo))
            if self.lock_memory:
                grants.append(_lock_memory(undo))
            yield tuple(grants)

    def thread(self) -> tuple[Grant, ...]:
        """Apply to the calling thread, for as long as it lives."""
        native().prefault(STACK_BYTES)
        grants = [Grant("stack", True, f"{STACK_BYTES // 1024} KiB of the stack are in memory")]
        if self.cpus is not None:
            grants.append(_affinity(self.cpus))
        fifo = _fifo(self.priority) if self.priority is not None else None
        if fifo is not None:
            grants.append(fifo)
        if fifo is None or not fifo.allowed:
            grants.append(_timer_slack())
        return tuple(grants)


def _quiet_collector(undo: ExitStack) -> Grant:
    enabled = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    undo.callback(gc.unfreeze)
    if enabled:
        undo.callback(gc.enable)
    return Grant("collector", True, "garbage collection is off during the run")


def _lock_memory(undo: ExitStack) -> Grant:
    libc = ctypes.CDLL(None, use_errno=True)
    limit, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    boundless = limit == resource.RLIM_INFINITY or os.geteuid() == 0
    # with a limit, locking what is to come would make later allocations fail; pages are locked once they are touched
    flags = MCL_CURRENT | MCL_ONFAULT | (MCL_FUTURE if boundless else 0)
    if not hasattr(libc, "mlockall") or libc.mlockall(flags):
        why = os.strerror(ctypes.get_errno()) if hasattr(libc, "mlockall") else "this system has no mlockall"
        room = "unlimited" if boundless else f"{limit // 1024} KiB"
        return Grant(
            "memory",
            False,
            f"memory is not locked ({why}; ulimit -l is {room}): put '* - memlock unlimited' into {LIMITS_FILE} and "
            "log in again",
        )
    undo.callback(libc.munlockall)
    return Grant("memory", True, "memory is locked")


def _populate(address: int, size: int) -> Grant:
    """The ring's pages exist, but a process meets each for the first time with a fault of some microseconds."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), MADV_POPULATE_WRITE):
        why = os.strerror(ctypes.get_errno())
        return Grant("ring", False, f"the ring's pages are not mapped beforehand ({why}): Linux 5.14 or newer can")
    return Grant("ring", True, "the ring's pages are mapped")


def _affinity(cpus: tuple[int, ...]) -> Grant:
    listed = ", ".join(map(str, cpus))
    try:
        os.sched_setaffinity(0, cpus)
    except (OSError, ValueError, AttributeError) as error:
        return Grant("cpus", False, f"the loop cannot stay on processor {listed} ({error}): name some of {_allowed()}")
    return Grant("cpus", True, f"the loop stays on processor {listed}")


def _allowed() -> str:
    return ", ".join(map(str, sorted(os.sched_getaffinity(0)))) if hasattr(os, "sched_getaffinity") else "none here"


def _fifo(priority: int) -> Grant:
    """The priority asked for, or as much of it as `ulimit -r` gives."""
    limit = resource.getrlimit(resource.RLIMIT_RTPRIO)[0] if hasattr(resource, "RLIMIT_RTPRIO") else 0
    for chosen in dict.fromkeys((priority, min(priority, limit))):
        if chosen < 1:
            continue
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(chosen))
            return Grant("priority", True, f"the loop runs under SCHED_FIFO with priority {chosen}")
        except (OSError, AttributeError):
            continue
    return Grant(
        "priority",
        False,
        f"SCHED_FIFO is not allowed (ulimit -r is {limit}): put '* - rtprio {priority}' into {LIMITS_FILE} and log in "
        "again, or give the program CAP_SYS_NICE; ticks may be late when the machine is busy",
    )


def _timer_slack() -> Grant:
    """Set the timer slack: Linux wakes ordinary threads up to 50 us late on purpose; SCHED_FIFO has no such slack."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "prctl") or libc.prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(1)):
        return Grant("timer slack", False, "the timer's slack stays as it is (no prctl): wake-ups may be 50 us late")
    return Grant("timer slack", True, "the timer's slack is 1 ns")
