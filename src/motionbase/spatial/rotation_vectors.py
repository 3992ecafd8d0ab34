"""Rotation vectors of matrices and back, with first and second derivatives that stay exact at zero.

Forces of a beam are first derivatives of its strains, stiffness is a second one, and a straight beam sits exactly at
zero. So everything here is a function of the angle's square, by a series near zero and in closed form elsewhere. A
`root` evaluates such functions in the caller's own way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.spatial.rotations import Expr, skew


@final
@dataclass(frozen=True)
class RootFunction:
    """An even function of x as a function of z = x^2.

    Attributes:
        series: coefficients in z
        bound: below this z the series is used: what it leaves out is less than 1e-16 in the value, 1e-14 in the second
            derivative; above it the closed form loses no more by cancellation
        closed: (z) -> value
    """

    series: tuple[float, ...]
    bound: float
    closed: Callable[[Expr], Expr]

    def __call__(self, z: Expr) -> Expr:
        """The value; neither branch sees an argument at which it could fail."""
        near = z < self.bound
        small, large = ca.if_else(near, z, 0), ca.if_else(near, 1, z)
        total = ca.SX(self.series[-1])
        for coefficient in reversed(self.series[:-1]):
            total = total * small + coefficient
        return ca.if_else(near, total, self.closed(large))

    @property
    def derivative(self) -> RootFunction:
        """By z, term by term: shorter than differentiating the choice between the two."""
        x = ca.SX.sym("x")
        slope = ca.Function("slope", [x], [ca.gradient(self.closed(x), x)])
        return RootFunction(tuple(n * c for n, c in enumerate(self.series))[1:], self.bound, lambda z: slope(z))


SINC = RootFunction(
    tuple((-1) ** n / math.factorial(2 * n + 1) for n in range(10)), 1.0, lambda z: ca.sin(ca.sqrt(z)) / ca.sqrt(z)
)
"""sin(x) / x."""
SINE_REST = RootFunction(
    tuple((-1) ** n / math.factorial(2 * n + 3) for n in range(10)),
    1.0,
    lambda z: (1 - ca.sin(ca.sqrt(z)) / ca.sqrt(z)) / z,
)
"""(x - sin x) / x^3."""
ARCTANGENT = RootFunction(
    tuple((-1) ** n / (2 * n + 1) for n in range(17)), 0.09, lambda z: ca.atan(ca.sqrt(z)) / ca.sqrt(z)
)
"""atan(x) / x."""

Root = Callable[[RootFunction, Expr], Expr]  # (function, z) -> value


def plain(f: RootFunction, z: Expr) -> Expr:
    """The value itself."""
    return f(z)


def half_tangent(R: Expr) -> Expr:
    """(3,) axis times tan(angle / 2) of a rotation matrix; infinite at half a turn."""
    v = ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
    return v / (1 + R[0, 0] + R[1, 1] + R[2, 2])


def half_tangent_rate(h: Expr) -> Expr:
    """(3, 3) G: axis times tan(angle / 2) changes at G omega, omega in the axes from which it turns."""
    return 0.5 * (ca.SX.eye(3) - skew(h) + h @ h.T)


def R_half_tangent(h: Expr) -> Expr:
    """(3, 3) rotation matrix for axis times tan(angle / 2)."""
    S = skew(h)
    return ca.SX.eye(3) + 2 / (1 + ca.sumsqr(h)) * (S + S @ S)


def vector_of_half_tangent(h: Expr, root: Root = plain) -> Expr:
    """(3,) rotation vector [rad] for axis times tan(angle / 2)."""
    return 2 * root(ARCTANGENT, ca.sumsqr(h)) * h


def R_rotation_vector(theta: Expr, root: Root = plain) -> Expr:
    """(3, 3) rotation matrix of a rotation vector [rad]."""
    z, S = ca.sumsqr(theta), skew(theta)
    return ca.SX.eye(3) + root(SINC, z) * S + 0.5 * root(SINC, 0.25 * z) ** 2 * (S @ S)


def rotated_rate(theta: Expr, theta_dot: Expr, root: Root = plain) -> Expr:
    """(3,) angular velocity in the turned frame where a rotation vector changes at theta_dot.

    Along a beam, where theta changes with the station, the same formula gives its curvature.
    """
    z = ca.sumsqr(theta)
    across, half = ca.cross(theta, theta_dot), root(SINC, 0.25 * z)
    return theta_dot - 0.5 * half**2 * across + root(SINE_REST, z) * ca.cross(theta, across)
