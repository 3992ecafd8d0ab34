"""Writes a pyramid while records arrive, or continues one that another process left unfinished.

Until it is finished the file has another name and only whole blocks, in an order that follows from their number: after
every FACTOR blocks of a level comes one of the next. So its length is enough to continue it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, final

import numpy as np

from motionbase import private
from motionbase.arrays import Array, Singles
from motionbase.recording.pyramid import BASE, BLOCK, FACTOR, LEVELS, MAGIC, TAIL, joined, outwards
from motionbase.ring.parts import is_left, part_of

AT_ONCE_BINS, AT_ONCE_BYTES = 64, 4_000_000  # reduced together, whichever is less
ORIGIN = struct.Struct("<Q32s")  # length of a recording's beginning, and its SHA-256
LARGEST_HEAD = 64_000_000  # [bytes] longest beginning accepted


def origin_of(path: Path, head_bytes: int) -> bytes:
    """Identity of a recording that is still growing: its beginning, which holds time, place and writer."""
    with path.open("rb") as file:
        head = file.read(head_bytes)
    return ORIGIN.pack(head_bytes, hashlib.sha256(head).digest())


@final
class PyramidWriter:
    """Writes a pyramid; the file is complete and has its name after `finish`.

    Attributes:
        count: records so far
        stored: of these, records in blocks that are in the file

    Args:
        origin: see `origin_of`; without it no other process can continue the file
    """

    def __init__(self, path: Path, channels: int, origin: bytes = b"") -> None:
        self.path, self.count, self.stored, self._channels, self._origin = path, 0, 0, channels, origin
        self.part = part_of(path)
        self._file: BinaryIO | None = None
        bins = max(1, min(AT_ONCE_BINS, AT_ONCE_BYTES // (8 * BASE * channels)))
        self._room, self._waiting = np.empty((bins * BASE, channels)), 0
        self._levels: list[list[Singles]] = [[] for _ in range(LEVELS)]
        self._blocks: list[list[tuple[int, int]]] = [[] for _ in range(LEVELS)]  # offset, bins

    def add(self, rows: Array) -> None:
        """Add (n, channels) records, which are copied."""
        self.count += len(rows)
        while len(rows):
            some = rows[: len(self._room) - self._waiting]
            self._room[self._waiting : self._waiting + len(some)] = some
            self._waiting += len(some)
            rows = rows[len(some) :]
            if self._waiting == len(self._room):
                self._reduce()

    def _reduce(self) -> None:
        """Reduce the records to whole bins; at the end also to a partial one."""
        count, self._waiting = self._waiting, 0
        for first, last in ((0, count // BASE * BASE), (count // BASE * BASE, count)):
            if first < last:
                bins = self._room[first:last].reshape(-1, min(BASE, last - first), self._channels)
                self._push(0, outwards(np.fmin.reduce(bins, axis=1).T, np.fmax.reduce(bins, axis=1).T))

    def _push(self, level: int, bins: Singles) -> None:
        pending = self._levels[level]
        pending.append(bins)
        while sum(b.shape[1] for b in pending) >= BLOCK:
            whole = np.concatenate(pending, axis=1)
            pending[:] = [whole[:, BLOCK:]]
            self._store(level, whole[:, :BLOCK])
            if level == 0:
                self.stored += BLOCK * BASE

    def _store(self, level: int, bins: Singles) -> None:
        file, bins = self._out(), np.ascontiguousarray(bins)
        self._blocks[level].append((file.tell(), bins.shape[1]))
        file.write(bins.tobytes())
        file.write(struct.pack(f"<{len(bins)}I", *(zlib.crc32(channel) for channel in bins)))
        file.flush()  # so that a killed process leaves whole blocks
        if level + 1 < LEVELS:
            self._push(level + 1, joined(bins, FACTOR))

    def _out(self) -> BinaryIO:
        """The open file, created with the first block."""
        if self._file is None:
            self._file = open(self.part, "wb", opener=private.opener)
            self._file.write(MAGIC + self._origin)
        return self._file

    def finish(self, stamp: str) -> None:
        """Complete the file; `stamp` ties it to its recording, see `Pyramid.open`."""
        self._reduce()
        for level in range(LEVELS):
            rest = [b for b in self._levels[level] if b.shape[1]]
            self._levels[level] = []
            if rest:
                self._store(level, np.concatenate(rest, axis=1))
        table = {"stamp": stamp, "count": self.count, "channels": self._channels, "blocks": self._blocks}
        raw, file = json.dumps(table).encode(), self._out()
        file.write(raw + TAIL.pack(len(raw), zlib.crc32(raw), MAGIC))
        file.close()
        os.replace(self.part, self.path)

    def leave(self) -> None:
        """Close the file unfinished; its blocks stay for a process that continues it."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def abandon(self) -> None:
        """Close and remove the file."""
        self.leave()
        self.part.unlink(missing_ok=True)

    # ---- continuing ----

    @staticmethod
    def resumed(part: Path, path: Path, channels: int, recording: Path) -> PyramidWriter | None:
        """Continue after the last whole block of a part; None if it belongs to another recording or has no block.

        The part of a writer that has ended is taken over; that of a living one is copied.
        """
        made: PyramidWriter | None = None
        try:
            with part.open("rb") as file:
                magic, origin = file.read(len(MAGIC)), file.read(ORIGIN.size)
                length = ORIGIN.unpack(origin)[0] if len(origin) == ORIGIN.size else LARGEST_HEAD + 1
                if magic != MAGIC or length > LARGEST_HEAD or origin != origin_of(recording, length):
                    return None
                made = PyramidWriter(path, channels, origin)
                if not (end := made._remember(file)):
                    return None
                if is_left(part):
                    os.rename(part, made.part)
                else:
                    shutil.copyfile(part, private.make_file(made.part))
            made._file = made.part.open("r+b")
            made._file.truncate(end)
            made._file.seek(end)
            return made
        except OSError:  # in use, or no room: build it from the records instead
            if made is not None:
                with suppress(OSError):
                    made.abandon()
            return None

    def _remember(self, file: BinaryIO) -> int:
        """Read the blocks of a part up to the last intact one; returns its end, 0 if there is none."""
        size, at = self._channels * (8 * BLOCK + 4), len(MAGIC) + ORIGIN.size
        room = (os.fstat(file.fileno()).st_size - at) // size
        places, ends = list[list[int]]([[] for _ in range(LEVELS)]), list[int]()
        for level in _order():
            if level == 0:
                ends.append(at)
            if not room:
                break
            places[level].append(at)
            at, room = at + size, room - 1
        known = len(ends) - 1  # groups of blocks that begin with level 0, without the last, which may be truncated
        while known and any(self._read(file, places[lv][known // FACTOR**lv - 1]) is None for lv in _closed_by(known)):
            known -= 1
        for level in range(LEVELS):
            self._blocks[level] = [(place, BLOCK) for place in places[level][: known // FACTOR**level]]
            if level:
                for place, _ in self._blocks[level - 1][FACTOR * len(self._blocks[level]) :]:
                    bins = self._read(file, place)
                    if bins is None:
                        return 0
                    self._levels[level].append(joined(bins, FACTOR))
        self.count = self.stored = known * BLOCK * BASE
        return ends[known] if known else 0

    def _read(self, file: BinaryIO, at: int) -> Singles | None:
        """A block; None if its checksum is wrong."""
        file.seek(at)
        raw = file.read(self._channels * (8 * BLOCK + 4))
        if len(raw) < self._channels * (8 * BLOCK + 4):
            return None
        bins = np.frombuffer(raw, np.float32, self._channels * BLOCK * 2).reshape(self._channels, BLOCK, 2)
        crcs = struct.unpack_from(f"<{self._channels}I", raw, bins.nbytes)
        return bins if all(zlib.crc32(channel.data) == crc for channel, crc in zip(bins, crcs, strict=True)) else None


def _closed_by(number: int) -> Iterator[int]:
    """Levels of the blocks written with block `number` (from 1) of level 0, that one included."""
    return (level for level in range(LEVELS) if number % FACTOR**level == 0)


def _order() -> Iterator[int]:
    """Levels of the blocks of a file, in order."""
    number = 0
    while True:
        number += 1
        yield from _closed_by(number)
