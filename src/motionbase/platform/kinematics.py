"""Kinematics of a hexapod as kernels: inverse with rates and accelerations, Jacobians, forward, degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port, Program
from motionbase.platform.forward import CONVERGED, ITERATIONS, P_W, Q_WP, TOLERANCE, L, forward_kinematics
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import jacobian_rate, leg_accelerations, legs_at, swing
from motionbase.spatial.rotations import Expr, R_quaternion, euler_zyx, quaternion_euler_zyx

V_W = Port("v_W", 3, "m/s", "velocity of P's origin, in W")
OMEGA_W = Port("omega_W", 3, "rad/s", "angular velocity of P, in W")
A_W = Port("a_W", 3, "m/s^2", "acceleration of P's origin, in W")
ALPHA_W = Port("alpha_W", 3, "rad/s^2", "angular acceleration of P, in W")
L_DOT = Port("l_dot", 6, "m/s", "leg rates")
L_DDOT = Port("l_ddot", 6, "m/s^2", "leg accelerations")
U_W = Port("u_W", (6, 3), "-", "unit vectors from base to platform joints, in W")
POSITION = Port("dof", 6, "m, rad", "surge, sway, heave from neutral; roll, pitch, yaw (ZYX)")
POSE = (P_W, Q_WP)


@final
@dataclass(frozen=True)
class Kinematics:
    """Kernels of one platform, with its geometry folded in as constants.

    Pairs are angular first, and both parts are in W: l_dot = J (omega_W, v_W). By virtual work J' f is the moment
    about P's origin and the force, in W, which leg forces f (pushing positive) exert on the platform.
    """

    platform: Hexapod

    @cached_property
    def inverse(self) -> Kernel:
        """Pose -> leg lengths, unit vectors."""

        def expr(p_W: Expr, Q_WP: Expr) -> Any:
            legs = legs_at(self.platform, p_W, Q_WP)
            return legs.l, legs.u

        return Kernel("hexapod_inverse", POSE, (L, U_W), expr)

    @cached_property
    def rates(self) -> Kernel:
        """Pose, velocity -> leg lengths, leg rates."""

        def expr(p_W: Expr, Q_WP: Expr, omega_W: Expr, v_W: Expr) -> Any:
            legs = legs_at(self.platform, p_W, Q_WP)
            return legs.l, swing(legs, omega_W, v_W)[0]

        return Kernel("hexapod_rates", (*POSE, OMEGA_W, V_W), (L, L_DOT), expr)

    @cached_property
    def accelerations(self) -> Kernel:
        """Pose, velocity, acceleration -> leg lengths, leg rates, leg accelerations."""

        def expr(p_W: Expr, Q_WP: Expr, omega_W: Expr, v_W: Expr, alpha_W: Expr, a_W: Expr) -> Any:
            legs = legs_at(self.platform, p_W, Q_WP)
            return legs.l, *leg_accelerations(legs, omega_W, v_W, alpha_W, a_W)

        inputs = (*POSE, OMEGA_W, V_W, ALPHA_W, A_W)
        return Kernel("hexapod_accelerations", inputs, (L, L_DOT, L_DDOT), expr)

    @cached_property
    def jacobian(self) -> Kernel:
        """Pose -> leg Jacobian, angular columns [m] first, then linear ones [-]."""

        def expr(p_W: Expr, Q_WP: Expr) -> Any:
            return legs_at(self.platform, p_W, Q_WP).J

        return Kernel("hexapod_jacobian", POSE, (Port("J", (6, 6), "m, -", "l_dot = J (omega_W, v_W)"),), expr)

    @cached_property
    def jacobian_rate(self) -> Kernel:
        """Pose, velocity -> time derivative of the leg Jacobian: l_ddot = J (alpha_W, a_W) + J_dot (omega_W, v_W)."""

        def expr(p_W: Expr, Q_WP: Expr, omega_W: Expr, v_W: Expr) -> Any:
            return jacobian_rate(legs_at(self.platform, p_W, Q_WP), omega_W, v_W)

        outputs = (Port("J_dot", (6, 6), "m/s, 1/s", "time derivative of J"),)
        return Kernel("hexapod_jacobian_rate", (*POSE, OMEGA_W, V_W), outputs, expr)

    @cached_property
    def forward(self) -> Program:
        """Leg lengths, pose to start from -> pose, residual, iterations, converged."""
        return forward_kinematics(self.platform)

    @cached_property
    def pose_of_dof(self) -> Kernel:
        """Degrees of freedom -> pose."""
        neutral = ca.DM(np.asarray(self.platform.p_neutral))

        def expr(dof: Expr) -> Any:
            return neutral + dof[:3], quaternion_euler_zyx(dof[3:])

        return Kernel("pose_of_dof", (POSITION,), POSE, expr)

    @cached_property
    def dof_of_pose(self) -> Kernel:
        """Pose -> degrees of freedom; roll and yaw are not unique at a pitch of 90 degrees."""
        neutral = ca.DM(np.asarray(self.platform.p_neutral))

        def expr(p_W: Expr, Q_WP: Expr) -> Any:
            return ca.vertcat(p_W - neutral, euler_zyx(R_quaternion(Q_WP)))

        return Kernel("dof_of_pose", POSE, (POSITION,), expr)

    def dof_of_legs(self, iterations: int = ITERATIONS, tolerance: float = TOLERANCE) -> Program:
        """Leg lengths, degrees of freedom to start from -> degrees of freedom, whether they have these lengths."""
        forward = forward_kinematics(self.platform, iterations, tolerance)

        def expr(l: Expr, dof_start: Expr) -> Any:
            p_W, Q_WP, _, _, converged = forward(l, *self.pose_of_dof(dof_start))
            return self.dof_of_pose(p_W, Q_WP), converged

        inputs = L, Port("dof_start", 6, "m, rad", "pose to start from")
        return Program("dof_of_legs", inputs, (POSITION, CONVERGED), expr, "forward kinematics")


@lru_cache(maxsize=16)
def kinematics_of(platform: Hexapod) -> Kinematics:
    """Kept, so that its kernels are: tracing one takes far longer than running it."""
    return Kinematics(platform)
