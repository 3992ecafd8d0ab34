"""What operators ask of a model in real time, what forbids it, and what follows: the same for robots and rotors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.compile.linear import GROWTH_ALARM
from motionbase.executive.model.accept import SHORTER
from motionbase.record.faults import ModelFault, ModelWarningBit
from motionbase.record.states import Request
from motionbase.spatial.rotations import Expr

FRESH_S = 0.1  # [s] that a controller must have answered before it is followed
RESET = 100.0  # beside the numbers of `Request`
TO_SET_POINTS, TO_START, STAY = 0.0, 1.0, 2.0  # aims
AIMS = {Request.DRIVE: TO_SET_POINTS, Request.STANDBY: TO_START, Request.SETTLE: TO_START, Request.FREEZE: STAY}
OPENING = (Request.DRIVE, Request.STANDBY, Request.SETTLE)
CLOSING = (Request.OFF, Request.DOWN, Request.LOWER, Request.ABORT)
GRAVE = (ModelFault.ESTOP, ModelFault.UNSOLVED, ModelFault.OPERATOR_ABORT)  # an operator must reset them


class Memory(Struct):
    """What the law keeps from tick to tick."""

    engaged: ca.SX = q("-", text="0 brakes closed, 1 full torque")
    wanted: ca.SX = q("-", text="1 if an operator wants it to be driven")
    aim: ca.SX = q("-", text="where set points go")
    fault: ca.SX = q("-", text="code of the fault")
    taken: ca.SX = q("-", text="number of the last order taken")
    fresh: ca.SX = q("s", text="how long the controller has been answering")
    stopping: ca.SX = q("-", text="1 from the time brakes begin to close until everything stands")


class Order(Struct):
    """What operators ask for; an order is new if its number is."""

    number: ca.SX = q("-", text="of the order")
    request: ca.SX = q("-", text="of `Request`, or RESET")
    estop: ca.SX = q("-", text="1 while the emergency stop acts")


@final
@dataclass(frozen=True)
class Timing:
    """Of a run.

    Attributes:
        dt: period of a tick [s]
        hold_s: age of the state that torques answer, beyond which the controller counts as silent [s]
        internal: torques come from the law itself
    """

    dt: float
    hold_s: float
    internal: bool


class Decision(NamedTuple):
    """What is done in a tick.

    Attributes:
        age: of the state that the controller's answer is about [s]
        goes: an operator wants the model to be driven, nothing is wrong, and the controller answers
        wanted, aim, fault, fresh: as `Memory` keeps them
    """

    age: Expr
    goes: Expr
    wanted: Expr
    aim: Expr
    fault: Expr
    fresh: Expr


def decision(memory: Memory, order: Order, stop: Expr, unsolved: Expr, ticks_old: Expr, timing: Timing) -> Decision:
    """From what was kept, what operators ask, and how old the controller's answer is [ticks]."""
    request = when(order.number != memory.taken, order.request)
    age = ca.SX(0) if timing.internal else ticks_old * timing.dt
    fresh = when(age <= timing.hold_s, memory.fresh + timing.dt)
    fault = _fault(memory, request, ca.fmax(stop, order.estop), unsolved, fresh)
    wanted = _wanted(memory.wanted, request, fault)
    aim = _aim(memory, request)
    ready = ca.logic_or(memory.engaged > 0, fresh >= (0.0 if timing.internal else FRESH_S))
    goes = ca.logic_and(ca.logic_and(wanted > 0, fault == 0), ready)
    return Decision(age, goes, wanted, aim, fault, fresh)


def warning(cut: Expr, growth: Expr, unsolved: Expr) -> Expr:
    """Bits of `ModelWarningBit`; `cut`: whether what the controller asks was cut to what is allowed."""
    bits = {
        ModelWarningBit.TORQUE_LIMIT: cut,
        ModelWarningBit.GROWTH: growth > GROWTH_ALARM,
        ModelWarningBit.STEP_REPEATED: unsolved > 0,
    }
    return sum((float(bit) * ca.SX(holds) for bit, holds in bits.items()), ca.SX(0))


def when(flag: Expr, value: Expr) -> Expr:
    """The value, or 0."""
    return ca.if_else(flag, value, 0)


def one_of(value: Expr, choices: Sequence[float]) -> Expr:
    """Whether it is one of them."""
    found = ca.SX(0)
    for choice in choices:
        found = ca.logic_or(found, value == float(choice))
    return found


def _fault(memory: Memory, request: Expr, stop: Expr, unsolved: Expr, fresh: Expr) -> Expr:
    """The gravest one; silence of the controller ends by itself, all others by a reset once their cause is gone."""
    silent = float(ModelFault.CONTROLLER_SILENT)
    lost = ca.logic_and(memory.engaged > 0, fresh <= 0)
    still = ca.logic_and(memory.fault == silent, fresh < FRESH_S)
    latched = ca.logic_and(request != RESET, memory.fault != silent)
    causes = (
        (stop > 0, ModelFault.ESTOP),
        (unsolved > SHORTER, ModelFault.UNSOLVED),
        (ca.logic_or(lost, still), ModelFault.CONTROLLER_SILENT),
        (request == float(Request.ABORT), ModelFault.OPERATOR_ABORT),
    )
    none = float(len(ModelFault))
    found = ca.if_else(ca.logic_and(latched, memory.fault > 0), memory.fault, none)
    for flag, fault in causes:
        found = ca.fmin(found, ca.if_else(flag, float(fault), none))
    return when(found < none, found)


def _wanted(wanted: Expr, request: Expr, fault: Expr) -> Expr:
    asked = ca.if_else(one_of(request, OPENING), 1, ca.if_else(one_of(request, CLOSING), 0, wanted))
    return when(ca.logic_not(one_of(fault, GRAVE)), asked)


def _aim(memory: Memory, request: Expr) -> Expr:
    aim = memory.aim
    for asked, to in AIMS.items():
        aim = ca.if_else(request == float(asked), to, aim)
    return aim
