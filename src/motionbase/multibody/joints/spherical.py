"""A ball joint: orientation by a unit quaternion, speeds in the child frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.multibody.joints.abstract import AbstractMotion, JointMotion
from motionbase.spatial import R_quaternion, Transform, quaternion_rate
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class Spherical(AbstractMotion):
    """q = Q_jc (wxyz), v = omega_jc_c [rad/s]."""

    @property
    def nq(self) -> int:
        """Four."""
        return 4

    @property
    def nv(self) -> int:
        """Three."""
        return 3

    @property
    def units(self) -> tuple[str, ...]:
        """Angles."""
        return ("rad",) * 3

    @property
    def neutral(self) -> tuple[float, ...]:
        """No rotation."""
        return (1.0, 0.0, 0.0, 0.0)

    def motion(self, q: Expr, v: Expr) -> JointMotion:
        """The subspace is constant in the child frame."""
        S = ca.DM(ca.vertcat(ca.DM.eye(3), ca.DM.zeros(3, 3)))
        return JointMotion(Transform(R_quaternion(q), ca.DM.zeros(3)), S, S @ v, ca.SX(6, 1))

    def rate(self, q: Expr, v: Expr) -> Expr:
        """Q_dot = Q (0, omega) / 2."""
        return quaternion_rate(q, v)
