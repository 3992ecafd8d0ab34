"""`/api/generators`: the seven generators of the live ring, when they may be changed, and stored sets."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from fastapi import APIRouter, Depends, Response
from fastapi.responses import JSONResponse

from motionbase.arrays import Array
from motionbase.console.access import Caller, operator, seated, viewer
from motionbase.console.api.armed import BeyondLimits, check_limits, horizon, judged, true_name
from motionbase.console.api.judge import counted, judge_of, why_no_platform
from motionbase.console.api.preview import preview
from motionbase.console.api.sentences import SentenceRoute, WrongState
from motionbase.console.api.shelf import Shelf
from motionbase.console.live.head import ring_head
from motionbase.console.models import Apply, Card, CardSet, Exceeded, Generators, Preview, PreviewRequest
from motionbase.console.stop.button import PROGRAM
from motionbase.errors import GeneratorError, MotionBaseError
from motionbase.platform.ready_sets import ready_sets
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import COLUMNS, Generator
from motionbase.record.schema import Schema
from motionbase.record.states import State
from motionbase.ring.blocks import files
from motionbase.ring.blocks.generators import GeneratorClient, shown
from motionbase.ring.blocks.requests import spoken
from motionbase.ring.command_words import signed

if TYPE_CHECKING:
    from motionbase.console.console import Console

WHAT = "set of generators"
QUIET = tuple(s.name.lower() for s in (State.OFF, State.DOWN, State.RISING, State.STANDBY))  # generators do not act
NEEDED = ("state", "mode", "fault")
_applying = threading.Lock()  # so that the second of two simultaneous writers is refused


def cards_of(found: GeneratorSet) -> CardSet:
    """Generators as models of the interface."""
    cards = [Card.model_validate({c.name: _plain(getattr(g, c.name)) for c in COLUMNS}) for g in found.generators]
    return CardSet(name=found.name, cards=cards)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def set_of(cards: CardSet) -> GeneratorSet:
    """The set of some cards; an error names the generator, the field, the value and the bounds."""
    made = []
    for number, card in enumerate(cards.cards, start=1):
        given = card.model_dump()
        try:
            made.append(Generator(**{**given, "axes": tuple(given["axes"])}))
        except GeneratorError as error:
            raise GeneratorError(f"generator {number}: {error}") from None
    return GeneratorSet(tuple(made), cards.name)


def why_not(schema: Schema | None, row: Array | None) -> str:
    """Why generators may not be changed in the state of the newest record; "" if they may."""
    if schema is None or row is None:
        return "there is no record with the state of the base"
    if missing := [name for name in NEEDED if name not in schema.index]:
        return f"the records have no channel {missing[0]!r}, so it is unknown whether the base is at rest"
    state, mode, fault = (schema.channels[schema.index[n]].meaning(float(row[schema.index[n]])) for n in NEEDED)
    if row[schema.index["fault"]] != 0:
        return f"a fault is active ({fault or 'unknown'}); reset it first"
    if mode != "maintenance":
        return f"the base is in {mode or 'an unknown'} mode; generators are changed in maintenance mode"
    if state not in QUIET:
        return f"the base is in state {state or 'unknown'}; generators are changed in {', '.join(QUIET)}"
    return ""


def current(console: Console) -> Generators:
    """The armed and the running set, and whether they may be changed now, by the ring's newest record."""
    live, ring = console.source("live"), console.settings.ring
    found, _ = shown(ring)
    head = ring_head(ring, live.backend)
    schema, row = head.schema, head.newest()
    running = _running(schema, row)
    console.seen_sets.saw(found, head.epoch)
    ran = console.seen_sets.of(running)
    exceeded, how = _limits(console, found)
    reason = why_not(schema, row)
    if live.state != "live" or head.why_nobody_writes:
        reason = f"the ring has no writer at work ({head.why_nobody_writes or live.state_text})"
    return Generators(
        armed=cards_of(found),
        version=found.version,
        author=spoken(found.author),
        written_utc=found.utc_ns / 1e9 if found.utc_ns else None,
        exceeded=exceeded,
        judged=how,
        running_version=running,
        last_run=None if ran is None else cards_of(ran),
        allowed=not reason,
        why_not=reason,
    )


def _limits(console: Console, found: GeneratorSet) -> tuple[list[Exceeded] | None, str]:
    """Limits that the armed set exceeds, and the time judged; does not wait for kinematics to compile."""
    header = console.source("live").header
    judge = judge_of(header)
    if judge is None:
        return None, f"limits are not judged: {why_no_platform(header)}"
    if not judge.is_ready and found.enabled:
        judge.prepare_soon()
        return None, "limits are not judged yet: the kinematics are being compiled"
    return list(judged(found, judge)), f"judged over the first {horizon(found):g} s"


