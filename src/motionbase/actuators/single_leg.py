"""One leg that carries a mass: the smallest example of how legs and mechanism are stepped alternately."""

from __future__ import annotations

from typing import Any

from motionbase.actuators.common import FORCE, LINES, Going, H, Lines, U, state_port
from motionbase.actuators.cushion import LegStroke
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import STATE, X_DOT, HydraulicState, rates, step
from motionbase.compile import Kernel, Port
from motionbase.spatial.rotations import Expr

MASS = (Port("m", (), "kg", "mass carried"), Port("f_load", (), "N", "further force on the mass, positive up"))
MOTION = (
    Port("l", (), "m", "leg length"),
    Port("l_dot", (), "m/s"),
    Port("l_ddot", (), "m/s^2", "acceleration at the start of the step"),
)


def single_leg_step(actuator: HydraulicActuator, stroke: LegStroke) -> Kernel:
    """Kick, drift, leg, kick: second order, with one evaluation of the leg and of the mechanism per step."""

    def expr(h: Expr, m: Expr, f_load: Expr, x: HydraulicState, *values: Expr) -> Any:
        l, l_dot, l_ddot, u, *lines = values
        half = l_dot + 0.5 * h * l_ddot
        l_next = l + h * half
        leg = step(actuator, stroke, h, x, Going(l, l_next, half + 0.5 * h * l_ddot), u, Lines(*lines))
        l_ddot_next = (leg.f + f_load) / m
        return leg.x_next, l_next, half + 0.5 * h * l_ddot_next, l_ddot_next, leg.f

    outputs = (
        state_port(HydraulicState, "x_next"),
        Port("l_next", (), "m"),
        Port("l_dot_next", (), "m/s"),
        Port("l_ddot_next", (), "m/s^2"),
        FORCE,
    )
    inputs = (H, *MASS, STATE, *MOTION, U, *LINES)
    return Kernel("single_leg_step", inputs, outputs, expr, "a leg that carries a mass over one step")


def single_leg_rates(actuator: HydraulicActuator, stroke: LegStroke) -> Kernel:
    """(m, f_load, x, l, l_dot, u, lines) -> (x_dot, l_ddot, f): the same system, for a reference with tiny steps."""

    def expr(m: Expr, f_load: Expr, x: HydraulicState, l: Expr, l_dot: Expr, u: Expr, *lines: Expr) -> Any:
        x_dot, f, _, _ = rates(actuator, stroke, x, l, l_dot, u, Lines(*lines))
        return x_dot, (f + f_load) / m, f

    outputs = (X_DOT, Port("l_ddot", (), "m/s^2"), FORCE)
    return Kernel("single_leg_rates", (*MASS, STATE, *MOTION[:2], U, *LINES), outputs, expr, "its rates at an instant")
