"""Child processes that end with their parent, however it ends.

Every child leads its own process group and, before its program starts, asks the system to send it SIGTERM when its
parent dies. A sentinel process runs beside them: when the parent is gone, it gives the leaders time to end and then
kills the rest of their groups, grandchildren included.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import final

from motionbase.interpreter import BARE

# The parent, to Linux, is the thread that starts the child: start children from a thread that lives long enough.
# If the parent dies between fork and prctl, no signal comes; hence the comparison of process ids.
SHIM = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, ctypes.c_ulong(15))
if os.getppid() != int(sys.argv[1]):
    sys.exit(143)
try:
    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + int(sys.argv[2]))
except OSError:
    pass
for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and the program would inherit that
    signal.signal(number, signal.SIG_DFL)
try:
    os.execvp(sys.argv[3], sys.argv[3:])
except OSError as error:
    print(f"{sys.argv[3]} cannot be started: {error.strerror}", file=sys.stderr)
    sys.exit(127)
"""
NOT_STARTED = 127

SENTINEL = """
import os, signal, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)

def lives(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False

def send(group, number):
    try:
        os.killpg(group, number)
        return True
    except OSError:
        return False

groups = {}
for line in sys.stdin:
    group, grace = line.split()
    if float(grace) < 0:
        groups.pop(int(group), None)
    else:
        groups[int(group)] = float(grace)
start, told = time.monotonic(), set()
while groups:
    passed = time.monotonic() - start
    for group, grace in list(groups.items()):
        if not send(group, 0):
            del groups[group]
        elif passed > grace + 1:
            send(group, signal.SIGKILL)
            del groups[group]
        elif group not in told and not lives(group):  # the leader ended by its own signal, these have had none
            send(group, signal.SIGTERM)
            told.add(group)
            groups[group] = min(grace, passed)
    time.sleep(0.05)
"""


def start(
    command: Sequence[str], environment: Mapping[str, str] | None = None, nice: int = 0
) -> subprocess.Popen[bytes]:
    """Start a child with pipes for its output and no input; `nice` is added to its nice value where allowed."""
    return subprocess.Popen(
        [*BARE, SHIM, str(os.getpid()), str(nice), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=None if environment is None else {**os.environ, **environment},
        process_group=0,
    )


def end_group(group: int, number: int) -> bool:
    """Send a signal to a process group; False if the group is empty."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@final
class Sentinel:
    """A process that ends the given groups when this process dies."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [*BARE, SENTINEL], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, process_group=0, bufsize=0
        )

    @property
    def pid(self) -> int:
        """Process id of the sentinel."""
        return self._process.pid

    def guard(self, group: int, grace_s: float) -> None:
        """End this group after this process, giving it `grace_s` [s] to end by itself."""
        self._tell(group, grace_s)

    def forget(self, group: int) -> None:
        """Stop guarding a group that has ended."""
        self._tell(group, -1.0)

    def _tell(self, group: int, seconds: float) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # the sentinel was killed; the children still get their signal
            self._process.stdin.write(f"{group} {seconds}\n".encode())

    def close(self) -> None:
        """End the sentinel; no groups are left."""
        with suppress(OSError), self._process:
            pass
