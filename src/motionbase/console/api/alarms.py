"""`/api/alarms`: alarms of channel limits that pages report; each change becomes one event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple, final

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, operator
from motionbase.console.api.rate_limit import RateLimit
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.models import AlarmChange, Answer
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.console.console import Console

A_SECOND = 10
MOST = 1024  # channels remembered


class State(NamedTuple):
    """Alarm of one channel: `level` is "" once it is within its limits again but not acknowledged.

    `limit`: the limit that was exceeded; another limit begins a new alarm.
    """

    generation: int = 0
    level: str = ""
    is_seen: bool = True
    limit: float = 0.0


@final
class Alarms:
    """Alarms by channel: several pages watch the same limits, but each change is reported once."""

    def __init__(self) -> None:
        self._known: dict[str, State] = {}

    def is_news(self, generation: int, wanted: AlarmChange) -> bool:
        """Whether this change is new; an acknowledged alarm that returns is new."""
        before = self._known.get(wanted.channel, State())
        before = before if before.generation == generation else State()
        match wanted.change:
            case "raised":
                is_worse = (before.level, wanted.level) == ("warn", "alarm")
                is_other = before.level == wanted.level and before.limit != wanted.limit
                is_new = before.is_seen or before.level == "" or is_worse or is_other
                after = State(generation, wanted.level, False, wanted.limit)
            case "acknowledged":
                is_new, after = not before.is_seen, before._replace(generation=generation, is_seen=True)
            case _:
                is_new, after = before.level != "", before._replace(generation=generation, level="")
        if is_new:
            self._known.pop(wanted.channel, None)
            while len(self._known) >= MOST:
                self._known.pop(next(iter(self._known)))
            self._known[wanted.channel] = after
        return is_new


def told(console: Console, caller: Caller, wanted: AlarmChange) -> Answer:
    """Report a change as an event, live and in the recording."""
    live = console.source("live")
    units = {c.name: c.unit for c in live.run.described().channels} if live.run is not None else {}
    if wanted.channel not in units:
        raise UsageError(f"the live ring has no channel {wanted.channel!r:.80}")
    if not console.alarms.is_news(live.generation, wanted):
        return Answer(accepted=False, text="this is known already")
    who = console.person(caller)
    unit = "" if units[wanted.channel] == "-" else f" {units[wanted.channel]}"
    beyond = f"{'above' if wanted.value > wanted.limit else 'below'} {wanted.limit:.4g}{unit}"
    level = "alarm" if wanted.level == "alarm" else "warning"
    match wanted.change:
        case "raised":
            text = f"{level}: {wanted.channel} {wanted.value:.4g}{unit} is {beyond}"
        case "acknowledged":
            text = f"{level} of {wanted.channel} acknowledged by {who}"
        case _:
            text = f"{level} of {wanted.channel} is over, the worst was {wanted.value:.4g}{unit}"
    person = who if wanted.change == "acknowledged" else ""
    is_raised = wanted.change == "raised"
    t = wanted.t if is_raised else None  # acknowledged and over happen now, whenever the worst value was
    console.happened("alarm", text, person=person, t=t, is_bad=is_raised, is_recorded=False)
    return Answer(accepted=True, text=text)


def router(console: Console) -> APIRouter:
    """Router of this address."""
    api, pace = APIRouter(route_class=SentenceRoute), RateLimit("alarms", A_SECOND)

    @api.post("/api/alarms")
    async def changed(caller: Annotated[Caller, Depends(operator)], wanted: AlarmChange) -> Answer:
        """A limit of a channel of the live ring was exceeded, acknowledged, or is kept again."""
        pace.check(caller.client)
        return told(console, caller, wanted)

    return api
