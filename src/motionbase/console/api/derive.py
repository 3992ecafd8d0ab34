"""`/api/derive`: channels by formula. Those of operators are stored and apply everywhere; viewers' are temporary."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, viewer
from motionbase.console.api.rate_limit import RateLimit
from motionbase.console.api.recordings import path_of, schema_of
from motionbase.console.api.sentences import NotThere, SentenceRoute, TooMany
from motionbase.console.live.derived import MOST_KEPT, OPERATORS, formula_of
from motionbase.console.live.formula import FormulaError
from motionbase.console.models import Derive, Schema, SourceName
from motionbase.errors import MotionBaseError

if TYPE_CHECKING:
    from motionbase.console.console import Console

Viewer = Annotated[Caller, Depends(viewer)]
DERIVES_A_SECOND = 4
SOURCES: tuple[SourceName, ...] = ("live", "replay")


def described(console: Console, source: SourceName) -> Schema:
    """The channels of a ring, with derived ones at the end."""
    follower = console.source(source)
    run = follower.run
    if run is None:
        raise NotThere(f"ring {follower.ring!r} has shown no channels yet ({follower.state_text})")
    return run.described()


def made_for_ring(console: Console, caller: Caller, wanted: Derive, source: SourceName) -> Schema:
    """Make a derived channel of a ring, over kept and new records; an operator's applies everywhere and is stored."""
    is_kept = caller.role == "operator"
    follower = console.source(source)
    follower.derive(wanted.name, wanted.formula, wanted.unit, OPERATORS if is_kept else caller.client)
    found = described(console, source)
    if is_kept:
        made = next(c for c in found.channels if c.name == wanted.name and c.formula is not None)
        others = [one for one in SOURCES if one != source]
        _keep(console, Derive(name=made.name, formula=made.formula or "", unit=made.unit), others)
    return found


def made_for_file(console: Console, caller: Caller, wanted: Derive, file: str) -> Schema:
    """Check a formula against a recording; only an operator's is stored, as pages request windows by formula."""
    with console.opened.use(path_of(console, file)) as recording:
        schema = recording.schema
    if wanted.name in schema.index:
        raise FormulaError(f"the recording itself has a channel {wanted.name!r}; choose another name")
    formula = formula_of(wanted.formula, schema)
    made = Derive(name=wanted.name, formula=formula.text, unit=formula.unit(wanted.unit))
    if caller.role == "operator":
        _keep(console, made)
        return schema_of(schema, console.kept.all())
    return schema_of(schema, [*(one for one in console.kept.all() if one.name != made.name), made])


def _keep(console: Console, made: Derive, sources: Sequence[SourceName] = SOURCES) -> None:
    """Store a derived channel and show it in these rings if it fits them."""
    known = {one.name for one in console.kept.all()}
    if made.name not in known and len(known) >= MOST_KEPT:
        raise TooMany(f"operators have {MOST_KEPT} derived channels, which is the most; remove one")
    console.kept.keep(made)
    for source in sources:
        with suppress(MotionBaseError):  # another platform, or no ring
            console.source(source).derive(made.name, made.formula, made.unit, OPERATORS)


def removed(console: Console, caller: Caller, name: str, source: SourceName) -> None:
    """Remove a derived channel: everywhere if it was stored, else from this ring."""
    is_operator = caller.role == "operator"
    owner = None if console.access.me(caller).seated else OPERATORS if is_operator else caller.client
    if is_operator and console.kept.remove(name):
        for one in SOURCES:
            with suppress(MotionBaseError):
                console.source(one).remove_derived(name, owner)
        return
    console.source(source).remove_derived(name, owner)


def schema_of_file(console: Console, file: str) -> Schema:
    """The channels of a recording, with stored derived ones."""
    with console.opened.use(path_of(console, file)) as recording:
        return schema_of(recording.schema, console.kept.all())


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(prefix="/api/derive", route_class=SentenceRoute)
    turns, pace = console.turns, RateLimit("derived channels", DERIVES_A_SECOND)

    @api.post("")
    async def derive(caller: Viewer, wanted: Derive, source: SourceName = "live", file: str = "") -> Schema:
        """Make a channel by formula for a ring or a recording; an operator's is stored, a viewer's is the page's."""
        pace.check(caller.client)
        if file:
            return await turns.files.take(lambda: made_for_file(console, caller, wanted, file))
        return await turns.looking.take(lambda: made_for_ring(console, caller, wanted, source))

    @api.delete("/{name:path}")
    async def remove(caller: Viewer, name: str, source: SourceName = "live", file: str = "") -> Schema:
        """Remove a derived channel: pages their own, operators those of operators, the holder of the seat any."""
        pace.check(caller.client)
        await turns.looking.take(lambda: removed(console, caller, name, source))
        if file:
            return await turns.files.take(lambda: schema_of_file(console, file))
        return await turns.looking.take(lambda: described(console, source))

    return api
