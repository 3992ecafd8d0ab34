"""Torques that turn a sphere along its reference: the moment by inverse dynamics, with feedback on the quaternion.

    alpha = alpha_ref + 2.4 w (omega_ref - omega) + 2.2 w^2 e + 0.5 w^3 integral of e
    M     = I alpha + omega x I omega + m r x (a_stage - g)
    tau   = pinv(J_tau) M + (J_wheel + gear^2 J_rotor) J_omega alpha,    motors: tau / gear

all in W, with e the rotation vector from the sphere to its reference and r its centre of mass. The gains put the
error's poles at -0.33 w and (-1.04 +- 0.67i) w. alpha, and
the spin that e asks for, are clipped to a little more than the reference may have, or a large error would spin the
sphere and its wheels; torques beyond a motor's are scaled down
together, so that the moment keeps its direction; the integral waits meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Kernel, Port
from motionbase.control.sphere.ports import (
    A_STAGE,
    ALPHA_REF,
    DT,
    ERROR,
    GENTLY,
    INTEGRAL,
    OMEGA_MEAS,
    OMEGA_REF,
    ON,
    Q_MEAS,
    Q_REF,
)
from motionbase.control.sphere.reference import ACCELERATION, VELOCITY, clipped, error_vector
from motionbase.platform.atlas.analysis import normal_per_torque, rest_normals
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.mechanism import STANDARD_GRAVITY
from motionbase.spatial.rotations import Expr, R_quaternion

KD, KP, KI = 2.4, 2.2, 0.5  # of w, w^2, w^3
HEADROOM = 1.25  # of the reference's largest spin and acceleration, for feedback on top of them
BANDWIDTH = Port("sphere_bandwidth", (), "rad/s", "of the orientation loop")


@final
@dataclass(frozen=True)
class Attitude:
    """The loop about one sphere; its numbers are folded in as constants."""

    atlas: Atlas

    @cached_property
    def torque_max(self) -> NDArray[np.float64]:
        """(n,) of the motors [N m]."""
        return np.array([wheel.torque_max for wheel in self.atlas.wheels])

    @cached_property
    def kernel(self) -> Kernel:
        """Reference and measurements -> motor torques, traction that they ask for, error."""
        atlas, n = self.atlas, len(self.atlas.wheels)
        I_S, c, m = ca.DM(atlas.sphere.inertia_matrix), ca.DM(list(atlas.sphere.com)), atlas.sphere.mass
        allocation, J_omega = ca.DM(np.linalg.pinv(atlas.J_tau)), ca.DM(atlas.J_omega)
        gear = ca.DM([w.gear for w in atlas.wheels])
        reflected = ca.DM([w.axle_inertia for w in atlas.wheels])
        grip_of = ca.DM(_grip_per_torque(atlas))
        largest = ca.DM(self.torque_max)

        def expr(
            w: Expr, fastest: Expr, most: Expr, gently: Expr, dt: Expr, on: Expr, Q: Expr, omega_S: Expr, Q_ref: Expr,
            omega_ref: Expr, alpha_ref: Expr, a_stage: Expr, integral: Expr,
        ) -> Any:  # fmt: skip
            R = R_quaternion(Q)
            omega = R @ omega_S
            e = error_vector(Q_ref, Q)
            spin = clipped(omega_ref + KP / KD * w * e, HEADROOM * fastest)  # that would make the error good
            wanted = alpha_ref + KD * w * (spin - omega) + KI * w**3 * integral
            alpha = clipped(wanted, HEADROOM * gently * most)
            H, r = R @ (I_S @ omega_S), R @ c
            M = R @ (I_S @ (R.T @ alpha)) + ca.cross(omega, H) + m * ca.cross(r, a_stage - ca.DM(STANDARD_GRAVITY))
            contact = allocation @ M
            tau = (contact + reflected * (J_omega @ alpha)) / gear
            share = 1 / ca.fmax(1, ca.mmax(ca.fabs(tau) / largest))
            given = ca.if_else(ca.sumsqr(tau) < ca.inf, on * share * tau, 0 * gear)  # a NaN gives no torque
            followed = ca.logic_and(share >= 1, ca.sumsqr(wanted) <= (HEADROOM * gently * most) ** 2)
            grows = ca.logic_and(on > 0.5, followed)
            grown = ca.if_else(grows, integral + dt * e, ca.if_else(on > 0.5, integral, 0 * integral))
            good = ca.if_else(ca.sumsqr(grown) < ca.inf, grown, ca.SX.zeros(3))
            return given, on * share * ca.fabs(contact) * grip_of, e, ca.if_else(share < 1, 1.0, 0.0), good

        outputs = (
            Port("tau_motor", n, "N m", "torques of the motors"),
            Port("grip", n, "-", "traction asked for, over what friction passes on at rest"),
            ERROR,
            Port("limited", (), "-", "1 where a motor is at its limit"),
            Port("integral_next", 3, "rad s"),
        )
        inputs = (
            BANDWIDTH,
            VELOCITY,
            ACCELERATION,
            GENTLY,
            DT,
            ON,
            Q_MEAS,
            OMEGA_MEAS,
            Q_REF,
            OMEGA_REF,
            ALPHA_REF,
            A_STAGE,
            INTEGRAL,
        )
        return Kernel("sphere_attitude", inputs, outputs, expr)


def _grip_per_torque(atlas: Atlas) -> NDArray[np.float64]:
    """(n,) part of the friction at rest that a torque of 1 N m about the axle takes; 0 where that is not known."""
    N = rest_normals(atlas)
    return np.zeros(len(atlas.wheels)) if N is None else np.asarray(normal_per_torque(atlas) / np.maximum(N, 1.0))
