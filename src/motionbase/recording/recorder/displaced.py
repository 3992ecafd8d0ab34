"""A recording that is moved, deleted or cut while it is written: noticed at the next chunk, and mended where it can be.

The open descriptor is the recorder's file, whatever becomes of its name. A moved file is whole where it is now. Of a
deleted one the system keeps all bytes until it is closed: they are copied back under its name, by a thread of its own.
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

SPARE_BYTES = 200_000_000  # that a disk must have left beside a file which is brought back
NFS_DELETED = ".nfs"  # what a network share calls a file that is deleted while it is open


class Fate(Enum):
    """What became of a file that is being written."""

    MOVED = "moved"
    DELETED = "deleted"
    CUT = "cut"


def fate(writer: McapWriter) -> Fate | None:
    """None where nothing has; two calls of the system, whatever the size."""
    try:
        own = os.fstat(writer.descriptor)
    except OSError:  # a share that is gone: the next write tells
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
    """Remove the file that is open, not another that has its name."""
    with suppress(OSError):
        if os.path.samestat(os.fstat(writer.descriptor), os.stat(writer.path)):
            writer.path.unlink()


def where(writer: McapWriter) -> Path:
    """The file's name now, as far as the system tells it."""
    with suppress(OSError):
        return Path(os.readlink(f"/proc/self/fd/{writer.descriptor}"))
    return writer.path


def readable(writer: McapWriter) -> int | None:
    """A descriptor to read all of a deleted file with; None where it cannot be, or the disk has no room for a copy."""
    try:
        room = shutil.disk_usage(writer.path.parent).free - writer.bytes
        return os.open(f"/proc/self/fd/{writer.descriptor}", os.O_RDONLY | os.O_CLOEXEC) if room > SPARE_BYTES else None
    except OSError:
        return None


@final
class Rescue:
    """Copies of deleted files; records never wait for them.

    Attributes:
        failed: sentences about what could not be brought back

    Args:
        say: takes a sentence for people; must not block
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say, self.failed = say, list[str]()
        self._threads: list[threading.Thread] = []

    def begin(self, descriptor: int, path: Path, rows: int) -> None:
        """Bring it back as `path`; the descriptor is closed afterwards."""
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
        """Wait for the copies, for so long at most [s]; whether all are there."""
        end = time.monotonic() + seconds
        for copy in self._threads:
            copy.join(max(0.0, end - time.monotonic()))
        return not self.failed and not any(copy.is_alive() for copy in self._threads)


def free_name(path: Path) -> Path:
    """The file's own name, or one beside it where somebody has put another file there."""
    return path if not os.path.lexists(path) else path.with_name(f"{path.stem}_recovered{path.suffix}")
