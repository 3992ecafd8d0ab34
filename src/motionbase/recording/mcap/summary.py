"""The end of a file: index, statistics and footer, made piece by piece.

A recording of ten hours has 360,000 chunks; their index records are packed some thousands at a time.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Unsigned
from motionbase.recording.mcap import records as mcap
from motionbase.recording.mcap.records import HEAD, Op, u16, u32, u64
from motionbase.recording.mcap.rows import RowLayout

AT_ONCE = 4096  # index records packed together: 1 MB with 18 groups


class ChunkPlace(NamedTuple):
    """Entry of a chunk in the index at the end of the file."""

    start_time: int
    end_time: int
    offset: int
    length: int
    rows: int  # records; 0 for a chunk of events
    index_length: int
    compressed: int
    uncompressed: int
    first: int = 0  # number of its first record since the writer's epoch


class Kept(NamedTuple):
    """The intact part of a truncated file.

    Attributes:
        rows: number of records; next: number after the last of them, 0 if there are none
        end: offset after the last whole chunk and its indexes [bytes]; 0 if there is none
    """

    rows: int
    next: int
    end: int


@final
class Places:
    """Index entries of all chunks of a file, 72 bytes each: 26 MB for ten hours."""

    def __init__(self) -> None:
        self._numbers = array("Q")

    def __len__(self) -> int:
        return len(self._numbers) // len(ChunkPlace._fields)

    def add(self, place: ChunkPlace) -> None:
        """Add a chunk."""
        self._numbers.extend(place)

    def span(self) -> tuple[int, int]:
        """First and last time [ns of UTC]; zeros if there are no chunks."""
        if not len(self):
            return 0, 0
        seen = np.frombuffer(self._numbers, np.uint64).reshape(len(self), -1)
        return int(seen[:, 0].min()), int(seen[:, 1].max())

    def before(self, size: int) -> Kept:
        """The part of the file before an offset [bytes] that has whole chunks with their indexes."""
        if not len(self):
            return Kept(0, 0, 0)
        seen = np.frombuffer(self._numbers, np.uint64).reshape(len(self), -1)
        place = {name: seen[:, k] for k, name in enumerate(ChunkPlace._fields)}
        ends = place["offset"] + place["length"] + place["index_length"]
        whole = ends <= size
        numbered = np.flatnonzero(whole & (place["rows"] > 0))
        last = int(place["first"][numbered[-1]] + place["rows"][numbered[-1]]) if len(numbered) else 0
        return Kept(int(place["rows"][whole].sum()), last, int(ends[whole].max(initial=0)))

    def blocks(self) -> Iterator[Unsigned]:
        """(n, fields) copies of consecutive entries of one kind: records or events."""
        width = len(ChunkPlace._fields)
        for at in range(0, len(self._numbers), AT_ONCE * width):
            some = np.array(self._numbers[at : at + AT_ONCE * width], np.uint64).reshape(-1, width)
            changes = np.flatnonzero(np.diff(some[:, ChunkPlace._fields.index("rows")] > 0)) + 1
            yield from np.split(some, changes)


def chunk_indexes(places: Places, layout: RowLayout, compression: str) -> Iterator[bytes]:
    """Chunk index records, in the order of the file."""
    mark = mcap.text(compression)
    for block in places.blocks():
        place = {name: block[:, k] for k, name in enumerate(ChunkPlace._fields)}
        channels = np.arange(1, layout.event_channel) if place["rows"][0] else np.array([layout.event_channel])
        entry = np.dtype([("channel", "<u2"), ("offset", "<u8")])
        form = np.dtype(
            [("op", "u1"), ("bytes", "<u8"), ("times", "<u8", (2,)), ("offset", "<u8"), ("length", "<u8"),
             ("map_bytes", "<u4"), ("map", entry, (len(channels),)), ("index_length", "<u8"),
             ("mark", f"V{len(mark)}"), ("compressed", "<u8"), ("uncompressed", "<u8")]
        )  # fmt: skip
        out = np.zeros(len(block), form)
        out["op"], out["bytes"], out["times"] = Op.CHUNK_INDEX, form.itemsize - HEAD.size, block[:, :2]
        for name in ("offset", "length", "index_length", "compressed", "uncompressed"):
            out[name] = place[name]
        out["map_bytes"], out["mark"] = entry.itemsize * len(channels), np.void(mark)
        # a chunk is followed by an index record for each channel, all of the same length
        step = place["index_length"] // np.uint64(len(channels))
        after = place["offset"] + place["length"]
        out["map"]["channel"] = channels
        out["map"]["offset"] = after[:, None] + np.arange(len(channels), dtype=np.uint64) * step[:, None]
        yield out.tobytes()


def statistics(places: Places, counts: Mapping[int, int], metadata: int) -> bytes:
    """The statistics record: messages by channel number, and all counts."""
    seen = b"".join(u16(k) + u64(n) for k, n in counts.items() if n)
    numbers = u16(len(counts)) + u32(len(counts)) + u32(0) + u32(metadata) + u32(len(places))
    total = sum(counts.values())
    return mcap.record(Op.STATISTICS, u64(total), numbers, u64(*places.span()), u32(len(seen)), seen)


def summary(start: int, groups: Iterable[tuple[Op, Iterable[bytes]]]) -> Iterator[bytes]:
    """The summary section: groups of records, their offsets, and the footer with the checksum of all.

    Args:
        start: offset of the first piece in the file [bytes]
    """
    at, crc, offsets = start, 0, b""
    for op, pieces in groups:
        begin = at
        for piece in pieces:
            at, crc = at + len(piece), zlib.crc32(piece, crc)
            yield piece
        if at > begin:
            offsets += mcap.record(Op.SUMMARY_OFFSET, bytes([op]), u64(begin, at - begin))
    last = offsets + HEAD.pack(Op.FOOTER, 20) + u64(start, at)
    yield last + u32(zlib.crc32(last, crc)) + mcap.MAGIC
