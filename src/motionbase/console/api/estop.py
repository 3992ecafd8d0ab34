"""The emergency stop as the console takes it: pressed, told to all pages, and watched until the base acts."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, final

from motionbase.console.access import Caller
from motionbase.console.models import Answer
from motionbase.console.stop.button import PROGRAM, heard
from motionbase.ring.emergency import ACTS, NO_ANSWER

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
    who, begun = console.person(caller), time.monotonic()
    pressed = console.stop_button.press(who)
    is_new = console.presses.is_new(caller.client, press)
    asked = f"emergency stop asked for by {who} ({PROGRAM})"
    if is_new and pressed.refusal is None:  # told after the press, at the time before it: the base may act meanwhile
        console.happened("estop", asked, person=who, is_bad=True, age_s=time.monotonic() - begun)
    text = await heard(pressed)
    if is_new and pressed.refusal is not None:  # no ring took it: it is told once somebody has it
        console.happened("estop", asked, person=who, is_bad=True, is_recorded=False)
    if is_new and text != ACTS:
        told = "the base has not answered the emergency stop" if text == NO_ANSWER else text
        console.happened("estop", told, person=who, is_bad=True, is_recorded=False)
    return Answer(accepted=True, text=text)
