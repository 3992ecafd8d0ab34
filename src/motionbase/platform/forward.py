"""Forward kinematics: the pose for given leg lengths, by Newton steps from a nearby pose."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from motionbase.compile import Port, Program, cond, for_each, repeat
from motionbase.compile.linear import solve
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.legs import rows_cross
from motionbase.spatial.rotations import Expr, R_quaternion, quaternion_product, unit_quaternion

ITERATIONS = 12  # at most; from neutral, the extremes of the presets, hard ends included, take at most 8
TOLERANCE = 1e-10  # [m] for every leg; Newton steps square the error, so most poses are met to rounding
LARGEST_TURN = 0.3  # [rad] in one step: beyond, the Jacobian is a poor guide
DAMPING = 1e-12  # relative to J'J: avoids division by zero at a singular pose, negligible elsewhere

P_START, Q_START = Port("p_start", 3, "m", "pose to start from"), Port("Q_start", 4, "-", "its attitude, wxyz")
L = Port("l", 6, "m", "leg lengths")
P_W, Q_WP = Port("p_W", 3, "m", "position of P in W"), Port("Q_WP", 4, "-", "attitude, unit quaternion wxyz")
RESIDUAL = Port("residual", (), "m", "largest error of a leg length at the pose")
USED = Port("iterations", (), "-", "Newton steps taken")
CONVERGED = Port("converged", (), "-", "1 if the residual is within the tolerance, else 0")


class _Tried(NamedTuple):
    """A pose, the number of steps so far, and its errors."""

    p_W: Expr
    Q_WP: Expr
    steps: Expr
    error: Expr  # missing length of each leg
    u_W: Expr  # (6, 3) directions of the legs
    b_W: Expr  # (6, 3) from P's origin to the joints
    residual: Expr


def forward_kinematics(platform: Hexapod, iterations: int = ITERATIONS, tolerance: float = TOLERANCE) -> Program:
    """(l, p_start, Q_start) -> p_W, Q_WP, residual, iterations, converged.

    It stops at the first pose that fits, so a good initial pose is cheap. If no pose has the lengths, or the initial
    pose is too far away, `converged` is 0 and the pose is the last one tried; NaN lengths leave the initial pose
    unchanged. A hexapod can have several poses with the same lengths: the result is the one that Newton's steps reach.
    """
    measure = error_at(platform)

    def expr(l: Expr, p_start: Expr, Q_start: Expr) -> Any:
        def tried(p_W: Expr, Q_WP: Expr, steps: Expr) -> _Tried:
            return _Tried(p_W, Q_WP, steps, *measure(l, p_W, Q_WP))

        def turn(*values: Expr) -> Any:
            now = _Tried(*values)
            return cond(
                now.residual <= tolerance, lambda: now, lambda: tried(*newton_step(platform, now), now.steps + 1)
            )

        end = repeat(iterations, turn, *tried(p_start, Q_start, ca.SX(0)))
        return end.p_W, end.Q_WP, end.residual, end.steps, end.residual <= tolerance

    outputs = (P_W, Q_WP, RESIDUAL, USED, CONVERGED)
    return Program("hexapod_forward", (L, P_START, Q_START), outputs, expr, "forward kinematics")


def error_at(platform: Hexapod) -> Program:
    """(l, p_W, Q_WP) -> errors of the lengths, the geometry needed for a step, the largest error."""

    def expr(l: Expr, p_W: Expr, Q_WP: Expr) -> Any:
        R = R_quaternion(Q_WP)

        def leg(l: Expr, *place: Expr) -> Any:
            b = R @ ca.vertcat(*place[:3])
            d = p_W + b - ca.vertcat(*place[3:])
            length = ca.sqrt(ca.sumsqr(d))
            return l - length, *ca.vertsplit(d / length), *ca.vertsplit(b)

        error, *found = for_each(leg, l, *np.transpose(platform.joints), *np.transpose(platform.base))
        # fmax of a number and NaN is the number, so the sum is checked for NaN
        residual = ca.if_else(ca.sum1(ca.fabs(error)) < math.inf, ca.norm_inf(error), math.inf)
        return error, ca.vertcat(*found[:3]), ca.vertcat(*found[3:]), residual

    outputs = (Port("error", 6, "m"), Port("u_W", 18, "-"), Port("b_W", 18, "m"), RESIDUAL)
    return Program("forward_error", (L, P_W, Q_WP), outputs, expr)


def newton_step(platform: Hexapod, now: _Tried) -> tuple[Expr, Expr]:
    """p_W and Q_WP after one Newton step.

    J'J is eliminated instead of J: it is positive definite, so a fixed pivot order serves every pose. Squaring the
    condition number does no harm, because the error after the step is measured again rather than carried on.
    """
    size = max(math.hypot(*joint) for joint in platform.joints)
    longest = platform.stroke.hard_length
    u_W, b_W = (ca.reshape(x, 6, 3) for x in (now.u_W, now.b_W))
    J = ca.horzcat(rows_cross(b_W, u_W) / size, u_W)  # a rotation is scaled by how far it moves a joint
    step = solve(J.T @ J + DAMPING * ca.DM.eye(6), J.T @ now.error, symmetric=True).x
    theta, move = step[:3] / size, step[3:]
    excess = ca.fmax(1.0, ca.fmax(ca.sumsqr(theta) / LARGEST_TURN**2, ca.sumsqr(move) / longest**2))
    usable = ca.sumsqr(step) < math.inf  # false for NaN
    step = ca.if_else(usable, ca.vertcat(theta, move) / ca.sqrt(excess), 0.0)
    # (1, theta / 2), normalised, is the rotation by theta to second order, which is enough for Newton's method
    Q = unit_quaternion(quaternion_product(ca.vertcat(1.0, 0.5 * step[:3]), now.Q_WP))
    return now.p_W + step[3:], Q
