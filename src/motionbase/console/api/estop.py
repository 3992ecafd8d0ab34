"""The emergency stop: asked for in the event loop itself, which never waits, and watched until the base acts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, final

from motionbase.console.access import Caller
from motionbase.console.live.head import RingHead
from motionbase.console.live.stopped_by import sign
from motionbase.console.models import Answer
from motionbase.errors import RingError
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.native import block_native

if TYPE_CHECKING:
    from motionbase.console.console import Console

SENDER = "motionbase console"
ACTS_S, LOOK_S = 0.5, 0.005  # how long the base is waited for, and between looks
ACTS = "the emergency stop acts"
NO_ANSWER = "asked for, but the base has not answered: use the hardware stop"


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

    def press(self) -> CommandSender:
        """A word in the ring is raised, without a lock and without waiting; `RingError` where nobody is to stop."""
        if self._sender is not None:
            try:
                self._sender.estop()
                return self._sender
            except RingError:
                pass  # that writer has ended; look for another
        self._sender = CommandSender(self._ring, sender=SENDER)
        self._sender.estop()
        return self._sender


async def stopped(console: Console, caller: Caller) -> Answer:
    """Press, then wait until a record says that the stop acts; `RingError` where nobody is to stop."""
    sender = console.stop_button.press()
    head = RingHead(sender.map.segment, sender.map.header)
    before = head.count
    who = _name(console, caller)  # the stop first, then whose it was
    sign(sender, f"console: {who}")
    t = console.source("live").value("t")
    console.events.add("estop", f"emergency stop asked for from the console by {who}", t=t, is_bad=True)
    acts = await _seen_to_act(head, before)
    if not acts:
        console.events.add("estop", "the base has not answered the emergency stop", is_bad=True)
    return Answer(accepted=True, text=ACTS if acts else NO_ANSWER)


async def _seen_to_act(head: RingHead, before: int) -> bool:
    """Whether a record that came after `before` others shows the stop, within half a second."""
    loop = asyncio.get_running_loop()
    end = loop.time() + ACTS_S
    while True:
        if head.count > before and (head.value("estop") or 0.0) > 0:  # false for NaN as well
            return True
        if loop.time() > end:
            return False
        await asyncio.sleep(LOOK_S)


def _name(console: Console, caller: Caller) -> str:
    """Of the seat where the caller has it, else the page's own; "somebody" where it gave none."""
    holder = console.access.seat.holder
    return holder.name if holder is not None and holder.client == caller.client else caller.client or "somebody"
