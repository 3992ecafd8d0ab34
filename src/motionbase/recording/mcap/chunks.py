"""Finds the chunks of a file, by the index at its end or by searching, and unpacks them.

The index has a checksum and so have the bytes of a chunk. A chunk's header has none: a search accepts it only if the
chunk's messages or their index confirm it.
"""

from __future__ import annotations

import mmap
import struct
import threading
import zlib
from typing import NamedTuple

import numpy as np
import zstandard

from motionbase.arrays import Bytes, Structured
from motionbase.recording.mcap.records import HEAD, MAGIC, Cut, Fields, Op
from motionbase.recording.mcap.rows import INDEX_ENTRY, RowLayout
from motionbase.recording.mcap.write import COMPRESSION

CHUNK = np.dtype(
    [("start_time", "<u8"), ("end_time", "<u8"), ("at", "<i8"), ("compressed", "<i8"), ("uncompressed", "<i8"),
     ("channel", "<u2")]
)  # fmt: skip
"""Of a chunk: times [ns of UTC], offset and number of its compressed bytes, uncompressed bytes, first channel."""
CHUNK_FIELDS = struct.Struct("<QQQI")  # times, uncompressed size, CRC
MARK = struct.pack("<I", len(COMPRESSION)) + COMPRESSION.encode()  # follows these fields in every chunk
BEFORE_BYTES = HEAD.size + CHUNK_FIELDS.size + len(MARK) + 8
FOOTER_BYTES = HEAD.size + 20 + len(MAGIC)
LARGEST_CHUNK = 1 << 28  # [bytes] uncompressed; larger chunks are not ours
MOST_SPOILT = 20  # damaged stretches reported one by one
FIRST_MESSAGE = struct.Struct("<BQHIQ")  # opcode, length, channel, sequence, log time


class Spoilt(NamedTuple):
    """Bytes that are not records: number of chunks before them, and how many bytes."""

    chunks: int
    size: int


_of_thread = threading.local()  # creating a decompressor takes as long as using it, and threads cannot share one


def _decompressor() -> zstandard.ZstdDecompressor:
    if not hasattr(_of_thread, "made"):
        _of_thread.made = zstandard.ZstdDecompressor()
    made: zstandard.ZstdDecompressor = _of_thread.made
    return made


def record_at(raw: mmap.mmap, at: int) -> tuple[int, memoryview]:
    """Opcode and fields of the record at an offset."""
    if at + HEAD.size > len(raw):
        raise Cut("the file ends within a record")
    op, length = HEAD.unpack_from(raw, at)
    if not (1 <= op <= Op.DATA_END or op >= 0x80) or length > len(raw) - at - HEAD.size:
        raise Cut(f"there is no record at byte {at}")
    return op, memoryview(raw)[at + HEAD.size : at + HEAD.size + length]


def unpacked(raw: mmap.mmap, chunk: np.void) -> Bytes:
    """Uncompressed content of a chunk; `Cut` if it is damaged."""
    inside = int(chunk["uncompressed"])
    if not 0 <= inside <= LARGEST_CHUNK:
        raise Cut("a chunk is not where the index says")
    try:
        room = np.empty(inside, np.uint8)
    except MemoryError:
        raise Cut(f"there is no memory for the {inside} bytes of a chunk") from None
    unpack_into(room, raw, chunk)
    return room


def unpack_into(room: Bytes, raw: mmap.mmap, chunk: np.void) -> None:
    """As `unpacked`, into existing memory of the right size: allocating it would take half as long again."""
    _, _, at, size, inside, _ = chunk.item()
    if at < BEFORE_BYTES or size < 0 or at + size > len(raw) or inside != len(room):
        raise Cut("a chunk is not where the index says")
    (crc,) = struct.unpack_from("<I", raw, at - 8 - len(MARK) - 4)
    packed = memoryview(raw)[at : at + size]
    try:
        if zstandard.frame_content_size(packed) != inside:
            raise Cut("a chunk has not the size it was written with")
        with _decompressor().stream_reader(packed) as reader:
            done = reader.readinto(room) if inside else 0  # in one call: all packed bytes and the room are at hand
    except (zstandard.ZstdError, MemoryError) as e:
        raise Cut(f"a chunk cannot be unpacked ({e})") from None
    if done != inside or zlib.crc32(room.data) != crc:
        raise Cut("a chunk does not have the checksum it was written with")


# ---- from the index -------------------------------------------------------------------------------------------------


def indexed(raw: mmap.mmap) -> Structured | None:
    """Chunks from the summary at the end; None if it is missing or damaged."""
    end = len(raw)
    if end < FOOTER_BYTES or raw[end - len(MAGIC) :] != MAGIC:
        return None
    op, length, start, offsets, crc = struct.unpack_from("<BQQQI", raw, end - FOOTER_BYTES)
    sealed_to = end - len(MAGIC) - 4
    if (op, length) != (Op.FOOTER, 20) or not len(MAGIC) <= start <= offsets <= sealed_to:
        return None
    if zlib.crc32(memoryview(raw)[start:sealed_to]) != crc:
        return None
    try:
        return _chunk_indexes(raw, offsets, end - FOOTER_BYTES)
    except Cut:
        return None


def _chunk_indexes(raw: mmap.mmap, at: int, end: int) -> Structured:
    while at < end:
        op, body = record_at(raw, at)
        at += HEAD.size + len(body)
        fields = Fields(body)
        if op == Op.SUMMARY_OFFSET and fields.number("B") == Op.CHUNK_INDEX:
            start, length = fields.number("Q"), fields.number("Q")
            if start + length > len(raw):
                raise Cut("the index of chunks is not in the file")
            return _runs(np.frombuffer(raw, np.uint8, length, start))
    return np.empty(0, CHUNK)


