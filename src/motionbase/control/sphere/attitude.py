"""Torques that turn a sphere along its reference: inverse dynamics, with feedback of the quaternion error.

    alpha = alpha_ref + 2.4 w (omega_ref - omega) + 2.2 w^2 e + 0.5 w^3 integral of e
    M     = I alpha + omega x I omega + m r x (a_stage - g)
    tau   = pinv(J_tau) M + (J_wheel + gear^2 J_rotor) J_omega alpha,    motors: tau / gear

all in W, with e the rotation vector from the sphere to its reference and r its centre of mass. The gains put the
error's poles at -0.33 w and (-1.04 +- 0.67i) w. alpha, and the spin demanded by e, are clipped to slightly more than
the reference may have; otherwise a large error would spin the sphere and its wheels too fast. Torques above a motor's
limit are scaled down together, so that the moment keeps its direction; the integral is frozen meanwhile.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.control.sphere.ports import Reference, SphereParameters
from motionbase.control.sphere.reference import clipped, error_vector
from motionbase.platform.atlas.analysis import normal_per_torque, rest_normals
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.mechanism import STANDARD_GRAVITY
from motionbase.spatial.rotations import Expr

KD, KP, KI = 2.4, 2.2, 0.5  # factors of w, w^2, w^3
HEADROOM = 1.25  # of the reference's largest spin and acceleration, to leave room for feedback


class Spinning(NamedTuple):
    """The measured sphere: orientation, also as a matrix, and spin in S and in W."""

    Q: Expr
    R: Expr
    omega_S: Expr
    omega: Expr


class Torques(NamedTuple):
    """Output of the loop.

    Attributes:
        motors: (n,) torques [N m]
        grip: (n,) demanded traction, over the friction available at rest
        error: rotation vector from the sphere to its reference, in W [rad]
        limited: 1 if a motor is at its limit
        integral: integral of the error after the tick [rad s]
    """

    motors: Expr
    grip: Expr
    error: Expr
    limited: Expr
    integral: Expr


def torques(
    atlas: Atlas, p: SphereParameters, dt: float, on: Expr, gently: Expr, sphere: Spinning, ref: Reference,
    alpha_ref: Expr, a_stage: Expr, integral: Expr,
) -> Torques:  # fmt: skip
    """Motor torques of one platform, whose data are folded in as constants."""
    I_S, c, m = ca.DM(atlas.sphere.inertia_matrix), ca.DM(list(atlas.sphere.com)), atlas.sphere.mass
    allocation, J_omega = ca.DM(np.linalg.pinv(atlas.J_tau)), ca.DM(atlas.J_omega)
    gear, largest, reflected = (
        ca.DM([getattr(w, name) for w in atlas.wheels]) for name in ("gear", "torque_max", "axle_inertia")
    )
    w, R, omega = p.sphere_bandwidth, sphere.R, sphere.omega
    most = HEADROOM * gently * p.sphere_acceleration
    e = error_vector(ref.Q, sphere.Q)
    spin = clipped(ref.omega + KP / KD * w * e, HEADROOM * p.sphere_velocity)  # would correct the error
    wanted = alpha_ref + KD * w * (spin - omega) + KI * w**3 * integral
    alpha = clipped(wanted, most)
    H, r = R @ (I_S @ sphere.omega_S), R @ c
    M = R @ (I_S @ (R.T @ alpha)) + ca.cross(omega, H) + m * ca.cross(r, a_stage - ca.DM(STANDARD_GRAVITY))
    contact = allocation @ M
    tau = (contact + reflected * (J_omega @ alpha)) / gear
    share = 1 / ca.fmax(1, ca.mmax(ca.fabs(tau) / largest))
    given = ca.if_else(ca.sumsqr(tau) < ca.inf, on * share * tau, 0 * gear)  # NaN gives no torque
    grows = ca.logic_and(ca.logic_and(on > 0.5, share >= 1), ca.sumsqr(wanted) <= most**2)
    grown = ca.if_else(grows, integral + dt * e, ca.if_else(on > 0.5, integral, 0 * integral))
    good = ca.if_else(ca.sumsqr(grown) < ca.inf, grown, ca.SX.zeros(3))
    grip = on * share * ca.fabs(contact) * ca.DM(_grip_per_torque(atlas))
    return Torques(given, grip, e, ca.if_else(share < 1, 1.0, 0.0), good)


def _grip_per_torque(atlas: Atlas) -> Array:
    """(n,) fraction of the friction at rest that a torque of 1 N m about the axle uses; 0 if that is not known."""
    N = rest_normals(atlas)
    return np.zeros(len(atlas.wheels)) if N is None else np.asarray(normal_per_torque(atlas) / np.maximum(N, 1.0))
