"""Leg with an on/off 5/3 valve: one speed up, one speed down, or hold; the opening time determines the position.

    command  ->  current of a solenoid (`delay`)  ->  spool (`switching`)  ->  constant flow, less what a throttle keeps

When the command ends, the cylinder coasts: the current must die away and the spool return to its middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.actuators.limits import limited
from motionbase.compile import Kernel, Port, Struct, q
from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr

SPEED = 12 * 0.0254 / 1.6  # [m/s] of a published rig: twelve inches in about 1.6 s
FULL = 1 - 1e-6  # of a solenoid's current: it rises in steps whose sum may be rounded
H = Port("h", (), "s", "step")
U = Port("u", (), "-", "-1 retract, 0 hold, 1 extend")


@final
@dataclass(frozen=True)
class OnOffActuator:
    """A cylinder whose valve has three positions; the supply's flow is constant, and so is the speed.

    The default speed is that of a published rig. Its delay, switching time and dead band are unpublished; the defaults
    are illustrative.

    Attributes:
        speed: nominal speed of extension and retraction with the valve open [m/s]
        stroke: stroke [m]
        delay: time until a solenoid pulls in or lets go [s]
        switching: time that the spool then takes to open or close fully [s]
        throttling: time that a flow-control valve takes to open or close fully, where there is one [s]
        dead_band: error that is not corrected [m]
    """

    speed: float = SPEED
    stroke: float = 12 * 0.0254
    delay: float = 0.0
    switching: float = 0.02
    throttling: float = 0.05
    dead_band: float = 2e-3

    def __post_init__(self) -> None:
        for name, unit in (("speed", "m/s"), ("stroke", "m"), ("switching", "s"), ("throttling", "s")):
            checked_positive("on/off actuator", name, getattr(self, name), unit)
        checked_number("on/off actuator", "delay", self.delay, "s", least=0.0)
        checked_number("on/off actuator", "dead_band", self.dead_band, "m", least=0.0)
        if self.dead_band >= self.stroke:
            raise ModelError(
                f"on/off actuator: dead_band {self.dead_band:g} m must be below the stroke {self.stroke:g} m"
            )


class OnOffLeg(Struct):
    """State of a cylinder behind an on/off valve."""

    current: Expr = q("-", text="of the solenoids, -1 to 1")
    pulled: Expr = q("-", text="solenoid that holds the spool: -1 retract, 0 none, 1 extend")
    opening: Expr = q("-", text="of the valve, -1 to 1")
    throttle: Expr = q("-", text="opening of the flow-control valve; 1 without one", start=1.0)
    s: Expr = q("m", text="extension")


class Pace(Struct):
    """Speeds of a cylinder with its valve open."""

    up: Expr = q("m/s", text="of extension", start=SPEED)
    down: Expr = q("m/s", text="of retraction", start=SPEED)


def travel_time(actuator: OnOffActuator, error: Expr) -> Expr:
    """Opening time of the valve [s], with the sign of the direction; 0 within the dead band."""
    return ca.if_else(ca.fabs(error) > actuator.dead_band, error * (1 / actuator.speed), 0)


def run_down(h: Expr, left: Expr) -> tuple[Expr, Expr]:
    """Opening time left after a step, and the valve's command in it: shut when less than half a step remains."""
    u = ca.if_else(ca.fabs(left) >= 0.5 * h, ca.sign(left), 0)
    return left - h * u, u


def moved(actuator: OnOffActuator, h: Expr, x: OnOffLeg, pace: Pace, u: Expr, throttle: Expr = 1.0) -> OnOffLeg:
    """The leg after a step with a command: -1 retract, 0 hold, 1 extend; limited by the ends of the cylinder."""
    wanted = ca.if_else(u > 0.5, 1, ca.if_else(u < -0.5, -1, 0))
    current = x.current + limited(wanted - x.current, h / actuator.delay) if actuator.delay else wanted
    holds = ca.logic_and(x.pulled * current > 1 - FULL, ca.fabs(current) < FULL)  # until the current has died away
    pulled = ca.if_else(holds, x.pulled, ca.if_else(ca.fabs(current) >= FULL, ca.sign(current), 0))
    opening = x.opening + limited(pulled - x.opening, h * (1 / actuator.switching))
    throttled = x.throttle + limited(throttle - x.throttle, h * (1 / actuator.throttling))
    mean = 0.5 * (open_speed(pace, x.opening) * x.throttle + open_speed(pace, opening) * throttled)
    s = ca.fmin(ca.fmax(x.s + h * mean, 0), actuator.stroke)
    return OnOffLeg(current, pulled, opening, throttled, s)


def open_speed(pace: Pace, opening: Expr) -> Expr:
    """Speed at an opening without a throttle [m/s]."""
    return opening * ca.if_else(opening > 0, pace.up, pace.down)


def onoff_pulse(actuator: OnOffActuator) -> Kernel:
    """(h, pulse, s_cmd, s_meas, renew) -> (pulse_next, u): time-proportioned control.

    If `renew` is 1, the remaining opening time becomes the travel time of the measured error; it runs down in between.
    """

    def expr(h: Expr, pulse: Expr, s_cmd: Expr, s_meas: Expr, renew: Expr) -> tuple[Expr, Expr]:
        target = ca.fmin(ca.fmax(s_cmd, 0), actuator.stroke)
        return run_down(h, ca.if_else(renew > 0.5, travel_time(actuator, target - s_meas), pulse))

    inputs = (
        H,
        Port("pulse", (), "s", "time still to be open; the sign is the direction"),
        Port("s_cmd", (), "m", "commanded extension"),
        Port("s_meas", (), "m", "measured extension"),
        Port("renew", (), "-", "1 where a new command or measurement counts"),
    )
    outputs = (Port("pulse_next", (), "s"), U)
    return Kernel("onoff_pulse", inputs, outputs, expr, "how long an on/off valve stays open")


def onoff_step(actuator: OnOffActuator) -> Kernel:
    """(h, leg, pace, u, throttle) -> (leg_next, s_dot): a cylinder behind its valve over one step."""

    def expr(h: Expr, leg: OnOffLeg, pace: Pace, u: Expr, throttle: Expr) -> tuple[OnOffLeg, Expr]:
        after = moved(actuator, h, leg, pace, u, throttle)
        return after, (after.s - leg.s) / h

    throttle = Port("throttle", (), "-", "command of the flow-control valve, 0 to 1; 1 without one")
    inputs = (H, OnOffLeg.port("leg"), Pace.port("pace"), U, throttle)
    outputs = (OnOffLeg.port("leg_next"), Port("s_dot", (), "m/s", "mean of the step"))
    return Kernel("onoff_step", inputs, outputs, expr, "a cylinder behind an on/off valve over one step")
