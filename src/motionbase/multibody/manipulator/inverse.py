"""Inverse kinematics: joint coordinates for a pose of the tip, by Levenberg-Marquardt steps with restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, scan
from motionbase.compile.guarded import norm
from motionbase.compile.linear import solve
from motionbase.errors import SimulationError
from motionbase.multibody.manipulator.arm import Arm
from motionbase.multibody.manipulator.poses import checked_pose, pose_error, quaternion_of
from motionbase.multibody.names import State, q_of
from motionbase.spatial.rotations import Expr

LONGEST_STEP = 0.4  # [rad] of a joint in one step: beyond, the Jacobian is a poor guide
SOFTER, HARDER = 0.2, 4.0  # change of the damping after a step that improves, and one that does not
LEAST, MOST = 1e-14, 1e4  # of the damping, relative to J J' of angles


@final
@dataclass(frozen=True, eq=False)
class Reached:
    """The best coordinates found.

    Attributes:
        q: (nq,) coordinates of the whole model; those not driven are as given
        position_error, angle_error: errors of the tip there [m], [rad]
        converged: whether both are within the tolerance; if not, the pose was not reached
        tries: number of initial points used
    """

    q: Array
    position_error: float
    angle_error: float
    converged: bool
    tries: int


def inverse_kinematics(
    arm: Arm,
    p: ArrayLike,
    Q: ArrayLike,
    q0: State = None,
    *,
    tolerance: float = 1e-10,
    length: float = 10.0,
    tries: int = 24,
    steps: int = 120,
    seed: int = 0,
) -> Reached:
    """Coordinates at which the tip has a pose in the base's frame, within the joints' limits.

    The first initial point is `q0`; others are drawn within the limits (within half a turn if there are none).

    Args:
        p, Q: position [m] and unit quaternion wxyz
        tolerance: of the angle [rad], and of the position divided by `length`
        length: the size of the arm [m]
    """
    owner = f"inverse kinematics of {arm.owner}"
    p_ref, Q_ref = checked_pose(owner, p, Q)
    if tries < 1 or steps < 1 or not (tolerance > 0 and length > 0):
        raise SimulationError(f"{owner}: tries, steps, tolerance and length must all be above 0")
    start = q_of(arm.model, q0)
    at = list(arm.at_q)
    lower, upper = _range(arm, 1e9)  # no limit at all
    drawn = _range(arm, np.pi)
    loop = scan(descent(arm), {"q": "q_next", "mu": "mu_next"}, record=["position_error", "angle_error"])
    rng = np.random.default_rng(seed)
    best = Reached(start, np.inf, np.inf, False, 0)
    for k in range(tries):
        q = start.copy()
        q[at] = np.clip(q[at], lower, upper) if k == 0 else rng.uniform(*drawn)
        rows = loop(steps, q=q, mu=1e-3, p_ref=p_ref, Q_ref=Q_ref, length=length, lower=lower, upper=upper)
        position, angle = float(rows["position_error"][-1]), float(rows["angle_error"][-1])
        met = max(position / length, angle) <= tolerance
        if met or position / length + angle < best.position_error / length + best.angle_error:
            best = Reached(rows["q"], position, angle, met, k + 1)
        if met:
            break
    return best if best.converged else Reached(best.q, best.position_error, best.angle_error, False, tries)


def _range(arm: Arm, unlimited: float) -> tuple[Array, Array]:
    """Lower and upper limits, with a default for joints without limits."""
    if arm.limits is None:
        return np.full(arm.n, -unlimited), np.full(arm.n, unlimited)
    lower, upper, _ = arm.limits.columns
    return np.where(np.isfinite(lower), lower, -unlimited), np.where(np.isfinite(upper), upper, unlimited)


def descent(arm: Arm) -> Kernel:
    """(p_ref, Q_ref, length, lower, upper, q, mu) -> q_next, mu_next, position_error, angle_error (of q_next).

    A step that does not reduce the error is rejected, and the next one is damped more.
    """

    def error_at(q: Expr, p_ref: Expr, Q_ref: Expr, length: Expr) -> tuple[Expr, Expr]:
        tip = arm.tip(q)
        error = pose_error(tip.p, quaternion_of(tip.R), p_ref, Q_ref)
        return ca.vertcat(error[:3], error[3:] / length), arm.driven(tip.J)

    def expr(p_ref: Expr, Q_ref: Expr, length: Expr, lower: Expr, upper: Expr, q: Expr, mu: Expr) -> Any:
        error, J = error_at(q, p_ref, Q_ref, length)
        J = ca.vertcat(J[:3, :], J[3:, :] / length)
        change = J.T @ solve(J @ J.T + mu * ca.DM.eye(6), error, symmetric=True).x
        change = change * ca.fmin(1.0, LONGEST_STEP / ca.fmax(ca.norm_inf(change), 1e-30))
        tried = ca.SX(q)
        for k, place in enumerate(arm.at_q):
            tried[place] = ca.fmin(ca.fmax(q[place] + change[k], lower[k]), upper[k])
        new, _ = error_at(tried, p_ref, Q_ref, length)
        better = ca.sumsqr(new) < ca.sumsqr(error)
        kept: Expr = ca.if_else(better, new, error)
        mu_next = ca.fmin(ca.fmax(mu * ca.if_else(better, SOFTER, HARDER), LEAST), MOST)
        return ca.if_else(better, tried, q), mu_next, length * norm(kept[3:]), norm(kept[:3])

    n, nq = arm.n, arm.model.nq
    inputs = (
        Port("p_ref", 3, "m"), Port("Q_ref", 4), Port("length", (), "m"), Port("lower", n), Port("upper", n),
        Port("q", nq), Port("mu"),
    )  # fmt: skip
    outputs = Port("q_next", nq), Port("mu_next"), Port("position_error", (), "m"), Port("angle_error", (), "rad")
    return Kernel("descent", inputs, outputs, expr)
