"""A process whose loop may make no system call but `clock_nanosleep`: the kernel kills it at any other.

Prints the page faults of the loop's thread and the growth of its resident memory [pages] over the ticks that count.
Then it installs the filter, runs again, prints the last tick, and makes a call that is not allowed, to show that the
filter works. x86-64 alone: numbers of system calls differ elsewhere.
"""

import ctypes
import os
import resource
import struct
import sys
from typing import Any

from motionbase.executive.loop import Loop
from motionbase.executive.timing import Limits
from tests.executive.model.rig import robot, stepped
from tests.executive.model.small_rotor import rotor

NANOSLEEP, WRITE = 230, 1
WARM, TICKS = 500, 4000


def allow_only(*calls: int) -> None:
    """For this thread, for ever: seccomp with a filter."""
    load, jump, answer = 0x20, 0x15, 0x06  # BPF: load the number of the call, jump if equal, return
    program = [(load, 0, 0, 0), *((jump, len(calls) - k, 0, call) for k, call in enumerate(calls))]
    program += [(answer, 0, 0, 0x80000000), (answer, 0, 0, 0x7FFF0000)]  # kill the process; allow
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    given = Filter(len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(given), 0, 0) == 0


def main() -> None:
    shared = sys.argv[1] == "ring"
    filled = WARM // 2  # records of the ring, which has been filled when it counts
    code = rotor(internal=False) if sys.argv[2:] == ["rotor"] else robot(internal=False)
    with stepped(code, capacity=filled, shared=shared) as rig:
        run = rig.run
        run.listen()
        parts: dict[str, Any] = {"clock": run.clock, "limits": Limits(), "writer": run.writer, "channels": run.shown}
        loop = Loop(run.schedule, real_time=True, **parts)
        loop.run(WARM)
        faults, pages = usage()
        loop.run(WARM + TICKS)
        after = usage()
        print(after[0] - faults, after[1] - pages, flush=True)
        allow_only(NANOSLEEP, WRITE)
        loop.run(WARM + 2 * TICKS)
        os.write(1, f"{loop.control.tick}\n".encode())
        os.getppid()


def usage() -> tuple[int, int]:
    """Page faults of this thread, resident pages of the process."""
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1])
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt, resident


if __name__ == "__main__":
    main()
