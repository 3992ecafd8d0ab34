"""Forward kinematics: the pose with given leg lengths, by Newton steps from a pose nearby."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca

from motionbase.compile import Body, Kernel, OldProgram, Port
from motionbase.compile.linear import solve
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import legs_at, rows_cross
from motionbase.spatial.rotations import Expr, quaternion_product, unit_quaternion

ITERATIONS = 12  # at most; from neutral the extremes of the presets, hard ends too, take 8 or fewer
TOLERANCE = 1e-10  # [m] of every leg; steps square the error, so most poses are met to rounding
LARGEST_TURN = 0.3  # [rad] in one step: the Jacobian tells little beyond
DAMPING = 1e-12  # relative to J'J: keeps a singular pose from dividing by zero, slows nothing elsewhere

P_START, Q_START = Port("p_start", 3, "m", "pose to start from"), Port("Q_start", 4, "-", "its attitude, wxyz")
L = Port("l", 6, "m", "leg lengths")
P_W, Q_WP = Port("p_W", 3, "m", "position of P in W"), Port("Q_WP", 4, "-", "attitude, unit quaternion wxyz")
RESIDUAL = Port("residual", (), "m", "largest error of a leg length at the pose")
USED = Port("iterations", (), "-", "Newton steps taken")
U_W, B_W = Port("u_W", (6, 3), "-"), Port("b_W", (6, 3), "m")
ERROR = Port("error", 6, "m", "what is missing to each length")
CONVERGED = Port("converged", (), "-", "1 if the residual is within the tolerance, else 0")


def forward_kinematics(platform: Hexapod, iterations: int = ITERATIONS, tolerance: float = TOLERANCE) -> OldProgram:
    """(l, p_start, Q_start) -> p_W, Q_WP, residual, iterations, converged.

    It stops at the first pose that fits, so a good start is cheap. Where no pose has the lengths, or the start is too
    far away, `converged` is 0 and the pose is the last one tried; lengths that are not numbers leave the start as it
    is. A hexapod can have several poses with the same lengths: the one that Newton's steps lead to is found.
    """
    measure, improve = error_at(platform, tolerance), newton_step(platform)

    def body(b: Body) -> None:
        error, u, arm = b.local("error", 6), b.local("u", (6, 3)), b.local("arm", (6, 3))
        pose = {"p_W": b["p_W"], "Q_WP": b["Q_WP"]}

        def measured() -> None:
            found = {"residual": b["residual"], "converged": b["converged"]}
            b.call(measure, l=b["l"], **pose, error=error, u_W=u, b_W=arm, **found)

        b.copy(b["p_start"], b["p_W"])
        b.copy(b["Q_start"], b["Q_WP"])
        b.copy(b.constant("none", 0.0), b["iterations"])
        measured()
        with b.loop(iterations), b.switch(b["converged"]) as converged, converged.case(0):
            old = {"p_old": b["p_W"], "Q_old": b["Q_WP"], "used": b["iterations"]}
            b.call(improve, error=error, u_W=u, b_W=arm, **old, **pose, iterations=b["iterations"])
            measured()

    outputs = (P_W, Q_WP, RESIDUAL, USED, CONVERGED)
    return OldProgram("hexapod_forward", (L, P_START, Q_START), outputs, body, description="forward kinematics")


def error_at(platform: Hexapod, tolerance: float) -> Kernel:
    """(l, p_W, Q_WP) -> errors of the lengths, the geometry a step needs, the largest error, whether it is small."""

    def expr(l: Expr, p_W: Expr, Q_WP: Expr) -> Any:
        legs = legs_at(platform, p_W, Q_WP)
        error = l - legs.l
        # the largest of numbers and NaN is a number here, so NaN is looked for in the sum
        residual = ca.if_else(ca.sum1(ca.fabs(error)) < math.inf, ca.norm_inf(error), math.inf)
        return error, legs.u, legs.b, residual, residual <= tolerance

    return Kernel("forward_error", (L, P_W, Q_WP), (ERROR, U_W, B_W, RESIDUAL, CONVERGED), expr)


def newton_step(platform: Hexapod) -> Kernel:
    """(error, u_W, b_W, p_old, Q_old, used) -> p_W, Q_WP, iterations after one Newton step.

    J'J is eliminated in place of J: it is positive definite, so a fixed order of pivots serves every pose. Squaring the
    condition number costs nothing, because the error after the step is measured again and not carried on.
    """
    size = max(math.hypot(*joint) for joint in platform.joints)
    longest = platform.stroke.hard_length

    def expr(error: Expr, u_W: Expr, b_W: Expr, p_old: Expr, Q_old: Expr, used: Expr) -> Any:
        J = ca.horzcat(rows_cross(b_W, u_W) / size, u_W)  # a turn counts by how far it moves a joint
        step = solve(J.T @ J + DAMPING * ca.DM.eye(6), J.T @ error, symmetric=True).x
        theta, move = step[:3] / size, step[3:]
        excess = ca.fmax(1.0, ca.fmax(ca.sumsqr(theta) / LARGEST_TURN**2, ca.sumsqr(move) / longest**2))
        usable = ca.sumsqr(step) < math.inf  # false for NaN
        step = ca.if_else(usable, ca.vertcat(theta, move) / ca.sqrt(excess), 0.0)
        # (1, theta / 2), scaled to one, is the rotation by theta to second order: all that Newton's method needs
        Q = unit_quaternion(quaternion_product(ca.vertcat(1.0, 0.5 * step[:3]), Q_old))
        return p_old + step[3:], Q, used + 1.0

    old = Port("p_old", 3, "m"), Port("Q_old", 4, "-"), Port("used", (), "-")
    return Kernel("forward_step", (ERROR, U_W, B_W, *old), (P_W, Q_WP, USED), expr)
