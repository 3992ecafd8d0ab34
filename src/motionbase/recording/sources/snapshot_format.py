"""The format of ESTOP files up to version 0.1, which is read for ever; `docs/estop.md` repeats it for people.

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
from dataclasses import dataclass
from typing import Any, final

from motionbase.errors import MotionBaseError, RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.estop.details import Details
from motionbase.ring.layout import LARGEST_TEXT, PAGE

MAGIC = b"MBSNAP\r\n"  # a transfer that changes line ends breaks it
VERSION = 1
SEAL = struct.Struct("<8sIIII")


@final
@dataclass(frozen=True)
class Head:
    """A header with its place: everything that can be known of a file without its records.

    Attributes:
        header_bytes: with padding; table: chunks that the table has room for; chunk_records: records in a chunk
    """

    details: Details
    schema: Schema
    platform: str
    header_bytes: int
    table: int
    chunk_records: int

    @property
    def table_at(self) -> int:
        """After the header."""
        return SEAL.size + self.header_bytes

    @property
    def records_at(self) -> int:
        """After the table, at a whole page, so that records can be mapped."""
        return -(-(self.table_at + 4 * self.table) // PAGE) * PAGE


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
                raise RecordingError(f"{where} has version {version}, this program reads {VERSION}")
            raise RecordingError(f"{where}: the header is damaged, and so is its copy at the end; nothing can be read")
        raise RecordingError(f"{where} is no ESTOP file of motionbase")
    notes = [] if front else ["the header at the front is damaged; its copy at the end was used"]
    if back is None:
        notes.append("the end of the file is missing or damaged")
    return _head(*found, where), tuple(notes)


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
        platform, chunk_records = str(given.pop("platform")), given.pop("chunk_records")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MotionBaseError) as error:
        raise RecordingError(f"{where}: the header is not one of an ESTOP file: {error}") from None
    details = Details.checked(given, where)
    if isinstance(chunk_records, bool) or not isinstance(chunk_records, int) or chunk_records < 1:
        raise RecordingError(f"{where}: chunk_records in the header is {chunk_records!r:.60}")
    if (chunks := -(-details.count // chunk_records)) > table:
        raise RecordingError(f"{where}: {chunks} chunks of records, but a table of {table}")
    return Head(details, schema, platform, len(text), table, chunk_records)
