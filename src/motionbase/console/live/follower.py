"""Follows one ring in a thread, through stops and restarts of its writer, and keeps the history."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Set
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias, cast, final

import numpy as np

from motionbase.arrays import Array
from motionbase.console.api.sentences import WrongState
from motionbase.console.live.derived import OPERATORS
from motionbase.console.live.events import EventLog
from motionbase.console.live.formula import FormulaError
from motionbase.console.live.history import History
from motionbase.console.live.runs import Run, new_run
from motionbase.console.models import Derive, EventKind, SourceName
from motionbase.console.polite import give_way
from motionbase.console.stop.button import PROGRAM
from motionbase.errors import MotionBaseError, RingError
from motionbase.record.schema import Schema
from motionbase.recording.journal import Journal
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.requests import RequestWatch, watched
from motionbase.ring.layout import Header
from motionbase.ring.reader import BATCH, Batch, Reader, ReaderState

State: TypeAlias = Literal["live", "waiting", "lost", "none"]
TURN_S = 1 / 60
IDLE_S = 0.05  # wait while no record comes
TROUBLE_S = 0.5  # before another attempt at an unreadable ring
MOST_BATCHES = 16  # in one turn, so that a start at a full ring shows something early
HEALTH_S = 1.0
GAP_PERIODS = 1.5
STATES: dict[ReaderState, State] = {
    ReaderState.NO_SEGMENT: "none",
    ReaderState.NOT_INITIALISED: "none",
    ReaderState.WAITING: "waiting",
    ReaderState.LIVE: "live",
    ReaderState.STOPPED: "lost",
    ReaderState.RESTARTED: "live",
}


class Pulse(NamedTuple):
    """Counts at a time of the monotonic clock [s]: records read, lost, and published by the writer."""

    at: float
    records: int
    lost: int
    published: int


@final
class Follower:
    """Follower of "live" or "replay". Its public methods are thread-safe."""

    def __init__(
        self, source: SourceName, ring: str, backend: AbstractBackend, events: EventLog,
        kept: Callable[[], tuple[Derive, ...]] = tuple,
    ) -> None:  # fmt: skip
        self.source, self.ring, self.backend = source, ring, backend
        self._kept = kept  # stored derived channels
        self.run: Run | None = None  # replaced as a whole
        self.state: State = "none"
        self.state_text = ReaderState.NO_SEGMENT.value
        self.pulses: deque[Pulse] = deque(maxlen=256)
        self._events, self._lock, self._stop = events, threading.Lock(), threading.Event()
        self._listeners: tuple[Callable[[], object], ...] = ()
        self._reader: Reader | None = None
        self._journal: Journal | None = None
        self._requests: RequestWatch | None = None
        self._records, self._lost, self._generation, self._last_t = 0, 0, 0, -np.inf
        self._thread = threading.Thread(target=self._follow, name=f"follower of {ring}", daemon=True)

    # ---- state ----

    @property
    def header(self) -> Header | None:
        """Header of the present or last ring."""
        run = self.run
        return run.header if run else None

    @property
    def schema(self) -> Schema | None:
        """Schema of the ring, without derived channels."""
        run = self.run
        return run.schema if run else None

    @property
    def newest(self) -> Array | None:
        """The newest record with its derived channels; None before the first."""
        run = self.run
        return run.history.newest() if run else None

    @property
    def generation(self) -> int:
        """Number of the run; changes when earlier records do not belong to those that follow."""
        return self._generation

    @property
    def history(self) -> History | None:
        """History of this generation."""
        run = self.run
        return run.history if run else None

    @property
    def behind_s(self) -> float:
        """How much older its newest record is than the ring's [s]; up to date even while the thread is busy."""
        reader, run = self._reader, self.run
        return reader.behind * run.period if reader is not None and run is not None else 0.0

    def value(self, name: str) -> float | None:
        """Value of a channel in the newest record; None if there is none."""
        run = self.run
        newest = run.history.newest() if run else None
        if run is None or newest is None or name not in run.schema.index:
            return None
        return float(newest[run.schema.index[name]])

    def listen(self, listener: Callable[[], object]) -> None:
        """Call a listener, in the follower's thread, whenever there is something new; it must not block."""
        self._listeners = (*self._listeners, listener)

    # ---- derived channels ----

    def derive(self, name: str, formula: str, unit: str, owner: str = "") -> None:
        """Add a channel by formula, over kept and new records, for the page `owner`."""
        with self._lock:
            run = self._run_or_refuse()
            run.derived.backfill(run.derived.add(name, formula, unit, owner), run.history)
            self.run = run.revised()
        self._tell()

    def remove_derived(self, name: str, owner: str | None = None) -> None:
        """Remove a derived channel; refused if another page made it, unless `owner` is None."""
        with self._lock:
            run = self._run_or_refuse()
            gone = run.derived.remove(name, owner)
            run.history.fill(gone.place, np.empty(0))
            run.history.width = run.derived.width
            self.run = run.revised()
        self._tell()

    def forget_derived(self, gone: Set[str]) -> None:
        """Remove the channels of pages that are gone."""
        with self._lock:
            run = self.run
            removed = run.derived.forget(gone) if run is not None else []
            if run is None or not removed:
                return
            for derived in removed:
                run.history.fill(derived.place, np.empty(0))
            run.history.width = run.derived.width
            self.run = run.revised()
        self._tell()

    def _run_or_refuse(self) -> Run:
        if self.run is None:
            raise RingError(f"ring {self.ring!r} has shown no channels yet ({self.state_text})")
        return self.run

    # ---- the thread ----

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread; the history stays available."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2.0)

    def _follow(self) -> None:
        give_way()
        while not self._stop.is_set():
            begun = time.monotonic()
            try:
                if self.turn():
                    self._tell()
                pause = (TURN_S if self.state == "live" else IDLE_S) - (time.monotonic() - begun)
            except (MotionBaseError, OSError) as error:  # not a ring, or a device that was removed
                self._reader, pause = None, TROUBLE_S
                self._said("none", str(error))
            self._stop.wait(max(1e-3, pause))
        if self._reader is not None:
            self._reader.close()
        self._requests = None  # also maps the ring

    def turn(self) -> bool:
        """Read new records; whether anything is new."""
        if self._reader is None:
            self._reader = Reader(self.ring, start="oldest", backend=self.backend)
        new = False
        self._look_at_requests()
        with self._lock:
            for _ in range(MOST_BATCHES):
                batch = self._reader.read()
                self._take(batch, self._reader)
                new = new or bool(len(batch.rows))
                if len(batch.rows) < BATCH // 2:
                    break
        if new or not self.pulses or time.monotonic() - self.pulses[-1].at > HEALTH_S / 4:
            published = self._records + self._lost + self._reader.behind
            self.pulses.append(Pulse(time.monotonic(), self._records, self._lost, published))
        return self._said(STATES[self._reader.state], self._reader.state.value) or new

    def _look_at_requests(self) -> None:
        """Read requests before records, because records show them later. Skips the console's own stops."""
        if self._requests is not None and self._journal is not None:
            news = (one for one in self._requests.news() if one.kind != "estop" or one.program != PROGRAM)
            self._journal.asked(news, time.monotonic())

    def _take(self, batch: Batch, reader: Reader) -> None:
        header = _header_of(reader)
        if header is not None and (self.run is None or header.epoch != self.run.header.epoch):
            self._begin(header)
        if batch.lost:
            self._lost += batch.lost
            self._event("gap", f"{batch.lost} records were overwritten before the console could read them", is_bad=True)
        if len(batch.rows) and self.run is not None:
            self._append(self.run, batch.rows)

    def _begin(self, header: Header) -> None:
        """Begin the run of another writer."""
        before, self._generation = self.run, self._generation + 1
        run, self._journal, self._last_t = new_run(self._generation, header), Journal(header.layout.schema), -np.inf
        self._requests = watched(self.ring, self.backend, header.epoch) if self.source == "live" else None
        for wanted in self._kept():
            with suppress(FormulaError):  # for another platform
                run.derived.add(wanted.name, wanted.formula, wanted.unit, OPERATORS)
        for derived in before.derived if before else ():
            if derived.owner == OPERATORS:
                continue
            try:
                run.derived.add(derived.name, derived.formula.text, derived.unit, derived.owner, derived.others)
            except (FormulaError, WrongState):
                self._event("note", f"derived channel {derived.name!r} has no place in schema {run.schema.name!r}")
        run.history.width = run.derived.width
        self.run = run
        how = "the writer was restarted: " if before else ""
        channels = len(run.schema.channels)
        self._event("writer", f"{how}{header.writer}, {run.schema.name}, {channels} channels, {run.rate_hz:g} Hz")

    def _append(self, run: Run, rows: Array) -> None:
        """Append rows of one writer; whenever time falls a new generation begins, and only the last is kept."""
        assert self._journal is not None
        kept, t = rows, rows[:, 0]
        if not (t[0] >= self._last_t and (t[1:] >= t[:-1]).all() and t[-1] < np.inf):  # also False for NaN
            rows = self._with_times(rows)
            t = rows[:, 0]
            falls = np.flatnonzero(np.diff(t, prepend=self._last_t) < 0)
            kept = rows[falls[-1] :] if len(falls) else rows
            if len(falls):
                self._generation += len(falls)
                self.run = run = run.again(self._generation)
        elif self.source == "live" and t[-1] - self._last_t > (len(t) + GAP_PERIODS - 1) * run.period:
            self._look_for_gaps(t, run.period)
        for k, kind, text, person, is_bad in self._journal.find(rows):
            age_s = max(0.0, self.behind_s + float(t[-1] - t[k]))
            self._event(cast(EventKind, kind), text, float(t[k]), is_bad, self._journal.tick(rows[k]), person, age_s)
        run.history.append(run.derived.extended(kept, run.history))
        self._last_t, self._records = float(t[-1]), self._records + len(t)

    def _with_times(self, rows: Array) -> Array:
        """The rows with invalid times replaced by that of the record before."""
        if np.isfinite(rows[:, 0]).all():
            return rows
        rows = rows.copy()
        last = self._last_t if np.isfinite(self._last_t) else 0.0
        for row in rows:
            row[0] = last = float(row[0]) if np.isfinite(row[0]) else last
        return rows

    def _look_for_gaps(self, t: Array, period: float) -> None:
        steps = np.diff(t, prepend=self._last_t)
        gaps = np.flatnonzero((steps > GAP_PERIODS * period) & np.isfinite(steps))
        if len(gaps):
            missing = int(np.rint(steps[gaps] / period - 1).sum())
            where = "" if len(gaps) == 1 else f" in {len(gaps)} places"
            self._event("gap", f"{missing} records are missing{where}", float(t[gaps[0]]), is_bad=True)

    # ---- reporting ----

    def _said(self, state: State, text: str) -> bool:
        """Whether the state of the writer changed."""
        before = self.state, self.state_text
        self.state, self.state_text = state, text
        if before == (state, text):
            return False
        if state == "lost":
            self._event("writer", "the writer stopped", is_bad=self.source == "live")
        elif state == "live" and before[0] == "lost":
            self._event("writer", "the writer is back")
        elif state == "none" and text not in (ReaderState.NO_SEGMENT.value, ReaderState.NOT_INITIALISED.value):
            self._event("writer", text, is_bad=True)
        return True

    def _event(
        self, what: EventKind, text: str, t: float | None = None, is_bad: bool = False, tick: int | None = None,
        person: str = "", age_s: float = 0.0,
    ) -> None:  # fmt: skip
        self._events.add(
            what, text, source=self.source, generation=self._generation, t=t, tick=tick, person=person, is_bad=is_bad,
            age_s=age_s,
        )  # fmt: skip

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()


def _header_of(reader: Reader) -> Header | None:
    try:
        return reader.header
    except RingError:
        return None
