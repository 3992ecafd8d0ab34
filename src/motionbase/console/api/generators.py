"""`/api/generators`: the seven cards of the live ring, when they may be changed, and sets of them by name."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from fastapi import APIRouter, Depends
from numpy.typing import NDArray

from motionbase.console.access import Caller, operator, seated, viewer
from motionbase.console.api.judge import judge_of, why_no_platform
from motionbase.console.api.preview import preview
from motionbase.console.api.sentences import SentenceRoute, WrongState
from motionbase.console.api.shelf import Shelf
from motionbase.console.live.head import ring_head
from motionbase.console.models import Apply, Card, CardSet, Generators, Preview, PreviewRequest
from motionbase.console.ready_sets import ready_sets
from motionbase.console.stop.button import PROGRAM
from motionbase.errors import GeneratorError, MotionBaseError
from motionbase.ring.blocks import files
from motionbase.ring.blocks.generator import COLUMNS, Generator
from motionbase.ring.blocks.generators import NAME_BYTES, GeneratorClient, GeneratorSet, shown
from motionbase.ring.command_words import cut, signed
from motionbase.ring.schema import Schema

if TYPE_CHECKING:
    from motionbase.console.console import Console

EDITED = " (edited)"  # behind the name of a set that was changed since it was loaded
WHAT = "set of generators"
QUIET = ("off", "down", "rising", "standby")  # states in which nothing follows the generators yet
NEEDED = ("state", "mode", "fault")
_applying = threading.Lock()  # so that of two pages at once the second is told


def cards_of(found: GeneratorSet) -> CardSet:
    """As the border has them."""
    cards = [Card.model_validate({c.name: _plain(getattr(g, c.name)) for c in COLUMNS}) for g in found.generators]
    return CardSet(name=found.name, cards=cards)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def set_of(cards: CardSet) -> GeneratorSet:
    """Checked, each number; a complaint names the generator, the field, the value and the bounds."""
    made = []
    for number, card in enumerate(cards.cards, start=1):
        given = card.model_dump()
        try:
            made.append(Generator(**{**given, "axes": tuple(given["axes"])}))
        except GeneratorError as error:
            raise GeneratorError(f"generator {number}: {error}") from None
    return GeneratorSet(tuple(made), cards.name)


def why_not(schema: Schema | None, row: NDArray[np.float64] | None) -> str:
    """Why generators may not be changed in the state of the newest record; "" where they may."""
    if schema is None or row is None:
        return "there is no record that tells the state of the base"
    if missing := [name for name in NEEDED if name not in schema.index]:
        return f"the records have no channel {missing[0]!r}, so nobody can tell whether the base is at rest"
    state, mode, fault = (schema.channels[schema.index[n]].meaning(float(row[schema.index[n]])) for n in NEEDED)
    if row[schema.index["fault"]] != 0:
        return f"a fault is active ({fault or 'unknown'}); reset it first"
    if mode != "maintenance":
        return f"the base is in {mode or 'an unknown'} mode; generators are changed in maintenance mode"
    if state not in QUIET:
        return f"the base is in state {state or 'unknown'}; generators are changed in {', '.join(QUIET)}"
    return ""


def current(console: Console) -> Generators:
    """What is armed, what runs, and whether it may be changed now, by the ring's own newest record."""
    live, ring = console.source("live"), console.settings.ring
    found, _ = shown(ring)
    head = ring_head(ring, live.backend)
    schema, row = head.schema, head.newest()
    running = _running(schema, row)
    reason = why_not(schema, row)
    if live.state != "live" or head.why_nobody_writes:
        reason = f"the ring has no writer at work ({head.why_nobody_writes or live.state_text})"
    return Generators(
        armed=cards_of(found),
        version=found.version,
        author=found.author,
        written_utc=found.utc_ns / 1e9 if found.utc_ns else None,
        running_version=running,
        allowed=not reason,
        why_not=reason,
    )


def _running(schema: Schema | None, row: NDArray[np.float64] | None) -> int | None:
    if schema is None or row is None or (place := schema.index.get("generators_version")) is None:
        return None
    return int(row[place]) if np.isfinite(row[place]) else None


