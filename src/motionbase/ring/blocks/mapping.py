"""Maps one block of a ring for writing, and the rest of the ring read only."""

from __future__ import annotations

import mmap
import os
import stat
from enum import Enum
from pathlib import Path
from typing import final

import numpy as np

from motionbase.errors import RingError
from motionbase.native.guarded import guarded
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend, Device, find
from motionbase.ring.layout import COMMAND_BYTES, EPOCH, GENERATOR_BYTES, Header, Layout, Status
from motionbase.ring.living import START, is_written, is_written_unnamed, unnamed
from motionbase.ring.segment import Segment, attach

RENAMES = 5  # times the ring may be replaced while it is being mapped, before an error


class Section(Enum):
    """The blocks that clients may write to."""

    GENERATORS = "generators"
    COMMANDS = "commands"

    def span(self, layout: Layout) -> tuple[int, int]:
        """Offset and size in the ring's memory [bytes]."""
        if self is Section.GENERATORS:
            return layout.generators_at, GENERATOR_BYTES
        return layout.commands_at, COMMAND_BYTES


def lock_path(backend: AbstractBackend, section: Section) -> Path:
    """The lock file for writers of a block, beside that of the ring's writer."""
    return backend.lock_path.with_name(f"{backend.lock_path.stem}.{section.value}.lock")


def attached(name: str = DEFAULT_NAME, backend: AbstractBackend | None = None) -> tuple[Segment, Header]:
    """An existing, complete ring, mapped read only."""
    where = backend or find(name)
    segment = attach(where)
    if segment is None:
        raise RingError(f"there is no ring {name!r} ({where}); {unnamed(where) or START}")
    header = segment.header()
    if header is None:
        raise RingError(f"ring {name!r} ({where}) is not initialised; its writer is just starting, or died doing so")
    return segment, header


@final
class BlockMap:
    """The pages of one block, mapped for writing.

    Attributes:
        segment: the whole ring, mapped read only
        memory, address: of the block in this process
        mode: permissions of the ring
    """

    def __init__(self, section: Section, name: str = DEFAULT_NAME, backend: AbstractBackend | None = None) -> None:
        self.name, self.section = name, section
        for _ in range(RENAMES):
            self.segment, self.header = attached(name, backend)
            self.backend = self.segment.backend
            if self._map():
                return
        raise RingError(f"ring {name!r} ({self.backend}) was replaced again and again while it was opened; try later")

    def _map(self) -> bool:
        """Map the block; False if the ring was replaced after its header was read."""
        at, size = self.section.span(self.header.layout)
        try:
            file = os.open(self.backend.path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise RingError(f"{self.backend} cannot be written: {error.strerror or error}") from None
        try:
            info = os.fstat(file)
            if info.st_ino != self.segment.inode:
                return False
            pages = mmap.mmap(file, size, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE, offset=at)
        except (OSError, ValueError) as error:
            raise RingError(f"{self.backend}: the {self.section.value} cannot be mapped: {error}") from None
        finally:
            os.close(file)
        self.mode = stat.S_IMODE(info.st_mode) & 0o666 if stat.S_ISREG(info.st_mode) else 0o600
        self.memory = memoryview(pages)
        self.address = int(np.frombuffer(pages, np.uint8).ctypes.data)
        self._cut = guarded(pages, self.address)
        return True

    @property
    def lock_path(self) -> Path:
        """Lock file for writers of this block."""
        return lock_path(self.backend, self.section)

    def is_replaced(self) -> bool:
        """Whether another writer's ring now has the name."""
        return is_replaced(self.segment, self.header)

    def require_writer(self) -> None:
        """Raise an error if the ring's writer has ended or another writer has taken the name."""
        if self._cut[0]:
            raise RingError(f"{self.backend} was cut short while it was in use: nobody reads its {self.section.value}")
        if reason := absence(self.segment, self.header):
            raise RingError(f"ring {self.name!r} ({self.backend}): {reason}")


def is_replaced(segment: Segment, header: Header | None = None) -> bool:
    """Whether another writer's ring now has the name; on a device, whether another run has begun."""
    if isinstance(segment.backend, Device):
        return header is not None and segment.counter(EPOCH) != header.epoch
    try:
        return os.stat(segment.backend.path).st_ino != segment.inode
    except OSError:
        return False


def absence(segment: Segment, header: Header | None = None) -> str:
    """Why no writer reads what is written into this ring; "" if one does.

    The writer of a device may be on another machine, so there only the ring's status tells.
    """
    status = segment.status
    if status is Status.RETIRED or is_replaced(segment, header):
        return "another writer has taken the name; attach again"
    if status in (Status.STOPPED, Status.FAILED):
        return "its writer has stopped"
    if isinstance(segment.backend, Device):
        return ""
    epoch = segment.counter(EPOCH) if header is None else header.epoch
    if not is_written(segment.backend, epoch):
        return "its writer has died"
    if segment.backend.path.exists() or is_written_unnamed(segment.backend, epoch):
        return ""
    return "its file was removed; another writer may be starting"
