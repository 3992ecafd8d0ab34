"""Watches a ring for unexpected stops and saves it. It is a reader: the writer never waits for it.

An unexpected stop is one of: the channel `estop` goes from 0 to 1; the writer marks the ring as unsaved, for schemas
without that channel; the writer fails; the writer dies, however it was killed.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError, ScheduleError
from motionbase.recording.estop import AFTER_S
from motionbase.recording.estop.files import KEEP, Saved, files, last_life_utc_ns, save_ring
from motionbase.ring import unsaved
from motionbase.ring.backend import AbstractBackend, Device, find
from motionbase.ring.copy import fence
from motionbase.ring.layout import BEAT, CLAIM, EPOCH, HEAD, Header, Layout, Status
from motionbase.ring.living import is_written
from motionbase.ring.segment import Segment, attach

CHANNEL = "estop"
LARGEST_SHARE = 0.75  # of the ring for what comes after the stop: a small ring must not overwrite what led to it
PATIENCE_S = 2.0  # beyond the time after a stop, for a writer that lives but writes nothing
DEVICE_DEAD_S = 5.0  # a writer on another machine holds no lock here; it is dead when nothing moves for so long


class Window(NamedTuple):
    """How much of a full ring is before and after the stop [s]."""

    before_s: float
    after_s: float


def window(layout: Layout, after_s: float = AFTER_S) -> Window:
    """What a full ring holds around a stop: 419 s and 30 s at 100 Hz, 15 s and 30 s at 1 kHz."""
    if not after_s >= 0:
        raise ScheduleError(f"recording goes on for {after_s!r} s after a stop; it must be 0 or more")
    whole = layout.capacity * layout.dt * layout.every
    after = min(after_s, LARGEST_SHARE * whole)
    return Window(whole - after, after)


@final
@dataclass(frozen=True)
class Event:
    """An unexpected stop: its record, why and when it happened, and when enough has been recorded after it.

    Attributes:
        until: save when the ring has had this many records; deadline: save at this time at the latest, monotonic [s]
    """

    number: int
    cause: str
    utc_ns: int
    until: int
    deadline: float


@final
class EstopWatch:
    """Watches a ring by name, through restarts of its writer.

    Attributes:
        trouble: why the last file could not be saved; "" if it could. The ring is kept; `try_again` tries again

    Args:
        after_s: recording goes on for so long after a stop, before the ring is saved [s]
        keep: files of this ring
        say: takes a sentence
    """

    def __init__(
        self,
        name: str,
        *,
        folder: Path | None = None,
        after_s: float = AFTER_S,
        keep: int = KEEP,
        backend: AbstractBackend | None = None,
        say: Callable[[str], object] = print,
    ) -> None:
        self.name, self.backend, self.trouble = name, backend or find(name), ""
        self._folder, self._after_s, self._keep, self._say = folder, after_s, keep, say
        self._segment: Segment | None = None
        self._said = ""

    def look(self) -> Saved | None:
        """Look once; save the ring if it is time."""
        if self._segment is None and not self._attach():
            return None
        alive = self._is_alive()  # before the status: a writer says that it stopped, then lets go of the lock
        self._forget_if_saved()
        self._notice(alive)
        saved = None
        if self._event is not None and not self.trouble and (not alive or self._is_due()):
            saved = self._save()
        if not alive and (self._event is None or self.trouble) and not self._is_at_path():
            if self.trouble:
                self._say(f"ring {self.name!r}: the records that could not be saved are gone, a new writer has come")
            self._segment = None
        return saved

    def finish(self) -> Saved | None:
        """Look for the last time: save a stop now, however little has been recorded after it."""
        self.trouble = ""
        saved = self.look()
        return self._save() if saved is None and self.pending and not self.trouble else saved

    def try_again(self) -> Saved | None:
        """Try again after a file could not be saved."""
        self.trouble = ""
        return self.look()

    @property
    def pending(self) -> bool:
        """Whether there is a stop that is not saved yet."""
        return self._segment is not None and self._event is not None

    # ---- what there is ----

    def _attach(self) -> bool:
        try:
            segment = attach(self.backend)
            header = segment.header() if segment is not None else None
        except MotionBaseError as error:  # something else lies there, or it is being replaced
            if (sentence := str(error)) != self._said:
                self._say(sentence)
                self._said = sentence
            return False
        if segment is None or header is None:
            return False
        self._segment, self._header = segment, header
        self._event: Event | None = None
        self._tail, self._before = max(0, segment.counter(CLAIM) - header.layout.capacity), math.nan
        self._is_exact, self._failed_with = True, ""
        self._settled = False  # its end was a good one, or is an event
        self._was_unsaved = self._is_marked = False
        self._seen, self._moved = (-1, -1), time.monotonic()
        self.trouble = ""
        return True

    def _ring(self) -> tuple[Segment, Header]:
        assert self._segment is not None
        return self._segment, self._header

    def _is_alive(self) -> bool:
        segment, header = self._ring()
        if self._is_superseded():
            return False
        if (lives := is_written(self.backend, header.epoch)) or not isinstance(self.backend, Device):
            return lives
        seen = segment.counter(HEAD), segment.counter(BEAT)
        if seen != self._seen:
            self._seen, self._moved = seen, time.monotonic()
        return time.monotonic() - self._moved < DEVICE_DEAD_S and segment.status is Status.RUNNING

    def _is_superseded(self) -> bool:
        """Whether another writer has taken the name."""
        return not self._is_at_path() and (isinstance(self.backend, Device) or self.backend.path.exists())

    def _is_at_path(self) -> bool:
        segment, header = self._ring()
        if isinstance(self.backend, Device):
            return segment.counter(EPOCH) == header.epoch
        try:
            return os.stat(self.backend.path).st_ino == segment.inode
        except OSError:
            return False

    # ---- stops ----

    def _notice(self, alive: bool) -> None:
        """Look for a stop, if none is waiting to be saved."""
        segment, edge = self._ring()[0], self._edge()
        marked, self._was_unsaved = segment.unsaved and not self._was_unsaved, segment.unsaved
        if self._event is None and edge is not None and not self._is_saved(edge):
            known = "" if self._is_exact else " or before, in one that was overwritten"
            self._begin(edge, f"emergency stop in record {edge}{known}", alive)
        if self._event is None and alive and marked and (head := segment.head):
            self._begin(head - 1, "the writer marked its ring as unsaved", alive)
        if self._event is None and not alive and not self._settled:
            self._settled = True
            cause, head = self._end(), segment.head
            if cause and head and not self._is_saved(head - 1):
                self._begin(head - 1, cause, alive)

    def _end(self) -> str:
        """How the writer ended; "" for a good end."""
        segment, header = self._ring()
        match segment.status:
            case Status.STOPPED:
                return "the writer marked its ring as unsaved, then stopped" if segment.unsaved else ""
            case Status.FAILED:
                return f"the writer failed: {header.writer}, process {header.writer_pid}"
            case _:
                return f"the writer died: {header.writer}, process {header.writer_pid}"

    def _begin(self, number: int, cause: str, alive: bool) -> None:
        header = self._ring()[1]
        after = window(header.layout, self._after_s).after_s
        until = number + 1 + math.ceil(after / (header.layout.dt * header.layout.every) - 1e-6)
        deadline = time.monotonic() + after + PATIENCE_S
        self._event = Event(number, cause, last_life_utc_ns(self._ring()[0]), until, deadline)
        self._say(f"ring {self.name!r}: {cause}")
        if alive:
            self._mark()

    def _mark(self) -> None:
        """Mark the ring, so that nobody removes it if this process ends before the file is saved."""
        try:
            unsaved.mark(self._ring()[0], True)
            self._is_marked = self._was_unsaved = True
        except MotionBaseError as error:
            self._is_marked = False
            self._say(str(error))

    def _forget_if_saved(self) -> None:
        """After our own saving failed, somebody may have saved the ring by hand."""
        if self.trouble and self._is_marked and not self._ring()[0].unsaved:
            self._event, self.trouble = None, ""

    def _edge(self) -> int | None:
        """The newest record among those not seen yet at which the channel went from 0 to 1.

        Where records were overwritten before they were seen, a channel that was 0 before them and is 1 after them went
        to 1 among them: the first that is whole stands for it.
        """
        segment, header = self._ring()
        layout = header.layout
        if CHANNEL not in layout.schema.index:
            return None
        head, found = segment.head, None
        if head < self._tail or head > segment.counter(CLAIM):  # no writer leaves such counters
            self._tail, self._before = max(0, head - layout.capacity), math.nan
        while self._tail < head:
            if head - self._tail > layout.capacity:
                self._tail, lapped = head - layout.capacity, True
            else:
                lapped = False
            count = min(head - self._tail, max(1, layout.capacity // 4))
            values = self._column(self._tail, count)
            fresh = max(0, segment.counter(CLAIM) - layout.capacity - self._tail)  # overwritten meanwhile
            values = np.concatenate([[self._before], values[fresh:]])
            edges = np.flatnonzero((values[1:] > 0.5) & (values[:-1] <= 0.5))
            if edges.size:
                found = self._tail + fresh + int(edges[-1])
                self._is_exact = edges[-1] > 0 or not (fresh or lapped)
            self._before, self._tail = float(values[-1]), self._tail + max(count, fresh)
        return found

    def _column(self, first: int, count: int) -> Array:
        segment, header = self._ring()
        layout = header.layout
        words = np.frombuffer(segment.memory, "<f8", layout.capacity * len(layout.schema.channels), layout.records_at)
        slots = (first % layout.capacity + np.arange(count)) % layout.capacity
        values: Array = words.reshape(layout.capacity, -1)[slots, layout.schema.index[CHANNEL]]
        fence()  # the claim is looked at afterwards
        return values

    # ---- saving ----

    def _is_due(self) -> bool:
        assert self._event is not None
        return self._ring()[0].head >= self._event.until or time.monotonic() >= self._event.deadline

    def _is_saved(self, number: int) -> bool:
        """Whether a file of this run has the record, saved by this watch or an earlier one."""
        epoch = self._ring()[1].epoch
        try:
            known = [f.details for f in files(self._folder, self.name) if f.details is not None]
        except MotionBaseError:
            return False
        return any(d.epoch == epoch and d.first <= number < d.first + d.count for d in known)

    def _save(self) -> Saved | None:
        event = self._event
        assert event is not None
        try:
            saved = save_ring(
                self._ring()[0],
                self.name,
                cause=event.cause,
                event=event.number,
                event_utc_ns=event.utc_ns,
                folder=self._folder,
                keep=self._keep,
            )
        except MotionBaseError as error:
            self.trouble = str(error)
            self._mark()
            if self.trouble != self._failed_with:  # once, however often it is tried
                self._say(f"{self.trouble}; ring {self.name!r} is kept unsaved: motionbase ring save {self.name}")
            self._failed_with = self.trouble
            return None
        self._event = None
        self._say(str(saved))
        return saved
