"""The recorder: reads a ring and hands its records to the disk."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any, final

from motionbase.errors import MotionBaseError
from motionbase.recording.changes import Allowance
from motionbase.recording.journal import BY_PEOPLE
from motionbase.recording.recorder import control as control
from motionbase.recording.recorder.disk import Disk
from motionbase.recording.recorder.file_series import Pieces
from motionbase.recording.recorder.files import Names, origin, place, program, require_place
from motionbase.recording.recorder.intake import Intake
from motionbase.recording.recorder.items import Settings
from motionbase.recording.recorder.resume import BATCH, attached, gone_before, sweep_heads
from motionbase.recording.recorder.sidecar import Sidecar
from motionbase.ring.backend import find
from motionbase.ring.blocks.requests import RequestWatch, watched
from motionbase.ring.layout import Header
from motionbase.ring.reader import Batch, ReaderState

LOOK_S = 0.04  # two polls fill a chunk
STATUS_S = 1.0
SLOW_S = 2.0  # a longer write is reported
EVENTS_AT_ONCE, EVENTS_PER_S = 200, 10.0  # limits of events from clients
SIDECAR_S = 3.0  # time limit for the overview at the end
NOTHING = ("files", "records", "written", "bytes", "gaps", "lost")  # counts that are 0 if nothing was recorded


@final
class Recorder:
    """Records a ring until it is closed. `look` must be called about every 20 ms; `run` does so.

    Args:
        say: called with a sentence for the operator from several threads; must not block

    Attributes:
        complete: after `close`, whether everything read is in the files
    """

    def __init__(self, settings: Settings, say: Callable[[str], object]) -> None:
        self.settings, self.complete, self._say = settings, True, say
        self._backend, self._program = find(settings.ring), program()
        self._place = place(settings.out, settings.ring)
        self._control = control.ControlServer(settings.ring, self._backend)  # excludes other recorders
        try:
            self._reader = attached(settings, self._backend, say)
            self._before = gone_before(self._reader, self._place, settings)
            require_place(self._place, goes_on=self._before is not None and not self._before.ended)
        except BaseException:
            self._control.close()
            raise
        sweep_heads(self._place.folder)
        self._disk, self._sidecar = Disk(say, settings.queue_bytes, settings.retry_s), Sidecar(say)
        self._intake: Intake | None = None
        self._recordings: list[Intake] = []  # all, in order
        self._header: Header | None = None
        self._state: ReaderState | None = None
        self._slow, self._full, self._closed, self._complaint, self._status_at = False, False, False, "", 0.0
        self._fresh = True  # no record has been read yet
        self._requests: RequestWatch | None = None
        self._allowed = Allowance(EVENTS_AT_ONCE, EVENTS_PER_S)
        if not settings.wait:
            intake = self._start()
            if settings.note:
                intake.note("note", settings.note)
        self._tell_status()

    def run(self, stop: threading.Event) -> None:
        """Record until `stop` is set."""
        try:
            while not stop.is_set():
                self.look()
                stop.wait(LOOK_S)
        finally:
            self.close()

    def close(self) -> None:
        """Read the rest of the ring, write it and finish the file; a disk that does not answer gets some seconds."""
        if self._closed:
            return
        self._closed = True
        self._read_all(anyway=True)
        self._stop("the recorder ends")
        written = self._disk.close(self.settings.close_s)
        rescued = [one.pieces.rescue.close(self.settings.close_s) for one in self._recordings]
        self.complete = written and all(rescued) and not any(one.pieces.lost for one in self._recordings)
        if self._disk.unwritten:
            why = self._disk.trouble or "the disk does not answer"
            self._say(f"{self._disk.unwritten} records are not written: {why}")
        self._sidecar.close(SIDECAR_S if written else 0.0)
        self._control.close()
        self._reader.close()

    # ---- one poll ----

    def look(self) -> None:
        """Read new records, carry out commands, hand chunks to the disk."""
        for ask in self._control.waiting():
            ask.answer(*self._obeyed(ask))
            self._status_at = 0.0 if ask.do != "event" else self._status_at
        self._watch_requests()
        self._read_all()
        if self._intake is not None:
            self._intake.hand_on()
        self._watch_disk()
        if time.monotonic() >= self._status_at:
            self._tell_status()

    def _read_all(self, anyway: bool = False) -> None:
        """Read all new records; while the disk's queue is full they stay in the ring, unless `anyway` is set."""
        try:
            while anyway or not self._disk.is_full:
                batch = self._reader.read()
                self._take(batch)
                if not len(batch.rows):
                    self._complaint = ""
                    return
            if not self._full:
                self._full = True
                self._say(f"the disk is too slow: {self._disk.waiting / 1e6:.0f} MB wait, the rest waits in the ring")
        except MotionBaseError as error:  # the file of that name is no longer a readable ring
            if str(error) != self._complaint:
                self._complaint = str(error)
                self._event("writer", str(error))

    def _take(self, batch: Batch) -> None:
        lost = batch.lost
        if len(batch.rows) or lost:
            self._follow(self._reader.header)
        if self._reader.state is not self._state:
            self._state = self._reader.state
            self._event("writer", self._state.value)
        if self._intake is None:
            return
        if lost and not (self._fresh and self._begins_anywhere):
            self._intake.gap(batch.first - lost, lost, f"{self._why_late()}, the ring overwrote them")
        self._intake.take(batch.rows, batch.first, behind=len(batch.rows) == BATCH)
        self._fresh = self._fresh and not len(batch.rows)

    @property
    def _begins_anywhere(self) -> bool:
        """Whether earlier records of the ring do not count as missing, as in a recording of whatever the ring holds."""
        return self.settings.oldest and self._before is None

    def _why_late(self) -> str:
        if self._fresh:
            return "no recorder ran"
        return "the disk was too slow" if self._full else "the recorder was too slow"

    def _follow(self, header: Header) -> None:
        """Follow a new writer in a new file with continuing time. A file holds records of one run, each number once."""
        before, self._header = self._header, header
        if before is not None and header.epoch == before.epoch:
            return
        if self._intake is not None:
            self._intake.follow(header)
        if before is not None:
            self._event("writer", f"restarted: {header.writer}, process {header.writer_pid}; a new file begins")
        if self._intake is not None:
            self._set_origin(self._intake, header)
        self._requests = watched(self.settings.ring, self._backend, header.epoch)

    def _watch_requests(self) -> None:
        """Read requests before records, because the record that shows a request comes after it."""
        if self._requests is not None:
            news = self._requests.news()
            if news and self._intake is not None:
                self._intake.asked(news)

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
        self._full = self._full and not self._disk.is_half_free

    # ---- start, stop, split ----

    def _start(self, person: str = "") -> Intake:
        before = self._before if self._before is not None and not self._before.ended and not self._recordings else None
        names, piece = (before.names, before.piece) if before is not None else (self._fresh_names(), 0)
        pieces = Pieces(names, self.settings.split, self._say, self._sidecar, self._reader.recalled, piece)
        self._intake = intake = Intake(pieces, self._disk, self._say)
        self._recordings.append(intake)
        if self._header is not None:
            intake.follow(self._header)
            self._set_origin(intake, self._header)
            self._requests = watched(self.settings.ring, self._backend, self._header.epoch)  # reports what is in force
        intake.note("recording", f"started by {person}" if person else "started", person)
        if before is not None:
            intake.go_on(before)
            self._say(f"goes on with record {before.next}, after the last in {before.path}")
        if self._state is not None:
            intake.note("writer", self._state.value)
        return intake

    def _fresh_names(self) -> Names:
        """Names that no other recording of this recorder has, including those whose files do not exist yet."""
        found = self._place.names(time.time_ns())
        taken = {made.pieces.names.stem for made in self._recordings if made.records}
        while found.stem in taken:
            found = found.next()
        return found

    def _stop(self, why: str, person: str = "") -> None:
        if self._intake is not None:
            self._intake.stop(why, person)
            self._intake = None

    def _obeyed(self, ask: control.Ask) -> tuple[bool, str]:
        """Carry out a command; whether it was done, and a sentence."""
        do, text, person = ask.do, ask.text.strip(), ask.person
        if do == "start":
            if self._intake is not None:
                return False, "it is recording already"
            self._read_all(anyway=True)  # what is in the ring by now came before
            return True, f"recording to {self._start(person).pieces.names.path(0)}"
        if (intake := self._intake) is None:
            return False, "it is not recording; `motionbase record-control start` begins"
        if do == "stop":
            self._read_all(anyway=True)
            self._stop(f"by {person or 'an operator'}", person)
            return True, f"stopped after {intake.records} records"
        if do == "split":
            self._read_all(anyway=True)
            intake.split(person)
            return True, "the next record begins a new file"
        if do in ("note", "event"):
            if not text or len(text) > control.LONGEST_NOTE:
                return False, f"a note has 1 to {control.LONGEST_NOTE} letters"
            if do == "event" and ask.kind not in BY_PEOPLE:
                return False, f"there is no event {ask.kind!r:.40}; kinds: {', '.join(BY_PEOPLE)}"
            if do == "event" and not self._allowed.take(time.monotonic()):
                return False, f"more than {EVENTS_PER_S:g} events a second; this one is not in the recording"
            intake.note("note" if do == "note" else ask.kind, text, person, ask.is_bad, ask.t)
            return True, "noted"
        return False, f"there is no command {do!r:.40}; commands: start, stop, split, note, event"

    # ---- status ----

    def status(self) -> dict[str, Any]:
        """The status, shown by console and command line; docs/recorder.md lists it."""
        intake, disk = self._recordings[-1] if self._recordings else None, self._disk
        writer = intake.pieces.writer if intake is not None else None
        doing = "stopped" if self._intake is None else "waiting" if self._header is None else "recording"
        stalled = f"the disk has not answered for {disk.busy_s:.0f} s" if self._slow else ""
        full = f"the disk is too slow, {self._reader.behind} records wait in the ring" if disk.is_full else ""
        return {
            "ring": self.settings.ring,
            "pid": os.getpid(),
            "state": doing,
            "writer": self._reader.state.value,
            "file": str(writer.path) if writer is not None else "",
            "folder": str(self._place.folder) if intake is not None else "",
            **(intake.counts() if intake is not None else dict.fromkeys(NOTHING, 0)),
            "waiting_bytes": disk.waiting,
            "trouble": disk.trouble or stalled or full,
            "incident": intake.pieces.incident if intake is not None else "",
            "utc_ns": time.time_ns(),
        }

    def summary(self) -> dict[str, Any]:
        """The status at the end, with the counts of all recordings together and of each."""
        made = [one for one in self._recordings if one.records or one.lost]
        each = [
            {"first": str(one.pieces.first or ""), "last": str(one.pieces.last or ""), **one.counts()} for one in made
        ]
        together = {key: sum(one.counts()[key] for one in made) for key in NOTHING}
        return {**self.status(), **together, "recordings": each, "complete": self.complete}

    def _tell_status(self) -> None:
        self._status_at = time.monotonic() + STATUS_S
        control.write_status(self._control.status_path, self.status())
