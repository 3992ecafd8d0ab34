"""A ring saved to a file, and the file opened again: `save`, `Snapshot.open`."""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import SnapshotError
from motionbase.native.guarded import Mapped
from motionbase.record.schema import Schema
from motionbase.ring.snapshot_format import SEAL, Details, Head, read_head
from motionbase.ring.snapshot_save import EXTENSION, file_name, save

__all__ = ["EXTENSION", "Details", "Loss", "Run", "Snapshot", "details_of", "file_name", "save"]

Rows: TypeAlias = NDArray[np.float64]


class Run(NamedTuple):
    """Records that are whole and follow each other: number of the first since the epoch, and (n, channels) rows."""

    first: int
    rows: Rows


class Loss(NamedTuple):
    """Records that were saved, but are damaged or missing now: number of the first, and how many."""

    first: int
    records: int


@final
@dataclass(frozen=True)
class Snapshot:
    """A file as opened: its records are mapped, not read, and checked already.

    Attributes:
        runs: what is whole, in order; one run where nothing is lost
        losses: records that are damaged or missing
        notes: sentences about damage to other parts
    """

    path: Path
    details: Details
    schema: Schema
    platform: str
    runs: tuple[Run, ...]
    losses: tuple[Loss, ...]
    notes: tuple[str, ...]
    _file: Mapped = field(repr=False, compare=False)

    @staticmethod
    def open(path: Path | str) -> Snapshot:
        """With whatever is whole in it; an error only where both headers are gone."""
        path = Path(path)
        file = _mapped(path)
        memory = memoryview(file)
        head, notes = read_head(memory, str(path))
        runs, losses = _checked(memory, head)
        found = Snapshot(path, head.details, head.schema, head.platform, runs, losses, notes, file)
        found.require_whole()
        return found

    def require_whole(self) -> None:
        """`SnapshotError` where the file was cut short since: rows that were read of it may be zeros."""
        if self._file.is_cut:
            raise SnapshotError(f"{self.path} was cut short while it was in use; open it again for what is left")

    @cached_property
    def rows(self) -> Rows:
        """(n, channels) all whole records in order; a view of the file where they follow each other, else a copy."""
        if len(self.runs) == 1:
            return self.runs[0].rows
        return np.concatenate([np.empty((0, len(self.schema.channels))), *(run.rows for run in self.runs)])

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """(n,) number of every row since the epoch."""
        return np.concatenate([np.empty(0, np.int64), *(r.first + np.arange(len(r.rows)) for r in self.runs)])

    @property
    def lost(self) -> int:
        """Records that were saved and are not whole any more."""
        return sum(loss.records for loss in self.losses)


def details_of(path: Path) -> Details:
    """What a file says of itself, without a look at its records."""
    return read_head(memoryview(_mapped(path)), str(path))[0].details


def _mapped(path: Path) -> Mapped:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            size = os.fstat(file).st_size
            if size < SEAL.size:
                raise SnapshotError(f"{path} has {size} bytes, which is too short for a snapshot")
            return Mapped.of(file, size)
        finally:
            os.close(file)
    except (OSError, ValueError) as error:  # ValueError: cut short since its size was looked at
        raise SnapshotError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _checked(memory: memoryview, head: Head) -> tuple[tuple[Run, ...], tuple[Loss, ...]]:
    """Chunks with the right CRC, put together where they follow each other; and the others."""
    details, size = head.details, head.schema.record_bytes
    there = max(0, len(memory) - head.records_at) // size  # rows
    spans: list[tuple[bool, int, int]] = []  # whole or not, first row, end
    for begin in range(0, min(there, details.count), details.chunk_records):
        end = min(begin + details.chunk_records, details.count)
        whole = end <= there and _is_whole(memory, head, begin // details.chunk_records, begin * size, end * size)
        _append(spans, whole, begin, end)
    if (checked := spans[-1][2] if spans else 0) < details.count:
        _append(spans, False, checked, details.count)
    runs = tuple(
        Run(details.first + begin, _rows(memory, head, begin, end - begin)) for whole, begin, end in spans if whole
    )
    return runs, tuple(Loss(details.first + begin, end - begin) for whole, begin, end in spans if not whole)


def _append(spans: list[tuple[bool, int, int]], whole: bool, begin: int, end: int) -> None:
    if spans and spans[-1][0] is whole:
        spans[-1] = (whole, spans[-1][1], end)
    else:
        spans.append((whole, begin, end))


def _is_whole(memory: memoryview, head: Head, chunk: int, begin: int, end: int) -> bool:
    (crc,) = struct.unpack_from("<I", memory, head.table_at + 4 * chunk)
    return zlib.crc32(memory[head.records_at + begin : head.records_at + end]) == int(crc)


def _rows(memory: memoryview, head: Head, row: int, count: int) -> Rows:
    width = len(head.schema.channels)
    at = head.records_at + row * head.schema.record_bytes
    return np.frombuffer(memory, "<f8", count * width, at).reshape(count, width)