def _running(schema: Schema | None, row: Array | None) -> int | None:
    if schema is None or row is None or (place := schema.index.get("generators_version")) is None:
        return None
    return int(row[place]) if np.isfinite(row[place]) else None


def apply(console: Console, wanted: Apply, checked: GeneratorSet, who: str) -> Generators:
    """Arm a set; refused if it may not be changed, if it exceeds limits that are not named, or after another write.

    The event, with the name of the set, comes from the ring.
    """
    with _applying:
        before = current(console)
        if not before.allowed:
            raise WrongState(before.why_not)
        if wanted.version != before.version:
            raise WrongState(
                f"{before.author or 'somebody'} has written version {before.version} since you saw version "
                f"{wanted.version}; look at it first"
            )
        exceeded = check_limits(checked, judge_of(console.source("live").header), wanted.exceeds)
        written = GeneratorClient(console.settings.ring, author=signed(PROGRAM, who)).write(checked)
        if written.version != before.version + 1:  # another program wrote at the same instant and was overwritten
            text = f"generators: version {written.version - 1} was overwritten"
            console.happened("generators", text, person=who, is_bad=True, is_recorded=False)
        if exceeded:
            text = f"generators: version {written.version} was armed beyond {counted(exceeded)}"
            console.happened("generators", text, person=who, is_bad=True, is_recorded=False)
    return current(console)


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/generators", route_class=SentenceRoute)
    shelf, turns = Shelf(console.settings.data / "generators", WHAT, ".toml"), console.turns

    @api.get("", dependencies=[Depends(viewer)])
    async def show() -> Generators:
        """The armed and the running set, and whether they may be changed now."""
        return await turns.looking.take(lambda: current(console))

    @api.put("", response_model=Generators)
    async def put(caller: Annotated[Caller, Depends(seated)], wanted: Apply) -> Generators | Response:
        """Arm a set of cards; refused if it may not be changed now, if another version was written since, or if it
        exceeds limits that the request does not name: the answer then lists them as `exceeded`."""
        who = console.person(caller)

        def arm() -> Generators:
            checked = set_of(wanted.cards)
            return apply(console, wanted, replace(checked, name=true_name(checked, kept)), who)

        try:
            return await turns.operating.take(arm)
        except BeyondLimits as error:
            found = [one.model_dump() for one in error.exceeded]
            return JSONResponse({"detail": str(error), "exceeded": found}, 409)

    @api.post("/preview", dependencies=[Depends(viewer)])
    async def look_ahead(wanted: PreviewRequest) -> Preview:
        """Preview the motion of cards, and the limits that it would exceed."""

        def look() -> Preview:
            header = console.source("live").header
            return preview(set_of(wanted.cards), wanted.seconds, judge_of(header), why_no_platform(header))

        return await turns.preview.take(look)

    def ready() -> dict[str, GeneratorSet]:
        """Sets of the live ring's platform; a stored set of the same name takes precedence."""
        judge = judge_of(console.source("live").header)
        kept = shelf.names
        return (
            {} if judge is None else {n: s for n, s in ready_sets(judge.platform, judge.atlas).items() if n not in kept}
        )

    def kept(name: str) -> GeneratorSet | None:
        """The set of a name, stored or of the platform; None if there is none that can be read."""
        try:
            return ready().get(name) or files.load(shelf.file(name))
        except MotionBaseError:
            return None

    def own(name: str) -> str:
        if name in ready():
            raise WrongState(f"set {name!r} comes with the platform and stays as it is; choose another name")
        return name

    @api.get("/ready", dependencies=[Depends(viewer)])
    async def come_with_the_platform() -> list[str]:
        """Names of the read-only sets that come with the platform of the live ring."""
        return await turns.stored.take(lambda: list(ready()))

    @api.get("/sets", dependencies=[Depends(viewer)])
    async def sets() -> list[str]:
        """Names of the stored sets, after those that come with the platform."""
        return await turns.stored.take(lambda: [*ready(), *shelf.names])

    @api.get("/sets/{name:path}", dependencies=[Depends(viewer)])
    async def load(name: str) -> CardSet:
        """Load a set by name."""

        def found() -> CardSet:
            brought = ready().get(name)
            return cards_of(files.load(shelf.file(name)) if brought is None else brought)

        return await turns.stored.take(found)

    @api.put("/sets/{name:path}", dependencies=[Depends(operator)])
    async def save(name: str, cards: CardSet) -> CardSet:
        """Store a set under a name, replacing one of that name, unless it comes with the platform."""
        checked = set_of(cards)
        await turns.working.take(lambda: shelf.keep(own(name), files.toml_text(checked).encode()))
        return cards_of(checked)

    @api.delete("/sets/{name:path}", dependencies=[Depends(operator)])
    async def remove(name: str) -> list[str]:
        """Remove a stored set."""

        def left() -> list[str]:
            kept = shelf.remove(own(name))
            return [*ready(), *kept]

        return await turns.working.take(left)

    return api
