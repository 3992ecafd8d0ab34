"""The folder in which a simulated machine and its clients meet, and its socket, which keeps messages apart."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

from motionbase.errors import UsageError

LONGEST = 107  # bytes of a socket's path on Linux; macOS takes 103


def meeting_point(folder: Path, name: str) -> Path:
    """Path of a socket or a link in the folder; raises `UsageError` if the folder does not serve."""
    try:
        found = folder.stat()
    except OSError as error:
        raise UsageError(f"meeting place {folder} of a simulated machine: {reason_of(error)}") from None
    if not stat.S_ISDIR(found.st_mode):
        raise UsageError(f"meeting place {folder} of a simulated machine is not a folder")
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        raise UsageError(
            f"meeting place {folder} of a simulated machine: other users could move it; it must be yours, of mode 0700"
        )
    path = folder / name
    if (length := len(os.fsencode(path))) > LONGEST:
        raise UsageError(
            f"meeting place {folder} of a simulated machine: the path of its socket {name} has {length} bytes, "
            f"at most {LONGEST} are possible"
        )
    return path


def connection(path: Path) -> socket.socket:
    """A connection that never waits to the process that listens there; raises `OSError` if there is none."""
    made = _socket()
    try:
        made.connect(os.fspath(path))
    except OSError:
        made.close()
        raise
    return made


def listening(path: Path, most_waiting: int) -> socket.socket:
    """A socket that listens there and never waits; one that a killed machine left behind is replaced."""
    made = _socket()
    try:
        if _is_served(path):
            raise UsageError(f"simulated machine at {path}: another process plays it already")
        path.unlink(missing_ok=True)
        made.bind(os.fspath(path))
        made.listen(most_waiting)
    except OSError as error:
        made.close()
        raise UsageError(f"simulated machine at {path}: {reason_of(error)}") from None
    except UsageError:
        made.close()
        raise
    return made


def reason_of(error: OSError) -> str:
    """What went wrong, to end a sentence with."""
    return (error.strerror or str(error)).lower()


def _socket() -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
    made.setblocking(False)
    return made


def _is_served(path: Path) -> bool:
    try:
        connection(path).close()
    except BlockingIOError:
        return True  # its queue is full
    except OSError:
        return False
    return True
