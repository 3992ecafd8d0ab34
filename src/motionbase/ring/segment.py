"""A ring's memory, mapped into this process: created by a writer, or attached by a reader."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import stat
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from motionbase.errors import RingError, SchemaError
from motionbase.native.atomics import atomics
from motionbase.native.guarded import guarded
from motionbase.ring.backend import LEFT_NAME, PREFIX, AbstractBackend, Device, Emulation, Left
from motionbase.ring.command_words import ESTOP_AT
from motionbase.ring.layout import EPOCH, HEAD, PAGE, STATUS, UNSAVED, Header, Layout, Status
from motionbase.ring.lifeline import Taken, taken
from motionbase.ring.lock import PAUSE_S, RETRIES, foreign, is_held


@final
class NoRoom(RingError):
    """The memory file system is full."""


@final
class Segment:
    """The mapped memory of a ring; read only for readers."""

    _file = -1  # descriptor of the ring's file, if this process has locked it

    def __init__(self, backend: AbstractBackend, file: int, size: int, writable: bool) -> None:
        protection = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        try:
            self._map = mmap.mmap(file, size, mmap.MAP_SHARED, protection)
        except (OSError, ValueError) as error:
            raise RingError(f"{backend} cannot be mapped: {error}") from None
        self.backend, self.size = backend, size
        self.memory = memoryview(self._map)
        self.address = int(np.frombuffer(self._map, np.uint8).ctypes.data)
        self.inode = os.fstat(file).st_ino
        self.cut = guarded(self._map, self.address)  # [0] is not 0 once the file has been truncated

    def lock(self, path: Path) -> bool:
        """Lock the ring's own file for as long as this process lives; False if it is held.

        The file is opened again: a lock on the mapped descriptor would stay with a forked child, which inherits the
        mapping.
        """
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        for _ in range(RETRIES):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(PAUSE_S)  # another process may be testing the lock at this moment
                continue
            self._file = file
            return True
        os.close(file)
        return False

    def unlock(self) -> None:
        """Unlock the file; the memory stays mapped."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        self.unlock()

    def require_whole(self) -> None:
        """Raise an error if the file was truncated while it was mapped: everything read since is invalid."""
        if self.cut[0]:
            raise RingError(f"{self.backend} was cut short while it was in use: its records are gone; remove it")

    def counter(self, offset: int) -> int:
        """Value of a counter, loaded with acquire order; an error if the file was truncated."""
        value = ctypes.c_uint64()
        atomics().load_acquire(self.address + PAGE + offset, ctypes.addressof(value))
        if self.cut[0]:
            self.require_whole()
        return value.value

    def set_counter(self, offset: int, value: int) -> None:
        """Store a counter with release order."""
        atomics().store_release(self.address + PAGE + offset, value)

    @property
    def head(self) -> int:
        """Number of records published since the epoch."""
        return self.counter(HEAD)

    @property
    def status(self) -> Status:
        """The writer's last status."""
        value = self.counter(STATUS)
        return Status(value) if value in Status._value2member_map_ else Status.NEW

    @property
    def unsaved(self) -> bool:
        """Whether it holds unsaved records of an unexpected stop."""
        return bool(self.counter(UNSAVED))

    def header(self) -> Header | None:
        """The header; None until the writer has finished it."""
        epoch = self.counter(EPOCH)
        if epoch == 0 or epoch % 2:
            return None
        found = Header.read(self.memory, str(self.backend))
        return found if found is not None and found.epoch == epoch == self.counter(EPOCH) else None


@final
@dataclass(frozen=True)
class Created:
    """A ring ready for its first record.

    Attributes:
        replaced: what became of the records of a dead writer that had the name, as a sentence; "" if there were none
    """

    segment: Segment
    header: Header
    replaced: str = ""


