"""`/api/parameters`: those of the control law of the live base, as `motionbase tune`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from motionbase.console.access import seated, viewer
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.models import Parameter, Parameters, Tune
from motionbase.console.stop.button import SENDER
from motionbase.ring.blocks import parameters as block
from motionbase.ring.blocks.parameters import ParameterClient

if TYPE_CHECKING:
    from motionbase.console.console import Console

TIMEOUT_S = 2.0


def listed(found: block.Parameters) -> Parameters:
    """As the border has them."""
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


def tuned(ring: str, wanted: Tune) -> tuple[Parameters, list[str]]:
    """Ask for new numbers, all checked before the first is sent; returns what there is now, and what was changed."""
    client = ParameterClient(ring, sender=SENDER)
    table, before = client.table, client.read()
    places: dict[int, float] = {}
    for name, values in wanted.values.items():
        parameter, numbers = table.named(name)
        places |= table.wanted(name, tuple(values) or tuple(parameter.designed[k] for k in numbers))
    places = {place: x for place, x in places.items() if before.goals[place] != x}
    client.tune(places, TIMEOUT_S)
    changed = []
    for place, x in places.items():
        p, k = table.places[place]
        changed.append(f"{p.label(k)} from {before.goals[place]:.6g} to {x:.6g} {p.unit}".removesuffix(" -"))
    return listed(client.read()), changed


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/parameters", route_class=SentenceRoute)

    @api.get("", dependencies=[Depends(viewer)])
    async def show() -> Parameters:
        """Those of the control law, with their bounds."""
        return await console.turns.looking.take(lambda: listed(block.shown(console.settings.ring)[0]))

    @api.patch("", dependencies=[Depends(seated)])
    async def tune(wanted: Tune) -> Parameters:
        """New numbers by name; all are checked before the first is sent."""
        found, changed = await console.turns.operating.take(lambda: tuned(console.settings.ring, wanted))
        for sentence in changed:
            console.events.add("note", f"console: {sentence}")
        return found

    return api
