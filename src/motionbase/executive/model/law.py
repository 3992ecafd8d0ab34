"""What a tick of a driven model does besides its step, as kernels: brakes, set points, torques, judging the step.

Torques and brakes hang on one number, `engaged`: 0 with brakes closed and no torque, 1 with brakes open and the full
torque. It rises while an operator wants the model to be driven, nothing is wrong and the controller answers, and falls
otherwise. States are names for where it is and where set points go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.compile import Kernel, Port, Struct, q
from motionbase.compile.linear import GROWTH_ALARM
from motionbase.executive.model.observe import axis_places, driven_axes
from motionbase.multibody.manipulator.driven import DrivenModel
from motionbase.multibody.network.solved import is_solved
from motionbase.record.faults import ModelFault, ModelWarningBit
from motionbase.record.states import Request, State
from motionbase.spatial.rotations import Expr

ENGAGE_S, FADE_S = 0.5, 0.1  # [s] from brakes closed to full torque, and back
FRESH_S = 0.1  # [s] that a controller must have answered before brakes open
STILL = 1e-3  # [rad/s, m/s] below which a braked joint stands
ARRIVED = 1e-9  # [rad, m] of a set point from where it goes
SHORTER = 8  # lengths of a step that is tried again, each half of the one before
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


def command(plant: DrivenModel, timing: Timing) -> Kernel:
    """Orders, answers and the joints' motion -> torques, brakes, states, and rows for the record and the controller."""
    n, joints, at = len(plant.joints), plant.joints, driven_axes(plant)
    axes = len(axis_places(plant)[0])
    limits, fastest, start = (ca.DM([getattr(j, what) for j in joints]) for what in ("torque", "speed", "start"))
    parts = list(plant.friction.values())

    def expr(
        memory: Memory, ref: Expr, order: Order, stop: Expr, parameters: Expr, answered: Expr, answer: Expr,
        tick: Expr, t: Expr, positions: Expr, speeds: Expr, unsolved: Expr, growth: Expr,
    ) -> Any:  # fmt: skip
        position, speed = positions[at], speeds[at]
        set_points, kp, kd = (parameters[k * n : (k + 1) * n] for k in range(3))
        friction, control = parameters[3 * n], parameters[3 * n + 1]
        request = _when(order.number != memory.taken, order.request)
        age = ca.SX(0) if timing.internal else (tick - answered) * timing.dt
        fresh = _when(age <= timing.hold_s, memory.fresh + timing.dt)
        fault = _fault(memory, request, ca.fmax(stop, order.estop), unsolved, fresh)
        wanted = _wanted(memory.wanted, request, fault)
        aim = _aim(memory, request)
        ready = ca.logic_or(memory.engaged > 0, fresh >= (0.0 if timing.internal else FRESH_S))
        goes = ca.logic_and(ca.logic_and(wanted > 0, fault == 0), ready)
        change = ca.if_else(goes, timing.dt / ENGAGE_S, -timing.dt / FADE_S)
        engaged = ca.fmin(ca.fmax(memory.engaged + change, 0), 1)
        target = ca.if_else(aim == TO_SET_POINTS, set_points, ca.if_else(aim == TO_START, ca.SX(start), ref))
        step = ca.fmin(ca.fmax(target - ref, -fastest * timing.dt), fastest * timing.dt)
        ref_next = ca.if_else(engaged <= 0, position, ca.if_else(engaged >= 1, ref + step, ref))
        wish = joint_law(ref_next, position, speed, kp, kd) if timing.internal else answer
        cut = ca.fmin(ca.fmax(wish, -limits), limits)
        torque = engaged * control * cut
        brake = 1 - engaged
        far, moves = ca.mmax(ca.fabs(target - ref_next)), ca.mmax(ca.fabs(speed)) > STILL
        stopping = ca.if_else(engaged > 0, ca.logic_not(goes), ca.logic_and(memory.stopping, moves))
        state = _state(engaged, stopping, aim, fault, far)
        bits = {
            ModelWarningBit.TORQUE_LIMIT: ca.mmax(ca.fabs(wish - cut)) > 0,
            ModelWarningBit.GROWTH: growth > GROWTH_ALARM,
            ModelWarningBit.STEP_REPEATED: unsolved > 0,
        }
        warning = sum((float(bit) * ca.SX(holds) for bit, holds in bits.items()), ca.SX(0))
        active = ca.vertcat(*(f * friction + b * brake for f, b in parts))
        tau = ca.SX(plant.model.nv, 1)
        for k, joint in enumerate(joints):
            tau[joint.at_v] = torque[k]
        refs, torques = ca.SX(positions), ca.SX.zeros(axes)
        for k, axis in enumerate(at):
            refs[axis], torques[axis] = ref_next[k], torque[k]
        sent = ca.vertcat(tick, t, position, speed, ref_next, kp, kd)
        after = Memory(engaged, wanted, aim, fault, order.number, fresh, stopping)
        shown = ca.vertcat(state, fault, warning, ca.fmax(stop, order.estop), brake, friction, age)
        return after, ref_next, tau, active, shown, refs, torques, sent

    inputs = (
        Memory.port("memory"), Port("ref", n, "-", "set points followed"), Order.port("order"), Port("stop"),
        Port("parameters", 3 * n + 2), Port("answered"), Port("answer", n), Port("tick"), Port("t"),
        Port("positions", axes), Port("speeds", axes), Port("unsolved"), Port("growth"),
    )  # fmt: skip
    outputs = (
        Memory.port("memory_next"), Port("ref_next", n), Port("tau", plant.model.nv), Port("active", len(parts)),
        Port("shown", len(SHOWN)), Port("refs", axes), Port("torques", axes), Port("sent", 2 + 5 * n),
    )  # fmt: skip
    return Kernel(f"{plant.model.name}_command", inputs, outputs, expr)


