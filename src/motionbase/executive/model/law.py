"""What a tick of a driven model does besides its step, as kernels: brakes, set points, torques.

Torques and brakes hang on one number, `engaged`: 0 with brakes closed and no torque, 1 with brakes open and the full
torque. It rises while an operator wants the model to be driven, nothing is wrong and the controller answers, and falls
otherwise. States are names for where it is and where set points go.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.executive.model.observe import axis_places, driven_axes
from motionbase.executive.model.orders import (
    STAY,
    TO_SET_POINTS,
    TO_START,
    Memory,
    Order,
    Timing,
    decision,
    warning,
)
from motionbase.multibody.manipulator.driven import DrivenModel
from motionbase.record.states import State
from motionbase.spatial.rotations import Expr

ENGAGE_S, FADE_S = 0.5, 0.1  # [s] from brakes closed to full torque, and back
STILL = 1e-3  # [rad/s, m/s] below which a braked joint stands
ARRIVED = 1e-9  # [rad, m] of a set point from where it goes


def command(plant: DrivenModel, timing: Timing) -> Kernel:
    """Orders, answers and the joints' motion -> torques, brakes, states, and rows for the record and the controller."""
    n, joints, at = len(plant.joints), plant.joints, driven_axes(plant)
    axes = len(axis_places(plant.model)[0])
    limits, fastest, start = (ca.DM([getattr(j, what) for j in joints]) for what in ("torque", "speed", "start"))
    parts = list(plant.friction.values())

    def expr(
        memory: Memory, ref: Expr, order: Order, stop: Expr, parameters: Expr, answered: Expr, answer: Expr,
        tick: Expr, t: Expr, positions: Expr, speeds: Expr, unsolved: Expr, growth: Expr,
    ) -> Any:  # fmt: skip
        position, speed = positions[at], speeds[at]
        set_points, kp, kd = (parameters[k * n : (k + 1) * n] for k in range(3))
        friction, control = parameters[3 * n], parameters[3 * n + 1]
        age, goes, wanted, aim, fault, fresh = decision(memory, order, stop, unsolved, tick - answered, timing)
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
        warned = warning(ca.mmax(ca.fabs(wish - cut)) > 0, growth, unsolved)
        active = ca.vertcat(*(f * friction + b * brake for f, b in parts))
        tau = ca.SX(plant.model.nv, 1)
        for k, joint in enumerate(joints):
            tau[joint.at_v] = torque[k]
        refs, torques = ca.SX(positions), ca.SX.zeros(axes)
        for k, axis in enumerate(at):
            refs[axis], torques[axis] = ref_next[k], torque[k]
        sent = ca.vertcat(tick, t, position, speed, ref_next, kp, kd)
        after = Memory(engaged, wanted, aim, fault, order.number, fresh, stopping)
        shown = ca.vertcat(state, fault, warned, ca.fmax(stop, order.estop), brake, friction, age)
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


def _state(engaged: Expr, stopping: Expr, aim: Expr, fault: Expr, far: Expr) -> Expr:
    at_start = ca.if_else(far > ARRIVED, float(State.SETTLING), float(State.STANDBY))
    open_ = ca.if_else(aim == TO_START, at_start, ca.if_else(aim == STAY, float(State.FREEZE), float(State.DRIVE)))
    closed = ca.if_else(fault > 0, float(State.HELD), float(State.OFF))
    moving = ca.if_else(engaged > 0, float(State.ENGAGING), closed)
    return ca.if_else(stopping, float(State.STOPPING), ca.if_else(engaged >= 1, open_, moving))
