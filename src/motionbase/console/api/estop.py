"""The emergency stop as the console takes it: pressed, told to all pages, and watched until the base acts."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, final

from motionbase.console.access import Caller
from motionbase.console.models import Answer
from motionbase.console.stop.button import ACTS, NO_ANSWER, name_of

if TYPE_CHECKING:
    from motionbase.console.console import Console


REMEMBERED = 256
LONGEST = 64  # letters of a name that count: none is a reason to refuse a stop


@final
class Presses:
    """Of pages that ask by several ways at once, and again until they are heard: each press is told once."""

    def __init__(self) -> None:
        self._known: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)

    def is_new(self, client: str, press: str | None) -> bool:
        """Whether it was not asked for before; always where the page gave it no name."""
        if press is None:
            return True
        name = (client, press[:LONGEST])
        if name in self._known:
            return False
        self._known.append(name)
        return True


async def stopped(console: Console, caller: Caller, press: str | None = None) -> Answer:
    """Press, then wait until a record says that the stop acts; `RingError` where nobody is to stop.

    `press` is the page's name for what its operator did: however often it is asked for, it makes one event.
    """
    pressed = console.stop_button.press()  # the stop first, then whose it was
    who = name_of(caller.client, console.access.seat.who)
    pressed.sign(who)
    is_new = console.presses.is_new(caller.client, press)
    if is_new:
        t = console.source("live").value("t")
        console.events.add("estop", f"emergency stop asked for from the console by {who}", t=t, is_bad=True)
    acts = await pressed.acts()
    if is_new and not acts:
        console.events.add("estop", "the base has not answered the emergency stop", is_bad=True)
    return Answer(accepted=True, text=ACTS if acts else NO_ANSWER)
