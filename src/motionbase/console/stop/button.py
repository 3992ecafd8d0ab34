"""The emergency stop: asked for in the event loop itself, which never waits, and watched until the base acts."""

from __future__ import annotations

import asyncio
from typing import NamedTuple, final

from motionbase.console.live.head import RingHead
from motionbase.console.live.stopped_by import sign
from motionbase.errors import RingError
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.native import block_native

SENDER = "motionbase console"
ACTS_S, LOOK_S = 0.5, 0.005  # how long the base is waited for, and between looks
ACTS = "the emergency stop acts"
NO_ANSWER = "asked for, but the base has not answered: use the hardware stop"


class Pressed(NamedTuple):
    """A stop that was asked for: over what, the ring's records, and how many there were then."""

    sender: CommandSender
    head: RingHead
    before: int

    def sign(self, who: str) -> None:
        """Leave a name, for people."""
        sign(self.sender, f"console: {who}")

    async def acts(self) -> bool:
        """Whether a record that came since shows the stop, within half a second."""
        loop = asyncio.get_running_loop()
        end = loop.time() + ACTS_S
        while True:
            if self.head.count > self.before and (self.head.value("estop") or 0.0) > 0:  # false for NaN as well
                return True
            if loop.time() > end:
                return False
            await asyncio.sleep(LOOK_S)


@final
class StopButton:
    """Asks for emergency stops, and stays attached to the ring: attaching takes longer than all the rest."""

    def __init__(self, ring: str) -> None:
        self._ring = ring
        self._sender = self._attached()
        block_native()  # compiled now: the first emergency stop shall not wait for it

    def _attached(self) -> CommandSender | None:
        try:
            return CommandSender(self._ring, sender=SENDER)
        except RingError:
            return None  # no ring yet

    def press(self) -> Pressed:
        """A word in the ring is raised, without a lock and without waiting; `RingError` where nobody is to stop."""
        sender = self._raised()
        head = RingHead(sender.map.segment, sender.map.header)
        return Pressed(sender, head, head.count)

    def _raised(self) -> CommandSender:
        if self._sender is not None:
            try:
                self._sender.estop()
                return self._sender
            except RingError:
                pass  # that writer has ended; look for another
        self._sender = CommandSender(self._ring, sender=SENDER)
        self._sender.estop()
        return self._sender


def name_of(client: str, seat: tuple[str, str] | None) -> str:
    """Whose stop it is: the seat's name where the page has it, else the page's own; "somebody" where it gave none.

    Args:
        client: of the page, "" where it gave none
        seat: client and name of who operates
    """
    return seat[1] if seat is not None and client == seat[0] else client or "somebody"
