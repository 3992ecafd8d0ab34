"""Legs of a hexapod as expressions: directions, lengths and their derivatives, for use in kernels.

Poses are p_W [m] and the unit quaternion Q_WP; velocities v_W [m/s] of P's origin and omega_W [rad/s], both in W.
Pairs are angular first: l_dot = J (omega_W, v_W), and forces f along the legs exert the moment and force J' f on P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from motionbase.platform.hexapod import Hexapod
from motionbase.spatial.rotations import Expr, R_quaternion


@final
@dataclass(frozen=True, eq=False)
class Legs:
    """The legs at a pose; row k is leg k.

    Attributes:
        l: (6, 1) lengths [m]
        u: (6, 3) unit vectors from base to platform joint, in W [-]
        b: (6, 3) from P's origin to the platform joints, in W [m]
    """

    l: Expr
    u: Expr
    b: Expr

    @property
    def J(self) -> Expr:
        """(6, 6) leg Jacobian: rows (b x u, u)."""
        return ca.horzcat(rows_cross(self.b, self.u), self.u)


def rows_cross(a: Expr, b: Expr) -> Expr:
    """(n, 3) cross products of the rows; either may be a single row."""
    return ca.horzcat(
        a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
        a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
        a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
    )


def rows_dot(a: Expr, b: Expr) -> Expr:
    """(n, 1) scalar products of the rows."""
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]


def repeated(row: Expr, n: int = 6) -> Expr:
    """(n, 3) a vector as every row."""
    return ca.repmat(ca.reshape(row, 1, 3), n, 1)


def legs_at(platform: Hexapod, p_W: Expr, Q_WP: Expr) -> Legs:
    """The legs at a pose."""
    b = ca.DM(np.asarray(platform.joints)) @ R_quaternion(Q_WP).T
    d = repeated(p_W) + b - ca.DM(np.asarray(platform.base))
    l = ca.sqrt(rows_dot(d, d))
    return Legs(l, d * ca.repmat(1 / l, 1, 3), b)


def joint_velocities(legs: Legs, omega_W: Expr, v_W: Expr) -> Expr:
    """(6, 3) velocities of the platform joints, in W [m/s]."""
    return repeated(v_W) + rows_cross(repeated(omega_W), legs.b)


def swing(legs: Legs, omega_W: Expr, v_W: Expr) -> tuple[Expr, Expr]:
    """(6, 1) leg rates l_dot [m/s] and (6, 3) rates u_dot of the unit vectors [1/s]."""
    b_dot = joint_velocities(legs, omega_W, v_W)
    l_dot = rows_dot(legs.u, b_dot)
    across = b_dot - legs.u * ca.repmat(l_dot, 1, 3)
    return l_dot, across * ca.repmat(1 / legs.l, 1, 3)


def jacobian_rate(legs: Legs, omega_W: Expr, v_W: Expr) -> Expr:
    """(6, 6) time derivative of the leg Jacobian."""
    _, u_dot = swing(legs, omega_W, v_W)
    turning = rows_cross(rows_cross(repeated(omega_W), legs.b), legs.u) + rows_cross(legs.b, u_dot)
    return ca.horzcat(turning, u_dot)


def leg_accelerations(legs: Legs, omega_W: Expr, v_W: Expr, alpha_W: Expr, a_W: Expr) -> tuple[Expr, Expr]:
    """(6, 1) l_dot [m/s] and l_ddot [m/s^2].

    l_ddot = J (alpha, a) + u . (omega x (omega x b)) + |velocity of the joint perpendicular to u|^2 / l.
    """
    l_dot, u_dot = swing(legs, omega_W, v_W)
    omega = repeated(omega_W)
    b_ddot = repeated(a_W) + rows_cross(repeated(alpha_W), legs.b) + rows_cross(omega, rows_cross(omega, legs.b))
    return l_dot, rows_dot(legs.u, b_ddot) + legs.l * rows_dot(u_dot, u_dot)