def apply(console: Console, wanted: Apply, who: str, known: Mapping[str, GeneratorSet]) -> Generators:
    """Arm a set; refused where it may not be, or where somebody else was quicker. The ring tells it, with its name.

    Args:
        known: sets that have names: one that was changed since is called so
    """
    checked = set_of(wanted.cards)
    kept = known.get(checked.name)
    if kept is not None and kept.generators != checked.generators:
        checked = replace(checked, name=cut(checked.name, NAME_BYTES - len(EDITED)) + EDITED)
    with _applying:
        before = current(console)
        if not before.allowed:
            raise WrongState(before.why_not)
        if wanted.version != before.version:
            raise WrongState(
                f"{before.author or 'somebody'} has written version {before.version} since you saw version "
                f"{wanted.version}; look at it first"
            )
        written = GeneratorClient(console.settings.ring, author=signed(PROGRAM, who)).write(checked)
        if written.version != before.version + 1:  # another program wrote in the same instant, and is written over
            text = f"generators: version {written.version - 1} was written over"
            console.happened("generators", text, person=who, is_bad=True, is_recorded=False)
    return current(console)


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/generators", route_class=SentenceRoute)
    shelf, turns = Shelf(console.settings.data / "generators", WHAT, ".toml"), console.turns

    @api.get("", dependencies=[Depends(viewer)])
    async def show() -> Generators:
        """What is armed, what runs, and whether it may be changed now."""
        return await turns.looking.take(lambda: current(console))

    @api.put("")
    async def put(caller: Annotated[Caller, Depends(seated)], wanted: Apply) -> Generators:
        """Arm a set of cards; refused where it may not be now, or where another version was written since."""
        who = console.person(caller)
        return await turns.operating.take(lambda: apply(console, wanted, who, named_as(wanted.cards.name)))

    @api.post("/preview", dependencies=[Depends(viewer)])
    async def look_ahead(wanted: PreviewRequest) -> Preview:
        """What cards would do, and which limits they would exceed."""

        def look() -> Preview:
            header = console.source("live").header
            return preview(set_of(wanted.cards), wanted.seconds, judge_of(header), why_no_platform(header))

        return await turns.preview.take(look)

    def ready() -> dict[str, GeneratorSet]:
        """Those that come with the platform of the live ring; a set of the same name that was kept stands before."""
        judge = judge_of(console.source("live").header)
        kept = shelf.names
        return (
            {} if judge is None else {n: s for n, s in ready_sets(judge.platform, judge.atlas).items() if n not in kept}
        )

    def named_as(name: str) -> dict[str, GeneratorSet]:
        """The set of this name, kept or brought by the platform; none where there is none, or it cannot be read."""
        found = None
        with suppress(MotionBaseError, OSError):
            found = files.load(shelf.file(name)) if name in shelf.names else ready().get(name)
        return {} if found is None else {name: found}

    def own(name: str) -> str:
        if name in ready():
            raise WrongState(f"set {name!r} comes with the platform and stays as it is; choose another name")
        return name

    @api.get("/ready", dependencies=[Depends(viewer)])
    async def come_with_the_platform() -> list[str]:
        """Names of the sets that come with the platform of the live ring, which stay as they are."""
        return await turns.stored.take(lambda: list(ready()))

    @api.get("/sets", dependencies=[Depends(viewer)])
    async def sets() -> list[str]:
        """Names of the sets that are kept, after those that come with the platform."""
        return await turns.stored.take(lambda: [*ready(), *shelf.names])

    @api.get("/sets/{name}", dependencies=[Depends(viewer)])
    async def load(name: str) -> CardSet:
        """A set by name."""

        def found() -> CardSet:
            brought = ready().get(name)
            return cards_of(files.load(shelf.file(name)) if brought is None else brought)

        return await turns.stored.take(found)

    @api.put("/sets/{name}", dependencies=[Depends(operator)])
    async def save(name: str, cards: CardSet) -> CardSet:
        """Keep a set under a name; one of that name is replaced, unless it comes with the platform."""
        checked = set_of(cards)
        await turns.working.take(lambda: shelf.keep(own(name), files.toml_text(checked).encode()))
        return cards_of(checked)

    @api.delete("/sets/{name}", dependencies=[Depends(operator)])
    async def remove(name: str) -> list[str]:
        """Remove a set that was kept."""

        def left() -> list[str]:
            kept = shelf.remove(own(name))
            return [*ready(), *kept]

        return await turns.working.take(left)

    return api
