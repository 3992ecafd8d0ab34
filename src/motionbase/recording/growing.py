"""Files that are still being written: the length of the part that is complete now.

A copy of that length is a valid file: it has all complete chunks of an MCAP file, lines of a CSV file or pages of a
PDF.
"""

from __future__ import annotations

import mmap
import struct
from typing import Final

from motionbase.native.guarded import Mapped
from motionbase.recording.mcap.chunks import BEFORE_BYTES, CHUNK_FIELDS, FOOTER_BYTES, MARK, record_at
from motionbase.recording.mcap.records import HEAD, MAGIC, Cut, Op

LAST_LINE: Final = 1 << 24  # [bytes] in which the end of a line or page is searched
PDF_END: Final = b"%%EOF\n"


def whole_bytes(file: int, size: int) -> int:
    """Length of the complete part of an open file of `size` bytes; all of it for formats that appear when complete.

    `ValueError` if the file has become shorter.
    """
    if size == 0:
        return 0
    with Mapped.of(file, size) as raw:
        found = _whole(raw)
        if raw.is_cut:
            raise ValueError("it was cut short meanwhile")
        return found


def _whole(raw: Mapped) -> int:
    size = len(raw)
    if raw[: len(MAGIC)] == MAGIC:
        return size if _has_end(raw) else _whole_records(raw)
    if raw[:4] == b"%PDF":
        end = raw.rfind(PDF_END, max(0, size - LAST_LINE))
        return end + len(PDF_END) if end >= 0 else size
    if raw[:4] in (b"PAR1", b"\x89PNG") or raw[:6] == b"MBSNAP":
        return size
    end = raw.rfind(b"\n", max(0, size - LAST_LINE))
    return end + 1 if end >= 0 else size


def _has_end(raw: mmap.mmap) -> bool:
    end = len(raw)
    if end < FOOTER_BYTES + len(MAGIC) or raw[end - len(MAGIC) :] != MAGIC:
        return False
    return HEAD.unpack_from(raw, end - FOOTER_BYTES) == (Op.FOOTER, 20)


def _whole_records(raw: mmap.mmap) -> int:
    """End of the last complete data record; found from the last chunk, not from the beginning."""
    at = _last_chunk(raw)
    try:
        while at < len(raw):
            op, body = record_at(raw, at)
            if op == Op.DATA_END:
                break  # the index after it is incomplete
            at += HEAD.size + len(body)
    except Cut:
        pass
    return at


def _last_chunk(raw: mmap.mmap) -> int:
    """Start of the last chunk, complete or not; start of the first record if there is no chunk."""
    mark = len(raw)
    while (mark := raw.rfind(MARK, 0, mark)) >= 0:
        at = mark - CHUNK_FIELDS.size - HEAD.size
        if at < len(MAGIC) or mark + len(MARK) + 8 > len(raw):
            continue
        op, length = HEAD.unpack_from(raw, at)
        (packed,) = struct.unpack_from("<Q", raw, mark + len(MARK))
        if op == Op.CHUNK and packed == length - (BEFORE_BYTES - HEAD.size):
            return at
    return len(MAGIC)
