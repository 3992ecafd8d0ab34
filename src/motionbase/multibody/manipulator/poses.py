"""Errors between poses: rotation vectors of quaternions, and the twist from one pose to another."""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile.guarded import safe_divide, sqrt_guarded
from motionbase.errors import SimulationError
from motionbase.multibody.attitude import quaternion_of
from motionbase.spatial import quaternion_product
from motionbase.spatial.rotations import Expr

__all__ = ["checked_pose", "conjugate", "pose_error", "quaternion_of", "rotation_vector"]

SMALL = 1e-8  # |sin(half angle)| below which the angle is twice the sine; the next term is its cube


def conjugate(Q: Expr) -> Expr:
    """The opposite rotation."""
    return ca.vertcat(Q[0], -Q[1], -Q[2], -Q[3])


def rotation_vector(Q: Expr) -> Expr:
    """(3,) rotation vector [rad] of a unit quaternion (the logarithm), the shorter way: at most pi long."""
    sign = ca.if_else(Q[0] < 0, -1, 1)
    axis = sign * ca.vertcat(Q[1], Q[2], Q[3])
    sine = sqrt_guarded(ca.sumsqr(axis))
    tiny = sine < SMALL
    factor = ca.if_else(tiny, 2, safe_divide(2 * ca.atan2(ca.if_else(tiny, 0, sine), sign * Q[0]), sine))
    return factor * axis


def pose_error(p: Expr, Q: Expr, p_ref: Expr, Q_ref: Expr) -> Expr:
    """(6,) rotation vector [rad] and displacement [m] from a pose to the reference, in the axes of both."""
    return ca.vertcat(rotation_vector(quaternion_product(Q_ref, conjugate(Q))), p_ref - p)


def checked_pose(owner: str, p: ArrayLike, Q: ArrayLike) -> tuple[Array, Array]:
    """A position and a unit quaternion as arrays."""
    place, turn = np.array(p, dtype=np.float64), np.array(Q, dtype=np.float64)
    if place.shape != (3,) or not np.all(np.isfinite(place)):
        raise SimulationError(f"{owner}: position is {p!r}, three finite numbers [m] are wanted")
    if turn.shape != (4,) or not 0.5 < np.linalg.norm(turn) < 2.0:
        raise SimulationError(f"{owner}: orientation is {Q!r}, a unit quaternion wxyz is wanted")
    return place, turn / np.linalg.norm(turn)
