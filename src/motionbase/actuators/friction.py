"""Elastoplastic friction: a bristle that holds below a break-away deflection and slips above it, without drift.

Modified LuGre law of Dupont, Hayward, Armstrong and Altpeter (2002), in the form of MBDyn's friction.cc.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr

# sin(x) / x as a polynomial in x^2, by interpolation at Chebyshev's points of 0 .. pi/2: within 3e-11
SINE = (
    0.9999999999829191,
    -0.16666666616815567,
    0.008333330974207583,
    -0.00019840861179319552,
    2.752526981229885e-06,
    -2.3889217773452806e-08,
)


@final
@dataclass(frozen=True)
class Friction:
    """Parameters of one sliding contact.

    Attributes:
        coulomb: force of steady fast sliding, less the viscous part [N]
        static: force of steady sliding at vanishing speed [N], at least `coulomb`
        stribeck: speed over which the force falls from `static` to `coulomb` [m/s]
        sigma0: stiffness of the bristle [N/m]
        sigma1: damping of the bristle [N s/m]
        sigma2: viscous coefficient [N s/m]
        kappa: break-away deflection over steady deflection, 0 <= kappa < 1; below it nothing slips
    """

    coulomb: float
    static: float
    stribeck: float
    sigma0: float
    sigma1: float
    sigma2: float
    kappa: float

    def __post_init__(self) -> None:
        checked_positive("friction", "coulomb", self.coulomb, "N")
        checked_number("friction", "static", self.static, "N")
        checked_positive("friction", "stribeck", self.stribeck, "m/s")
        checked_positive("friction", "sigma0", self.sigma0, "N/m")
        checked_number("friction", "sigma1", self.sigma1, "N s/m", least=0.0)
        checked_number("friction", "sigma2", self.sigma2, "N s/m", least=0.0)
        checked_number("friction", "kappa", self.kappa, "", least=0.0)
        if self.static < self.coulomb:
            raise ModelError(
                f"friction: static {self.static:g} N is below coulomb {self.coulomb:g} N; it must be at least that"
            )
        if self.kappa >= 1.0:
            raise ModelError(f"friction: kappa is {self.kappa:g}, it must be below 1")


def sliding_force(friction: Friction, v: Expr) -> Expr:
    """f_s: magnitude of the force in steady sliding at speed v, less the viscous part [N]."""
    return friction.coulomb + (friction.static - friction.coulomb) * ca.exp(-((v * (1 / friction.stribeck)) ** 2))


def slipping(friction: Friction, y: Expr) -> Expr:
    """alpha: 0 where the bristle only bends, 1 where it only slips.

    Args:
        y: z / z_ss, the deflection along the motion over that of steady sliding; negative after a reversal
    """
    kappa = friction.kappa
    x = (math.pi / 2 / (1 - kappa)) * ca.fmin(ca.fmax(y - kappa, 0), 1 - kappa)
    t = x * x
    t2 = t * t
    c = SINE
    sine = (c[0] + c[1] * t) + t2 * ((c[2] + c[3] * t) + t2 * (c[4] + c[5] * t))  # in pairs: a shorter chain
    return t * (sine * sine)  # (1 - cos 2x) / 2, and exactly 0 below break-away


def bristle_rate(friction: Friction, z: Expr, v: Expr, f_s: Expr | None = None, *, drifting: bool = False) -> Expr:
    """dz/dt [m/s].

    Args:
        f_s: instead of `sliding_force`, where a brake adds to it
        drifting: LuGre's law, which slips at every load, for comparison
    """
    f_s = sliding_force(friction, v) if f_s is None else f_s
    y = direction(v) * z * friction.sigma0 / f_s
    return v * (1 - (y if drifting else slipping(friction, y) * y))


def friction_force(friction: Friction, z: Expr, v: Expr, f_s: Expr | None = None) -> Expr:
    """Against the motion: positive for v > 0 in steady sliding [N]."""
    return friction.sigma0 * z + friction.sigma1 * bristle_rate(friction, z, v, f_s) + friction.sigma2 * v


def direction(v: Expr) -> Expr:
    """1 for v >= 0, else -1."""
    return ca.if_else(v < 0, -1, 1)


class FrictionStep(NamedTuple):
    """What a step gives."""

    z_next: Expr  # [m]
    force: Expr  # at the end of the step, against the motion [N]


def friction_step(
    friction: Friction, z: Expr, dl: Expr, v: Expr, v_next: Expr, hold: Expr = 0, hold_next: Expr = 0
) -> FrictionStep:
    """Bristle and force after a sliding distance dl; stable and within the steady deflection for any distance.

    In y = z / z_ss and the distance x = |dl| / z_ss the law is y' = 1 - alpha(y) y, whatever the speed. Up to
    break-away y' = 1, which is followed exactly; the rest is y' = 1 - a y with a mean of alpha over the distance, by
    the L-stable 1 / (1 + s + s^2/2) for exp(-s). A bristle below the steady deflection never passes it, so neither does
    the step. Second order, and exact in both limits: no slip, and a step much longer than z_ss. (Between them, while
    f_s changes, the part of the force with sigma1 is of first order: alpha is taken at the mean f_s.)

    Args:
        dl: signed distance [m]
        v: mean speed of the step [m/s]
        v_next: speed at its end [m/s]
        hold, hold_next: added to the sliding force, in the mean and at the end, as by a brake [N]
    """
    drop = friction.static - friction.coulomb
    per_stribeck = 1 / friction.stribeck
    falling = ca.exp(-((v * per_stribeck) ** 2))
    falling_next = falling * (1 - 2 * per_stribeck**2 * v * (v_next - v))  # by its slope: one exponential is enough
    f_s = friction.coulomb + hold + drop * falling
    f_s_next = friction.coulomb + hold_next + drop * ca.fmin(ca.fmax(falling_next, 0), 1)

    forward = direction(dl)
    per_steady = friction.sigma0 / f_s
    y, x = forward * z * per_steady, ca.fabs(dl) * per_steady
    bending = ca.fmin(x, ca.fmax(friction.kappa - y, 0))
    y, x = y + bending, x - bending
    a = slipping(friction, y)
    a_next = a + (slipping(friction, y + x) - a) * (1 - a * y)  # between alpha at y and at y + x, for the chain's sake
    s = 0.5 * (a + a_next) * x
    y_next = ca.fmin((y + x * (1 + 0.5 * s)) / (1 + s * (1 + 0.5 * s)), ca.fmax(y, 1))

    # long steps end in steady sliding at the end's speed, short ones are not touched
    settled = ca.fmin(0.25 * s * s, 1)
    a_next = a_next + settled * (1 - a_next)
    change = f_s_next - f_s
    z_next = forward * y_next * (f_s + settled * change) * (1 / friction.sigma0)
    held = forward * direction(v_next) * y_next * (1 - (1 - settled) * change * per_steady * (1 / friction.sigma0))
    z_dot = v_next * (1 - a_next * ca.fmax(held, 0))
    return FrictionStep(z_next, friction.sigma0 * z_next + friction.sigma1 * z_dot + friction.sigma2 * v_next)
