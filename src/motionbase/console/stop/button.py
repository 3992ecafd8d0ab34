"""The emergency stop: requested directly in the event loop, without waiting, and watched until the base acts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import final

from motionbase.console.tokens import Role
from motionbase.ring.emergency import ACTS_S, LOOK_S, Press, Stopper

PROGRAM = "console"  # program in a sender's name
PAGE = re.compile(r"[0-9a-f]{32}")  # form of the random name of a page
MOST_NAMES = 64
NO_SEAT = "an operator without the seat"
VIEWER = "a viewer"


@final
class StopButton:
    """Requests emergency stops of a ring, through the ring and the lifelines of its processes."""

    def __init__(self, ring: str) -> None:
        self._stopper = Stopper(ring)

    def press(self, who: str) -> Press:
        """Raise the stop word in the ring, without lock or wait; `heard` does the rest."""
        return self._stopper.press(f"{PROGRAM}: {who}")


@final
class Names:
    """Names of present and former holders of the seat, by client."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def learn(self, seat: tuple[str, str] | None) -> None:
        """Remember the present holder of the seat."""
        if seat is not None:
            self.known.pop(seat[0], None)
            while len(self.known) >= MOST_NAMES:
                self.known.pop(next(iter(self.known)))
            self.known[seat[0]] = seat[1]


async def heard(pressed: Press) -> str:
    """Stop through lifelines as well, and wait half a second for the base; the result, `RingError` if there is no base.

    A thread does it, so that a hanging writer delays neither pages nor the next stop.
    """
    asked = asyncio.create_task(asyncio.to_thread(pressed.ask_lines))
    loop = asyncio.get_running_loop()
    end = loop.time() + ACTS_S
    if pressed.refusal is not None:
        await asked  # no process has it yet
        end = loop.time() + ACTS_S
    while loop.time() < end:
        if not (pressed.is_open if pressed.refusal is None else await asyncio.to_thread(lambda: pressed.is_open)):
            break
        await asyncio.sleep(LOOK_S)
    await asked
    return pressed.text


def name_of(
    client: str, seat: tuple[str, str] | None, known: Mapping[str, str] | None = None, role: Role = "operator"
) -> str:
    """Name of the caller: the name of the seat if the page has it, else the name that a program gives itself.

    Args:
        client: of the page, "" if it gave none; the random name of a page is not shown
        seat: client and name of the operator
        known: names of former operators, by client
        role: of its token; a viewer never has an operator's name, whatever client it gives
    """
    if role == "viewer":
        return VIEWER if not client or PAGE.fullmatch(client) else f"viewer {client}"
    if seat is not None and client == seat[0]:
        return seat[1]
    if known is not None and client in known:
        return known[client]
    return NO_SEAT if PAGE.fullmatch(client) else client or "somebody"