def _runs(raw: Bytes) -> Structured:
    """Chunk index records, grouped where neighbours have equal length, as nearly all have."""
    parts, at = [], 0
    while at < len(raw):
        length = HEAD.size + int.from_bytes(raw[at + 1 : at + HEAD.size].tobytes(), "little")
        if not 0 < length <= len(raw) - at:
            raise Cut("the index of chunks is cut")
        rest = raw[at : at + (len(raw) - at) // length * length].reshape(-1, length)
        same = (rest[:, : HEAD.size] == rest[0, : HEAD.size]).all(axis=1)
        count = len(same) if same.all() else int(np.argmin(same))
        parts.append(_parsed(rest[:count]))
        at += count * length
    return np.concatenate(parts) if parts else np.empty(0, CHUNK)


def _parsed(records: Bytes) -> Structured:
    """Chunks from index records of equal length, whose maps of indexes also have equal length."""
    length = records.shape[1]
    map_bytes = length - (HEAD.size + 32 + 4 + 8 + len(MARK) + 16)
    if map_bytes < 10 or records[0, 0] != Op.CHUNK_INDEX:
        raise Cut("the index of chunks has something else in it")
    fields = np.dtype(
        [("head", f"V{HEAD.size}"), ("times", "<u8", (2,)), ("offset", "<i8"), ("length", "<i8"), ("map", "<u4"),
         ("channel", "<u2"), ("rest", f"V{map_bytes - 2}"), ("index", "<u8"), ("mark", f"V{len(MARK)}"),
         ("sizes", "<i8", (2,))]
    )  # fmt: skip
    seen = np.ascontiguousarray(records).view(fields)[:, 0]
    if not (np.all(seen["map"] == map_bytes) and np.all(seen["mark"] == np.void(MARK))):
        raise Cut("the index of chunks is not one of ours")
    found = np.empty(len(seen), CHUNK)
    found["start_time"], found["end_time"] = seen["times"].T
    found["at"], found["channel"] = seen["offset"] + BEFORE_BYTES, seen["channel"]
    found["compressed"], found["uncompressed"] = seen["sizes"].T
    return found


# ---- by searching ---------------------------------------------------------------------------------------------------


def searched(raw: mmap.mmap, at: int, layout: RowLayout) -> tuple[Structured, list[Spoilt]]:
    """Chunks found record by record; after damage, from the next record that looks like a chunk."""
    found, spoilt = [], list[Spoilt]()
    while at < len(raw):
        try:
            op, body = record_at(raw, at)
            if op in (Op.DATA_END, Op.FOOTER):
                break
            if op == Op.CHUNK:
                found.append(chunk_at(raw, at, len(body), layout))
            at += HEAD.size + len(body)
        except Cut:
            next_mark = raw.find(MARK, at + HEAD.size + CHUNK_FIELDS.size + 1)
            next_at = next_mark - CHUNK_FIELDS.size - HEAD.size if next_mark >= 0 else len(raw)
            if spoilt and (spoilt[-1].chunks == len(found) or len(spoilt) == MOST_SPOILT):
                spoilt[-1] = spoilt[-1]._replace(size=spoilt[-1].size + next_at - at)
            else:
                spoilt.append(Spoilt(len(found), next_at - at))
            at = next_at
    return np.array(found, CHUNK), spoilt


def chunk_at(raw: mmap.mmap, at: int, length: int, layout: RowLayout) -> tuple[int, ...]:
    """Fields of `CHUNK` for the chunk record at an offset with a body of `length` bytes; `Cut` if it is not ours."""
    if length < BEFORE_BYTES - HEAD.size:
        raise Cut("a chunk is too short")
    start, end, uncompressed, _ = CHUNK_FIELDS.unpack_from(raw, at + HEAD.size)
    place = at + BEFORE_BYTES
    (packed,) = struct.unpack_from("<Q", raw, place - 8)
    mark = raw[place - 8 - len(MARK) : place - 8]
    if mark != MARK or packed != length - (BEFORE_BYTES - HEAD.size) or uncompressed > LARGEST_CHUNK:
        raise Cut("a chunk is not one of ours")
    channel, first = _first_message(raw, place, packed)
    found = (start, end, place, packed, uncompressed, channel)
    if channel == layout.event_channel or (first, _last_indexed(raw, place + packed)) == (start, end):
        return found
    inside = layout.decode(unpacked(raw, np.array([found], CHUNK)[0]))["group0"]["log_time"]
    return (int(inside.min()), int(inside.max()), *found[2:])


def _first_message(raw: mmap.mmap, place: int, packed: int) -> tuple[int, int]:
    """Channel and log time of a chunk's first message."""
    try:
        with _decompressor().stream_reader(memoryview(raw)[place : place + packed]) as reader:
            head = reader.read(FIRST_MESSAGE.size)
        op, _, channel, _, log_time = FIRST_MESSAGE.unpack(head)
    except (zstandard.ZstdError, struct.error, MemoryError) as e:
        raise Cut(f"a chunk cannot be unpacked ({e})") from None
    if op != Op.MESSAGE:
        raise Cut("a chunk does not begin with a message")
    return channel, log_time


def _last_indexed(raw: mmap.mmap, at: int) -> int | None:
    """Log time of the last entry of the message index at an offset."""
    try:
        op, body = record_at(raw, at)
        if op != Op.MESSAGE_INDEX or len(body) < 2 + 4 + INDEX_ENTRY.itemsize:
            return None
        return int(np.frombuffer(body[-INDEX_ENTRY.itemsize :], INDEX_ENTRY)["log_time"][0])
    except Cut:
        return None
