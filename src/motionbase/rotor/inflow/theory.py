"""Inflow: the air that a rotor draws through its disk, from momentum theory to three dynamic states.

All speeds are divided by the tip speed Omega R. `mu` is the speed of the air along the disk, towards the tail; `lam_c`
the speed of the air through the disk without the rotor, positive where it goes the way of the induced flow (a climb, or
a disk tilted forward in flight). Azimuth psi is zero over the tail and counts with the rotation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.errors import unknown
from motionbase.spatial.rotations import Expr

ITERATIONS = 12  # of Newton's method; it gains quadratically from the third on
SMALLEST = 1e-12  # of squared speeds, so that a rotor without thrust in still air has a derivative


class Momentum(NamedTuple):
    """Uniform inflow.

    Attributes:
        lam: induced speed over tip speed
        residual: of the momentum equation in the last iteration; large where there is no steady flow
    """

    lam: Expr
    residual: Expr


def momentum(thrust: Expr, mu: Expr, lam_c: Expr) -> Momentum:
    """Glauert: lam = thrust / (2 sqrt(mu^2 + (lam_c + lam)^2)), by Newton's method on a fixed count.

    In descent between hover and the windmill state, momentum theory has no answer, or several: the wake is a ring of
    vortices. There the iteration is limited to the inflow of hover times two, so what it gives stays finite.

    Args:
        thrust: coefficient T / (rho A (Omega R)^2), of either sign
    """
    size = ca.sqrt(ca.sqrt((thrust / 2) ** 2 + SMALLEST**2))  # inflow of hover
    lam, error = ca.sign(thrust) * size, ca.SX(0)
    for _ in range(ITERATIONS):
        through = lam_c + lam
        speed2 = mu**2 + through**2 + SMALLEST
        speed = ca.sqrt(speed2)
        error = lam - thrust / (2 * speed)
        slope = 1 + thrust * through / (2 * speed2 * speed)
        step = error / ca.if_else(slope < 0.3, 0.3, slope)
        lam = ca.fmin(ca.fmax(lam - step, -2 * size), 2 * size)
    return Momentum(lam, ca.fabs(error))


def skew_tangent(mu: Expr, through: Expr) -> tuple[Expr, Expr]:
    """(tan(chi / 2), cos chi) of the wake's angle from the axis, tan(chi) = mu / |through|, at most 90 degrees."""
    axial = ca.sqrt(through**2 + SMALLEST**2)  # where nothing flows at all, the angle is zero
    length = ca.sqrt(mu**2 + axial**2)
    return ca.fabs(mu) / (length + axial), axial / length


class Gradient(NamedTuple):
    """First harmonics of the inflow over its mean: lam (1 + k_c r cos psi + k_s r sin psi)."""

    k_c: Expr
    k_s: Expr


def _drees(t: Expr, cos: Expr, mu: Expr) -> Gradient:
    sin = ca.sqrt(ca.fmax(1 - cos**2, 0.0))
    # (1 - cos chi) / sin chi = tan(chi / 2); the rest divides by sin chi, which goes with mu: mu^2 / sin chi is mu * V
    return Gradient(4 / 3 * (t - 1.8 * mu**2 / (sin + SMALLEST)), -2 * mu)


# Pitt and Peters' is that of their three states at rest, 15 pi / 32; tables often give 15 pi / 23.
GRADIENTS: dict[str, Callable[[Expr, Expr, Expr], Gradient]] = {
    "uniform": lambda t, cos, mu: Gradient(ca.SX(0), ca.SX(0)),
    "coleman": lambda t, cos, mu: Gradient(t, ca.SX(0)),
    "drees": _drees,
    "white_blake": lambda t, cos, mu: Gradient(math.sqrt(2) * ca.sqrt(ca.fmax(1 - cos**2, 0.0)), ca.SX(0)),
    "howlett": lambda t, cos, mu: Gradient(1 - cos**2, ca.SX(0)),
    "pitt_peters": lambda t, cos, mu: Gradient(15 * math.pi / 32 * t, ca.SX(0)),
}


def gradient(name: str, mu: Expr, through: Expr) -> Gradient:
    """First harmonics by the model of that name, where `through` is all the air through the disk."""
    if name not in GRADIENTS:
        raise unknown("inflow gradient", name, GRADIENTS)
    t, cos = skew_tangent(mu, through)
    return GRADIENTS[name](t, cos, mu)


def delayed(before: Expr, now: Expr, delay: Expr) -> Expr:
    """Inflow that follows momentum theory late: `delay` of the last step's, the rest of this one's."""
    return delay * before + (1 - delay) * now


def ground_effect(height: Expr, radius: float) -> Expr:
    """Cheeseman & Bennett 1955: the inflow falls to 1 - (R / 4h)^2 of its value at the height h of the disk.

    They take h of R / 2 and more; below h = R / 3 the factor of that height holds.
    """
    h = ca.fmax(height, radius / 3)
    return 1 - (radius / (4 * h)) ** 2


class DynamicInflow(Struct):
    """Pitt and Peters' three states: lam_0 + lam_c r cos psi + lam_s r sin psi, over tip speed."""

    lam_0: ca.SX = q("-", text="mean induced inflow")
    lam_c: ca.SX = q("-", text="first harmonic over the tail")
    lam_s: ca.SX = q("-", text="first harmonic over the advancing side")


def dynamic_inflow_rate(state: DynamicInflow, thrust: Expr, roll: Expr, pitch: Expr, mu: Expr, lam_axial: Expr) -> Expr:
    """Derivatives of the states by rotor azimuth, Omega t (Pitt & Peters 1981, with the mass flow of a real rotor).

    M lam' + L^-1 lam = C: apparent masses 8/3pi and 16/45pi, L with the wake's angle. Moments are those of the lift on
    the disk, over rho A (Omega R)^2 R: `roll` = integral of lift times r sin psi, `pitch` = of lift times r cos psi,
    so that lift over the tail draws air there.

    Args:
        lam_axial: air through the disk without the rotor
    """
    through = lam_axial + state.lam_0
    speed = ca.sqrt(mu**2 + through**2 + SMALLEST)
    flow = (mu**2 + through * (through + state.lam_0)) / speed  # of mass, for changes of the states
    flow = ca.fmax(flow, 0.1 * speed)  # descent into the own wake: momentum theory would have a flow backwards
    t, cos = skew_tangent(mu, through)
    # (lam_0, lam_s, lam_c) at rest are [[1/2, 0, -a], [0, b, 0], [a, 0, b cos]] (thrust, roll, pitch), thrust over the
    # speed and moments over the flow; its inverse is written out
    a, b = 15 * math.pi / 64 * t, 4 / (1 + cos)
    determinant = 0.5 * b * cos + a * a
    of_thrust = speed * (b * cos * state.lam_0 + a * state.lam_c) / determinant
    of_pitch = flow * (0.5 * state.lam_c - a * state.lam_0) / determinant
    of_roll = flow * state.lam_s / b
    mean, harmonic = 3 * math.pi / 8, 45 * math.pi / 16
    return ca.vertcat(mean * (thrust - of_thrust), harmonic * (pitch - of_pitch), harmonic * (roll - of_roll))
