"""The loop's side of the exchange with the process of a rig, as native jobs: no system call, no lock, no wait.

base to rig    tick, t, then `Told`: what the law wants of the legs, the operator's order, which measurement was used
rig to base    count of cycles, then the numbers of `record.rig.RIG`
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, Kernel, Port, Struct, compile, q
from motionbase.executive.exchange import RIG as MAGIC
from motionbase.executive.exchange import Blocks, Exchange
from motionbase.executive.loop import by_group
from motionbase.executive.schedule import Job, native_job
from motionbase.executive.timing import Clock
from motionbase.record.requests import Reason
from motionbase.record.rig import RIG, RIG_AGE, RIG_PLACES, LegState, Order, RigFault
from motionbase.record.states import QUIET, Request, State
from motionbase.ring import names
from motionbase.ring.backend import AbstractBackend
from motionbase.spatial.rotations import Expr
from motionbase.system.measured_loop import WANTED, Wanted
from motionbase.system.rig_senses import ROW, TAKEN, Sensed

LEGS = 6
REPEAT = 500  # cycles of the rig after which an order of the automatic operator that changed nothing is given again


class Told(Struct):
    """What the process of a rig is told in every tick."""

    wanted: Wanted = q(of=Wanted)
    order: Expr = q("-", text="a number of `Order`")
    number: Expr = q("-", text="of the order; it counts when this changes")
    measured: Expr = q("s", text="time of the measurement that the law used, on the clock of the rig's process")


GO = 2 + Told.layout.starts["wanted"] + Wanted.layout.starts["go"]  # in a row, behind tick and time
ON = Sensed.layout.starts["on"]
BLOCKS = Blocks(MAGIC, len(RIG), Told.layout.size)


def _told(tick: Expr, t: Expr, wanted: Wanted, asked: Expr, row: Expr) -> Expr:
    return ca.vertcat(tick, t, wanted.column, asked, row[RIG_PLACES["rig_measured"]])


TELL = Kernel(
    "tell_rig",
    (Port("tick"), Port("t", (), "s"), WANTED, Port("asked", 2), ROW),
    (Port("told", 2 + Told.layout.size),),
    _told,
)


@final
@dataclass(frozen=True, eq=False)
class RigLink:
    """The loop's link to a rig.

    Attributes:
        tell: compiled before there is a ring
        exchange: made by this process
    """

    tell: Compiled
    exchange: Exchange

    @staticmethod
    def code() -> Compiled:
        """What takes time to make."""
        return compile(TELL)

    @staticmethod
    def made(backend: AbstractBackend, tell: Compiled, beside: ExitStack) -> RigLink:
        """With a new exchange, which ends with the base."""
        return RigLink(tell, beside.enter_context(Exchange.made(backend, BLOCKS, names.RIG)))

    @cached_property
    def order(self) -> Array:
        """(2,) the operator's last order, and its number."""
        return np.zeros(2)

    @cached_property
    def _led(self) -> Array:
        """(1,) cycles of the rig when the automatic operator gave its last order."""
        return np.zeros(1)

    @property
    def row(self) -> Array:
        """What the rig told last, in the order of `record.rig.RIG`."""
        return self.exchange.answers.row[1:]

    @property
    def inputs(self) -> dict[str, Array]:
        """Arrays for the loop's inputs, by port."""
        return {ROW.name: self.row, TAKEN.name: self.exchange.answers.taken.reshape(())}

    def channels(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """Arrays for the record, by the first channel of each."""
        return {**by_group(RIG, self.row), RIG_AGE.name: arrays[RIG_AGE.name].reshape(1)}

    @property
    def hearing(self) -> tuple[Job, ...]:
        """Before the loop's step."""
        return (Job("rig", 1, self.exchange.answers.taking()),)

    def telling(self, arrays: Mapping[str, Array], clock: Clock) -> tuple[Job, ...]:
        """After the loop's step."""
        box = self.exchange.states
        given: dict[str, Any] = {WANTED.name: arrays[WANTED.name]}
        given |= {"tick": clock.tick.reshape(()), "t": clock.t.reshape(()), "asked": self.order, ROW.name: self.row}
        told = native_job(self.tell, told=box.row, **given)
        return Job("legs told", 1, told), Job("tell rig", 1, box.sending())

    def rest(self) -> None:
        """After the last tick: legs follow no longer."""
        self.exchange.states.row[GO] = 0.0
        self.exchange.states.sending()()

    # ---- for the operator ----

    def refusal(self, order: Order, state: State) -> Reason:
        """Why an order would be refused now; legs are switched on, homed and off only while the base is at rest."""
        if state not in QUIET:
            return Reason.WRONG_STATE
        if order is Order.DISABLE:
            return Reason.NONE
        if not self.exchange.answers.taken[0]:  # a rig speaks when its overseer is there, and heeds orders from then on
            return Reason.LEGS_NOT_READY
        if self.is_faulty:
            return Reason.FAULT_ACTIVE
        wanted = LegState.OFF if order is Order.ENABLE else LegState.UNHOMED
        return Reason.NONE if self.legs_are(wanted) else Reason.WRONG_LEGS

    @staticmethod
    def has_power(arrays: Mapping[str, Array]) -> bool:
        """Whether the law may start to move."""
        return bool(arrays["sensed"][ON])

    def lead(self, arrays: Mapping[str, Array]) -> None:
        """What an automatic operator does with a simulated machine: switch on, home, lower what stands aloft."""
        if self.is_faulty or float(arrays["state"]) not in QUIET or self.exchange.answers.taken[0] == 0:
            return
        cycles = float(self.row[RIG_PLACES["rig_cycles"]])
        # an order that changes nothing, because a device did not answer at that moment, is given again
        is_void = not self.row[RIG_PLACES["power_fault"]] and abs(cycles - self._led[0]) > REPEAT
        if self.legs_are(LegState.OFF) and (self.order[0] != Order.ENABLE or is_void):
            self._lead(Order.ENABLE, cycles)
        elif self.legs_are(LegState.UNHOMED) and (self.order[0] != Order.HOME or is_void):
            self._lead(Order.HOME, cycles)
        elif self.legs_are(LegState.READY) and float(arrays["state"]) == State.OFF:
            arrays["asked"][...] = float(Request.LOWER)  # heard where they stand aloft; where they are down, DOWN is

    def _lead(self, order: Order, cycles: float) -> None:
        self.give(order)
        self._led[0] = cycles

    def give(self, order: Order) -> None:
        """Pass an order on."""
        self.order[0] = float(order)
        self.order[1] += 1.0

    def legs_are(self, state: LegState) -> bool:
        """Whether all legs are in this state."""
        return bool((self._six("rig_state") == state).all())

    @property
    def is_faulty(self) -> bool:
        """Whether a leg has a fault; a row that holds something else there counts as one."""
        return bool((self._six("rig_fault") != RigFault.NONE).any())

    def _six(self, name: str) -> Array:
        first = RIG_PLACES[f"leg1_{name}"]
        return self.row[first : first + LEGS]
