"""Leg with an on/off 5/3 valve: one speed up, one speed down, or hold; the opening time determines the position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.actuators.limits import limited
from motionbase.compile import Kernel, Port
from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr

H = Port("h", (), "s", "step")


@final
@dataclass(frozen=True)
class OnOffActuator:
    """A cylinder whose valve has three positions; the supply's flow is constant, and so is the speed.

    The default speed is that of a published rig: twelve inches in about 1.6 s. Switching time and dead band of such a
    rig are unpublished; the defaults are illustrative.

    Attributes:
        speed: speed of extension and retraction with the valve open [m/s]
        stroke: stroke [m]
        switching: time that the valve takes to open or close fully [s]
        dead_band: error that is not corrected [m]
    """

    speed: float = 12 * 0.0254 / 1.6
    stroke: float = 12 * 0.0254
    switching: float = 0.02
    dead_band: float = 2e-3

    def __post_init__(self) -> None:
        checked_positive("on/off actuator", "speed", self.speed, "m/s")
        checked_positive("on/off actuator", "stroke", self.stroke, "m")
        checked_positive("on/off actuator", "switching", self.switching, "s")
        checked_number("on/off actuator", "dead_band", self.dead_band, "m", least=0.0)
        if self.dead_band >= self.stroke:
            raise ModelError(
                f"on/off actuator: dead_band {self.dead_band:g} m must be below the stroke {self.stroke:g} m"
            )


def travel_time(actuator: OnOffActuator, error: Expr) -> Expr:
    """Opening time of the valve [s], with the sign of the direction; 0 within the dead band."""
    return ca.if_else(ca.fabs(error) > actuator.dead_band, error * (1 / actuator.speed), 0)


def onoff_pulse(actuator: OnOffActuator) -> Kernel:
    """(h, pulse, s_cmd, s_meas, renew) -> (pulse_next, u): time-proportioned control.

    If `renew` is 1, the remaining opening time becomes the travel time of the measured error; it runs down in between,
    and the valve closes when less than half a step remains.
    """

    def expr(h: Expr, pulse: Expr, s_cmd: Expr, s_meas: Expr, renew: Expr) -> tuple[Expr, Expr]:
        target = ca.fmin(ca.fmax(s_cmd, 0), actuator.stroke)
        left = ca.if_else(renew > 0.5, travel_time(actuator, target - s_meas), pulse)
        u = ca.if_else(ca.fabs(left) >= 0.5 * h, ca.sign(left), 0)
        return left - h * u, u

    inputs = (
        H,
        Port("pulse", (), "s", "time still to be open; the sign is the direction"),
        Port("s_cmd", (), "m", "commanded extension"),
        Port("s_meas", (), "m", "measured extension"),
        Port("renew", (), "-", "1 where a new command or measurement counts"),
    )
    outputs = (Port("pulse_next", (), "s"), Port("u", (), "-", "-1 retract, 0 hold, 1 extend"))
    return Kernel("onoff_pulse", inputs, outputs, expr, "how long an on/off valve stays open")


def onoff_step(actuator: OnOffActuator) -> Kernel:
    """(h, opening, s, u) -> (opening_next, s_next, s_dot): extension of the cylinder, limited by its ends."""

    def expr(h: Expr, opening: Expr, s: Expr, u: Expr) -> tuple[Expr, Expr, Expr]:
        place = ca.if_else(u > 0.5, 1, ca.if_else(u < -0.5, -1, 0))
        reach = h * (1 / actuator.switching)
        opening_next = opening + limited(place - opening, reach)
        s_free = s + 0.5 * h * actuator.speed * (opening + opening_next)
        s_next = ca.fmin(ca.fmax(s_free, 0), actuator.stroke)
        return opening_next, s_next, (s_next - s) / h

    inputs = (
        H,
        Port("opening", (), "-", "of the valve, -1 to 1"),
        Port("s", (), "m", "extension"),
        Port("u", (), "-", "-1 retract, 0 hold, 1 extend"),
    )
    outputs = (Port("opening_next", (), "-"), Port("s_next", (), "m"), Port("s_dot", (), "m/s", "mean of the step"))
    return Kernel("onoff_step", inputs, outputs, expr, "a cylinder behind an on/off valve over one step")