def create(
    backend: AbstractBackend, layout: Layout, writer: str, mode: int = 0o600, utc_ns: int | None = None
) -> Created:
    """Create an empty ring; t counts from now or from `utc_ns`. The caller holds the writer's lock."""
    epoch = time.time_ns() & ~1
    before = _opened_or_none(backend, locked=isinstance(backend, Device))
    ours = before is not None and _is_ours(before)
    if not isinstance(backend, Device) and is_held(backend.path):  # by a writer whose lock file was removed
        header = before.header() if before is not None and ours else None
        raise taken(backend, header.writer_pid if header is not None else 0)
    if before is not None and ours and before.unsaved:
        name = backend.name if isinstance(backend, Emulation) else "device"
        raise RingError(
            f"{backend} holds unsaved records of an unexpected stop, which a new writer would remove; save them "
            f"(motionbase ring save {name}) or discard them (motionbase ring clean {name} --force)"
        )
    utc_ns = time.time_ns() if utc_ns is None else utc_ns
    died = before if before is not None and ours and before.status is not Status.STOPPED and before.head else None
    replaced = ""
    if isinstance(backend, Device):  # a device has one place, which cannot be renamed
        segment = before
        if segment is None or segment.size < layout.total_bytes:
            size = segment.size if segment else 0
            raise RingError(f"{backend} has {size} bytes, the ring needs {layout.total_bytes}: take a smaller capacity")
        if died is not None:
            replaced = f"{_records(died)} unsaved records of a writer that died were on {backend}: they are overwritten"
        old = segment.counter(EPOCH)
        epoch += 2 * (epoch == old)
        _fill(segment, layout, writer, epoch, utc_ns)
    else:
        asked = _stops(before) if before is not None and ours else 0
        segment = _built(backend, layout, mode)
        building = _building(backend)
        try:
            _fill(segment, layout, writer, epoch, utc_ns)
            replaced = _kept(backend, died) if died is not None else ""
            if before is not None and before.status not in (Status.STOPPED, Status.FAILED):
                before.set_counter(STATUS, Status.RETIRED)
            os.rename(building, backend.path)  # now readers find it, complete
        except OSError as error:
            building.unlink(missing_ok=True)
            raise RingError(f"{backend} cannot be created: {error.strerror or error}; remove the file there") from None
        if before is not None and ours and (meanwhile := _stops(before) - asked):
            _add_stops(segment, layout, meanwhile)  # requested in the old ring during the change
    header = segment.header()
    assert header is not None
    return Created(segment, header, replaced)


def left_behind(backend: AbstractBackend) -> list[Left]:
    """Records that dead writers left under this name, oldest first."""
    if not isinstance(backend, Emulation):
        return []
    names = [p.name.removeprefix(PREFIX) for p in backend.path.parent.glob(f"{backend.path.name}.left-*")]
    return [Left(n) for n in sorted(names, key=lambda n: (len(n), n)) if LEFT_NAME.fullmatch(n)]


def _kept(backend: AbstractBackend, died: Segment) -> str:
    """Rename the dead writer's ring and remove an older one; returns a sentence about it."""
    if not isinstance(backend, Emulation):
        return f"{_records(died)} unsaved records of a writer that died were at {backend}: they are removed"
    older = left_behind(backend)
    left = Left(f"{backend.name}.left-{died.counter(EPOCH)}")
    left.path.unlink(missing_ok=True)
    try:
        os.link(backend.path, left.path)  # so that readers find the name at any time
    except OSError:
        os.rename(backend.path, left.path)  # a file system without hard links
    for other in older:
        if other != left:
            other.path.unlink(missing_ok=True)
    instead = "; those of an earlier one are removed" if [o for o in older if o != left] else ""
    return (
        f"{_records(died)} unsaved records of a writer that died are kept as {left.name} "
        f"(motionbase ring save {left.name}, or ring clean {left.name} --force){instead}"
    )


def _records(segment: Segment) -> int:
    header = segment.header()
    return min(segment.head, header.layout.capacity) if header is not None else 0


def _stops(segment: Segment) -> int:
    """Count of emergency stops requested."""
    header = segment.header()
    if header is None:
        return 0
    return int(struct.unpack_from("<Q", segment.memory, header.layout.commands_at + ESTOP_AT)[0])


def _add_stops(segment: Segment, layout: Layout, count: int) -> None:
    """Add stops while clients may already add to the new ring: counting one twice is harmless, losing one is not."""
    at = segment.address + layout.commands_at + ESTOP_AT
    atomics().store_release(at, (_stops(segment) + count) % 2**64)


def attach(backend: AbstractBackend, writable: bool = False) -> Segment | None:
    """The ring's memory, or None if there is none."""
    return _opened(backend, writable)


