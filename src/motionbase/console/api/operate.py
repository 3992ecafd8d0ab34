"""`/api/estop` and `/api/operate`: the operator's requests to the live base."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, seated, stopper
from motionbase.console.api.estop import stopped
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.live.head import RingHead, ring_head, word
from motionbase.console.live.life import started_again
from motionbase.console.models import Answer, Operate, Seen
from motionbase.console.stop.button import PROGRAM
from motionbase.errors import RingError
from motionbase.record.requests import CALMING, Ack, Command, operator_command
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.generators import shown
from motionbase.ring.command_words import signed

if TYPE_CHECKING:
    from motionbase.console.console import Console

OLDEST_S, NEWEST_S = 2.0, 1.0  # a page may be this far behind the ring, and ahead of it


def asked(ring: str, command: Command, sender: str) -> Ack:
    """Send a command to the ring's writer and wait for its answer; `RingError` if there is none."""
    return CommandSender(ring, sender=sender).request(command)


def operated(ring: str, action: str, sender: str) -> Answer:
    """Request an action; the control law decides. The event, with the sender's name, comes from the ring."""
    ack = asked(ring, operator_command(action), sender)
    return Answer(accepted=ack.accepted, text=f"{action}: accepted" if ack.accepted else f"{action} was refused: {ack}")


def why_stale(head: RingHead, seen: Seen) -> str:
    """Why the page's view differs from the ring; "" if it does not. All times are the ring's."""
    row = head.newest()
    if row is None or not math.isfinite(row[0]):
        return "the ring has no record with a time, so it is unknown what the page showed"
    age = float(row[0]) - seen.t
    if age > OLDEST_S:
        return f"the page showed the base of {age:.1f} s ago; look at it and ask again"
    if age < -NEWEST_S:
        return f"the page showed another run, {-age:.1f} s ahead of this one; look at it and ask again"
    for what, was in (("state", seen.state), ("mode", seen.mode)):
        if (now := word(head.schema, row, what)) != was:
            mode = " mode" if what == "mode" else ""
            return f"the base is in {now or 'an unknown ' + what}{mode} by now, the page showed {was or 'none'}"
    return ""


def why_other_generators(ring: str, seen: Seen) -> str:
    """Why a drive would follow other generators than the page showed; "" if it would not."""
    version = seen.generators_version
    if version is None and seen.mode != "maintenance":
        return ""  # generators are not used in host mode, so a page need not know them
    armed = shown(ring)[0]
    if armed.version == version:
        return ""
    was = "none" if version is None else f"version {version}"
    return f"version {armed.version} of the generators is armed by now, the page showed {was}; look at it first"


def _why_unseen(console: Console, wanted: Operate) -> str:
    """Why an action does not fit what the operator saw; "" if it does."""
    ring, seen = console.settings.ring, wanted.seen
    if seen is None:
        return "the page has shown no record yet, so it is unknown what it showed"
    if why := why_stale(ring_head(ring, console.source("live").backend), seen):
        return why
    return why_other_generators(ring, seen) if wanted.action == "drive" else ""


def operated_as_seen(console: Console, wanted: Operate, who: str) -> Answer:
    """Request an action, unless it may move a base whose state is no longer what the operator saw."""
    if wanted.action not in CALMING and (why := _why_unseen(console, wanted)):
        _tell(console, f"{wanted.action}, wanted by {who}, was not requested: {why}", who)
        return Answer(accepted=False, text=f"{wanted.action} was not requested: {why}")
    try:
        return operated(console.settings.ring, wanted.action, signed(PROGRAM, who))
    except RingError as error:
        _tell(console, f"{wanted.action} asked for by {who}: {error}", who)
        raise


def _tell(console: Console, text: str, who: str) -> None:
    """Report a request that the ring's writer has not answered."""
    console.happened("request", text, person=who, is_bad=True, is_recorded=False)


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(route_class=SentenceRoute)

    @api.post("/api/estop")
    async def estop(caller: Annotated[Caller, Depends(stopper)], press: str | None = None) -> Answer:
        """Request an emergency stop of the live base; needs the operator token, unless anyone may stop, but no seat."""
        return await stopped(console, caller, press)

    @api.post("/api/operate")
    async def operate(caller: Annotated[Caller, Depends(seated)], wanted: Operate) -> Answer:
        """Request a change of state or mode, or a reset; a refusal says why."""
        who = console.person(caller)
        return await console.turns.operating.take(lambda: operated_as_seen(console, wanted, who))

    @api.post("/api/base/start")
    async def start(caller: Annotated[Caller, Depends(seated)]) -> Answer:
        """Restart a base that has ended, if `motionbase run` supervises it; it comes up at rest, switched off."""
        who, backend = console.person(caller), console.source("live").backend
        answer = await console.turns.operating.take(lambda: started_again(console.settings.ring, backend, who))
        console.happened("request", answer.text, person=who, is_bad=not answer.accepted, is_recorded=False)
        return answer

    return api
