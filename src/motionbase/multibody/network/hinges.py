"""Revolute joints in the axes of their bodies, where most of their directions are constants.

Where a joint's rows are met, its axis stands still in both bodies, its levers are the markers' places, and the bodies
turn relative to each other by one angle. Forces and derivatives written so are exact there, and few: of the joint's
motion only the angle's cosine and sine are in them. Between predictions and the solution rows are met to the method's
error, and their corrections to its square.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.multibody.network.parts import Equations, Moment
from motionbase.spatial.rotations import Expr


class Side(NamedTuple):
    """A body's side of a hinge, in the body's axes: place of the marker, its axes, small changes of the node."""

    r: Expr
    C: Expr
    xi: Expr
    eta: Expr

    @property
    def moved(self) -> Expr:
        """(3,) how far the marker moves, in its own axes."""
        return self.C.T @ (self.xi[:3] + ca.cross(self.xi[3:], self.r))

    @property
    def turned(self) -> Expr:
        """(3,) how far it turns, in its own axes."""
        return self.C.T @ self.xi[3:]


class Hinge(NamedTuple):
    """A revolute joint at one moment, with the small changes of it.

    Attributes:
        a, b: the parent's and the child's side
        gap: (3,) A's origin in B's axes
        tilt: (2,) A's z axis along B's x and y
        c, s: cosine and sine of the angle from A to B
        change: of the angle
        rate: of the angle
    """

    a: Side
    b: Side
    gap: Expr
    tilt: Expr
    c: Expr
    s: Expr
    change: Expr
    rate: Expr

    @classmethod
    def of(cls, at: Moment) -> Hinge:
        """Between two nodes; the markers are the first of the part's numbers."""
        (place_a, place_b), half = at.places, HINGE_NUMBERS // 2
        markers = at.numbers[:half], at.numbers[half:HINGE_NUMBERS]
        a, b = (Side(n[:3], ca.reshape(n[3:], 3, 3).T, *shift) for n, shift in zip(markers, at.shifts, strict=True))
        A, B = place_a.R @ a.C, place_b.R @ b.C
        apart = B.T @ (place_a.x + place_a.R @ a.r - place_b.x) - b.C.T @ b.r
        # the angle does not change with a tilt, to first order
        c, s = 0.5 * (_dot(B, 0, A, 0) + _dot(B, 1, A, 1)), 0.5 * (_dot(B, 0, A, 1) - _dot(B, 1, A, 0))
        turn_a, turn_b = a.turned, b.turned
        gap = apart + from_a(c, s, a.moved) - b.moved
        tilt = ca.vertcat(
            _dot(B, 0, A, 2) + (c * turn_a[1] - s * turn_a[0]) - turn_b[1],
            _dot(B, 1, A, 2) - (s * turn_a[1] + c * turn_a[0]) + turn_b[0],
        )
        change = turn_b[2] - turn_a[2]
        rate = ca.dot(B[:, 2], place_b.omega) - ca.dot(A[:, 2], place_a.omega)
        rate += ca.dot(b.C[:, 2], b.eta[3:]) - ca.dot(a.C[:, 2], a.eta[3:])
        return cls(a, b, gap, tilt, c - s * change, s + c * change, change, rate)

    def angle(self, before: Expr) -> Expr:
        """The angle nearest to `before`: no jump after half a turn."""
        c, s = self.c + self.s * self.change, self.s - self.c * self.change
        near_c, near_s = ca.cos(before), ca.sin(before)
        return before + ca.atan2(s * near_c - c * near_s, c * near_c + s * near_s) + self.change

    def moments(self) -> list[tuple[Expr, Expr]]:
        """(force, moment) on both bodies for a unit moment on the angle, in their axes."""
        nothing = ca.SX(3, 1)
        return [(nothing, -self.a.C[:, 2]), (nothing, self.b.C[:, 2])]


HINGE_NUMBERS = 24


def hinge_equations(at: Moment) -> Equations:
    """A force and two moments hold both bodies together: multipliers of `gap` and `tilt`, in B's axes."""
    hinge = Hinge.of(at)
    (a, b), (c, s) = (hinge.a, hinge.b), (hinge.c, hinge.s)
    (x, y, z), (u, v) = ca.vertsplit(at.own[:3]), ca.vertsplit(at.own[3:])
    on_a, on_b = a.C @ ca.vertcat(c * x - s * y, s * x + c * y, z), -b.C @ at.own[:3]
    hold_a, hold_b = a.C @ ca.vertcat(-s * u - c * v, c * u - s * v, 0), b.C @ ca.vertcat(v, -u, 0)
    wrenches = (on_a, ca.cross(a.r, on_a) + hold_a), (on_b, ca.cross(b.r, on_b) + hold_b)
    return Equations(wrenches, ca.vertcat(hinge.gap, hinge.tilt), local=True)


def from_a(c: Expr, s: Expr, x: Expr) -> Expr:
    """(3,) a vector in A's axes, in B's."""
    return ca.vertcat(c * x[0] + s * x[1], c * x[1] - s * x[0], x[2])


def _dot(X: Expr, i: int, Y: Expr, j: int) -> Expr:
    return ca.dot(X[:, i], Y[:, j])
