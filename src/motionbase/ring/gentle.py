"""Working in the background: what may take its time must not take it from a writer."""

from __future__ import annotations

import ctypes
import os
import platform
from contextlib import suppress

IOPRIO_SET = {"x86_64": 251, "aarch64": 30}  # numbers of the system call
THIS_PROCESS, LOWEST = 1, 2 << 13 | 7  # of the usual class: the idle class may never get its turn


def be_gentle() -> None:
    """The lowest priority for processor and disk, as far as the system has such; for the whole process, for good."""
    with suppress(OSError, AttributeError):
        os.nice(19)
    if (number := IOPRIO_SET.get(platform.machine())) and platform.system() == "Linux":
        ctypes.CDLL(None).syscall(number, THIS_PROCESS, 0, LOWEST)
