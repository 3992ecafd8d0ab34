"""`/api/estop` and `/api/operate`: what an operator asks of the live base."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, final

from fastapi import APIRouter, Depends

from motionbase.console.access import Caller, operator, seated
from motionbase.console.api.sentences import SentenceRoute
from motionbase.console.models import Answer, Operate
from motionbase.errors import RingError
from motionbase.ring.blocks.actions import operator_command
from motionbase.ring.blocks.command import Ack, Command
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.native import block_native

if TYPE_CHECKING:
    from motionbase.console.console import Console

SENDER = "motionbase console"


def asked(ring: str, command: Command) -> Ack:
    """Send a command to the ring's writer and wait for its answer; `RingError` where nobody answers."""
    return CommandSender(ring, sender=SENDER).request(command)


def operated(ring: str, action: str) -> Answer:
    """Ask for an action; the control law decides."""
    ack = asked(ring, operator_command(action))
    return Answer(accepted=ack.accepted, text=f"{action}: accepted" if ack.accepted else f"{action} was refused: {ack}")


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

    def press(self) -> Answer:
        """A word in the ring is raised, without a lock and without waiting; `RingError` where nobody is to stop."""
        if self._sender is not None:
            try:
                self._sender.estop()
                return Answer(accepted=True, text="emergency stop")
            except RingError:
                pass  # that writer has ended; look for another
        self._sender = CommandSender(self._ring, sender=SENDER)
        self._sender.estop()
        return Answer(accepted=True, text="emergency stop")


def router(console: Console) -> APIRouter:
    """The addresses."""
    api = APIRouter(route_class=SentenceRoute)
    button = StopButton(console.settings.ring)

    @api.post("/api/estop")
    async def estop(caller: Annotated[Caller, Depends(operator)]) -> Answer:
        """Emergency stop of the live base; needs the token, and no seat."""
        # in the loop itself, which never waits: the threads for other requests may all be busy
        answer = button.press()
        console.events.add("estop", "emergency stop asked for from the console", t=_now(console), is_bad=True)
        return answer

    @api.post("/api/operate", dependencies=[Depends(seated)])
    def operate(wanted: Operate) -> Answer:
        """A change of state or mode, or a reset; an answer that is not accepted says why."""
        answer = operated(console.settings.ring, wanted.action)
        console.events.add("note", f"console: {answer.text}", t=_now(console), is_bad=not answer.accepted)
        return answer

    return api


def _now(console: Console) -> float | None:
    """Time of the newest record of the live ring [s]."""
    row = console.source("live").newest
    return None if row is None else float(row[0])