SHOWN = ("state", "fault", "warning", "estop", "brake", "friction_scale", "controller_age")


def joint_law(ref: Expr, position: Expr, speed: Expr, kp: Expr, kd: Expr) -> Expr:
    """Torques of the joints' controllers."""
    return kp * (ref - position) - kd * speed


def controller(n: int) -> Kernel:
    """The same law alone, for a process of its own: (position, speed, ref, kp, kd) -> torque."""
    ports = tuple(Port(name, n) for name in ("position", "speed", "ref", "kp", "kd"))

    def expr(position: Expr, speed: Expr, ref: Expr, kp: Expr, kd: Expr) -> Any:
        return joint_law(ref, position, speed, kp, kd)

    return Kernel(f"joint_controller_{n}", ports, (Port("torque", n),), expr)


def _when(flag: Expr, value: Expr) -> Expr:
    return ca.if_else(flag, value, 0)


def _one_of(value: Expr, choices: Sequence[float]) -> Expr:
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
    return _when(found < none, found)


def _wanted(wanted: Expr, request: Expr, fault: Expr) -> Expr:
    asked = ca.if_else(_one_of(request, OPENING), 1, ca.if_else(_one_of(request, CLOSING), 0, wanted))
    return _when(ca.logic_not(_one_of(fault, GRAVE)), asked)


def _aim(memory: Memory, request: Expr) -> Expr:
    aim = memory.aim
    for asked, to in AIMS.items():
        aim = ca.if_else(request == float(asked), to, aim)
    return aim


def _state(engaged: Expr, stopping: Expr, aim: Expr, fault: Expr, far: Expr) -> Expr:
    at_start = ca.if_else(far > ARRIVED, float(State.SETTLING), float(State.STANDBY))
    open_ = ca.if_else(aim == TO_START, at_start, ca.if_else(aim == STAY, float(State.FREEZE), float(State.DRIVE)))
    closed = ca.if_else(fault > 0, float(State.HELD), float(State.OFF))
    moving = ca.if_else(engaged > 0, float(State.ENGAGING), closed)
    return ca.if_else(stopping, float(State.STOPPING), ca.if_else(engaged >= 1, open_, moving))


def accept(states: Sequence[Port], firsts: Sequence[Sequence[float]], weights: Sequence[float]) -> Kernel:
    """A step that was solved is taken; after any other the model stays as it is, and tries again from one state alone.

    Where joints stick and brakes close, a step may have no solution that corrections find; a shorter one has.

    Args:
        states: of the step, without `worst`
        firsts: weights of a step that looks back at one state: of the usual length, and of ever shorter ones
        weights: of every other step
    """

    def expr(*given: Any) -> Any:
        residual, count, unsolved = given[:3]
        before, after = given[3 : 3 + len(states)], given[3 + len(states) :]
        names = [p.name for p in states]
        solved = is_solved(residual, *(dict(zip(names, values, strict=True)) for values in (before, after)))
        kept = [ca.if_else(solved, new, old) for new, old in zip(after, before, strict=True)]
        again = ca.DM(firsts[-1])
        for k in reversed(range(len(firsts) - 1)):
            again = ca.if_else(unsolved <= k, ca.DM(firsts[k]), again)
        short = unsolved > 1  # of the step that was solved now: the next one cannot look back beyond it
        after_this = ca.if_else(short, ca.DM(firsts[0]), ca.DM(weights))
        return (
            *kept,
            count + 1 - solved,
            _when(ca.logic_not(solved), unsolved + 1),
            ca.if_else(solved, after_this, again),
        )

    plain = [Port(p.name, p.shape, p.unit, p.description) for p in states]
    new = [Port(f"{p.name}_next", p.shape) for p in states]
    taken = [Port(f"{p.name}_taken", p.shape) for p in states]
    told = (Port("count_next"), Port("unsolved_next"), Port("weights", len(weights)))
    inputs = (Port("residual"), Port("count"), Port("unsolved"), *plain, *new)
    return Kernel("accept", inputs, (*taken, *told), expr)
