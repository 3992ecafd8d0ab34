"""The orientation that a sphere follows: a target on the unit quaternions, chased with bounded spin and acceleration.

With the error as a rotation vector e from reference to target, in W,

    omega_wanted = omega_target + e/|e| (sqrt(c^2 + 2 b |e|) - c),   c = b / k
    alpha        = alpha_target + 4 k (omega_wanted - omega)

both clipped in length. For small e the approach is k e, for large e it is the speed from which b, half the largest
acceleration, still brakes in time. A target that moves within the bounds is met exactly: nothing lags behind it.
Rotations are not angles here: a target may turn without end, and the way to it is the shortest.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.compile.guarded import norm
from motionbase.control.sphere.ports import (
    ALPHA_REF,
    ALPHA_TARGET,
    DT,
    FOLLOW,
    GENTLY,
    OMEGA_REF,
    OMEGA_TARGET,
    Q_REF,
    Q_TARGET,
)
from motionbase.spatial.rotations import (
    Expr,
    quaternion_product,
    quaternion_rotation_vector,
    rotation_vector,
    unit_quaternion,
)

BRAKING = 0.5  # of the largest acceleration, for the way down to a target that stands
SETTLING = 4.0  # the speed is corrected so much faster than the angle, or the way in would overshoot
ACCELERATION = Port("sphere_acceleration", (), "rad/s^2", "largest angular acceleration")
VELOCITY = Port("sphere_velocity", (), "rad/s", "largest spin")
LIMITS = (
    VELOCITY,
    ACCELERATION,
    Port("sphere_chase", (), "1/s", "how fast a target is caught up with"),
)
NEXT = Port("Q_ref_next", 4, "-", "a tick later"), Port("omega_ref_next", 3, "rad/s", "a tick later")


def clipped(v: Expr, most: Expr) -> Expr:
    """A vector of at most this length, in its own direction."""
    return v * (most / ca.fmax(norm(v), most))


def error_vector(Q_to: Expr, Q_from: Expr) -> Expr:
    """Rotation vector in W that takes one orientation to the other the short way [rad]."""
    return rotation_vector(quaternion_product(Q_to, ca.vertcat(Q_from[0], -Q_from[1:])))


def _reference(
    velocity: Expr, acceleration: Expr, chase: Expr, dt: Expr, follow: Expr, gently: Expr, Q: Expr, omega: Expr,
    Q_target: Expr, omega_target: Expr, alpha_target: Expr,
) -> Any:  # fmt: skip
    most = acceleration * gently
    e = error_vector(Q_target, Q)
    far, b = norm(e), BRAKING * most
    c = b / chase
    approach = 2 * b / (ca.sqrt(c * c + 2 * b * far) + c)  # times e: as above, without a division by |e|
    wanted = clipped(omega_target + approach * e, velocity)
    moving = alpha_target + SETTLING * chase * (wanted - omega)
    resting = -omega / dt  # as fast as it may
    alpha = clipped(ca.if_else(follow > 0.5, moving, resting), most)
    omega_next = omega + dt * alpha
    turn = quaternion_rotation_vector(dt * (omega + 0.5 * dt * alpha))
    return alpha, unit_quaternion(quaternion_product(turn, Q)), omega_next


REFERENCE = Kernel(
    "sphere_reference",
    (*LIMITS, DT, FOLLOW, GENTLY, Q_REF, OMEGA_REF, Q_TARGET, OMEGA_TARGET, ALPHA_TARGET),
    (ALPHA_REF, *NEXT),
    _reference,
)
