"""Who is who, how things stand, what happened, which channels there are: `/api/me`, `seat`, `status`, `events` ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, operator, viewer
from motionbase.console.api.pace import Pace
from motionbase.console.api.sentences import NotThere, SentenceRoute
from motionbase.console.models import Derive, Event, Me, Schema, SourceName, Status, TakeSeat
from motionbase.console.tokens import CLIENT
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.console.console import Console

Viewer = Annotated[Caller, Depends(viewer)]
Operator = Annotated[Caller, Depends(operator)]
DERIVES_A_SECOND = 4


def described(console: Console, source: SourceName) -> Schema:
    """The channels of a ring, derived ones at the end."""
    follower = console.source(source)
    run = follower.run
    if run is None:
        raise NotThere(f"ring {follower.ring!r} has shown no channels yet ({follower.state_text})")
    return run.described()


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api", route_class=SentenceRoute)
    looking, pace = console.turns.looking, Pace("derived channels", DERIVES_A_SECOND)

    @api.get("/me")
    async def me(caller: Viewer) -> Me:
        """The role of who asks."""
        return console.access.me(caller)

    @api.post("/seat")
    async def take_seat(caller: Operator, wanted: TakeSeat) -> Me:
        """Take the operator's seat, or wait for it."""
        if not CLIENT.fullmatch(caller.client):
            raise UsageError("the seat belongs to a page: give its name in X-Client, 1 to 64 letters, digits, - or _")
        seat = console.access.seat
        if wanted.wait:
            seat.wait(caller.client, wanted.name)
        else:
            seat.take(caller.client, wanted.name, wanted.force, wanted.from_client)
        return console.access.me(caller)

    @api.delete("/seat")
    async def leave_seat(caller: Operator) -> Me:
        """Leave it, or wait for it no more; nothing happens where somebody else has it."""
        console.access.seat.release(caller.client)
        return console.access.me(caller)

    @api.get("/status", dependencies=[Depends(viewer)])
    async def status() -> Status:
        """How things stand."""
        return await looking.take(console.status)

    @api.get("/events", dependencies=[Depends(viewer)])
    async def events(source: SourceName | None = None) -> list[Event]:
        """The last 1000 of a ring, or of both; oldest first."""
        return console.events.last(source)

    @api.get("/schema", dependencies=[Depends(viewer)])
    async def schema(source: SourceName = "live") -> Schema:
        """The channels of a ring."""
        return await looking.take(lambda: described(console, source))

    @api.post("/derive")
    async def derive(caller: Viewer, wanted: Derive, source: SourceName = "live") -> Schema:
        """A channel by formula, over what is still there and all that comes; it belongs to the page that made it."""
        pace.check(caller.client)

        def make() -> Schema:
            console.source(source).derive(wanted.name, wanted.formula, wanted.unit, caller.client)
            return described(console, source)

        return await looking.take(make)

    @api.delete("/derive/{name:path}")
    async def remove_derived(caller: Viewer, name: str, source: SourceName = "live") -> Schema:
        """Remove such a channel: the page that made it, or who has the operator's seat."""
        pace.check(caller.client)
        owner = None if console.access.me(caller).seated else caller.client

        def remove() -> Schema:
            console.source(source).remove_derived(name, owner)
            return described(console, source)

        return await looking.take(remove)

    return api
