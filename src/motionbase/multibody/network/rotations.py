"""Increments of orientation by Gibbs-Rodrigues parameters g: an axis times 2 tan(angle / 2), in world axes."""

from __future__ import annotations

import casadi as ca

from motionbase.spatial import skew
from motionbase.spatial.rotations import Expr


def R_increment(g: Expr) -> Expr:
    """(3, 3) rotation by g: R_new = R_increment(g) R_old."""
    S = skew(g)
    return ca.SX.eye(3) + 4 / (4 + ca.sumsqr(g)) * (S + 0.5 * (S @ S))


def omega_of_rate(g: Expr, g_dot: Expr) -> Expr:
    """(3,) angular velocity in world axes where g changes at g_dot."""
    return 4 / (4 + ca.sumsqr(g)) * (g_dot + 0.5 * ca.cross(g, g_dot))


def rate_of_omega(g: Expr, omega: Expr) -> Expr:
    """(3,) g_dot for an angular velocity: the inverse of `omega_of_rate`."""
    return omega - 0.5 * ca.cross(g, omega) + 0.25 * g * ca.dot(g, omega)


def quaternion_increment(g: Expr) -> Expr:
    """(4,) unit quaternion of g."""
    return ca.vertcat(1, 0.5 * g) / ca.sqrt(1 + 0.25 * ca.sumsqr(g))


def increment_of(Q: Expr) -> Expr:
    """(3,) parameters of a unit quaternion; infinite at half a turn."""
    return 2 * Q[1:] / Q[0]
