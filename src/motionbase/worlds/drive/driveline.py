"""Engine, converter and differential as expressions: torques on the driven wheels.

The converter's capacity is piecewise linear in the ratio of speeds nu = turbine / engine: T = K w^2 g, where g is 1 up
to nu = 0.7 and falls to 0 at 1, and its torque ratio falls linearly from the stall ratio to 1 at nu = 0.85. Measured
converters have about this form (Kotwicki 1982, SAE 820393); the numbers are illustrative.
"""

from __future__ import annotations

import math
from typing import NamedTuple, final

import casadi as ca

from motionbase.spatial.rotations import Expr
from motionbase.worlds.drive.parts import Engine

RPM = math.pi / 30  # [rad/s]
COUPLED, LOCKED_UP = 0.7, 0.85  # ratios of speeds: where the capacity begins to fall, where the torque ratio is 1
OVERRUN = -0.5  # smallest g, when the wheels drive the engine
GOVERNOR = 0.05  # [s/rad] throttle of the idle governor per speed error
CUT = 100 * RPM  # [rad/s] range below the highest speed in which the fuel is cut


@final
class Torques(NamedTuple):
    """Torques of the engine, of the pump of the converter and of its turbine [N m]."""

    engine: Expr
    pump: Expr
    turbine: Expr


def full_torque(engine: Engine, omega: Expr) -> Expr:
    """At full throttle: linear between the points, constant beyond."""
    rpm = omega / RPM
    torque = ca.SX(engine.torque[0])
    for (a, b), (low, high) in zip(_pairs(engine.rpm), _pairs(engine.torque), strict=True):
        torque = torque + (high - low) / (b - a) * (ca.fmin(ca.fmax(rpm, a), b) - a)
    return torque


def _pairs(values: tuple[float, ...]) -> list[tuple[float, float]]:
    return list(zip(values, values[1:], strict=False))


def engine_torque(engine: Engine, omega: Expr, throttle: Expr) -> Expr:
    """Torque at a throttle, with idle governor and speed limiter."""
    idle, most = engine.idle * RPM, engine.most * RPM
    drag = engine.drag * (0.3 + 0.7 * omega / most)
    fuel = ca.fmin(ca.fmax(throttle, GOVERNOR * (idle - omega) + _idling(engine)), 1.0)
    fuel = ca.fmax(fuel, 0.0) * ca.fmin(ca.fmax((most - omega) / CUT, 0.0), 1.0)
    return fuel * (full_torque(engine, omega) + drag) - drag


def _idling(engine: Engine) -> float:
    """Throttle at which the engine idles without load."""
    drag = engine.drag * (0.3 + 0.7 * engine.idle / engine.most)
    return drag / (engine.torque[0] + drag)


def torques(engine: Engine, omega: Expr, turbine: Expr, throttle: Expr, coupled: Expr) -> Torques:
    """At the speeds of engine and turbine [rad/s].

    Args:
        coupled: share of the torque transmitted: 0 in neutral, below 1 during a shift
    """
    stall = engine.stall * RPM
    at_stall = float(_interpolated(engine, engine.stall))
    K = at_stall / stall**2
    largest = ca.fmax(ca.fmax(omega, turbine), 0.3 * engine.idle * RPM)
    g = ca.fmin(ca.fmax((omega - turbine) / ((1 - COUPLED) * largest), OVERRUN), 1.0)
    pump = coupled * K * largest**2 * g
    nu = ca.fmin(ca.fmax(turbine / largest, 0.0), 1.0)
    gain = 1 + (engine.multiplies - 1) * ca.fmax(1 - nu / LOCKED_UP, 0.0)
    return Torques(engine_torque(engine, omega, throttle), pump, pump * gain)


def _interpolated(engine: Engine, rpm: float) -> float:
    return float(ca.evalf(full_torque(engine, ca.SX(rpm * RPM))))
