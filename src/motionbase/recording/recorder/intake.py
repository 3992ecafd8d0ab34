"""Between ring and disk: makes chunks of records with times, and counts every lost record in the recording."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.journal import Journal
from motionbase.recording.recorder.disk import Disk
from motionbase.recording.recorder.file_series import Pieces
from motionbase.recording.recorder.files import Origin
from motionbase.recording.recorder.items import Chunk, Note
from motionbase.recording.recorder.resume import Before
from motionbase.recording.recorder.time import Timeline
from motionbase.ring.blocks.requests import Asked
from motionbase.ring.layout import Header

CHUNK_S = 0.1  # longest time covered by a chunk
HOLD_S = 0.08  # longest time that a record waits for others
LARGEST_CHUNK = 4096  # records in a chunk
BAD = ("gap", "file", "disk")  # kinds of events that are bad
LARGER = 5  # factor on the size of chunks while behind: fewer, larger ones cost less


@final
class Intake:
    """One recording, from its start to its stop.

    Attributes:
        origin: of the incoming records
        records: read so far, without lost ones
        lost: records overwritten in the ring before they were read; gaps: how often
    """

    def __init__(self, pieces: Pieces, disk: Disk, say: Callable[[str], object]) -> None:
        self.pieces, self.origin = pieces, None
        self.records = self.lost = self.gaps = 0
        self._disk, self._say, self._timeline = disk, say, Timeline()
        self._pending, self._count, self._first, self._since = list[Array](), 0, 0, 0.0
        self._chunk_rows, self._before = 1, None
        self._journal, self._tick, self._dt = None, None, 1.0

    origin: Origin | None
    _before: Before | None
    _journal: Journal | None
    _tick: int | None  # tick of the newest record

    def go_on(self, before: Before) -> None:
        """Continue the recording of a killed recorder, with its time."""
        self._before = before
        self.note("recording", f"goes on with record {before.next}, after the last in {before.path.name}")

    def follow(self, header: Header) -> None:
        """Follow a writer, whose records come from now on."""
        self.flush()
        self._leave()
        self._journal, self._tick = Journal(header.layout.schema), None
        self._dt = header.layout.dt
        period = header.layout.dt * header.layout.every
        self._timeline.begin(header.epoch_utc_ns, period)
        if self._before is not None:
            self._timeline.go_on(self._before.utc_ns, self._before.shift_ns)
            self._before = None
        self._chunk_rows = max(1, min(LARGEST_CHUNK, round(CHUNK_S / period)))

    def take(self, rows: Array, first: int, behind: bool = False) -> None:
        """Take consecutive records, the first with number `first`; they are copied.

        Args:
            behind: many records wait, so chunks may be larger
        """
        self.records += len(rows)
        most = min(LARGEST_CHUNK, LARGER * self._chunk_rows) if behind else self._chunk_rows
        while len(rows):
            if not self._count:
                self._first, self._since = first, time.monotonic()
            part = rows[: max(1, most - self._count)].copy()
            self._pending.append(part)
            self._count += len(part)
            rows, first = rows[len(part) :], first + len(part)
            if self._count >= most:
                self.flush()

    def hand_on(self) -> None:
        """Hand records to the disk that have waited long enough."""
        if self._count and time.monotonic() - self._since >= HOLD_S:
            self.flush()

    def flush(self) -> None:
        """Hand all records to the disk."""
        if not self._count or self.origin is None:
            return
        rows = np.concatenate(self._pending) if len(self._pending) > 1 else self._pending[0]
        self._pending, self._count = [], 0
        stamped = self._timeline.stamps(rows[:, 0])
        if stamped.back:
            more = f", and {stamped.back - 1} times more" if stamped.back > 1 else ""
            self.note("time", f"t went back by {stamped.back_s:.6g} s{more}; the time of the recording goes on")
        notes = []
        if self._journal is not None:
            self._tick = self._journal.tick(rows[-1])
            for k, kind, text, person, is_bad in self._journal.find(rows):
                tick = self._journal.tick(rows[k])
                notes.append(Note(kind, text, int(stamped.utc_ns[k]), tick, person, is_bad))
        self._disk.put(self.pieces, Chunk(rows, self._first, stamped.utc_ns, self.origin, notes=notes))

    def asked(self, news: Iterable[Asked]) -> None:
        """Take requests to the ring's writer; each is noted at the record that shows it."""
        if self._journal is not None:
            self._journal.asked(news, time.monotonic())

    def _leave(self) -> None:
        """Note the remaining requests to a writer that has ended."""
        for one in self._journal.rest() if self._journal is not None else ():
            self.note(one.kind, one.text, one.person, one.is_bad)

    def counts(self) -> dict[str, int]:
        """Counts of this recording so far; docs/recorder.md lists them."""
        return {
            "files": self.pieces.files,
            "records": self.records,
            "written": self.pieces.records,
            "bytes": self.pieces.bytes,
            "gaps": self.gaps + self.pieces.gaps,
            "lost": self.lost + self.pieces.lost,
        }

    def gap(self, first: int, count: int, why: str) -> None:
        """Report lost records by number."""
        self.lost, self.gaps = self.lost + count, self.gaps + 1
        self.event("gap", f"{count} records lost, {first} to {first + count - 1}: {why}")

    def event(self, kind: str, text: str) -> None:
        """Report an event to the operator and the file."""
        self._say(f"{kind}: {text}")
        self.note(kind, text, is_bad=kind in BAD)

    def note(self, kind: str, text: str, person: str = "", is_bad: bool = False, t: float | None = None) -> None:
        """Note an event in the file, among the records of its time: now, or a time [s] of the ring."""
        if kind != "time":
            self.flush()
        utc_ns, tick = self._timeline.now(), self._tick
        if t is not None and utc_ns:
            utc_ns, tick = self._timeline.at(t), round(t / self._dt) if t >= 0 else None
        self._disk.put(self.pieces, Note(kind, text, utc_ns, tick, person, is_bad))

    def split(self, person: str) -> None:
        """The next record begins a new file."""
        self.note("recording", f"split by {person or 'an operator'}", person)
        self._disk.put(self.pieces, None)

    def stop(self, why: str, person: str = "") -> None:
        """Hand everything to the disk and finish the file."""
        self.flush()
        self._leave()
        self.note("recording", f"stopped, {why}: {self.records} records read, {self.lost} lost", person)
        self._disk.put(self.pieces, None)
