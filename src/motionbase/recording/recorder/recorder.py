"""The recorder: reads a ring and hands its records to the disk, whatever the disk, the writer or an operator does."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from motionbase.errors import MotionBaseError
from motionbase.recording.recorder import control as control
from motionbase.recording.recorder.disk import QUEUE_BYTES, RETRY_S, Disk
from motionbase.recording.recorder.files import Names, origin, place, program, require_place, same_records
from motionbase.recording.recorder.intake import Intake
from motionbase.recording.recorder.pieces import Pieces, Split
from motionbase.recording.recorder.sidecar import Sidecar
from motionbase.ring.backend import DEFAULT_NAME, find
from motionbase.ring.layout import Header
from motionbase.ring.reader import Batch, Reader, ReaderState

LOOK_S = 0.02
STATUS_S = 1.0
SLOW_S = 2.0  # a write that takes longer is told
CLOSE_S = 10.0  # for what still waits at the end
SIDECAR_S = 3.0  # then, for the overview
BATCH = 2048  # records in a read
NOTHING = ("files", "records", "written", "bytes", "gaps", "lost")  # counts where nothing was recorded
NO_RING = (ReaderState.NO_SEGMENT, ReaderState.NOT_INITIALISED)


@final
@dataclass(frozen=True)
class Settings:
    """How to record.

    Attributes:
        out: a file, a folder, or None for the default folder
        wait: begin when somebody asks, `motionbase record-control start`
        note: the first event of the recording
        oldest: begin with the oldest record that the ring has, not with the next that comes
        queue_bytes: that may wait for a slow disk
        retry_s: between tries to write to a disk that refuses [s]
        close_s: for what still waits when the recorder ends [s]
    """

    ring: str = DEFAULT_NAME
    out: Path | None = None
    split: Split = Split()
    wait: bool = False
    note: str = ""
    oldest: bool = False
    queue_bytes: int = QUEUE_BYTES
    retry_s: float = RETRY_S
    close_s: float = CLOSE_S


@final
class Recorder:
    """Records a ring until it is closed. `look` is to be called every 20 ms or so; `run` does.

    Args:
        say: takes a sentence for the operator, from several threads; must not block

    Attributes:
        complete: after `close`, whether everything read is in the files
    """

    def __init__(self, settings: Settings, say: Callable[[str], object]) -> None:
        self.settings, self.complete, self._say = settings, True, say
        self._backend, self._program = find(settings.ring), program()
        self._place = place(settings.out, settings.ring)
        require_place(self._place.names(time.time_ns()))
        self._control = control.ControlServer(settings.ring, self._backend)
        try:
            self._reader = self._attached()
        except BaseException:
            self._control.close()
            raise
        self._disk, self._sidecar = Disk(say, settings.queue_bytes, settings.retry_s), Sidecar(say)
        self._intake: Intake | None = None
        self._recordings: list[Intake] = []  # from the first on
        self._header: Header | None = None
        self._state: ReaderState | None = None
        self._slow, self._closed, self._complaint, self._status_at = False, False, "", 0.0
        if not settings.wait:
            intake = self._start()
            if settings.note:
                intake.note("note", settings.note)
        self._tell_status()

    def _attached(self) -> Reader:
        """A ring that is not there yet is recorded from its first record on, another from now on."""
        reader = Reader(self.settings.ring, batch=BATCH, backend=self._backend)
        if self.settings.oldest or reader.state in NO_RING:
            reader = Reader(self.settings.ring, start="oldest", batch=BATCH, backend=self._backend)
        return reader

    def run(self, stop: threading.Event) -> None:
        """Until `stop` is set."""
        try:
            while not stop.is_set():
                self.look()
                stop.wait(LOOK_S)
        finally:
            self.close()

    def close(self) -> None:
        """Take what is still in the ring, write it, end the file; a disk that does not answer gets some seconds."""
        if self._closed:
            return
        self._closed = True
        self._read_all()
        self._stop("the recorder ends")
        self.complete = self._disk.close(self.settings.close_s)
        if not self.complete:
            why = self._disk.trouble or "the disk does not answer"
            self._say(f"{self._disk.unwritten} records are not written: {why}")
        self._sidecar.close(SIDECAR_S if self.complete else 0.0)
        self._control.close()
        self._reader.close()

    # ---- one turn ----

    def look(self) -> None:
        """Take what has come, obey, hand on what has waited long enough."""
        for ask in self._control.waiting():
            ask.answer(*self._obeyed(ask.do, ask.text))
            self._status_at = 0.0
        self._read_all()
        if self._intake is not None:
            self._intake.hand_on()
        self._watch_disk()
        if time.monotonic() >= self._status_at:
            self._tell_status()

    def _read_all(self) -> None:
        try:
            while True:
                batch = self._reader.read()
                self._take(batch)
                if not len(batch.rows):
                    self._complaint = ""
                    return
        except MotionBaseError as error:  # what lies under the name is no ring of ours any more
            if str(error) != self._complaint:
                self._complaint = str(error)
                self._event("writer", str(error))

    def _take(self, batch: Batch) -> None:
        if len(batch.rows) or batch.lost:
            self._follow(self._reader.header)
        if self._reader.state is not self._state:
            self._state = self._reader.state
            self._event("writer", self._state.value)
        if self._intake is None:
            return
        if batch.lost:
            first = batch.first - batch.lost
            self._intake.gap(first, batch.lost, "the recorder was too slow, the ring overwrote them")
        self._intake.take(batch.rows, batch.first)

    def _follow(self, header: Header) -> None:
        """A new writer: the time goes on; records of another kind begin a new file."""
        before, self._header = self._header, header
        if before is not None and header.epoch == before.epoch:
            return
        again = before is not None and same_records(before.layout, header.layout)
        if self._intake is not None:
            self._intake.follow(header)
        if before is not None:
            new = "" if again else "; its records are others, so a new file begins"
            self._event("writer", f"restarted: {header.writer}, process {header.writer_pid}{new}")
        if self._intake is not None and not again:
            self._set_origin(self._intake, header)

    def _set_origin(self, intake: Intake, header: Header) -> None:
        intake.origin = origin(self.settings.ring, self._backend, header, header.epoch_utc_ns, self._program)

    def _event(self, kind: str, text: str) -> None:
        if self._intake is not None:
            self._intake.event(kind, text)
        else:
            self._say(f"{kind}: {text}")

    def _watch_disk(self) -> None:
        slow = self._disk.busy_s > SLOW_S and not self._disk.trouble
        if slow and not self._slow:
            self._say(f"the disk has not answered for {SLOW_S:g} s; records wait")
        elif self._slow and not slow:
            self._say("the disk answers again")
        self._slow = slow

    # ---- start, stop, split ----

    def _start(self) -> Intake:
        pieces = Pieces(self._fresh_names(), self.settings.split, self._say, self._sidecar)
        self._intake = intake = Intake(pieces, self._disk, self._say)
        self._recordings.append(intake)
        if self._header is not None:
            intake.follow(self._header)
            self._set_origin(intake, self._header)
        intake.note("recording", "started")
        if self._state is not None:
            intake.note("writer", self._state.value)
        return intake

    def _fresh_names(self) -> Names:
        """That no other recording of this recorder has, also where the disk has not made its files yet."""
        found = self._place.names(time.time_ns())
        taken = {made.pieces.names.stem for made in self._recordings if made.records}
        while found.stem in taken:
            found = found.next()
        return found

    def _stop(self, why: str) -> None:
        if self._intake is not None:
            self._intake.stop(why)
            self._intake = None

    def _obeyed(self, do: str, text: str) -> tuple[bool, str]:
        """What an operator asks for: whether it is done, and what there is to say about it."""
        if do == "start":
            if self._intake is not None:
                return False, "it is recording already"
            return True, f"recording to {self._start().pieces.names.path(0)}"
        if (intake := self._intake) is None:
            return False, "it is not recording; `motionbase record-control start` begins"
        if do == "stop":
            self._read_all()
            self._stop("by an operator")
            return True, f"stopped after {intake.records} records"
        if do == "split":
            self._read_all()
            intake.split()
            return True, "the next record begins a new file"
        if do == "note":
            if not text.strip() or len(text) > control.LONGEST_NOTE:
                return False, f"a note has 1 to {control.LONGEST_NOTE} letters"
            intake.note("note", text.strip())
            return True, "noted"
        return False, f"there is no command {do!r:.40}; commands: start, stop, split, note"

    # ---- what others see ----

    def status(self) -> dict[str, Any]:
        """For consoles and people; docs/recorder.md lists it."""
        intake, disk = self._recordings[-1] if self._recordings else None, self._disk
        writer = intake.pieces.writer if intake is not None else None
        doing = "stopped" if self._intake is None else "waiting" if self._header is None else "recording"
        stalled = f"the disk has not answered for {disk.busy_s:.0f} s" if self._slow else ""
        dropping = "records are dropped, the disk is too slow" if intake is not None and intake.dropping else ""
        return {
            "ring": self.settings.ring,
            "pid": os.getpid(),
            "state": doing,
            "writer": self._reader.state.value,
            "file": str(writer.path) if writer is not None else "",
            "folder": str(self._place.folder) if intake is not None else "",
            **(intake.counts() if intake is not None else dict.fromkeys(NOTHING, 0)),
            "waiting_bytes": disk.waiting,
            "trouble": disk.trouble or stalled or dropping,
            "utc_ns": time.time_ns(),
        }

    def summary(self) -> dict[str, Any]:
        """For the end: the state, with the counts of all recordings together, and of each."""
        made = [one for one in self._recordings if one.records or one.lost]
        each = [
            {"first": str(one.pieces.first or ""), "last": str(one.pieces.last or ""), **one.counts()} for one in made
        ]
        together = {key: sum(one.counts()[key] for one in made) for key in NOTHING}
        return {**self.status(), **together, "recordings": each, "complete": self.complete}

    def _tell_status(self) -> None:
        self._status_at = time.monotonic() + STATUS_S
        control.write_status(self._control.status_path, self.status())
