"""Closed forms of a hydraulic leg: speeds, stall force, oil spring, and the valve-to-leg transfer for control."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.actuators.cushion import LegStroke
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.errors import ModelError, told_apart


def stall_force(actuator: HydraulicActuator, extending: bool) -> float:
    """Leg force at rest with the valve open [N], positive in extension: the full drop acts on the piston."""
    a, b, high, low = actuator.area_cap, actuator.area_rod, actuator.p_supply, actuator.p_return
    return a * high - b * low if extending else a * low - b * high


def steady_speed(actuator: HydraulicActuator, spool: float, force: float = 0.0) -> float:
    """Leg speed with a fixed spool while the leg pushes with `force` [m/s]; no leakage, no friction.

    Both edges carry the piston's displacement: A_in p_in - A_out p_out falls by (A_cap^3 + A_rod^3) (v / (k a))^2.
    """
    return _edge_speed(actuator, spool, force) * _opening(actuator, spool) * math.copysign(1.0, spool)


def no_load_speed(actuator: HydraulicActuator, extending: bool = True) -> float:
    """Speed with a fully open valve and no force on the leg [m/s]; negative when retracting."""
    return steady_speed(actuator, 1.0 if extending else -1.0)


def _opening(actuator: HydraulicActuator, spool: float) -> float:
    return max(abs(spool) - actuator.lap, 0.0) / (1 - actuator.lap)


def _edge_speed(actuator: HydraulicActuator, spool: float, force: float) -> float:
    """Leg speed per unit of opening [m/s]."""
    extending = spool >= 0
    surplus = (stall_force(actuator, extending) - force) * (1 if extending else -1)
    if surplus <= 0:
        way, limit = ("extension", "below") if extending else ("retraction", "above")
        stall = stall_force(actuator, extending)
        raise ModelError(f"hydraulic leg: a force of {force:g} N must be {limit} the stall force {stall:g} N of {way}")
    return actuator.flow_gain * math.sqrt(surplus / (actuator.area_cap**3 + actuator.area_rod**3))


def oil_volumes(actuator: HydraulicActuator, stroke: LegStroke, l: float) -> tuple[float, float]:
    """Oil volumes of the cap and the rod chamber [m^3]."""
    if not stroke.hard_min <= l <= stroke.hard_max:
        long, least, most = told_apart(l, stroke.hard_min, stroke.hard_max)
        raise ModelError(f"hydraulic leg: l is {long} m, outside the stroke of {least} to {most} m")
    return (
        actuator.volume_cap + actuator.area_cap * (l - stroke.hard_min),
        actuator.volume_rod + actuator.area_rod * (stroke.hard_max - l),
    )


def oil_stiffness(actuator: HydraulicActuator, stroke: LegStroke, l: float) -> float:
    """Stiffness of the leg at length l with both chambers closed [N/m]."""
    cap, rod = oil_volumes(actuator, stroke, l)
    cap_part, rod_part = actuator.area_cap**2 / cap, actuator.area_rod**2 / rod
    return actuator.bulk_modulus * (cap_part + rod_part)


def oil_frequency(actuator: HydraulicActuator, stroke: LegStroke, l: float, mass: float) -> float:
    """Natural frequency of a mass on the leg with both chambers closed [rad/s]."""
    return math.sqrt(oil_stiffness(actuator, stroke, l) / mass)


def softest_length(actuator: HydraulicActuator, stroke: LegStroke) -> float:
    """Leg length at which the oil spring is softest [m]: V_cap / V_rod = (A_cap / A_rod)^1.5, or an end."""
    a, b = actuator.area_cap, actuator.area_rod
    share = float((a / b) ** 1.5)
    length = stroke.hard_max - stroke.hard_min
    extension = (share * (actuator.volume_rod + b * length) - actuator.volume_cap) / (a + share * b)
    return stroke.hard_min + min(max(extension, 0.0), length)


@final
@dataclass(frozen=True)
class LinearLeg:
    """A leg that carries a mass, linearised about steady motion: v = K_v / (1 + 2 ratio s/w + (s/w)^2) opening.

    Attributes:
        l_dot: speed of the steady motion [m/s]
        p_cap, p_rod: pressures there [Pa]
        flow_gain_cap, flow_gain_rod: K_q of the chambers: flow into the cap, out of the rod side, per spool [m^3/s]
        flow_pressure_cap, flow_pressure_rod: K_c: flow lost per Pa [m^3/(s Pa)]
        velocity_gain: K_v, leg speed per spool [m/s]
        stiffness: stiffness of the oil spring [N/m]
        frequency: w [rad/s]
        damping: damping ratio, to first order in the losses
        A, B: x_dot = A x + B u with x = spool, spool_rate, p_cap, p_rod, l, l_dot, exact for these equations
    """

    l_dot: float
    p_cap: float
    p_rod: float
    flow_gain_cap: float
    flow_gain_rod: float
    flow_pressure_cap: float
    flow_pressure_rod: float
    velocity_gain: float
    stiffness: float
    frequency: float
    damping: float
    A: Array
    B: Array


def linear_leg(
    actuator: HydraulicActuator, stroke: LegStroke, l: float, mass: float, spool: float = 0.0, force: float = 0.0
) -> LinearLeg:
    """Linearise valve to leg about a spool position and leg force, away from cushions; leakage does not shift it.

    Only the viscous part of friction counts. At spool = 0 these are the values for a vanishing extension, without
    damping from the valve: real edges leak there, so the damping is a lower bound.

    Args:
        l: leg length [m]
        mass: mass that the leg carries [kg]
        spool: opening at the operating point
        force: force of the leg at the operating point [N]
    """
    a, b, e = actuator.area_cap, actuator.area_rod, actuator.bulk_modulus
    unit = _edge_speed(actuator, spool, force)
    opening, scale = _opening(actuator, spool), 1 / (1 - actuator.lap)
    drop_cap, drop_rod = ((area * unit / actuator.flow_gain) ** 2 for area in (a, b))
    extending = spool >= 0
    p_cap = actuator.p_supply - drop_cap if extending else actuator.p_return + drop_cap
    p_rod = actuator.p_return + drop_rod if extending else actuator.p_supply - drop_rod
    c_cap, c_rod = (0.5 * opening * area * unit / drop for area, drop in ((a, drop_cap), (b, drop_rod)))

    volume_cap, volume_rod = oil_volumes(actuator, stroke, l)
    stiffness = oil_stiffness(actuator, stroke, l)
    w = math.sqrt(stiffness / mass)
    up, down = e * a / volume_cap, e * b / volume_rod  # pressure change per metre of a leg with closed chambers
    internal, external = actuator.leakage_internal, actuator.leakage_external
    spent = (c_cap + external) * up**2 + (c_rod + external) * down**2 + internal * (up + down) ** 2
    viscous = actuator.friction.sigma2
    damping = spent / (2 * w * stiffness) + viscous / (2 * mass * w)

    A, B = np.zeros((6, 6)), np.zeros(6)
    wv = actuator.valve_frequency
    A[0, 1] = 1
    A[1, :2] = -(wv**2), -2 * actuator.valve_damping * wv
    B[1] = wv**2
    rates = e / volume_cap, e / volume_rod
    gain = unit * scale
    A[2, [0, 2, 3, 5]] = rates[0] * np.array([gain * a, -(c_cap + internal + external), internal, -a])
    A[3, [0, 2, 3, 5]] = rates[1] * np.array([-gain * b, internal, -(c_rod + internal + external), b])
    A[4, 5] = 1
    A[5, [2, 3, 5]] = a / mass, -b / mass, -viscous / mass
    speed = math.copysign(1.0, spool) * unit * opening
    return LinearLeg(speed, p_cap, p_rod, gain * a, gain * b, c_cap, c_rod, gain, stiffness, w, damping, A, B)
