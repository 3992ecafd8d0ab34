"""Handles a recording that is moved, deleted or truncated while it is written: detected at the next chunk and repaired.

The open descriptor stays the recorder's file. A moved file is complete at its new place. The system keeps a deleted
file until it is closed: a thread copies it back under its name.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import final

from motionbase import private
from motionbase.errors import RecordingError
from motionbase.recording.mcap.write import McapWriter
from motionbase.recording.whole import whole_or_not

SPARE_BYTES = 200_000_000  # that must stay free on a disk to which a file is restored
NFS_DELETED = ".nfs"  # name that a network share gives to a file deleted while open


class Fate(Enum):
    """What happened to a file that is being written."""

    MOVED = "moved"
    DELETED = "deleted"
    CUT = "cut"


def fate(writer: McapWriter) -> Fate | None:
    """What happened to the file; None if nothing. Costs two system calls."""
    try:
        own = os.fstat(writer.descriptor)
    except OSError:  # a share that is gone: the next write will fail
        return None
    if own.st_size < writer.bytes:
        return Fate.CUT
    try:
        if os.path.samestat(own, os.stat(writer.path)):
            return None
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError:
        return None
    return Fate.DELETED if not own.st_nlink or where(writer).name.startswith(NFS_DELETED) else Fate.MOVED


def unlink(writer: McapWriter) -> None:
    """Remove the open file, but not another that has its name."""
    with suppress(OSError):
        if os.path.samestat(os.fstat(writer.descriptor), os.stat(writer.path)):
            writer.path.unlink()


def where(writer: McapWriter) -> Path:
    """The file's current name, if the system knows it."""
    with suppress(OSError):
        return Path(os.readlink(f"/proc/self/fd/{writer.descriptor}"))
    return writer.path


def readable(writer: McapWriter) -> int | None:
    """A descriptor for reading a deleted file; None if there is none, or the disk has no room for a copy."""
    try:
        room = shutil.disk_usage(writer.path.parent).free - writer.bytes
        return os.open(f"/proc/self/fd/{writer.descriptor}", os.O_RDONLY | os.O_CLOEXEC) if room > SPARE_BYTES else None
    except OSError:
        return None


@final
class Rescue:
    """Restores deleted files in threads, so that records never wait.

    Attributes:
        failed: sentences about files that could not be restored

    Args:
        say: called with a sentence for the operator; must not block
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say, self.failed = say, list[str]()
        self._threads: list[threading.Thread] = []

    def begin(self, descriptor: int, path: Path, rows: int) -> None:
        """Restore a file as `path`; the descriptor is closed afterwards."""
        copy = threading.Thread(
            target=self._copy, args=(descriptor, path, rows), name="motionbase recorder rescue", daemon=True
        )
        self._threads.append(copy)
        copy.start()

    def _copy(self, descriptor: int, path: Path, rows: int) -> None:
        try:
            private.make_folder(path.parent)
            with whole_or_not(path) as part:
                shutil.copyfile(f"/proc/self/fd/{descriptor}", private.make_file(part))
            self._say(f"{path} was deleted while it was written; it is back, with its {rows} records")
        except (OSError, RecordingError) as error:
            why = (
                f"{path} was deleted while it was written and cannot be brought back: {error}; {rows} records are lost"
            )
            self.failed.append(why)
            self._say(why)
        finally:
            os.close(descriptor)

    def close(self, seconds: float) -> bool:
        """Wait up to `seconds` for the copies; whether all are complete."""
        end = time.monotonic() + seconds
        for copy in self._threads:
            copy.join(max(0.0, end - time.monotonic()))
        return not self.failed and not any(copy.is_alive() for copy in self._threads)


def free_name(path: Path) -> Path:
    """The file's own name, or another beside it if the name is taken."""
    return path if not os.path.lexists(path) else path.with_name(f"{path.stem}_recovered{path.suffix}")
