"""`/api/generators`: the seven cards of the live ring, when they may be changed, and sets of them by name."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from fastapi import APIRouter, Depends
from numpy.typing import NDArray

from motionbase.console.access import operator, seated, viewer
from motionbase.console.api import names
from motionbase.console.api.judge import judge_of, why_no_platform
from motionbase.console.api.preview import preview
from motionbase.console.api.sentences import SentenceRoute, WrongState
from motionbase.console.live.head import ring_head
from motionbase.console.models import Apply, Card, CardSet, Generators, Preview, PreviewRequest
from motionbase.errors import GeneratorError
from motionbase.recording.whole import whole_or_not
from motionbase.ring.blocks import files
from motionbase.ring.blocks.generator import COLUMNS, Generator
from motionbase.ring.blocks.generators import GeneratorClient, GeneratorSet, shown
from motionbase.ring.schema import Schema

if TYPE_CHECKING:
    from motionbase.console.console import Console

AUTHOR = "motionbase console"
WHAT, ENDING = "set of generators", ".toml"
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


def apply(console: Console, wanted: Apply) -> Generators:
    """Arm a set; refused where it may not be, or where somebody else was quicker."""
    checked = set_of(wanted.cards)
    with _applying:
        before = current(console)
        if not before.allowed:
            raise WrongState(before.why_not)
        if wanted.version != before.version:
            raise WrongState(
                f"{before.author or 'somebody'} has written version {before.version} since you saw version "
                f"{wanted.version}; look at it first"
            )
        written = GeneratorClient(console.settings.ring, author=AUTHOR).write(checked)
        if written.version != before.version + 1:  # another program wrote in the same instant, and is written over
            console.events.add("note", f"generators: version {written.version - 1} was written over", is_bad=True)
    name = f" {checked.name!r}" if checked.name else ""
    on = ", ".join(map(str, checked.enabled)) or "none"
    console.events.add("note", f"console: generators{name} armed, version {written.version}, on: {on}")
    return current(console)


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/generators", route_class=SentenceRoute)
    folder, turns = console.settings.data / "generators", console.turns

    @api.get("", dependencies=[Depends(viewer)])
    async def show() -> Generators:
        """What is armed, what runs, and whether it may be changed now."""
        return await turns.looking.take(lambda: current(console))

    @api.put("", dependencies=[Depends(seated)])
    async def put(wanted: Apply) -> Generators:
        """Arm a set of cards; refused where it may not be now, or where another version was written since."""
        return await turns.operating.take(lambda: apply(console, wanted))

    @api.post("/preview", dependencies=[Depends(viewer)])
    async def look_ahead(wanted: PreviewRequest) -> Preview:
        """What cards would do, and which limits they would exceed."""

        def look() -> Preview:
            header = console.source("live").header
            return preview(set_of(wanted.cards), wanted.seconds, judge_of(header), why_no_platform(header))

        return await turns.preview.take(look)

    @api.get("/sets", dependencies=[Depends(viewer)])
    def sets() -> list[str]:
        """Names of the sets that are kept."""
        return names.stored(folder, ENDING)

    @api.get("/sets/{name}", dependencies=[Depends(viewer)])
    def load(name: str) -> CardSet:
        """A set by name."""
        return cards_of(files.load(names.stored_file(folder, WHAT, name, ENDING)))

    @api.put("/sets/{name}", dependencies=[Depends(operator)])
    def save(name: str, cards: CardSet) -> CardSet:
        """Keep a set under a name; one of that name is replaced."""
        checked = set_of(cards)
        with whole_or_not(names.new_file(folder, WHAT, name, ENDING), force=True) as part:
            part.write_text(files.toml_text(checked), encoding="utf-8")
        return cards_of(checked)

    @api.delete("/sets/{name}", dependencies=[Depends(operator)])
    def remove(name: str) -> list[str]:
        """Remove a set."""
        names.stored_file(folder, WHAT, name, ENDING).unlink(missing_ok=True)
        return names.stored(folder, ENDING)

    return api
