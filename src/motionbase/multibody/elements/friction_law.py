"""Elastoplastic friction: a bristle that holds below a break-away deflection and slips above it, without drift.

Modified LuGre law of Dupont, Hayward, Armstrong and Altpeter (2002), in the form of MBDyn's friction.cc.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_number, checked_positive
from motionbase.spatial.rotations import Expr

# sin(x) / x as a polynomial in x^2, by interpolation at Chebyshev points on 0 .. pi/2: within 3e-11
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
        coulomb: force of steady fast sliding, without the viscous part [N]
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
        self.check("friction", "N", "m")

    @classmethod
    def of(cls, values: Sequence[Any]) -> Friction:
        """A law with expressions in place of numbers, in the order above; they are not checked."""
        law = object.__new__(cls)
        for name, value in zip(cls.__dataclass_fields__, values, strict=True):
            object.__setattr__(law, name, value)
        return law

    def check(self, owner: str, force: str, way: str) -> None:
        """Numbers that make a law; `force` and `way` are the units of both."""
        checked_positive(owner, "coulomb", self.coulomb, force)
        checked_number(owner, "static", self.static, force)
        checked_positive(owner, "stribeck", self.stribeck, f"{way}/s")
        checked_positive(owner, "sigma0", self.sigma0, f"{force}/{way}")
        checked_number(owner, "sigma1", self.sigma1, f"{force} s/{way}", least=0.0)
        checked_number(owner, "sigma2", self.sigma2, f"{force} s/{way}", least=0.0)
        checked_number(owner, "kappa", self.kappa, "", least=0.0)
        if self.static < self.coulomb:
            raise ModelError(
                f"{owner}: static {self.static:g} {force} is below coulomb {self.coulomb:g} {force}; it must be at "
                "least that"
            )
        if self.kappa >= 1.0:
            raise ModelError(f"{owner}: kappa is {self.kappa:g}, it must be below 1")


def sliding_force(friction: Friction, v: Expr) -> Expr:
    """f_s: magnitude of the force in steady sliding at speed v, without the viscous part [N]."""
    return friction.coulomb + (friction.static - friction.coulomb) * ca.exp(-((v * (1 / friction.stribeck)) ** 2))


def slipping(friction: Friction, y: Expr) -> Expr:
    """alpha: 0 while the bristle only bends, 1 while it only slips.

    Args:
        y: z / z_ss, deflection along the motion over that of steady sliding; negative after a reversal
    """
    kappa = friction.kappa
    x = (math.pi / 2 / (1 - kappa)) * ca.fmin(ca.fmax(y - kappa, 0), 1 - kappa)
    t = x * x
    t2 = t * t
    c = SINE
    sine = (c[0] + c[1] * t) + t2 * ((c[2] + c[3] * t) + t2 * (c[4] + c[5] * t))  # in pairs: a shorter dependency chain
    return t * (sine * sine)  # (1 - cos 2x) / 2, and exactly 0 below break-away


def bristle_rate(friction: Friction, z: Expr, v: Expr, f_s: Expr | None = None, *, drifting: bool = False) -> Expr:
    """dz/dt [m/s].

    Args:
        f_s: replaces `sliding_force`, if a brake adds to it
        drifting: LuGre's law, which slips at every load, for comparison
    """
    f_s = sliding_force(friction, v) if f_s is None else f_s
    y = direction(v) * z * friction.sigma0 / f_s
    return v * (1 - (y if drifting else slipping(friction, y) * y))


def friction_force(friction: Friction, z: Expr, v: Expr, f_s: Expr | None = None) -> Expr:
    """Friction force against the motion: positive for v > 0 in steady sliding [N]."""
    return friction.sigma0 * z + friction.sigma1 * bristle_rate(friction, z, v, f_s) + friction.sigma2 * v


def direction(v: Expr) -> Expr:
    """1 for v >= 0, else -1."""
    return ca.if_else(v < 0, -1, 1)
