"""Elastoplastic friction: a bristle that holds below a break-away deflection and slips above it, without drift.

Modified LuGre law of Dupont, Hayward, Armstrong and Altpeter (2002), in the form of MBDyn's friction.cc.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr

# sin(x) = x * (polynomial in x^2), to 5e-14 for 0 <= x <= pi/2
SINE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(9))


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
    square = x * x
    sine: Expr = SINE[-1]
    for coefficient in SINE[-2::-1]:
        sine = coefficient + square * sine
    return square * sine * sine  # (1 - cos 2x) / 2, and exactly 0 below break-away


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


def bristle_step(friction: Friction, z: Expr, dl: Expr, f_s: Expr, f_s_next: Expr) -> Expr:
    """z after a sliding distance dl in one step; stable and within the steady deflection for any distance.

    In y = z / z_ss and the distance x = |dl| / z_ss the law is y' = 1 - alpha(y) y, whatever the speed. Up to
    break-away y' = 1, which is followed exactly; the rest is y' = 1 - a y with a mean of alpha over the distance, by
    the L-stable 1 / (1 + s + s^2/2) for exp(-s). A bristle below the steady deflection never passes it, so neither does
    the step. Second order, and exact in both limits: no slip, and a step much longer than z_ss.

    Args:
        dl: signed distance [m]
        f_s: sliding force at the mean speed of the step [N]
        f_s_next: sliding force at the speed of its end [N]
    """
    forward = direction(dl)
    per_steady = friction.sigma0 / f_s
    y, x = forward * z * per_steady, ca.fabs(dl) * per_steady
    bending = ca.fmin(x, ca.fmax(friction.kappa - y, 0))
    y, x = y + bending, x - bending
    a = slipping(friction, y)
    reached = ca.fmax(y + x * (1 - a * y), ca.fmin(y, 1))
    s = 0.5 * (a + slipping(friction, reached)) * x
    inverse = 1 / (1 + s * (1 + 0.5 * s))
    y_next = ca.fmin((y + x * (1 + 0.5 * s)) * inverse, ca.fmax(y, 1))
    settled = 1 - (1 + s) * inverse  # 0 (with s^2) for short steps, 1 for long ones, which end at the end's z_ss
    return forward * y_next * (f_s + settled * (f_s_next - f_s)) * (1 / friction.sigma0)
