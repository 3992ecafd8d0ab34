"""Access to a ring through file reads, without mapping it: for the emergency stop, which needs nothing but Python.

It uses no machine code and no NumPy, and a truncated file gives a short read. Devices are mapped, because many do not
support reads.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
from typing import final

from motionbase.errors import RingError
from motionbase.ring.backend import AbstractBackend, Device
from motionbase.ring.command_words import (
    BY_AT,
    ESTOP_AT,
    READY_AT,
    READY_WORD,
    STOP_CHANNEL,
    asked_again,
    signature,
)
from motionbase.ring.layout import EPOCH, HEAD, PAGE, STATUS, AbstractPlace, Header, Status
from motionbase.ring.living import START
from motionbase.ring.lock import foreign


@final
class _File:
    """A file with slices like those of memory."""

    def __init__(self, file: int, size: int, mapped: mmap.mmap | None) -> None:
        self._file, self._size, self._mapped = file, size, mapped

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, piece: slice) -> bytes:
        if self._mapped is not None:
            return self._mapped[piece]
        return os.pread(self._file, piece.stop - piece.start, piece.start)

    def store(self, at: int, raw: bytes) -> None:
        if self._mapped is not None:
            self._mapped[at : at + len(raw)] = raw
        elif os.fstat(self._file).st_size >= at + len(raw):  # never extend the file
            os.pwrite(self._file, raw, at)

    def word(self, at: int) -> int:
        raw = self[at : at + 8]
        return int.from_bytes(raw, "little") if len(raw) == 8 else 0


@final
class Glance:
    """The ring that had the name when this object was made.

    Attributes:
        header: read once, at the start
        pid: of the writer, from the header
    """

    def __init__(self, name: str, backend: AbstractBackend) -> None:
        self.name, self.backend = name, backend
        try:
            self._open = os.open(backend.path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            raise RingError(f"there is no ring {name!r} ({backend}); {START}") from None
        except OSError as error:
            raise RingError(f"{backend}: {error.strerror or error}") from None
        self._info = os.fstat(self._open)
        self._file = _File(self._open, *self._size())
        header = Header.read(self._file, str(backend))
        if header is None or header.epoch != self._epoch:
            why = "is not initialised; its writer is just starting, or died doing so"
            raise RingError(f"ring {name!r} ({backend}) {why}")
        self.header = header

    def _size(self) -> tuple[int, mmap.mmap | None]:
        if stat.S_ISREG(self._info.st_mode):
            if why := foreign(self._info.st_uid):
                raise RingError(f"{self.backend} {why}")
            return self._info.st_size, None
        if not isinstance(self.backend, Device):
            raise RingError(f"{self.backend} is not a file; remove it or choose another name")
        try:
            return self.backend.size, mmap.mmap(self._open, self.backend.size)
        except (OSError, ValueError) as error:
            raise RingError(f"{self.backend} cannot be mapped: {error}") from None

    def __del__(self) -> None:
        if (file := getattr(self, "_open", -1)) >= 0:
            os.close(file)

    @property
    def _epoch(self) -> int:
        return self._file.word(PAGE + EPOCH)

    @property
    def is_current(self) -> bool:
        """Whether this ring still has the name."""
        if isinstance(self.backend, Device):
            return self._epoch == self.header.epoch
        try:
            return os.path.samestat(os.stat(self.backend.path), self._info)
        except OSError:
            return False

    @property
    def head(self) -> int:
        """Number of records published."""
        return self._file.word(PAGE + HEAD)

    @property
    def has_ended(self) -> bool:
        """Whether the writer has closed the ring, or another writer has taken the name."""
        return self._file.word(PAGE + STATUS) in (Status.STOPPED, Status.FAILED, Status.RETIRED)

    @property
    def takes_commands(self) -> bool:
        """Whether a control law polls the command block."""
        return self._file.word(self.header.layout.commands_at + READY_AT) == READY_WORD

    def stop(self, who: str) -> None:
        """Request an emergency stop."""
        at = self.header.layout.commands_at
        self._file.store(at + BY_AT, signature(who))
        word = asked_again(self._file.word(at + ESTOP_AT))
        self._file.store(at + ESTOP_AT, struct.pack("<Q", word))

    def shows_stop(self, since: int = 0) -> bool:
        """Whether there are more than `since` records and the newest shows the stop as active."""
        head = self.head
        return head > since and shows_stop(self._file, self.header, head)


def shows_stop(memory: memoryview | AbstractPlace, header: Header, head: int) -> bool:
    """Whether the newest of `head` records shows the emergency stop as active."""
    layout = header.layout
    place = layout.schema.index.get(STOP_CHANNEL)
    if place is None:
        return False
    at = layout.records_at + (head - 1) % layout.capacity * layout.schema.record_bytes + 8 * place
    raw = bytes(memory[at : at + 8])
    return len(raw) == 8 and struct.unpack("<d", raw)[0] > 0  # also false for NaN
