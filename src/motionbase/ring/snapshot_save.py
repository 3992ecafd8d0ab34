"""Copying a ring to a file. It only reads the ring: the writer never waits for it."""

from __future__ import annotations

import ctypes
import errno
import math
import os
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from motionbase import private
from motionbase.errors import RingError, SnapshotError
from motionbase.native.atomics import atomics
from motionbase.ring.backend import AbstractBackend, Emulation, find
from motionbase.ring.layout import CLAIM, EPOCH, Layout
from motionbase.ring.parts import part_of
from motionbase.ring.segment import Segment, attach
from motionbase.ring.snapshot_format import CHUNK_BYTES, Details, Head, planned

Rows: TypeAlias = NDArray[np.float64]
EXTENSION = ".estop"
LARGEST_NUMBER = 2**62  # of a record, far beyond what any run reaches


def file_name(ring: str, utc_ns: int) -> str:
    """UTC to the millisecond, then the ring: names sort by time."""
    second, rest = divmod(utc_ns, 10**9)
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(second))}.{rest // 10**6:03d}Z_{ring}{EXTENSION}"


def save(
    source: str | AbstractBackend | Segment,
    path: Path | str,
    *,
    cause: str,
    event: int | None = None,
    before_s: float | None = None,
    after_s: float | None = None,
    event_utc_ns: int | None = None,
    name: str = "",
) -> Details:
    """Copy a ring's records, oldest to newest, to a file that is whole or not there at all.

    Memory for one chunk is enough. Where the writer goes on meanwhile, the newest record is that of the beginning, and
    the oldest ones may be overwritten before they are copied: they are counted.

    Args:
        source: a ring's name, its backend, or its memory as mapped before
        path: of the file; the folder must exist
        cause: why, a sentence
        event: number of the record at which something happened
        before_s, after_s: at most so much before and after the event [s]; None for all there is
        event_utc_ns: when it happened [ns since 1970]; None takes it from the record's number and the ring's epoch
        name: of the ring, where the source is not a name
    """
    segment, ring = _segment(source, name)
    path = Path(path)
    header = segment.header()
    if header is None:
        raise RingError(f"{segment.backend} has no valid header: no writer has finished it, or it is damaged")
    layout, head = header.layout, segment.head  # before the claim, which is never below
    claim = segment.counter(CLAIM)
    if not head <= claim < LARGEST_NUMBER:
        raise RingError(f"{segment.backend}: head is {head} and claim {claim}: its counters are spoilt")
    oldest = max(0, claim - layout.capacity)
    begin, end = _window(oldest, head, 1 / (layout.dt * layout.every), event, before_s, after_s)
    if begin >= end:
        raise RingError(f"ring {ring!r} ({segment.backend}) has no records to save")
    if event is not None and event_utc_ns is None:
        event_utc_ns = header.epoch_utc_ns + round(1e9 * event * layout.dt * layout.every)
    most = Details(
        ring=ring,
        backend=segment.backend.kind,
        writer=header.writer,
        writer_pid=header.writer_pid,
        status=segment.status.name.lower(),
        dt=layout.dt,
        every=layout.every,
        capacity=layout.capacity,
        epoch=header.epoch,
        epoch_utc_ns=header.epoch_utc_ns,
        cause=cause,
        event=event,
        event_t=None,
        event_utc_ns=event_utc_ns,
        saved_utc_ns=time.time_ns(),
        first=begin,
        count=end - begin,
        overwritten=0,
        before_s=None,
        after_s=None,
        chunk_records=max(1, CHUNK_BYTES // layout.schema.record_bytes),
    )
    plan = planned(most, layout.schema, layout.platform)
    try:
        with _whole_or_not(path) as file:
            os.posix_fallocate(file, 0, plan.size)  # a full disk is noticed here, before anything is copied
            done = replace(plan, details=_copied(segment, layout, plan, file))
            seal, text = done.sealed()
            _write(file, seal + text, 0)
            _write(file, text + seal, done.end)
            os.ftruncate(file, done.size)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
        needed = f"; {plan.size} bytes are needed" if full else ""
        raise SnapshotError(f"{path} cannot be written: {error.strerror or error}{needed}") from None
    return done.details


def _segment(source: str | AbstractBackend | Segment, name: str) -> tuple[Segment, str]:
    if isinstance(source, Segment):
        return source, name or _name(source.backend)
    backend = find(source) if isinstance(source, str) else source
    segment = attach(backend)
    if segment is None:
        raise RingError(f"no ring {name or source!r} ({backend})")
    return segment, name or (source if isinstance(source, str) else _name(backend))


def _name(backend: AbstractBackend) -> str:
    return backend.name if isinstance(backend, Emulation) else "device"


def _window(
    oldest: int, head: int, rate: float, event: int | None, before_s: float | None, after_s: float | None
) -> tuple[int, int]:
    if event is None:
        return oldest, head
    begin = oldest if before_s is None else max(oldest, event - math.ceil(before_s * rate - 1e-6))
    return begin, head if after_s is None else min(head, event + 1 + math.ceil(after_s * rate - 1e-6))


def _copied(segment: Segment, layout: Layout, plan: Head, file: int) -> Details:
    """Copy records chunk by chunk, with their seals; returns what has been copied.

    Where the writer comes by and overwrites, everything before is given up: a snapshot has no gaps.
    """
    most, size = plan.details, layout.schema.record_bytes
    first = tail = most.first
    end = most.first + most.count
    rows = np.empty((most.chunk_records, len(layout.schema.channels)))
    seals, event_t = list[int](), math.nan
    while tail < end:
        count = min(most.chunk_records, end - tail)
        _copy_rows(segment, layout, tail, count, rows)
        if (oldest := _oldest_after(segment, layout, plan.details.epoch)) > tail:
            first = tail = min(oldest, end)
            seals.clear()
            continue
        if most.event is not None and tail <= most.event < tail + count:
            event_t = float(rows[most.event - tail, 0])
        chunk = rows[:count].data.cast("B")
        _write(file, chunk, plan.records_at + (tail - first) * size)
        seals.append(zlib.crc32(chunk))
        tail += count
    if first == end:
        raise RingError(f"ring {most.ring!r}: its writer overwrote all records before they could be copied")
    _write(file, struct.pack(f"<{len(seals)}I", *seals), plan.table_at)
    copied = replace(most, first=first, count=end - first, overwritten=first - most.first)
    if most.event is None:
        return copied
    period = layout.dt * layout.every
    known = math.isfinite(event_t) and first <= most.event < end
    return replace(
        copied,
        event_t=event_t if known else None,
        before_s=max(0.0, (most.event - first) * period),
        after_s=max(0.0, (end - 1 - most.event) * period),
    )


def _copy_rows(segment: Segment, layout: Layout, number: int, count: int, rows: Rows) -> None:
    """Up to the ring's end, then on from its start."""
    size, slot = layout.schema.record_bytes, number % layout.capacity
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


@contextmanager
def _whole_or_not(path: Path) -> Iterator[int]:
    """A file under another name, renamed when all of it is on the disk; removed if anything goes wrong."""
    part = part_of(path)
    file = private.open_file(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        yield file
        os.fsync(file)
        os.rename(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    finally:
        os.close(file)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)  # the name, too
    finally:
        os.close(folder)


def _write(file: int, data: bytes | memoryview, at: int) -> None:
    left = memoryview(data)
    while left:
        written = os.pwrite(file, left, at)
        left, at = left[written:], at + written
