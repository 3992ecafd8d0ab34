"""Basic addresses: `/api/me`, `seat`, `status`, `events`, `schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, operator, viewer
from motionbase.console.api.derive import described
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.models import Event, Me, Schema, SourceName, Status, TakeSeat
from motionbase.console.tokens import CLIENT
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.console.console import Console

Viewer = Annotated[Caller, Depends(viewer)]
Operator = Annotated[Caller, Depends(operator)]


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api", route_class=SentenceRoute)
    looking = console.turns.looking

    @api.get("/me")
    async def me(caller: Viewer) -> Me:
        """Role and rights of the caller."""
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
        """Leave the seat, or its queue; no effect if another page has it."""
        console.access.seat.release(caller.client)
        return console.access.me(caller)

    @api.get("/status", dependencies=[Depends(viewer)])
    async def status() -> Status:
        """The status of rings, recorder, replay and jobs."""
        return await looking.take(console.status)

    @api.get("/events", dependencies=[Depends(viewer)])
    async def events(source: SourceName | None = None) -> list[Event]:
        """The last 1000 events of a ring, or of both; oldest first."""
        return console.events.last(source)

    @api.get("/schema", dependencies=[Depends(viewer)])
    async def schema(source: SourceName = "live") -> Schema:
        """The channels of a ring."""
        return await looking.take(lambda: described(console, source))

    return api
