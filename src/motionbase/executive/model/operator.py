"""The operator of a model that runs: commands from the ring, parameters on their way, what is refused and why."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from motionbase.arrays import Array
from motionbase.executive.model.orders import RESET, Memory, Order
from motionbase.executive.tuning import Tuner
from motionbase.record.faults import ModelFault
from motionbase.record.requests import Kind, Reason, Result
from motionbase.record.states import Request, State
from motionbase.ring.blocks.command import Order as Received
from motionbase.ring.blocks.commands import CommandReceiver

if TYPE_CHECKING:
    from motionbase.executive.model.run import ModelRun

REQUESTS = {Kind(r): r for r in Request if r}
AT_WORK = (State.ENGAGING, State.DRIVE, State.SETTLING, State.STANDBY, State.FREEZE)
MEMORY, ORDER = Memory.layout.starts, Order.layout.starts


@final
class Operator:
    """Hears commands beside the loop, and passes them on.

    Attributes:
        ack: (1,) number of the last command answered, for the record
    """

    def __init__(self, run: ModelRun) -> None:
        self.run, self.ack = run, np.zeros(1)
        self._order: Array = np.zeros(Order.layout.size)

    @cached_property
    def commands(self) -> CommandReceiver:
        """Commands of operators."""
        return CommandReceiver(self.run.writer.segment, self.run.writer.header.layout)

    @cached_property
    def tuner(self) -> Tuner:
        """Moves parameters to what operators ask for."""
        return Tuner(self.run.code.plant.parameters, self.run.writer, self.run.parameters)

    def listen(self) -> None:
        """Take a command, move parameters towards their goals, and tell the loop; called again and again."""
        if self._order[ORDER["number"]] != self.run.arrays["memory"][MEMORY["taken"]]:
            self.commands.look()  # the loop has not taken the last order yet
        elif (order := self.commands.poll()) is not None:
            self._obey(order)
        self._order[ORDER["estop"]] = float(self.commands.estop)
        self.tuner.advance(float(self.run.clock.t[0]))
        self.run.orders_in.put(np.concatenate([self._order, self.run.parameters]))

    def _obey(self, order: Received) -> None:
        command = order.command
        if command is None:
            self.run.say(f"a command was refused: {order.refusal.name.lower().replace('_', ' ')}")
            return
        self.ack[0] = float(order.number)
        refusal = Reason.NONE
        if command.kind is Kind.TUNE:
            refusal = self._tune(order)
        elif command.kind is Kind.RESET_FAULT:
            self.commands.release_estop()
            self.run.stop.release(self.commands.released)
            self._ask(RESET)
        elif (request := REQUESTS.get(command.kind)) is None:
            refusal = Reason.NOT_SUPPORTED
        elif (refusal := self._refusal(request)) is Reason.NONE:
            self._ask(float(request))
        self.commands.answer(order, Result.REFUSED if refusal else Result.ACCEPTED, refusal)

    def _ask(self, request: float) -> None:
        self._order[ORDER["number"]] += 1.0
        self._order[ORDER["request"]] = request

    def _refusal(self, request: Request) -> Reason:
        if request in (Request.ABORT, Request.OFF, Request.LOWER, Request.DOWN):
            return Reason.NONE
        if self.commands.estop:
            return Reason.ESTOP_ACTIVE
        if self.run.fault not in (ModelFault.NONE, ModelFault.CONTROLLER_SILENT):
            return Reason.FAULT_ACTIVE
        if request is Request.FREEZE:
            return Reason.NONE if self.run.state in AT_WORK else Reason.WRONG_STATE
        answers = self.run.code.timing.internal or self.run.arrays["memory"][MEMORY["fresh"]] > 0
        return Reason.NONE if answers else Reason.NOT_READY

    def _tune(self, order: Received) -> Reason:
        assert order.command is not None
        place, value = int(order.command.arguments[0]), order.command.arguments[1]
        t, table = float(self.run.clock.t[0]), self.tuner.table
        before = self.tuner.goal(place) if place < table.size else 0.0
        if (refusal := self.tuner.ask(place, value, t, self.run.state)) is Reason.NONE:
            parameter, k = table.places[place]
            said = f"{parameter.label(k)} from {before:.6g} to {value:.6g} {parameter.unit}".removesuffix(" -")
            self.run.say(f"{t:8.1f} s  {said} ({order.sender}, process {order.pid})")
        return refusal
