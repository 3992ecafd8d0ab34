"""The emergency stop in the console: requested, reported to all pages, and watched until the base acts."""

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
LONGEST = 64  # significant characters of a name: a long one is no reason to refuse a stop


@final
class Presses:
    """Known presses. Pages send each press in several ways and repeat it; it is reported once."""

    def __init__(self) -> None:
        self._known: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)

    def is_new(self, client: str, press: str | None) -> bool:
        """Whether a press is new; always if the page gave it no name."""
        if press is None:
            return True
        name = (client, press[:LONGEST])
        if name in self._known:
            return False
        self._known.append(name)
        return True


async def stopped(console: Console, caller: Caller, press: str | None = None) -> Answer:
    """Stop, then wait until a record shows the stop; `RingError` if there is no base to stop.

    `press` is the page's name of the operator's action: however often it is sent, it makes one event.
    """
    who, begun = console.person(caller), time.monotonic()
    pressed = console.stop_button.press(who)
    is_new = console.presses.is_new(caller.client, press)
    asked = f"emergency stop asked for by {who} ({PROGRAM})"
    if is_new and pressed.refusal is None:  # at the time before the press: the base may act meanwhile
        console.happened("estop", asked, person=who, is_bad=True, age_s=time.monotonic() - begun)
    text = await heard(pressed)
    if is_new and pressed.refusal is not None:  # no ring took it: reported once a process has it
        console.happened("estop", asked, person=who, is_bad=True, is_recorded=False)
    if is_new and text != ACTS:
        told = "the base has not answered the emergency stop" if text == NO_ANSWER else text
        console.happened("estop", told, person=who, is_bad=True, is_recorded=False)
    return Answer(accepted=True, text=text)
