"""A versioned block of bytes under a sequence lock: readers never wait and never see a partial write.

In the ring's memory, from the start of the block:

    0    sequence    even: whole, odd: being written, 0: never written
    64   kind        four letters
    68   format      version of the payload's form
    72   bytes       of the payload
    76   crc         CRC-32 of kind, format, bytes and payload
    80   payload

The sequence detects a write during a read; the checksum detects bytes that no such write produced.
"""

from __future__ import annotations

import ctypes
import struct
import time
import zlib
from contextlib import nullcontext
from enum import IntEnum
from pathlib import Path
from typing import final

from motionbase.errors import RingError
from motionbase.native.atomics import atomics
from motionbase.ring.blocks.native_blocks import COPIED, UNCHANGED, SeqlockPort, block_native
from motionbase.ring.lock import PAUSE_S, FileLock

HEAD = struct.Struct("<4sII")
CRC = struct.Struct("<I")
FRAME_BYTES = HEAD.size + CRC.size
TRIES = 64  # of a reader in one call: longer than a write of some 100 ns, unless its thread is suspended
LOCK_S = 2.0  # [s] that a writer waits for another writer


class Outcome(IntEnum):
    """Result of reading a block."""

    UNCHANGED = 0
    NEW = 1
    UNFINISHED = 2  # being written, or its writer died during a write; the previous payload is kept
    REFUSED = 3  # invalid, with the reason in `reason`; the previous payload is kept


@final
class SeqlockReader:
    """The newest complete payload of a block, all zero before the first write.

    `poll` works in two fixed buffers and ends after a bounded number of tries, so it may be called from a tick.

    Args:
        address: of the block in this process
        kind: four letters; form: version of the payload's form; size: bytes of the payload
    """

    def __init__(self, address: int, kind: bytes, form: int, size: int, tries: int = TRIES) -> None:
        self.payload: memoryview = memoryview(bytearray(size))
        self.version, self.reason = 0, ""
        self._buffers = [bytearray(FRAME_BYTES + size) for _ in range(2)]
        self._views = [memoryview(b) for b in self._buffers]
        self._addresses = [ctypes.addressof(ctypes.c_char.from_buffer(b)) for b in self._buffers]
        self._spare, self._wanted = 0, (kind, form, size)
        self._port = SeqlockPort(address, self._addresses[0], FRAME_BYTES + size, tries)
        self._now = ctypes.c_uint64()
        self._call, self._argument = block_native().read, ctypes.addressof(self._port)

    def changed(self) -> bool:
        """Whether there is a complete write that `poll` has not read."""
        atomics().load_acquire(self._port.block, ctypes.addressof(self._now))
        now = self._now.value
        return bool(now % 2 == 0 and now != self._port.sequence)

    def poll(self) -> Outcome:
        """Read the payload if it is new."""
        self._call(self._argument)
        status = self._port.status
        if status == UNCHANGED:
            return Outcome.UNCHANGED
        if status != COPIED:
            return Outcome.UNFINISHED
        view = self._views[self._spare]
        if self._port.sequence == 0:  # a device on which a new ring was created
            view[:] = bytes(len(view))
        elif reason := self._problem(view):
            self.reason = reason
            return Outcome.REFUSED
        self.version, self.payload, self.reason = self._port.sequence // 2, view[FRAME_BYTES:], ""
        self._spare = 1 - self._spare
        self._port.buffer = self._addresses[self._spare]
        return Outcome.NEW

    def wait(self, seconds: float) -> Outcome:
        """As `poll`, but wait for a write in progress to finish; for clients, not for a tick."""
        end = time.monotonic() + seconds
        while (outcome := self.poll()) is Outcome.UNFINISHED and time.monotonic() < end:
            time.sleep(1e-3)
        return outcome

    def _problem(self, view: memoryview) -> str:
        kind, form, size = HEAD.unpack_from(view)
        wanted_kind, wanted_form, wanted_size = self._wanted
        if kind != wanted_kind:
            return f"the block holds {kind!r}, {wanted_kind!r} is wanted"
        if form != wanted_form:
            return f"the block has format version {form}, this program reads {wanted_form}"
        if size != wanted_size:
            return f"the block has {size} bytes, {wanted_size} are wanted"
        found = CRC.unpack_from(view, HEAD.size)[0]
        counted = zlib.crc32(view[FRAME_BYTES:], zlib.crc32(view[: HEAD.size]))
        return "" if found == counted else f"the block's checksum is {found:08x}, its content gives {counted:08x}"


@final
class SeqlockWriter:
    """Writes a block; several processes may have one, and the file lock admits one at a time.

    Args:
        address: of the block in this process, mapped for writing
        lock_path: the file to lock, None if only the ring's writer writes the block; mode: its permissions
    """

    def __init__(
        self, address: int, kind: bytes, form: int, size: int, lock_path: Path | None, mode: int = 0o600
    ) -> None:
        self._wanted, self._lock_path, self._mode = (kind, form, size), lock_path, mode
        self._buffer = bytearray(FRAME_BYTES + size)
        self._port = SeqlockPort(address, ctypes.addressof(ctypes.c_char.from_buffer(self._buffer)), len(self._buffer))

    def write(self, payload: bytes) -> int:
        """Replace the payload and return its version; overwrites what a dead writer left unfinished."""
        size = self._wanted[2]
        if len(payload) != size:
            raise RingError(f"the payload has {len(payload)} bytes, the block takes {size}")
        with held(self._lock_path, self._mode) if self._lock_path is not None else nullcontext():
            HEAD.pack_into(self._buffer, 0, *self._wanted)
            CRC.pack_into(self._buffer, HEAD.size, zlib.crc32(payload, zlib.crc32(self._buffer[: HEAD.size])))
            self._buffer[FRAME_BYTES:] = payload
            block_native().write(ctypes.addressof(self._port))
            return int(self._port.sequence) // 2


def held(path: Path, mode: int = 0o600, seconds: float = LOCK_S) -> FileLock:
    """Context manager that holds the lock of a block."""
    lock = FileLock(path, mode)
    if not lock.take(retries=max(1, round(seconds / PAUSE_S))):
        holder = lock.holder()
        lock.release()
        raise RingError(f"{path.name} has been held by process {holder} for {seconds:g} s; try again or stop it")
    return lock
