"""Live tuning: checks requests, moves parameters smoothly to their goals, and shows them in the ring."""

from __future__ import annotations

from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.parameters import Parameter, ParameterTable
from motionbase.record.requests import Reason
from motionbase.record.states import State
from motionbase.ring.blocks.parameters import ParameterPublisher
from motionbase.ring.writer import Writer
from motionbase.system.cued_loop import CuedLoop
from motionbase.system.runnable import Runnable

RAMP_S = 1.0  # [s] from the old value to the new: slow against motions of a platform, quick against a hand
REST = (State.OFF, State.DOWN, State.STANDBY, State.HELD)  # nothing moves here, by the control law's own account


def parameter_table(loop: Runnable) -> ParameterTable:
    """The parameters of a loop as the ring shows them."""
    listed, law = [], loop.law
    for port in loop.parameters.ports:
        least, most = (tuple(b.tolist()) if port.tunable else () for b in port.bounds)
        values = tuple(port.start_values.tolist())
        listed.append(Parameter(port.name, port.unit, port.description, values, least, most, port.at_rest))
    cueing = getattr(loop.cueing.program, "description", "") if isinstance(loop, CuedLoop) else ""
    return ParameterTable(getattr(law.program, "description", "") or law.program.name, tuple(listed), cueing)


@final
class Tuner:
    """Parameters of a running law and the goals they are on the way to.

    Those that may change only at rest change at once; the others go smoothly to their goal within RAMP_S.

    Args:
        writer: of a ring made with the table's text
        values: (n,) the array that the law reads; changed in place
    """

    def __init__(self, table: ParameterTable, writer: Writer, values: Array) -> None:
        self.table, self._values, self._goals = table, values, values.copy()
        self._from, self._since = values.copy(), np.full(len(values), -np.inf)
        self._publisher = ParameterPublisher(writer.segment, writer.header.layout, table.size)
        self._moves = False
        self._publisher.publish(self._values, self._goals)

    def ask(self, place: int, value: float, t: float, state: State) -> Reason:
        """Set a new goal for one number, at a time [s] of the run; any reason but NONE means that nothing changes."""
        if not 0 <= place < self.table.size:
            return Reason.NO_PARAMETER
        parameter, k = self.table.places[place]
        if not parameter.tunable:
            return Reason.NOT_TUNABLE
        if parameter.problem(k, value):
            return Reason.OUT_OF_RANGE
        if parameter.at_rest and state not in REST:
            return Reason.WRONG_STATE
        self._from[place], self._goals[place] = self._values[place], value
        self._since[place] = -np.inf if parameter.at_rest else t
        self._moves = True
        return Reason.NONE

    def goal(self, place: int) -> float:
        """Where a number is, or is going."""
        return float(self._goals[place])

    def advance(self, t: float) -> None:
        """Set the values for a time [s] of the run, and show them in the ring while they change."""
        if not self._moves:
            return
        x = np.clip((t - self._since) / RAMP_S, 0.0, 1.0)
        over, part = x >= 1.0, x * x * (3.0 - 2.0 * x)  # begins and ends without a corner
        self._values[:] = np.where(over, self._goals, self._from + part * (self._goals - self._from))
        self._moves = not over.all()
        self._publisher.publish(self._values, self._goals)
