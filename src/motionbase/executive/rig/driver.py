"""Cycles of a rig: what the base wants becomes a demand, and what the machine answers becomes a row for the base."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.executive.rig.link import LEGS, Told
from motionbase.record.rig import RIG, RIG_PLACES, Order, RigFault, StopCause
from motionbase.rig.border import Actuators, Answer, Demand, PowerUnit
from motionbase.system.measured_loop import Wanted

AT = {name: 2 + start for name, start in Told.layout.starts.items()}  # in a row, behind tick and time
IN = {name: AT["wanted"] + start for name, start in Wanted.layout.starts.items()}
QUIET = Demand(0, np.zeros(LEGS), np.zeros(LEGS))


@final
class Driver:
    """Moves the legs of one base.

    Attributes:
        answer: of the last cycle
        demand: of the last cycle
        cause: who asked for a stop beside the law and the rig's own faults, since the last reset
        row: what the base is told
    """

    def __init__(
        self, legs: Actuators, power: PowerUnit | None, p_nominal: tuple[float, float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """Nothing is asked of the machine before the first cycle.

        Args:
            power: the source of pressure, if it can be asked
            p_nominal: pressures of supply and return that count otherwise
            clock: monotonic [s], the one that gives the times of cycles
        """
        self._legs, self._power, self._nominal, self._clock = legs, power, p_nominal, clock
        self.answer: Answer | None = None
        self.demand = QUIET
        self.cause = StopCause.NONE
        self.row: Array = np.zeros(1 + len(RIG))
        self._number: float | None = None
        self._cycles = 0
        self._compute = 0.0
        self._used = 0.0  # the measurement of which the last command was made

    def cycle(self, now: float, due: float, told: Array | None, stop: StopCause = StopCause.NONE) -> Array:
        """One exchange with the machine.

        Args:
            now, due: when the cycle starts and should have started [s]
            told: the newest row of the base, None before the first
            stop: why somebody beside the law wants a stop, if anybody does
        """
        self.demand = self._demand(told, stop)
        answer = self.answer = self._legs.cycle(now, self.demand)
        done = self._clock()
        self._cycles += 1
        self._note(answer, now, done, max(now - due, 0.0), told)
        return self.row

    def _demand(self, told: Array | None, stop: StopCause) -> Demand:
        """What the base wants; nothing before it has said anything."""
        if told is None:
            self.cause = self.cause or stop
            return Demand(0, QUIET.l, QUIET.l_dot, stop=bool(stop))
        order = self._order(told)
        if order is Order.RESET and not stop:
            self.cause = StopCause.NONE
        asked = stop or (StopCause.GUARD if told[IN["stop"]] else StopCause.NONE)
        self.cause = self.cause or asked
        if self._power is not None and order in (Order.ENABLE, Order.DISABLE):
            self._power.run(order is Order.ENABLE)
        l, l_dot = (told[IN[name] : IN[name] + LEGS] for name in ("l", "l_dot"))
        return Demand(int(told[0]), l, l_dot, go=bool(told[IN["go"]]), stop=bool(asked), order=order)

    def _order(self, told: Array) -> Order:
        """The operator's order, in the first cycle that knows of it; one from before this process began is void."""
        number, before = float(told[AT["number"]]), self._number
        self._number = number
        return Order(int(told[AT["order"]])) if before is not None and number != before else Order.NONE

    def _note(self, answer: Answer, now: float, done: float, lateness: float, told: Array | None) -> None:
        """The row for the base."""
        row = self.row
        row[0] = self._cycles
        measured = max(answer.measured_at, 0.0)  # -inf before the first
        self._six("rig_l")[:] = np.where(np.isfinite(answer.l), answer.l, self._six("rig_l"))
        for name, values in (("rig_state", answer.states), ("rig_fault", answer.faults), ("rig_code", answer.codes)):
            self._six(name)[:] = values
        used = float(told[AT["measured"]]) if told is not None else 0.0
        if used > 0 and used != self._used:
            self._put("rig_latency", done - used)
        self._used = used
        self._put("rig_measured", measured)
        self._put("rig_delay", done - measured)
        self._put("rig_lateness", lateness)
        self._put("rig_compute", self._compute)
        self._put("rig_cycles", self._cycles)
        self._put("rig_stop", self.cause)
        self._note_power(now)
        self._compute = done - now

    def _note_power(self, now: float) -> None:
        supply, back, oil, fault = *self._nominal, 0.0, RigFault.NONE
        if self._power is not None:
            state = self._power.look(now)
            is_good = state.running and not state.fault
            supply, back = (state.p_supply if is_good else 0.0), state.p_return
            oil, fault = state.temperature, state.fault
        for name, value in (
            ("power_supply", supply),
            ("power_return", back),
            ("power_oil", oil),
            ("power_fault", fault),
        ):
            self._put(name, value)

    def _put(self, name: str, value: float) -> None:
        self.row[1 + RIG_PLACES[name]] = value if np.isfinite(value) else 0.0

    def _six(self, name: str) -> Array:
        first = 1 + RIG_PLACES[f"leg1_{name}"]
        return self.row[first : first + LEGS]
