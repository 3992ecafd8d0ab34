"""Names of partial files, from which others can tell whether their writer still lives, even on a network share."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path

PART = ".part"
LONGEST = 190  # bytes of a file's name repeated in a part's name; file systems allow 255 for all of it


def part_of(path: Path) -> Path:
    """A new name for a file that will become `path`: `.NAME.HOST.PROCESS.TOKEN.part`, in the same folder."""
    return path.with_name(f"{_beginning(path)}{here()}.{os.getpid()}.t{secrets.token_hex(4)}{PART}")


def parts(path: Path) -> list[Path]:
    """Existing parts of `path`, of any process."""
    with suppress(OSError):
        start = _beginning(path)
        return sorted(
            Path(e.path) for e in os.scandir(path.parent) if e.name.startswith(start) and e.name.endswith(PART)
        )
    return []


def is_left(part: Path) -> bool:
    """Whether the writer of a part was a process of this machine and has ended; False for other machines."""
    found = re.search(r"\.([^.]+)\.(\d+)\.t[0-9a-f]+\.part$", part.name)
    if found is None or found[1] != here() or not os.path.isdir("/proc/self"):
        return False
    return not os.path.exists(f"/proc/{found[2]}")


@cache
def here() -> str:
    """Name of this machine in the names of parts: host name and a checksum that distinguishes machines of equal name.

    Machines made from one image may share a host name, and containers on one machine have separate process ids.
    """
    name, apart = socket.gethostname(), ""
    with suppress(OSError):
        apart += Path("/etc/machine-id").read_text()
    with suppress(OSError):
        apart += os.readlink("/proc/self/ns/pid")
    digest = hashlib.sha256(f"{name}\n{apart}".encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9-]', '-', name)[:16]}-{digest}"


def _beginning(path: Path) -> str:
    """Beginning of the names of a file's parts."""
    raw = os.fsencode(path.name)
    return f".{path.name if len(raw) <= LONGEST else hashlib.sha256(raw).hexdigest()}."
