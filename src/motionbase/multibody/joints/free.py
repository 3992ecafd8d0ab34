"""No joint at all: a free body; position and unit quaternion, speeds in the body frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.multibody.joints.abstract import AbstractMotion, JointMotion
from motionbase.spatial import R_quaternion, Transform, quaternion_rate
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class Free(AbstractMotion):
    """q = (p_jc_j [m], Q_jc), v = (omega_jc_c [rad/s], velocity of the child's origin in the child frame [m/s])."""

    @property
    def nq(self) -> int:
        """Three for position, four for the quaternion."""
        return 7

    @property
    def nv(self) -> int:
        """Three angular, three linear."""
        return 6

    @property
    def units(self) -> tuple[str, ...]:
        """Angles first, as in every spatial vector."""
        return ("rad",) * 3 + ("m",) * 3

    @property
    def neutral(self) -> tuple[float, ...]:
        """At the joint frame."""
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    def motion(self, q: Expr, v: Expr) -> JointMotion:
        """Every motion is permitted; the subspace is the identity."""
        return JointMotion(Transform(R_quaternion(q[3:]), q[:3]), ca.DM.eye(6), v, ca.SX(6, 1))

    def rate(self, q: Expr, v: Expr) -> Expr:
        """p_dot = R v, Q_dot = Q (0, omega) / 2."""
        return ca.vertcat(R_quaternion(q[3:]) @ v[3:], quaternion_rate(q[3:], v[:3]))
