"""The emergency stop: asked for in the event loop itself, which never waits, and watched until the base acts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import final

from motionbase.console.tokens import Role
from motionbase.ring.emergency import ACTS_S, LOOK_S, Press, Stopper

PROGRAM = "console"  # in a sender's name
PAGE = re.compile(r"[0-9a-f]{32}")  # the random name of a page
MOST_NAMES = 64
NO_SEAT = "an operator without the seat"
VIEWER = "a viewer"


@final
class StopButton:
    """Asks for emergency stops of a ring, by the ring itself and by the lifelines of who lives for it."""

    def __init__(self, ring: str) -> None:
        self._stopper = Stopper(ring)

    def press(self, who: str) -> Press:
        """A word in the ring is raised, without a lock and without waiting; `heard` does the rest."""
        return self._stopper.press(f"{PROGRAM}: {who}")


@final
class Names:
    """Of those who had the seat, by client: who stood up a minute ago is still somebody."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def learn(self, seat: tuple[str, str] | None) -> None:
        """Who operates now."""
        if seat is not None:
            self.known.pop(seat[0], None)
            while len(self.known) >= MOST_NAMES:
                self.known.pop(next(iter(self.known)))
            self.known[seat[0]] = seat[1]


async def heard(pressed: Press) -> str:
    """Ask by lifelines as well, and wait half a second for the base; a true sentence, `RingError` where none is there.

    A thread asks: a writer that hangs holds up neither pages nor the next stop.
    """
    asked = asyncio.create_task(asyncio.to_thread(pressed.ask_lines))
    loop = asyncio.get_running_loop()
    end = loop.time() + ACTS_S
    if pressed.refusal is not None:
        await asked  # nobody has it yet
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
    """Who asks, as people say it: the seat's name where the page has it, else what a program calls itself.

    Args:
        client: of the page, "" where it gave none; the random name of a page says nothing to people
        seat: client and name of who operates
        known: names of those who had the seat before, by client
        role: of its token; a viewer is nobody who has or had the seat, whatever it calls itself
    """
    if role == "viewer":
        return VIEWER if not client or PAGE.fullmatch(client) else f"viewer {client}"
    if seat is not None and client == seat[0]:
        return seat[1]
    if known is not None and client in known:
        return known[client]
    return NO_SEAT if PAGE.fullmatch(client) else client or "somebody"
