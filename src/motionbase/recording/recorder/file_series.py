"""The files of one recording: opened with the first record, split without losing records."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias, final

import numpy as np

from motionbase import private
from motionbase.arrays import Array, Unsigned
from motionbase.recording.journal import RecordWatch
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.recorder.displaced import Fate, Rescue, fate, free_name, readable, unlink, where
from motionbase.recording.recorder.files import Names, Origin
from motionbase.recording.recorder.items import Chunk, Note, Owed, Split
from motionbase.recording.recorder.sidecar import Along, Sidecar

Recall: TypeAlias = Callable[[int, int, int], Iterator[tuple[int, Array]]]  # epoch, first, stop: see Reader.recalled
AGAIN_ROWS = 500  # in a chunk of records that are written again


@final
class Pieces:
    """One recording.

    Attributes:
        names: of its files; changed if a recording of the planned name exists
        writer: of the open file, or None
        number: of the next piece
        files: finished or open; records, bytes: in all of them
        lost: records lost because a file was deleted or truncated; gaps: how often
        incident: what happened to a file while it was written, a sentence; "" if nothing
        first, last: files with records, None if there are none yet
        closing: held while a file is closed, so that it is not synced then
        rescue: restores deleted files

    Args:
        say: called with a sentence for the operator; must not block
        sidecar: builds overviews of the files while they are written
        recall: reads records again, as `Reader.recalled`
        number: of the first piece; above 0 if it continues the recording of a killed recorder
    """

    def __init__(
        self,
        names: Names,
        split: Split,
        say: Callable[[str], object] = lambda _: None,
        sidecar: Sidecar | None = None,
        recall: Recall = lambda *_: iter(()),
        number: int = 0,
    ) -> None:
        self.names, self.split_at, self.number = names, split, number
        self.first: Path | None = None
        self.last: Path | None = None
        self._say, self._sidecar, self._recall, self._along = say, sidecar, recall, None
        self.writer: McapWriter | None = None
        self.files, self.records, self.closing = 0, 0, threading.Lock()
        self.lost, self.gaps, self.incident, self.rescue = 0, 0, "", Rescue(say)
        self._bytes, self._origin, self._begin = 0, None, 0
        self._from, self._next, self._utc_ns = 0, 0, 0  # first number in the file, next number, time of the last
        self._owed = None
        self._held: list[Note] = []  # notes for the next file
        self._kept: list[Note] = []  # notes of a file that has no records yet

    _origin: Origin | None
    _along: Along | None
    _owed: Owed | None

    @property
    def bytes(self) -> int:
        """Bytes in all files."""
        writer = self.writer
        return self._bytes + (writer.bytes if writer is not None else 0)

    # ---- writing ----

    def write(self, chunk: Chunk) -> None:
        """Write the records of a chunk that are not in a file yet; after an OSError `chunk.done` is how many are."""
        while chunk.done < len(chunk.rows):
            if self.writer is not None and self._origin is not chunk.origin:
                self.finish()
            self._mind()
            at = chunk.done
            if self.writer is None:
                self._open(chunk.origin, int(chunk.utc_ns[at]))
            assert self.writer is not None
            end = len(chunk.rows)
            if self.split_at.ns:
                limit = np.uint64(self._begin + self.split_at.ns)
                end = at + int(np.searchsorted(chunk.utc_ns[at:], limit, "left"))
            if end > at:
                self._put_rows(chunk.rows[at:end], chunk.first + at, chunk.utc_ns[at:end])
                chunk.done = end
                self._put_notes(chunk, int(chunk.utc_ns[end - 1]))
            if end < len(chunk.rows) or (self.split_at.bytes and self.writer.bytes >= self.split_at.bytes):
                self.finish()

    def _put_rows(self, rows: Array, first: int, utc_ns: Unsigned) -> None:
        """Write records into the open file, after the waiting notes."""
        assert self.writer is not None
        while self._held:
            self._put(self._held[0])
            self._kept.append(self._held.pop(0))
        begun = self.writer.rows
        self.writer.write_rows(rows, first, utc_ns)
        self._from = self._from if begun else first
        self._next, self._utc_ns = first + len(rows), int(utc_ns[-1])
        self.records, self._kept = self.records + len(rows), []
        self.first, self.last = self.first or self.writer.path, self.writer.path
        if self._sidecar is not None and self._along is not None:
            self._sidecar.add(self._along, rows)

    def _put_notes(self, chunk: Chunk, utc_ns: int) -> None:
        """Write the notes of the records just written; on a full disk they are kept for the next file."""
        while chunk.notes and chunk.notes[0].utc_ns <= utc_ns:
            note = chunk.notes.pop(0)
            try:
                self.note(note)
            except OSError:
                self._held.append(note)

    def note(self, note: Note) -> None:
        """Write a note into the open file, or the next one."""
        if self.writer is None or self._held:
            self._held.append(note)
        else:
            self._put(note)

    def _put(self, note: Note) -> None:
        assert self.writer is not None and self._origin is not None
        utc_ns = note.utc_ns or self._begin
        t = (utc_ns - self._origin.epoch_utc_ns) * 1e-9
        event = Event(t, note.kind, note.text, note.tick, note.person, note.is_bad)
        self.writer.write_events([event], [max(utc_ns, 0)])

    def _open(self, origin: Origin, utc_ns: int) -> None:
        about = {
            **origin.about,
            "start_utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(utc_ns // 10**9)),
            "recording": self.names.stem,
        }
        private.make_folder(self.names.folder)
        while True:
            path = self.names.path(self.number)
            try:
                self.writer = McapWriter(path, origin.schema, {**about, "piece": str(self.number)})
                break
            except FileExistsError:
                if self.files or self.number:
                    self.number += 1
                else:  # another recording has this name: take another
                    self.names = self.names.next()
                    about["recording"] = self.names.stem
                    self._say(f"{path} exists already; recording to {self.names.path(0)}")
        if self._sidecar is not None:
            self._along = self._sidecar.begin(path, self.writer.bytes, origin.schema)
        self._origin, self._begin, self.number, self.files = origin, utc_ns, self.number + 1, self.files + 1
        _sync_folder(path)
        self._kept = []

    # ---- ends ----

    def finish(self) -> None:
        """Finish the file; the next record begins another. It can be read even if its index cannot be written."""
        self._mind()
        self._end()

    def _end(self) -> None:
        writer, self.writer = self.writer, None
        if writer is None:
            return
        with self.closing:
            try:
                writer.close()
            finally:
                self._bytes += writer.bytes
        along, self._along = self._along, None
        if self._sidecar is not None and along is not None:
            self._sidecar.end(along)

    def spare(self, why: str, *, full: bool = False) -> None:
        """Stop writing the overview, which can be built later; if the disk is full, remove its blocks too."""
        along = self._along
        if self._sidecar is not None and along is not None:
            self._sidecar.give_up(along, why, remove=full)

    def leave(self) -> None:
        """Close a file that accepts no more data; one without records is removed, and its notes are kept."""
        if self.writer is not None and not self.writer.rows:
            self._drop()
        with suppress(OSError):
            self._end()

    def _drop(self) -> None:
        """Remove a file without records; the next gets its number and its notes."""
        writer, self.writer = self.writer, None
        assert writer is not None
        with self.closing:
            unlink(writer)
            writer.abandon()
        self.number, self.files = self.number - 1, self.files - 1
        self._held, self._kept = [*self._kept, *self._held], []

    # ---- files that are moved, deleted or truncated ----

    def _mind(self) -> None:
        """Check the file; records that it has lost are written again from the ring, if they are still there.

        A moved file is finished at its new place. A deleted one is finished and restored. A truncated one keeps its
        whole chunks.
        """
        if self.writer is not None and (what := fate(self.writer)) is not None:
            if self.writer.rows:
                self._displaced(self.writer, what)
            else:
                self._drop()
        if self._owed is not None:
            self._write_again(self._owed)

    def _displaced(self, writer: McapWriter, what: Fate) -> None:
        assert self._origin is not None
        self.spare(f"it was {what.value}", full=True)
        along, self._along = self._along, None
        if self._sidecar is not None and along is not None:
            self._sidecar.end(along)
        name, rows, lost, begin, source = writer.path.name, writer.rows, 0, self._from, None
        text = f"{name} was {what.value} while it was written"
        if what is Fate.CUT:
            left = writer.keep(os.fstat(writer.descriptor).st_size)
            lost, begin = rows - left.rows, left.next or begin
            why, text = text, f"{text}: {lost} of its {rows} records are gone from it"
        elif what is Fate.MOVED:
            now = where(writer)
            why, text = text, f"{text}; it ends there, with its {rows} records: {str(now)!r}"
            self.first, self.last = (now if path == writer.path else path for path in (self.first, self.last))
        elif (source := readable(writer)) is not None:
            why, text = text, f"{text}; its {rows} records are being brought back as {str(free_name(writer.path))!r}"
        else:
            lost = rows
            why, text = text, f"{text} and cannot be brought back: the disk has no room for its {rows} records"
        self.incident = text
        self._say(f"file: {text}; recording goes on in a new file")
        note = Note("file", text, self._utc_ns)
        if lost:
            self._owed = Owed(self._origin, begin, self._next, lost, self._utc_ns, why)
            self.records -= lost
            with self.closing:
                self.writer = None
                if lost == rows:
                    self.files -= 1
                    unlink(writer)  # no records are left in it
                self._bytes += writer.bytes if what is Fate.CUT and lost < rows else 0
                writer.abandon()
        else:
            with suppress(OSError):  # a full disk: the file can be read without them
                self._put(note)
            with suppress(OSError):
                self._end()
        self._held.append(note)
        if source is not None:
            self.rescue.begin(source, free_name(writer.path), rows)

    def _write_again(self, owed: Owed) -> None:
        """Write lost records again; after an OSError a later call continues."""
        watch = RecordWatch(owed.origin.schema)
        for first, rows in self._recall(owed.origin.epoch, owed.first, owed.stop):
            self._miss(owed, first)
            for at in range(0, len(rows), AGAIN_ROWS):
                part = rows[at : at + AGAIN_ROWS].copy()
                utc = np.minimum(log_times(owed.origin.epoch_utc_ns, part[:, 0]), np.uint64(owed.utc_ns))
                if self.writer is None:
                    self._open(owed.origin, int(utc[0]))
                self._put_rows(part, first + at, np.maximum.accumulate(utc))
                for found in watch.find(part):
                    self.note(Note(found.kind, found.text, int(utc[found.k]), is_bad=found.is_bad))
                owed.first, owed.rows = first + at + len(part), owed.rows - len(part)
        self._miss(owed, owed.stop)
        self.lost, self._owed = self.lost + max(0, owed.rows), None

    def _miss(self, owed: Owed, number: int) -> None:
        """Report the gap up to a record."""
        if number > owed.first:
            text = f"{number - owed.first} records lost, {owed.first} to {number - 1}: {owed.why}"
            self._say(f"gap: {text}")
            self._held.append(Note("gap", text, 0))
            self.gaps, owed.first = self.gaps + 1, number


def _sync_folder(path: os.PathLike[str]) -> None:
    """Sync the folder, so that the name is on the disk too."""
    with suppress(OSError):
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
