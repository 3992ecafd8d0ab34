"""Servo valve: a second-order spool with limits, and the flow over its edges."""

from __future__ import annotations

import casadi as ca

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.limits import limited, snapped
from motionbase.spatial.rotations import Expr

LAMINAR_DROP = 1e4  # below this drop the flow is nearly linear in the drop instead of a square root [Pa]
STOP_DECAY = 1e5  # rate at which a spool at its stop loses its speed, in the rates [1/s]


def spool_rates(actuator: HydraulicActuator, spool: Expr, rate: Expr, u: Expr) -> tuple[Expr, Expr]:
    """Rates of the spool's position [1/s] and speed [1/s^2]: second order behind u, within valve_rate and the stops."""
    w, ratio = actuator.valve_frequency, actuator.valve_damping
    acceleration = w * w * (limited(u, 1) - spool) - 2 * ratio * w * rate
    at_limit = ca.logic_and(ca.fabs(rate) >= actuator.valve_rate, rate * acceleration > 0)
    at_stop = ca.logic_and(ca.fabs(spool) >= 1, spool * rate > 0)
    moving = ca.if_else(at_stop, 0, limited(rate, actuator.valve_rate))
    return moving, ca.if_else(at_stop, -STOP_DECAY * rate, ca.if_else(at_limit, 0, acceleration))


def spool_step(actuator: HydraulicActuator, h: Expr, spool: Expr, rate: Expr, u: Expr) -> tuple[Expr, Expr]:
    """Position and speed after a step with u held.

    Away from the limits this is the diagonal (2, 2) Pade approximation of the matrix exponential: fourth order, and
    stable for any step. At the rate limit the spool moves exactly valve_rate h; at a stop it loses its speed.
    """
    w, ratio = actuator.valve_frequency, actuator.valve_damping
    trace, det = -2 * ratio * w, w * w
    # by Cayley-Hamilton, M^2 = trace M - det I: numerator and denominator are both c0 I + c1 M
    even, odd = 1 - h * h * (det / 12), h * h * (trace / 12)
    d0, d1, n0, n1 = even, odd - 0.5 * h, even, odd + 0.5 * h
    u = limited(u, 1)
    offset = spool - u
    a = n0 * offset + n1 * rate
    b = n0 * rate + n1 * (trace * rate - det * offset)
    inverse = 1 / (d0 * d0 + d0 * d1 * trace + d1 * d1 * det)
    place = u + inverse * ((d0 + d1 * trace) * a - d1 * b)
    speed = inverse * (d1 * det * a + d0 * b)

    kept, before = limited(speed, actuator.valve_rate), limited(rate, actuator.valve_rate)
    reached = ca.fmin(ca.fmax((kept - before) / (speed - before), 0), 1)  # fraction of the step before the limit
    place = ca.if_else(kept == speed, place, spool + h * (kept + 0.5 * reached * (before - kept)))
    inside = limited(place, 1)
    return snapped(inside), snapped(ca.if_else(inside == place, kept, 0))


def openings(actuator: HydraulicActuator, spool: Expr) -> tuple[Expr, Expr]:
    """Fractions by which the edges that extend and that retract the leg are open; 1 at full stroke."""
    scale = 1 / (1 - actuator.lap)
    return scale * ca.fmax(spool - actuator.lap, 0), scale * ca.fmax(-spool - actuator.lap, 0)


def conductance(actuator: HydraulicActuator, opening: Expr, drop: Expr, restriction: Expr) -> Expr:
    """Flow over an edge and the cushion behind it, divided by the drop across both [m^3/(s Pa)].

    flow = k a sqrt(drop) for drops above LAMINAR_DROP; below, a cubic that joins with the same slope and is nearly
    linear through zero. Never negative, so the flow always follows the pressure drop.
    """
    size = ca.fabs(drop)
    y = ca.fmin(size * (1 / LAMINAR_DROP), 1)
    series = 1 + restriction * opening * opening
    return actuator.flow_gain * opening * (1.25 - 0.25 * y * y) / ca.sqrt(series * ca.fmax(size, LAMINAR_DROP))
