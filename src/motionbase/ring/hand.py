"""The state of a driver's device, from the console or any other program to a world: a file beside the ring.

    0    4s   MBSX
    4    u16  version, 1
    6    u16  numbers, 12
    64   u64  sequence; the numbers follow at 128, f64: a count, device, buttons, keys (bits), eight axes

The ring's writer makes the file. One program at a time writes it, under a file lock; the world's process reads it,
under the sequence lock of the ring's blocks, and validates it: values that are not finite, out of range or unknown are
ignored. A device is present while the count changes. With NOBODY a program releases the vehicle at once; with SCRIPT it
hands the vehicle to its script, whoever else steers.
"""

from __future__ import annotations

import ctypes
import fcntl
import math
import mmap
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RingError
from motionbase.native.guarded import guarded
from motionbase.private import open_file
from motionbase.record.world import AXIS_COUNT, BUTTON_COUNT, HANDS, KEYS, NOBODY, SCRIPT, Hand
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.native_blocks import COPIED, PAYLOAD_AT, SeqlockPort, block_native
from motionbase.ring.lock import is_own, user_name
from motionbase.ring.names import HAND

MAGIC, VERSION = b"MBSX", 1
HEAD = struct.Struct("<4sHH")
BLOCK_AT = 64
NUMBERS = 4 + AXIS_COUNT
SIZE = BLOCK_AT + PAYLOAD_AT + 8 * NUMBERS
TRIES = 1000
DEVICES = frozenset(range(len(HANDS)))


def hand_path(backend: AbstractBackend) -> Path:
    """The file beside the lock of the ring's writer."""
    return backend.lock_path.with_name(f"{backend.lock_path.stem}{HAND}")


@contextmanager
def made_hand(backend: AbstractBackend) -> Iterator[None]:
    """A new file, made by the ring's writer for as long as it runs; a file left by another run is replaced."""
    path = hand_path(backend)
    new = path.with_name(f"{path.name}.new")
    try:
        new.unlink(missing_ok=True)
        file = open_file(new, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            os.posix_fallocate(file, 0, SIZE)
            os.pwrite(file, HEAD.pack(MAGIC, VERSION, NUMBERS), 0)
            inode = os.fstat(file).st_ino
            new.replace(path)
        finally:
            os.close(file)
    except OSError as error:
        raise RingError(f"{path} cannot be made: {error.strerror or error}") from None
    try:
        yield
    finally:
        with suppress(OSError):
            if os.stat(path).st_ino == inode:
                path.unlink()


@final
class HandTaken(RingError):
    """Another program writes the file already."""


class Told(NamedTuple):
    """A message: `number` changes with every one; `hand` has been validated."""

    number: float
    hand: Hand


class _Mapped:
    """The mapped file."""

    def __init__(self, path: Path, file: int) -> None:
        self.path, self.file, self.inode = path, file, os.fstat(file).st_ino
        self._map = mmap.mmap(file, SIZE)
        whole = np.frombuffer(self._map, np.uint64)
        self._cut = guarded(self._map, int(whole.ctypes.data))  # a truncated file reads as silence
        self.numbers: Array = np.zeros(NUMBERS)
        self.port = SeqlockPort(int(whole.ctypes.data) + BLOCK_AT, self.numbers.ctypes.data, self.numbers.nbytes, TRIES)
        self.at = ctypes.addressof(self.port)

    @staticmethod
    def of(backend: AbstractBackend) -> _Mapped | None:
        """That of a ring; None if there is none, `RingError` if it is not one of ours."""
        path = hand_path(backend)
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RingError(f"{path} cannot be opened: {error.strerror or error}") from None
        try:
            info = os.fstat(file)
            if not is_own(info.st_uid):
                raise RingError(f"{path} belongs to {user_name(info.st_uid)}, not to you")
            if info.st_size != SIZE or os.pread(file, HEAD.size, 0) != HEAD.pack(MAGIC, VERSION, NUMBERS):
                raise RingError(f"{path} is no file of a driver's device, version {VERSION}")
            return _Mapped(path, file)
        except BaseException:
            os.close(file)
            raise

    def is_replaced(self) -> bool:
        try:
            return bool(self._cut[0]) or os.stat(self.path).st_ino != self.inode
        except OSError:
            return True

    def close(self) -> None:
        if self.file >= 0:
            fcntl.flock(self.file, fcntl.LOCK_UN)  # the mapping keeps a descriptor of its own
            os.close(self.file)
            self.file = -1


@final
class HandWriter:
    """Writes the state of a device, at least ten times a second while somebody is there; a context manager."""

    def __init__(self, mapped: _Mapped) -> None:
        self._mapped, self._count = mapped, time.monotonic_ns() // 1000  # differs from that of an earlier writer

    @staticmethod
    def attached(backend: AbstractBackend) -> HandWriter | None:
        """That of a running ring; None if it has no world, `HandTaken` if another program writes it."""
        mapped = _Mapped.of(backend)
        if mapped is None:
            return None
        try:
            fcntl.flock(mapped.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            mapped.close()
            raise HandTaken(f"{mapped.path}: another program steers already") from None
        return HandWriter(mapped)

    def write(self, hand: Hand) -> None:
        """Write the newest state of the device."""
        self._count += 1
        self._mapped.numbers[:] = (self._count, hand.device, hand.buttons, hand.keys, *hand.axes)
        block_native().write(self._mapped.at)

    def is_replaced(self) -> bool:
        """Whether the file was removed, replaced by another run's or truncated: attach again."""
        return self._mapped.is_replaced()

    def close(self) -> None:
        """Release the vehicle and the lock."""
        if self._mapped.file >= 0:
            self.write(Hand())
        self._mapped.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@final
class HandReader:
    """The world's side; a context manager."""

    def __init__(self, mapped: _Mapped) -> None:
        self._mapped = mapped

    @staticmethod
    def attached(backend: AbstractBackend) -> HandReader | None:
        """That of a running ring; None if it has none."""
        mapped = _Mapped.of(backend)
        return None if mapped is None else HandReader(mapped)

    def newest(self) -> Told | None:
        """The newest message; None if there was none yet."""
        port = self._mapped.port
        port.sequence = 0  # copy it whether it is new or not
        block_native().read(self._mapped.at)
        return _judged(self._mapped.numbers.tolist()) if port.status == COPIED else None

    def close(self) -> None:
        """Close the file."""
        self._mapped.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _judged(numbers: list[float]) -> Told | None:
    """The message if it is valid; out-of-range parts are cut off or ignored."""
    if not all(map(math.isfinite, numbers)):
        return None
    count, device, buttons, keys, *axes = numbers
    if device not in DEVICES:
        return None
    kept = Hand(
        int(device), tuple(min(max(x, -1.0), 1.0) for x in axes), _bits(buttons, BUTTON_COUNT), _bits(keys, len(KEYS))
    )
    return Told(count, Hand(int(device)) if device in (NOBODY, SCRIPT) else kept)


def _bits(number: float, count: int) -> int:
    return int(number) if 0 <= number < 2**count and number == int(number) else 0
