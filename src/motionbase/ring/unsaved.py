"""The mark on a ring that holds unsaved records of an unplanned stop: set, and cleared once they are saved."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import numpy as np

from motionbase.errors import RingError
from motionbase.native.atomics import atomics
from motionbase.ring.catalogue import mark_saved
from motionbase.ring.layout import PAGE, UNSAVED
from motionbase.ring.living import is_written
from motionbase.ring.segment import Segment, left_behind


def mark(segment: Segment, unsaved: bool) -> None:
    """Set or clear the mark while the writer runs; only the page of counters is mapped for writing."""
    backend = segment.backend
    try:
        file = os.open(backend.path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise RingError(f"{backend} cannot be marked: {error.strerror or error}") from None
    try:
        if os.fstat(file).st_ino != segment.inode:
            raise RingError(f"{backend} has been taken by another writer")
        try:
            page = mmap.mmap(file, PAGE, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE, offset=PAGE)
        except (OSError, ValueError) as error:
            raise RingError(f"{backend} cannot be marked: {error}") from None
    finally:
        os.close(file)
    atomics().store_release(int(np.frombuffer(page, np.uint8).ctypes.data) + UNSAVED, int(unsaved))


def saved(segment: Segment) -> None:
    """Clear the mark after the records were saved, so that the ring can be removed when its writer has ended."""
    for left in left_behind(segment.backend):  # another writer has taken the name and renamed the ring
        if _is_at(left.path, segment):
            mark_saved(left)
            return
    header = segment.header()
    if header is not None and is_written(segment.backend, header.epoch):
        mark(segment, False)
        return
    if _is_at(segment.backend.path, segment):  # else the name is gone or belongs to another ring: nothing to remove
        mark_saved(segment.backend)


def _is_at(path: Path, segment: Segment) -> bool:
    try:
        return os.stat(path).st_ino == segment.inode
    except OSError:
        return False
