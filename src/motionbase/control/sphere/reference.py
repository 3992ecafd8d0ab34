"""The orientation that a sphere follows: a target quaternion, chased with bounded spin and acceleration.

With the error as a rotation vector e from reference to target, in W,

    omega_wanted = omega_target + e/|e| (sqrt(c^2 + 2 b |e|) - c),   c = b / k
    alpha        = alpha_target + 4 k (omega_wanted - omega)

both clipped in length. For small e the approach is k e; for large e it is the speed from which b, half the largest
acceleration, still brakes in time. A target that moves within the bounds is met exactly, without lag. Rotations are not
angles here: a target may turn without end, and the path to it is the shortest.
"""

from __future__ import annotations

import casadi as ca

from motionbase.compile.guarded import norm
from motionbase.control.sphere.ports import Reference, SphereParameters, Target
from motionbase.spatial.rotations import (
    Expr,
    quaternion_product,
    quaternion_rotation_vector,
    rotation_vector,
    unit_quaternion,
)

BRAKING = 0.5  # of the largest acceleration, for the approach to a target at rest
SETTLING = 4.0  # the speed is corrected this much faster than the angle, to avoid overshoot


def clipped(v: Expr, most: Expr) -> Expr:
    """A vector limited to this length, in its own direction."""
    return v * (most / ca.fmax(norm(v), most))


def error_vector(Q_to: Expr, Q_from: Expr) -> Expr:
    """Rotation vector in W that takes one orientation to the other by the shortest path [rad]."""
    return rotation_vector(quaternion_product(Q_to, ca.vertcat(Q_from[0], -Q_from[1:])))


def chased(
    p: SphereParameters, dt: float, follow: Expr, gently: Expr, at: Reference, target: Target
) -> tuple[Expr, Reference]:
    """Angular acceleration of the reference over a tick, in W, and the reference after it.

    Args:
        follow: 1: follow the target; 0: come to rest
        gently: fraction of the largest acceleration to use
    """
    most = p.sphere_acceleration * gently
    e = error_vector(target.Q, at.Q)
    far, b = norm(e), BRAKING * most
    c = b / p.sphere_chase
    approach = 2 * b / (ca.sqrt(c * c + 2 * b * far) + c)  # times e: as above, without a division by |e|
    wanted = clipped(target.omega + approach * e, p.sphere_velocity)
    moving = target.alpha + SETTLING * p.sphere_chase * (wanted - at.omega)
    resting = -at.omega / dt  # as fast as permitted
    alpha = clipped(ca.if_else(follow > 0.5, moving, resting), most)
    turn = quaternion_rotation_vector(dt * (at.omega + 0.5 * dt * alpha))
    return alpha, Reference(unit_quaternion(quaternion_product(turn, at.Q)), at.omega + dt * alpha)
