"""`/api/parameters`: parameters of the live base's control law, as `motionbase tune`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, seated, viewer
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.models import Parameter, Parameters, Tune
from motionbase.console.stop.button import PROGRAM
from motionbase.ring.blocks import parameters as block
from motionbase.ring.blocks.parameters import ParameterClient
from motionbase.ring.command_words import signed

if TYPE_CHECKING:
    from motionbase.console.console import Console

TIMEOUT_S = 2.0


def listed(found: block.Parameters) -> Parameters:
    """Parameters as models of the interface."""
    table = found.table
    return Parameters(
        law=table.law,
        version=found.version,
        parameters=[
            Parameter(
                name=p.name,
                unit=p.unit,
                description=p.description,
                value=found.of(p.name).tolist(),
                goal=found.goals[table.starts[p.name] :][: p.size].tolist(),
                designed=list(p.designed),
                least=list(p.least),
                most=list(p.most),
                tunable=p.tunable,
                at_rest=p.at_rest,
            )
            for p in table.parameters
        ],
    )


def tuned(ring: str, wanted: Tune, sender: str) -> Parameters:
    """Tune parameters, all checked before the first is sent; returns the current ones."""
    client = ParameterClient(ring, sender=sender)
    table, before = client.table, client.read()
    places: dict[int, float] = {}
    for name, values in wanted.values.items():
        parameter, numbers = table.named(name)
        places |= table.wanted(name, tuple(values) or tuple(parameter.designed[k] for k in numbers))
    places = {place: x for place, x in places.items() if before.goals[place] != x}
    client.tune(places, TIMEOUT_S)
    return listed(client.read())


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/parameters", route_class=SentenceRoute)

    @api.get("", dependencies=[Depends(viewer)])
    async def show() -> Parameters:
        """The parameters of the control law, with their bounds."""
        return await console.turns.looking.take(lambda: listed(block.shown(console.settings.ring)[0]))

    @api.patch("")
    async def tune(caller: Annotated[Caller, Depends(seated)], wanted: Tune) -> Parameters:
        """Tune parameters by name; all are checked before the first is sent. The events come from the ring."""
        sender = signed(PROGRAM, console.person(caller))
        return await console.turns.operating.take(lambda: tuned(console.settings.ring, wanted, sender))

    return api
