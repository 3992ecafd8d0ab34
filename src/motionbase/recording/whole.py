"""Files that are either complete or absent: written under another name, synced, then renamed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from motionbase.errors import RecordingError
from motionbase.ring.parts import is_left, part_of, parts

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def whole_or_not(path: Path, force: bool = False, sync: bool = True) -> Iterator[Path]:
    """Context manager with the name to write under; the file becomes `path` at the end, or is removed on an error.

    An existing file is kept, with `RecordingError`, unless `force` is set. Parts of this file left by killed
    processes are removed.
    """
    if not force:
        refuse_existing(path)
    sweep(path)
    part = part_of(path)
    try:
        yield part
        if sync:
            synced(part)
        if force:
            os.replace(part, path)
        else:
            try:
                link_new(part, path)
            except FileExistsError:
                refuse_existing(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def refuse_existing(path: Path) -> None:
    """`RecordingError` if there is a file of that name."""
    if os.path.lexists(path):
        raise RecordingError(f"{str(path)!r} exists already; choose another name, or --force to replace it")


def trouble(path: Path, error: OSError) -> RecordingError:
    """A sentence for an error of the system."""
    what = error.strerror or str(error)
    if error.errno in FULL or "No space left" in str(error):
        what = f"the disk is full, or the file would be larger than allowed ({what})"
    return RecordingError(f"{str(path)!r} cannot be written: {what}")


def link_new(part: Path, path: Path) -> None:
    """Give a part its final name; `FileExistsError` if the name is taken by now."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        os.rename(part, path)
        return
    part.unlink()


def synced(path: Path) -> None:
    """Put a file, or the names in a folder, on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def sweep(path: Path) -> None:
    """Remove parts of this file whose writers have ended, on this machine only, as the folder may be shared."""
    for part in parts(path):
        if is_left(part):
            with suppress(OSError):
                part.unlink()