def _opened(backend: AbstractBackend, writable: bool, locked: bool = False) -> Segment | None:
    flags = (os.O_RDWR if writable else os.O_RDONLY) | os.O_CLOEXEC | os.O_NOFOLLOW
    if not isinstance(backend, Device):
        flags |= os.O_NONBLOCK  # opening a pipe would block
    try:
        file = os.open(backend.path, flags)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RingError(f"{backend}: {error.strerror or error}{_owner(backend.path, error)}") from None
    try:
        info = os.fstat(file)
        if not isinstance(backend, Device) and not stat.S_ISREG(info.st_mode):
            raise RingError(f"{backend} is not a file; remove it or choose another name")
        if stat.S_ISREG(info.st_mode) and (why := foreign(info.st_uid)):  # not for devices
            raise RingError(f"{backend} {why}")
        size = backend.size if isinstance(backend, Device) else info.st_size
        if size < 2 * PAGE:
            raise RingError(f"{backend} has {size} bytes, which is too short for a ring; remove it")
        segment = Segment(backend, file, size, writable)
        if locked and not segment.lock(backend.path):
            raise taken(backend, 0)
        return segment
    finally:
        os.close(file)


def _opened_or_none(backend: AbstractBackend, locked: bool) -> Segment | None:
    try:
        return _opened(backend, writable=True, locked=locked)
    except Taken:
        raise
    except RingError:
        return None  # not a ring, or too short


def _is_ours(segment: Segment) -> bool:
    """Whether the memory holds a ring, not other data such as initial content of a card."""
    try:
        return segment.header() is not None
    except (RingError, SchemaError):
        return False


def _building(backend: AbstractBackend) -> Path:
    return backend.path.with_name(f"{backend.path.name}.new")


def _built(backend: AbstractBackend, layout: Layout, mode: int) -> Segment:
    """Memory for the new ring; if the file system is full, records that dead writers left are removed first."""
    path, size = _building(backend), layout.total_bytes
    try:
        return _new_file(backend, path, size, mode)
    except NoRoom:
        older = left_behind(backend)
        for left in older:
            left.path.unlink(missing_ok=True)
        if not older:
            raise
        return _new_file(backend, path, size, mode)


def _new_file(backend: AbstractBackend, path: Path, size: int, mode: int) -> Segment:
    try:
        path.unlink(missing_ok=True)  # left by a writer that died here; we hold the lock
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except OSError as error:
        raise RingError(f"{backend} cannot be created: {error.strerror or error}{_owner(path, error)}") from None
    try:
        os.fchmod(file, mode)
        os.posix_fallocate(file, 0, size)  # allocates every page now, so that a tick never waits for one
        segment = Segment(backend, file, size, writable=True)
        segment.lock(path)  # before the ring gets its name
        return segment
    except OSError as error:
        path.unlink(missing_ok=True)
        full = error.errno in (errno.ENOSPC, errno.ENOMEM)
        hint = "; take a smaller capacity or remove old rings (motionbase ring clean)" if full else ""
        raise (NoRoom if full else RingError)(f"{backend}: {size} bytes: {error.strerror or error}{hint}") from None
    finally:
        os.close(file)


def _fill(segment: Segment, layout: Layout, writer: str, epoch: int, utc_ns: int) -> None:
    """Write everything but records; the epoch is odd meanwhile and is stored last."""
    segment.set_counter(EPOCH, epoch | 1)
    memory = segment.memory
    memory[:PAGE] = bytes(PAGE)
    counters = bytearray(PAGE)
    struct.pack_into("<Q", counters, EPOCH, epoch | 1)
    memory[PAGE : 2 * PAGE] = bytes(counters)
    memory[layout.generators_at : layout.schema_at] = bytes(layout.schema_at - layout.generators_at)
    for _, at, text in layout.texts:
        raw = text.encode()
        memory[at : at + len(raw)] = raw
    header = layout.header(writer, os.getpid(), epoch, utc_ns)
    memory[: len(header)] = header
    segment.set_counter(STATUS, Status.NEW)
    segment.set_counter(EPOCH, epoch)


def _owner(path: Path, error: OSError) -> str:
    if error.errno != errno.EACCES:
        return ""
    try:
        return f"; it belongs to user {path.stat().st_uid}"
    except OSError:
        return ""
