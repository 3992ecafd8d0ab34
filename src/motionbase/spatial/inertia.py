"""Rigid-body inertia: mass, first moment and moment of inertia about a frame's origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.spatial.rotations import Expr, skew
from motionbase.spatial.transforms import Transform


@final
@dataclass(frozen=True)
class RigidInertia:
    """Ten numbers, about the origin of the frame they are given in.

    Attributes:
        m: mass [kg]
        h: (3,) mass times centre of mass [kg m]
        J: (3, 3) moment of inertia about the origin [kg m^2]
    """

    m: Expr
    h: Expr
    J: Expr

    @classmethod
    def of(cls, mass: Expr, com: Expr, about_com: Expr) -> RigidInertia:
        """From the moment of inertia about the centre of mass (Steiner)."""
        S = skew(com)
        return cls(mass, mass * com, about_com - mass * (S @ S))

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.m + other.m, self.h + other.h, self.J + other.J)

    def moved_to_a(self, T_ab: Transform) -> RigidInertia:
        """The inertia, given in b, about a's origin and in a."""
        R, p = T_ab.R, T_ab.p
        h = R @ self.h
        Sp, Sh = skew(p), skew(h)
        cross = Sp @ Sh
        return RigidInertia(self.m, h + self.m * p, R @ self.J @ R.T - cross - cross.T - self.m * (Sp @ Sp))

    def times(self, m: Expr) -> Expr:
        """Momentum (or force) of a motion (or acceleration): I m, column by column."""
        columns = []
        for k in range(m.shape[1]):
            omega, v = m[:3, k], m[3:, k]
            moment = self.J @ omega + ca.cross(self.h, v)
            columns.append(ca.vertcat(moment, self.m * v + ca.cross(omega, self.h)))
        return ca.horzcat(*columns)
