"""An ESTOP file of the format up to version 0.1: `Snapshot.open` maps and checks its records."""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RecordingError
from motionbase.native.guarded import Mapped
from motionbase.record.schema import Schema
from motionbase.recording.estop.details import Details
from motionbase.recording.sources.snapshot_format import SEAL, Head, read_head


class Run(NamedTuple):
    """Records that are whole and follow each other: number of the first since the epoch, and (n, channels) rows."""

    first: int
    rows: Array


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
        """`RecordingError` where the file was cut short since: rows that were read of it may be zeros."""
        if self._file.is_cut:
            raise RecordingError(f"{self.path} was cut short while it was in use; open it again for what is left")


def old_details(path: Path) -> Details:
    """What a file says of itself, without a look at its records."""
    return read_head(memoryview(_mapped(path)), str(path))[0].details


def _mapped(path: Path) -> Mapped:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            size = os.fstat(file).st_size
            if size < SEAL.size:
                raise RecordingError(f"{path} has {size} bytes, which is too short for an ESTOP file")
            return Mapped.of(file, size)
        finally:
            os.close(file)
    except (OSError, ValueError) as error:  # ValueError: cut short since its size was looked at
        raise RecordingError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _checked(memory: memoryview, head: Head) -> tuple[tuple[Run, ...], tuple[Loss, ...]]:
    """Chunks with the right CRC, put together where they follow each other; and the others."""
    details, size = head.details, head.schema.record_bytes
    there = max(0, len(memory) - head.records_at) // size  # rows
    spans: list[tuple[bool, int, int]] = []  # whole or not, first row, end
    for begin in range(0, min(there, details.count), head.chunk_records):
        end = min(begin + head.chunk_records, details.count)
        whole = end <= there and _is_whole(memory, head, begin // head.chunk_records, begin * size, end * size)
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


def _rows(memory: memoryview, head: Head, row: int, count: int) -> Array:
    width = len(head.schema.channels)
    at = head.records_at + row * head.schema.record_bytes
    return np.frombuffer(memory, "<f8", count * width, at).reshape(count, width)
