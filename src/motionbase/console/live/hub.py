"""All connected pages: wakes them for new records, and sends events and status."""

from __future__ import annotations

import asyncio
import json
import logging
from functools import partial
from typing import TYPE_CHECKING, final

from starlette.websockets import WebSocket

from motionbase.console.live.absence import Absences
from motionbase.console.live.curves import Bodies
from motionbase.console.live.endings import NO_ROOM
from motionbase.console.live.follower import Follower
from motionbase.console.live.helm import Helm
from motionbase.console.live.runs import Run
from motionbase.console.live.stream import Session
from motionbase.console.models import ClearanceAlarm, Event, Kinematics, SourceName
from motionbase.console.room import Pool, Rank

if TYPE_CHECKING:
    from motionbase.console.console import Console

STATUS_S = 0.5
SOON_S = 0.02  # changes within this time are sent together
FULL = "the console is full: {count} viewers are connected{where}, which is the most; this page tries again"
EVICTED = "an operator needed this place, for the console is full; this page tries again"
SOURCES: tuple[SourceName, ...] = ("live", "replay")


@final
class Hub:
    """The hub of one server; runs in its event loop from `start` to `close`."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.helm = Helm(console.access, console.source("live").backend)
        self._sessions: set[Session] = set()  # after hello
        self._limits = console.settings.limits
        self._greeting: Pool[Session] = Pool(self._limits.greeting)  # before hello
        self._status_fails = False
        self._bodies = {source: Bodies() for source in SOURCES}
        self._schemas: dict[SourceName, tuple[Run, str]] = {}
        self._status: str | None = None
        self._poked = asyncio.Event()
        self._absences = Absences()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._telling: asyncio.Task[None] | None = None
        console.events.listen(self._happened)
        console.watcher.tell = lambda message: self._in_loop(partial(self._tell_kinematics, message))
        for source in SOURCES:
            console.source(source).listen(partial(self._in_loop, partial(self._beat, source)))

    async def start(self) -> None:
        """Start sending."""
        self._loop = asyncio.get_running_loop()
        self._telling = self._loop.create_task(self._tell_status())

    async def close(self) -> None:
        """Close all connections."""
        self._loop = None
        self.helm.close()
        if self._telling is not None:
            self._telling.cancel()
        for session in list(self._sessions):
            session.end(1001, "the console is ending")

    # ---- pages ----

    async def serve(self, socket: WebSocket) -> None:
        """Serve one page's WebSocket to its end."""
        session = Session(socket, self)
        gone = self._greeting.add(session, session.address)
        if gone is not None:
            gone.end(NO_ROOM, f"{self._limits.greeting} connections have not said hello, and this was the oldest")
        try:
            await session.serve()
        finally:
            self._greeting.remove(session)

    def why_no_room(self, session: Session) -> str:
        """Why a page cannot be admitted, "" if it can; a page of a lower rank may be closed for it."""
        there = [one for one in self._sessions if not one.is_ending]
        viewers = [one for one in there if one.rank < Rank.OPERATOR]
        near = [one for one in viewers if one.address == session.address]
        if session.rank is Rank.OPERATOR:
            if len(there) < self._limits.pages:
                return ""
            count, where, crowd = len(there), "", viewers
        elif len(near) >= self._limits.pages_here:
            count, where, crowd = len(near), " from your address", near
        elif len(viewers) >= self._limits.viewer_pages or len(there) >= self._limits.pages:
            count, where, crowd = len(viewers), "", viewers
        else:
            return ""
        lower = [one for one in crowd if one.rank < session.rank]
        if not lower:
            return FULL.format(count=count, where=where)
        slowest = min(lower, key=lambda one: (one.rank, -round(one.behind_s), one.number))
        slowest.end(NO_ROOM, EVICTED if session.rank is Rank.OPERATOR else FULL.format(count=count, where=where))
        return ""

    def arrived(self, session: Session) -> None:
        """A page has said hello."""
        self._greeting.remove(session)
        self._sessions.add(session)
        self.console.viewers = len(self._sessions)
        if session.caller.role == "operator":
            self.console.access.seat.arrived(session.caller.client)
        session.say(self._me(session))
        if self._status is not None:
            session.say(self._status)
        for alarm in self.console.watcher.alarms.copy().values():
            session.say(alarm.model_dump_json())
        self._poked.set()

    def left(self, session: Session) -> None:
        """A page has gone."""
        if session not in self._sessions:
            return
        self._sessions.discard(session)
        self.console.viewers = len(self._sessions)
        if session.caller.role == "operator":
            self.console.access.seat.left(session.caller.client)
            self.helm.left(session.caller.client)
        self.watched()
        self._poked.set()

    def watched(self) -> None:
        """The watched poses have changed; the watcher's next turn sends them."""
        watcher = self.console.watcher
        watcher.wanted = frozenset((s.follower.source, s.watched) for s in self._sessions if s.watched is not None)
        watcher.again()

    def bodies(self, follower: Follower) -> Bodies:
        """Bodies of the frames of a ring."""
        return self._bodies[follower.source]

    def schema_text(self, follower: Follower, run: Run) -> str:
        """The message with the channels of a run."""
        kept = self._schemas.get(follower.source)
        if kept is None or kept[0] is not run:
            about = {"kind": "schema", "source": follower.source, "generation": run.generation}
            kept = (run, json.dumps({**about, **run.described().model_dump()}))
            self._schemas[follower.source] = kept
        return kept[1]

    def _me(self, session: Session) -> str:
        return json.dumps({"kind": "me", **self.console.access.me(session.caller).model_dump()})

    # ---- from other threads ----

    def _in_loop(self, call: partial[None]) -> None:
        loop = self._loop
        if loop is not None and self._sessions:
            try:
                loop.call_soon_threadsafe(call)
            except RuntimeError:
                logging.getLogger(__name__).debug("the event loop has ended")

    def _beat(self, source: SourceName) -> None:
        for session in self._sessions:
            if session.follower.source == source:
                session.wake()

    def _happened(self, event: Event) -> None:
        self._in_loop(partial(self._tell_event, event))

    def _tell_event(self, event: Event) -> None:
        text = event.model_dump_json()
        for session in self._sessions:
            session.say(text)
            if event.what == "seat":
                session.say(self._me(session))
        self._poked.set()

    def _tell_kinematics(self, message: Kinematics | ClearanceAlarm) -> None:
        text = message.model_dump_json()
        watched = None if isinstance(message, ClearanceAlarm) else (message.source, message.pose)
        for session in self._sessions:
            if watched is None or watched == (session.follower.source, session.watched):
                session.say(text)

    async def _tell_status(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._poked.wait(), STATUS_S)
                await asyncio.sleep(SOON_S)
            except TimeoutError:
                pass
            self._poked.clear()
            self.helm.rest()
            await self._free_derived()
            if not self._sessions:
                self._status = None
                self.console.access.seat.holder  # noqa: B018  frees a seat whose page is gone
                continue
            self._status = await self._new_status()
            for session in list(self._sessions):
                if self._status is not None:
                    session.say(self._status)
                session.check()

    async def _free_derived(self) -> None:
        """Remove the channels of pages that are gone; in a thread, because a follower may hold the lock."""
        followers = [self.console.source(source) for source in SOURCES]
        owners = frozenset().union(*(f.run.derived.pages for f in followers if f.run is not None))
        if gone := self._absences.gone(owners, {session.caller.client for session in self._sessions}):
            for follower in followers:
                await self.console.turns.looking.take(partial(follower.forget_derived, gone))

    async def _new_status(self) -> str | None:
        """The status; None if it failed, which is logged once until it succeeds again."""
        try:
            told = (await self.console.turns.telling.take(self.console.status)).model_dump_json()
        except Exception as error:
            if not self._status_fails:
                logging.getLogger(__name__).error("the status cannot be told: %s: %s", type(error).__name__, error)
            self._status_fails = True
            return None
        self._status_fails = False
        return told
