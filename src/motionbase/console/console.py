"""The console: its settings, access control, the rings that it follows, and its status."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import final

from motionbase.console.access import Access, Caller
from motionbase.console.api.alarms import Alarms
from motionbase.console.api.armed import SeenSets
from motionbase.console.api.downloads import Tickets
from motionbase.console.api.estop import Presses
from motionbase.console.api.opened import OpenRecordings
from motionbase.console.api.recorder import recorder_status
from motionbase.console.api.replay import replay_status
from motionbase.console.api.strip import strip_status
from motionbase.console.api.turns import AllTurns
from motionbase.console.children import Children
from motionbase.console.cueing.trials import Trials
from motionbase.console.jobs import Jobs
from motionbase.console.journal import ConsoleJournal
from motionbase.console.kinematics.watcher import Watcher
from motionbase.console.live.events import EventLog
from motionbase.console.live.follower import Follower
from motionbase.console.live.kept import KeptFormulas
from motionbase.console.live.ring_status import ring_status
from motionbase.console.models import BaseLife, EventKind, SourceName, Status
from motionbase.console.origins import is_loopback
from motionbase.console.room import Limits
from motionbase.console.stop.button import Names, StopButton, name_of
from motionbase.errors import UsageError
from motionbase.ring.backend import DEFAULT_NAME, Emulation, find

STATIC = Path(__file__).parent / "static"
VERSION = version("motionbase")


@final
@dataclass(frozen=True)
class Settings:
    """Settings of a console.

    Attributes:
        host: address to listen on; port: 0 takes any free one
        recordings: the only folder of recordings that pages can name
        data: folder for layouts and generator sets
        viewer_token: None lets everybody view, allowed on loopback only
        static: the built page
        allow_hosts: further names of this machine in browsers, besides the address itself
        limits: of connections
        anyone_may_stop: viewers may request the emergency stop, without the operator token
    """

    recordings: Path
    data: Path
    operator_token: str
    viewer_token: str | None = None
    ring: str = DEFAULT_NAME
    host: str = "127.0.0.1"
    port: int = 8700
    static: Path = STATIC
    allow_hosts: tuple[str, ...] = ()
    limits: Limits = Limits()
    anyone_may_stop: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise UsageError(f"port {self.port} must be 0 (any that is free) to 65535")
        if not is_loopback(self.host) and self.viewer_token is None:
            raise UsageError(f"address {self.host!r} can be reached from other machines; give a viewer token")

    @property
    def replay_ring(self) -> str:
        """The ring into which the console plays recordings."""
        return f"{self.ring}_replay"


@final
class Console:
    """State of one server; `start` begins to follow the rings, `close` ends everything that was started."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.events = EventLog()
        self.access = Access(
            settings.operator_token, settings.viewer_token, self._seat_changed, settings.anyone_may_stop
        )
        self.on_seat: Callable[[tuple[str, str] | None], object] | None = None  # gets the operator
        self.jobs, self.tickets, self.trials = Jobs(), Tickets(), Trials()
        self.children = Children()
        self.turns = AllTurns()
        self.seen_sets = SeenSets()
        self.stop_button, self.presses, self.alarms = StopButton(settings.ring), Presses(), Alarms()
        self._names = Names()
        self._seated = ""  # name of the present or last operator
        self.viewers = 0  # connected pages
        self.opened = OpenRecordings()
        self.kept = KeptFormulas(settings.data / "derived.json")
        self._ended_utc: float | None = None  # of the base whose end was reported
        self._telling = threading.Lock()
        self._followers: dict[SourceName, Follower] = {
            "live": Follower("live", settings.ring, find(settings.ring), self.events, self.kept.all),
            # a replay never goes to hardware
            "replay": Follower(
                "replay", settings.replay_ring, Emulation(settings.replay_ring), self.events, self.kept.all
            ),
        }
        self.watcher = Watcher(self)
        self.journal = ConsoleJournal(settings.ring, settings.data / "journal" / f"{settings.ring}.jsonl", self.events)

    def happened(
        self, what: EventKind, text: str, *, person: str = "", t: float | None = None, is_bad: bool = False,
        is_recorded: bool = True, age_s: float = 0.0,
    ) -> None:  # fmt: skip
        """Log an action of a person, at time `t` [s] or at the newest record of the live ring; see `EventLog`."""
        live = self.source("live")
        t = live.value("t") if t is None else t
        tick = round(t / live.header.layout.dt) if t is not None and math.isfinite(t) and live.header else None
        self.events.add(
            what, text, generation=live.generation, t=t, tick=tick, person=person, is_bad=is_bad,
            is_recorded=is_recorded, age_s=age_s,
        )  # fmt: skip

    def person(self, caller: Caller) -> str:
        """Name of the caller, for display."""
        return name_of(caller.client, self.access.seat.who, self._names.known, caller.role)

    def _seat_changed(self, text: str) -> None:
        seat = self.access.seat.who
        self._names.learn(seat)
        person = self._seated if seat is None else seat[1]
        self._seated = "" if seat is None else seat[1]
        self.happened("seat", text, person=person, is_recorded=False)
        if self.on_seat is not None:
            self.on_seat(self.access.seat.who)

    def source(self, name: SourceName) -> Follower:
        """The follower of "live" or "replay"."""
        return self._followers[name]

    def start(self) -> None:
        """Follow the rings and watch clearances, each in its own thread."""
        for follower in self._followers.values():
            follower.start()
        self.watcher.start()
        self.journal.start()

    def close(self) -> None:
        """End followers, threads, jobs and children."""
        self.watcher.close()
        for follower in self._followers.values():
            follower.close()
        self.journal.close()
        self.turns.close()
        self.jobs.close()
        self.children.close()

    def status(self) -> Status:
        """Everything that pages show besides curves; may read files, so call it from a thread that may block."""
        sources = [ring_status(follower) for follower in self._followers.values()]
        self._tell_end(sources[0].life)
        return Status(
            version=VERSION,
            utc=time.time(),
            sources=sources,
            seat=self.access.seat.holder,
            viewers=self.viewers,
            recorder=recorder_status(self.settings.ring),
            replay=replay_status(self),
            strip=strip_status(self),
            jobs=self.jobs.list(),
        )

    def _tell_end(self, life: BaseLife | None) -> None:
        """Report once why the base ended."""
        with self._telling:
            if life is None or life.doing != "ended" or life.utc == self._ended_utc:
                return
            self._ended_utc = life.utc
        self.events.add("writer", life.text, is_bad=True)
