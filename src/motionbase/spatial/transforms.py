"""Rigid transforms, and how motions and forces transform (Featherstone 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class Transform:
    """T_ab: takes b coordinates to a.

    Attributes:
        R: (3, 3) R_ab
        p: (3,) position of b's origin in a [m]
    """

    R: Expr
    p: Expr

    def __matmul__(self, other: Transform) -> Transform:
        """T_ac = T_ab @ T_bc."""
        return Transform(self.R @ other.R, self.p + self.R @ other.p)

    def point(self, r_b: Expr) -> Expr:
        """Coordinates in a of a point given in b."""
        return self.p + self.R @ r_b

    def inverse(self) -> Transform:
        """T_ba."""
        return Transform(self.R.T, -(self.R.T @ self.p))

    def motion_to_b(self, m_a: Expr) -> Expr:
        """A motion (omega, v) at a's origin, in a, transformed to b's origin, in b."""
        omega, v = m_a[:3, :], m_a[3:, :]
        return ca.vertcat(self.R.T @ omega, self.R.T @ (v + _cross(omega, self.p)))

    def force_to_a(self, f_b: Expr) -> Expr:
        """A force (moment, force) at b's origin, in b, transformed to a's origin, in a."""
        force = self.R @ f_b[3:, :]
        return ca.vertcat(self.R @ f_b[:3, :] + _cross_left(self.p, force), force)


def _cross(a: Expr, b: Expr) -> Expr:
    """a x b for every column of a."""
    return ca.horzcat(*(ca.cross(a[:, k], b) for k in range(a.shape[1])))


def _cross_left(a: Expr, b: Expr) -> Expr:
    """a x b for every column of b."""
    return ca.horzcat(*(ca.cross(a, b[:, k]) for k in range(b.shape[1])))


def cross_motion(m: Expr, n: Expr) -> Expr:
    """Rate of a motion n that is fixed in a frame moving with m."""
    return ca.vertcat(ca.cross(m[:3], n[:3]), ca.cross(m[:3], n[3:]) + ca.cross(m[3:], n[:3]))


def cross_force(m: Expr, f: Expr) -> Expr:
    """Rate of a force f that is fixed in a frame moving with m."""
    return ca.vertcat(ca.cross(m[:3], f[:3]) + ca.cross(m[3:], f[3:]), ca.cross(m[:3], f[3:]))
