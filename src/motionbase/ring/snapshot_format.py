"""The form of a snapshot file, the one definition, which `docs/estop.md` repeats for people.

    seal      24 bytes    magic, version, bytes of the header, chunks in the table, CRC-32 of all that and the header
    header                JSON, padded with spaces: what the records are and where they come from
    table                 CRC-32 of every chunk of records
    (to a multiple of 4096 bytes)
    records               rows of float64, oldest first, without gaps
    header, seal          once more, so that one damaged place never costs the whole file

A chunk is some 64 KiB of whole records. All numbers are little-endian. A chunk with a wrong CRC is lost, and nothing
else: the header is there twice, and damage to the table costs the chunks of the damaged entries.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import asdict, dataclass
from typing import Any, final, get_type_hints

from motionbase.errors import MotionBaseError, SnapshotError
from motionbase.record.schema import Schema
from motionbase.ring.layout import LARGEST_TEXT, PAGE

MAGIC = b"MBSNAP\r\n"  # a transfer that changes line ends breaks it
VERSION = 1
SEAL = struct.Struct("<8sIIII")
CHUNK_BYTES = 64 * 1024
ROOM = 256  # bytes for the digits of counts that are known only when all records are copied


@final
@dataclass(frozen=True)
class Details:
    """What the records are and where they come from.

    Attributes:
        ring: name; backend: as the tools say it; writer, writer_pid: who wrote it; status: what it last said of itself
        dt: period of a tick [s]; every: ticks between records
        capacity: records that the ring held
        epoch: number of the run; epoch_utc_ns: the UTC from which t counts [ns since 1970]
        cause: why it was saved, a sentence
        event: number of the record at which it happened, since the epoch; None for a snapshot without an event
        event_t: its t [s], None where that record is not in the file
        event_utc_ns, saved_utc_ns: when it happened and when it was saved [ns since 1970]
        first: number of the first record; count: records
        overwritten: records that were still there when the saving began, and were overwritten before they were copied
        before_s, after_s: what the file has before and after the event [s]
        chunk_records: records in a chunk
    """

    ring: str
    backend: str
    writer: str
    writer_pid: int
    status: str
    dt: float
    every: int
    capacity: int
    epoch: int
    epoch_utc_ns: int
    cause: str
    event: int | None
    event_t: float | None
    event_utc_ns: int | None
    saved_utc_ns: int
    first: int
    count: int
    overwritten: int
    before_s: float | None
    after_s: float | None
    chunk_records: int

    @property
    def rate(self) -> float:
        """Records per second, as the writer means it [Hz]."""
        return 1 / (self.dt * self.every)

    @property
    def chunks(self) -> int:
        """Of records."""
        return -(-self.count // self.chunk_records)


@final
@dataclass(frozen=True)
class Head:
    """A header with its place: everything that can be known of a file without its records.

    Attributes:
        header_bytes: with padding; table: chunks that the table has room for
    """

    details: Details
    schema: Schema
    platform: str
    header_bytes: int
    table: int

    @property
    def table_at(self) -> int:
        """After the header."""
        return SEAL.size + self.header_bytes

    @property
    def records_at(self) -> int:
        """After the table, at a whole page, so that records can be mapped."""
        return -(-(self.table_at + 4 * self.table) // PAGE) * PAGE

    @property
    def end(self) -> int:
        """Where the records end and the second header begins."""
        return self.records_at + self.details.count * self.schema.record_bytes

    @property
    def size(self) -> int:
        """Of the whole file [bytes]."""
        return self.end + self.header_bytes + SEAL.size

    def sealed(self) -> tuple[bytes, bytes]:
        """Seal and header."""
        text = _text(self.details, self.schema, self.platform).ljust(self.header_bytes)
        begin = SEAL.pack(MAGIC, VERSION, self.header_bytes, self.table, 0)[:-4]
        return begin + struct.pack("<I", zlib.crc32(text, zlib.crc32(begin))), text


def planned(details: Details, schema: Schema, platform: str) -> Head:
    """For a file of at most `details.count` records."""
    size = -(-(len(_text(details, schema, platform)) + ROOM) // 8) * 8
    return Head(details, schema, platform, size, details.chunks)


def read_head(memory: memoryview, where: str) -> tuple[Head, tuple[str, ...]]:
    """The header at the front or else at the end, and what was found damaged."""
    front = _unsealed(memory, 0, SEAL.size)
    at = len(memory) - SEAL.size
    size = SEAL.unpack_from(memory, at)[2] if at >= SEAL.size else 0
    back = _unsealed(memory, at, at - size) if size <= at else None
    found = front or back
    if found is None:
        if bytes(memory[:8]) == MAGIC and len(memory) >= SEAL.size:
            version = SEAL.unpack_from(memory)[1]
            if version != VERSION:
                raise SnapshotError(f"{where} has version {version}, this program reads {VERSION}")
            raise SnapshotError(f"{where}: the header is damaged, and so is its copy at the end; nothing can be read")
        raise SnapshotError(f"{where} is not a snapshot of motionbase")
    notes = [] if front else ["the header at the front is damaged; its copy at the end was used"]
    if back is None:
        notes.append("the end of the file is missing or damaged")
    return _head(*found, where), tuple(notes)


def _text(details: Details, schema: Schema, platform: str) -> bytes:
    whole = asdict(details) | {"schema": json.loads(schema.json), "platform": platform}
    return json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _unsealed(memory: memoryview, seal_at: int, text_at: int) -> tuple[bytes, int] | None:
    """The header's text and the room of its table, if the seal is whole."""
    if seal_at < 0 or text_at < 0 or len(memory) < seal_at + SEAL.size:
        return None
    magic, version, size, table, crc = SEAL.unpack_from(memory, seal_at)
    if magic != MAGIC or version != VERSION or size > 8 * LARGEST_TEXT or text_at + size > len(memory):
        return None
    text = bytes(memory[text_at : text_at + size])
    begin = bytes(memory[seal_at : seal_at + SEAL.size - 4])
    return (text, table) if zlib.crc32(text, zlib.crc32(begin)) == crc else None


def _head(text: bytes, table: int, where: str) -> Head:
    """A sealed header is as it was written; whether that made sense is another matter."""
    try:
        given: dict[str, Any] = json.loads(text)
        schema = Schema.from_json(json.dumps(given.pop("schema")))
        platform = str(given.pop("platform"))
        hints = get_type_hints(Details)
        details = Details(**given)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MotionBaseError) as error:
        raise SnapshotError(f"{where}: the header is not one of a snapshot: {error}") from None
    for name, kind in hints.items():
        value = getattr(details, name)
        if isinstance(value, bool) or not isinstance(value, kind if kind is not float else int | float):
            raise SnapshotError(f"{where}: {name} in the header is {value!r:.60}")
    if min(details.chunk_records, details.every, details.dt) <= 0 or min(details.count, details.first) < 0:
        raise SnapshotError(f"{where}: the header has counts that cannot be")
    if details.chunks > table:
        raise SnapshotError(f"{where}: {details.chunks} chunks of records, but a table of {table}")
    return Head(details, schema, platform, len(text), table)
