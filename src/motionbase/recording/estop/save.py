"""Saves a ring as a recording, whole or not at all. It only reads the ring: the writer never waits for it.

Records are copied out of the ring before the disk is touched, so neither a slow disk nor the compression lets a living
writer overwrite them. The file has its name only when all of it is on the disk; whoever is killed before leaves the
ring as it is, still marked as unsaved, for the next process to save.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from motionbase.errors import RecordingError, RingError
from motionbase.recording.estop.details import KIND, Details
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.rows import INDEX_ENTRY, RowLayout
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.recorder.files import our_version, platform_name
from motionbase.recording.sources.going_on import GoingOn
from motionbase.recording.whole import FULL, synced, trouble, whole_or_not
from motionbase.ring.backend import AbstractBackend, Emulation, find
from motionbase.ring.copy import Portion, available, one, portions
from motionbase.ring.layout import Header, Layout
from motionbase.ring.segment import Segment, attach

CHUNK_BYTES = 64 * 1024  # of records: what one damaged place in the file costs
LARGEST_T = 2e9  # [s], 63 years: a recording counts nanoseconds of UTC in 64 bits


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
    """Save the records of a ring, oldest to newest, to a new file.

    Memory for a portion of the ring is needed, 256 MiB at most. If the writer goes on meanwhile, the newest record is
    that of the beginning, and the oldest ones may be overwritten before they are copied: they are counted.

    Args:
        source: a ring's name, its backend, or its memory as mapped before
        path: of the file; the folder must exist, the file must not
        cause: why, a sentence
        event: number of the record at which something happened
        before_s, after_s: at most so much before and after the event [s]; None for all there is
        event_utc_ns: when it happened [ns since 1970]; None takes it from the record's number and the ring's epoch
        name: of the ring, if the source is not a name
    """
    segment, ring = _segment(source, name)
    path = Path(path)
    header = segment.header()
    if header is None:
        raise RingError(f"{segment.backend} has no valid header: no writer has finished it, or it is damaged")
    layout = header.layout
    oldest, head = available(segment, layout)
    begin, end = _window(oldest, head, 1 / (layout.dt * layout.every), event, before_s, after_s)
    if begin >= end:
        raise RingError(f"ring {ring!r} ({segment.backend}) has no records to save")
    if event is not None and event_utc_ns is None:
        event_utc_ns = header.epoch_utc_ns + round(1e9 * event * layout.dt * layout.every)
    wanted = Details(
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
    )
    copied = portions(segment, header, begin, end)
    try:
        first = next(copied, None)  # before the disk is touched
        if first is not None:
            with whole_or_not(path) as part:
                saved = _written(part, segment, header, wanted, first, copied)
            synced(path.parent)  # the name, too
            return saved
    except OSError as error:
        full = f"; up to {_most_bytes(layout, end - begin)} bytes are needed" if error.errno in FULL else ""
        raise RecordingError(f"{trouble(path, error)}{full}") from None
    except MemoryError:
        raise RecordingError(f"{str(path)!r} cannot be written: there is no memory for a copy of the ring") from None
    raise RingError(f"ring {ring!r}: its writer overwrote all records before they could be copied")


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


def _written(
    part: Path, segment: Segment, header: Header, wanted: Details, first: Portion, copied: Iterator[Portion]
) -> Details:
    """Write the file; start over if the writer has overwritten records between two portions."""
    file: _File | None = None
    try:
        for portion in chain([first], copied):
            if file is not None and portion.restarts:
                file.abandon()
                part.unlink()
                file = None
            if file is None:
                file = _File(part, header, _exact(segment, header, wanted, portion))
            file.write(portion)
        assert file is not None
        if file.next != wanted.first + wanted.count:  # nothing was left after the last restart
            raise RingError(f"ring {wanted.ring!r}: its writer overwrote all records before they could be copied")
        file.finish()
        return file.details
    finally:
        if file is not None:
            file.abandon()


def _exact(segment: Segment, header: Header, wanted: Details, start: Portion) -> Details:
    """What a file that starts with this portion says of itself."""
    end = wanted.first + wanted.count
    found = replace(wanted, first=start.first, count=end - start.first, overwritten=start.first - wanted.first)
    event = wanted.event
    if event is None:
        return found
    t, period = math.nan, header.layout.dt * header.layout.every
    if start.first <= event < start.first + len(start.rows):
        t = float(start.rows[event - start.first, 0])
    elif start.first <= event < end and (row := one(segment, header, event)) is not None:
        t = float(row[0])
    return replace(
        found,
        event_t=t if math.isfinite(t) else None,
        before_s=max(0.0, (event - start.first) * period),
        after_s=max(0.0, (end - 1 - event) * period),
    )


class _File:
    """The recording under way; `next` is the number after its last record."""

    def __init__(self, part: Path, header: Header, details: Details) -> None:
        layout = header.layout
        about = {
            "motionbase": our_version(),  # no revision of a checkout: nothing is started while a stop waits
            "host": socket.gethostname(),
            **details.about(),
            "platform": layout.platform,
            "platform_name": platform_name(layout.platform),
            "parameters": layout.parameters,
            "world": layout.world,
        }
        self.details, self.next = details, details.first
        self._writer = McapWriter(part, layout.schema, about)
        self._chunk = max(1, CHUNK_BYTES // layout.schema.record_bytes)
        self._going_on, self._events = GoingOn(layout.dt * layout.every), list[tuple[Event, int]]()

    def write(self, portion: Portion) -> None:
        for at in range(0, len(portion.rows), self._chunk):
            rows, first = portion.rows[at : at + self._chunk], portion.first + at
            time = np.clip(self._going_on.time(rows[:, 0].copy()), -LARGEST_T, LARGEST_T)
            log_time = log_times(self.details.epoch_utc_ns, time)
            self._writer.write_rows(rows, first, log_time)
            event, self.next = self.details.event, first + len(rows)
            if event is not None and first <= event < self.next:
                stop = Event(float(time[event - first]), KIND, self.details.cause, is_bad=True)
                self._events.append((stop, int(log_time[event - first])))

    def finish(self) -> None:
        """Event, index and footer; on the disk when it returns."""
        self._writer.write_events([e for e, _ in self._events], [when for _, when in self._events])
        self._writer.close()

    def abandon(self) -> None:
        self._writer.abandon()


def _most_bytes(layout: Layout, records: int) -> int:
    """Of a file whose records cannot be compressed; without its head and its index."""
    rows = RowLayout(layout.schema)
    return records * (rows.dtype.itemsize + len(rows.groups) * INDEX_ENTRY.itemsize)
