"""Copies the records of a ring without gaps, beside a writer that may go on. The writer never waits for it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RingError
from motionbase.native.atomics import atomics
from motionbase.ring.layout import CLAIM, EPOCH, Header, Layout
from motionbase.ring.segment import Segment

LARGEST_NUMBER = 2**62  # of a record, far beyond what any run reaches
MOST_LOOKS = 100  # at the counters of a ring, until both are of one turn
PIECE_BYTES = 64 * 1024  # copied between two looks at the writer's claim
PORTION_BYTES = 256 * 1024 * 1024  # of memory at most; the default ring, 64 MB, is one portion


class Portion(NamedTuple):
    """Records that follow each other.

    Attributes:
        first: number of the first since the epoch
        rows: (n, channels), in memory that the next portion uses again
        restarts: the writer has overwritten records before these that were not copied yet; drop all earlier portions
    """

    first: int
    rows: Array
    restarts: bool


def available(segment: Segment, layout: Layout) -> tuple[int, int]:
    """Numbers of the oldest record that is whole and of the one after the newest."""
    for _ in range(MOST_LOOKS):
        head = segment.head  # before the claim, which is never below
        claim = segment.counter(CLAIM)
        if not head <= claim < LARGEST_NUMBER:
            raise RingError(f"{segment.backend}: head is {head} and claim {claim}: its counters are spoilt")
        if claim <= head + layout.capacity:
            break  # else this process was paused between the two looks for more than a whole turn of the ring
    return min(max(0, claim - layout.capacity), head), head


def portions(
    segment: Segment, header: Header, first: int, end: int, portion_bytes: int = PORTION_BYTES
) -> Iterator[Portion]:
    """Records `first` up to `end`, oldest first.

    A portion is copied out of the ring before it is handed out, so it does not matter how slowly it is used; only a
    ring larger than a portion can be overwritten between two of them.
    """
    layout = header.layout
    size = layout.schema.record_bytes
    most, piece = max(1, min(end - first, portion_bytes // size)), max(1, PIECE_BYTES // size)
    room = np.empty((most, len(layout.schema.channels)))
    tail, restarts = first, False
    while tail < end:
        begin, filled = tail, 0
        while filled < most and tail < end:
            count = min(piece, most - filled, end - tail)
            _copy_rows(segment, layout, tail, room[filled : filled + count])
            if (oldest := _oldest_after(segment, layout, header.epoch)) > tail:
                begin = tail = min(oldest, end)
                filled, restarts = 0, True
            else:
                filled, tail = filled + count, tail + count
        if filled:
            yield Portion(begin, room[:filled], restarts)
            restarts = False


def one(segment: Segment, header: Header, number: int) -> Array | None:
    """A single record, (channels,); None if it has been overwritten."""
    found = next(portions(segment, header, number, number + 1), None)
    return None if found is None else found.rows[0]


def _copy_rows(segment: Segment, layout: Layout, number: int, rows: Array) -> None:
    """Up to the ring's end, then on from its start."""
    size, slot, count = layout.schema.record_bytes, number % layout.capacity, len(rows)
    straight = min(count, layout.capacity - slot)
    records, to = segment.address + layout.records_at, rows.ctypes.data
    ctypes.memmove(to, records + slot * size, straight * size)
    ctypes.memmove(to + straight * size, records, (count - straight) * size)


def _oldest_after(segment: Segment, layout: Layout, epoch: int) -> int:
    """The oldest record that is whole after a copy, by the ring's protocol: copy, fence, then look at the claim."""
    fence()
    claim = segment.counter(CLAIM)
    if segment.counter(EPOCH) != epoch:
        raise RingError(f"{segment.backend} was taken by another writer while it was being saved")
    return max(0, claim - layout.capacity)


def fence() -> None:
    """Loads before it are done before those after it, on every processor."""
    word = ctypes.c_uint64()
    atomics().store_release(ctypes.addressof(word), 0)  # ends in a full fence, which is all that is wanted of it
