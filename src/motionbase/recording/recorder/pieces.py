"""The files of one recording, one after the other: opened with the first record, split without losing any."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from motionbase import private
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.rows import Rows
from motionbase.recording.mcap.write import McapWriter
from motionbase.recording.recorder.files import Names, Origin
from motionbase.recording.recorder.sidecar import Along, Sidecar
from motionbase.recording.recorder.time import Stamps


class Split(NamedTuple):
    """When a new file begins by itself; 0 for never.

    Attributes:
        bytes: as soon as a file has so many; it ends with the chunk that reaches them
        ns: with the first record so much after a file's first [ns]
    """

    bytes: int = 0
    ns: int = 0


@final
@dataclass(eq=False)
class Chunk:
    """Records that follow each other.

    Attributes:
        first: number of the first since the writer's epoch
        done: records of it that are in a file already
    """

    rows: Rows
    first: int
    utc_ns: Stamps
    origin: Origin
    done: int = 0


@final
@dataclass(frozen=True)
class Note:
    """Something to be noted beside the records; utc_ns 0: at the first record of the file."""

    kind: str
    text: str
    utc_ns: int = 0


@final
class Pieces:
    """One recording.

    Attributes:
        names: of its files; others than planned if there was a recording of this name
        writer: of the file that is open, or None
        number: of the next piece
        files: that were finished or are open; records, bytes: in all of them
        first, last: files with records, None before there are any
        closing: held while a file is closed, so that nobody syncs it then

    Args:
        say: takes a sentence for people; must not block
        sidecar: builds overviews of the files along the way
    """

    def __init__(
        self, names: Names, split: Split, say: Callable[[str], object] = lambda _: None, sidecar: Sidecar | None = None
    ) -> None:
        self.names, self.split_at, self.number = names, split, 0
        self.first: Path | None = None
        self.last: Path | None = None
        self._say, self._sidecar, self._along = say, sidecar, None
        self.writer: McapWriter | None = None
        self.files, self.records, self.closing = 0, 0, threading.Lock()
        self._bytes, self._origin, self._begin = 0, None, 0
        self._held: list[Note] = []  # for the next file
        self._kept: list[Note] = []  # of a file that has no records yet

    _origin: Origin | None
    _along: Along | None

    @property
    def bytes(self) -> int:
        """In all files."""
        writer = self.writer
        return self._bytes + (writer.bytes if writer is not None else 0)

    def write(self, chunk: Chunk) -> None:
        """All records of it that are not in a file yet; after an OSError `chunk.done` says how far it came."""
        while chunk.done < len(chunk.rows):
            if self.writer is not None and self._origin is not chunk.origin:
                self.finish()
            at = chunk.done
            if self.writer is None:
                self._open(chunk.origin, int(chunk.utc_ns[at]))
            assert self.writer is not None
            while self._held:
                self._put(self._held[0])
                self._kept.append(self._held.pop(0))
            end = len(chunk.rows)
            if self.split_at.ns:
                limit = np.uint64(self._begin + self.split_at.ns)
                end = at + int(np.searchsorted(chunk.utc_ns[at:], limit, "left"))
            if end > at:
                self.writer.write_rows(chunk.rows[at:end], chunk.first + at, chunk.utc_ns[at:end])
                chunk.done, self.records, self._kept = end, self.records + end - at, []
                self.first, self.last = self.first or self.writer.path, self.writer.path
                if self._sidecar is not None and self._along is not None:
                    self._sidecar.add(self._along, chunk.rows[at:end])
            if end < len(chunk.rows) or (self.split_at.bytes and self.writer.bytes >= self.split_at.bytes):
                self.finish()

    def note(self, note: Note) -> None:
        """Into the file that is open, or the next one."""
        if self.writer is None or self._held:
            self._held.append(note)
        else:
            self._put(note)

    def _put(self, note: Note) -> None:
        assert self.writer is not None and self._origin is not None
        utc_ns = note.utc_ns or self._begin
        event = Event((utc_ns - self._origin.epoch_utc_ns) * 1e-9, note.kind, note.text)
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
                if self.files:
                    self.number += 1
                else:  # another recording: this one needs a stem of its own
                    self.names = self.names.next()
                    about["recording"] = self.names.stem
                    self._say(f"{path} exists already; recording to {self.names.path(0)}")
        if self._sidecar is not None:
            self._along = self._sidecar.begin(path, self.writer.bytes, origin.schema)
        self._origin, self._begin, self.number, self.files = origin, utc_ns, self.number + 1, self.files + 1
        _sync_folder(path)
        self._kept = []

    def finish(self) -> None:
        """End the file; the next record begins another. It can be read even where its index cannot be written."""
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
        """Write nothing that could be made from the records later; what was written of it goes if the disk is full."""
        along = self._along
        if self._sidecar is not None and along is not None:
            self._sidecar.give_up(along, why, remove=full)

    def leave(self) -> None:
        """End a file that takes nothing any more; one without records is removed, and its notes are kept."""
        if self.writer is not None and not self.writer.rows:
            with self.closing:
                self.writer.abandon()
            with suppress(OSError):
                self.writer.path.unlink()
            self.writer, self.number, self.files = None, self.number - 1, self.files - 1
            self._held, self._kept = [*self._kept, *self._held], []
        with suppress(OSError):
            self.finish()


def _sync_folder(path: os.PathLike[str]) -> None:
    """The name, too."""
    with suppress(OSError):
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
