"""The emergency stop as the console takes it: pressed, told to all pages, and watched until the base acts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motionbase.console.access import Caller
from motionbase.console.models import Answer
from motionbase.console.stop.button import ACTS, NO_ANSWER, name_of

if TYPE_CHECKING:
    from motionbase.console.console import Console


async def stopped(console: Console, caller: Caller) -> Answer:
    """Press, then wait until a record says that the stop acts; `RingError` where nobody is to stop."""
    pressed = console.stop_button.press()  # the stop first, then whose it was
    who = name_of(caller.client, console.access.seat.who)
    pressed.sign(who)
    t = console.source("live").value("t")
    console.events.add("estop", f"emergency stop asked for from the console by {who}", t=t, is_bad=True)
    acts = await pressed.acts()
    if not acts:
        console.events.add("estop", "the base has not answered the emergency stop", is_bad=True)
    return Answer(accepted=True, text=ACTS if acts else NO_ANSWER)
