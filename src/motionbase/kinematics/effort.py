"""What a pose asks of the actuators: leg rates for the motion that may be commanded, leg forces that hold a load."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.compile import Kernel, Port
from motionbase.compile.linear import solve
from motionbase.errors import PlatformError
from motionbase.kinematics.dexterity import scaling
from motionbase.kinematics.lanes import kinematics_of, on_lanes
from motionbase.multibody.body import shown
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import POSE
from motionbase.platform.legs import legs_at
from motionbase.platform.mechanism import STANDARD_GRAVITY
from motionbase.spatial.rotations import Expr, R_quaternion

Array: TypeAlias = NDArray[np.float64]
WRENCH = Port("wrench_W", 6, "N m, N", "moment about P's origin and force on the platform, in W")


@lru_cache(maxsize=16)
def rates_kernel(platform: Hexapod) -> Kernel:
    """(p_W, Q_WP) -> rates: the largest each leg can be asked for, all degrees of freedom at their limits at once.

    A leg's rate is linear in the velocities, so over the box of them it is largest at a corner: sum |J_kj| limit_j.
    Angular velocities count as about the axes of W.
    """
    limits = np.asarray(platform.limits.velocity)
    columns = ca.DM(np.concatenate([limits[3:], limits[:3]]))

    def expr(p_W: Expr, Q_WP: Expr) -> Any:
        return ca.fabs(legs_at(platform, p_W, Q_WP).J) @ columns

    return Kernel("hexapod_most_rates", POSE, (Port("rates", 6, "m/s", "largest magnitude of each leg's rate"),), expr)


@lru_cache(maxsize=16)
def holding_kernel(platform: Hexapod) -> Kernel:
    """(p_W, Q_WP, wrench_W) -> f: leg forces, pushing positive, that hold the payload's weight and a further load.

    By virtual work J' f + wrench = 0. J J' is eliminated, which is positive definite where the pose is not singular.
    """
    payload = platform.payload
    weight = ca.DM(payload.mass * np.array(STANDARD_GRAVITY))

    def expr(p_W: Expr, Q_WP: Expr, wrench_W: Expr) -> Any:
        J = legs_at(platform, p_W, Q_WP).J
        arm = R_quaternion(Q_WP) @ ca.DM(payload.com)
        load = wrench_W + ca.vertcat(ca.cross(arm, weight), weight)
        size = float(np.sqrt(np.mean(np.sum(np.asarray(platform.joints) ** 2, axis=1))))
        K = J @ ca.diag(
            ca.DM([1 / size] * 3 + [1.0] * 3)
        )  # alike columns, so that the squares are no worse than need be
        return solve(K @ K.T, K @ (-load / ca.DM([size] * 3 + [1.0] * 3)), symmetric=True).x

    return Kernel("hexapod_holding", (*POSE, WRENCH), (Port("f", 6, "N", "leg forces, pushing positive"),), expr)


def most_leg_rates(platform: Hexapod, p_W: Array, Q_WP: Array) -> Array:
    """(n, 6) [m/s] at n poses."""
    return on_lanes(rates_kernel(platform), p_W=p_W, Q_WP=Q_WP)["rates"]


def holding_forces(platform: Hexapod, p_W: Array, Q_WP: Array, wrench_W: ArrayLike | None = None) -> Array:
    """(n, 6) [N] at n poses, under the payload's weight and a moment [N m] and force [N] besides."""
    wrench = np.zeros(6) if wrench_W is None else np.asarray(wrench_W, dtype=np.float64)
    if wrench.shape != (6,) or not np.all(np.isfinite(wrench)):
        raise PlatformError(f"wrench is {shown(wrench_W)}, six finite numbers are wanted: moment [N m], then force [N]")
    return on_lanes(holding_kernel(platform), p_W=p_W, Q_WP=Q_WP, wrench_W=np.tile(wrench, (len(p_W), 1)))["f"]


def condition_numbers(platform: Hexapod, p_W: Array, Q_WP: Array) -> Array:
    """(n,) characteristic ones: largest over least singular value of the leg Jacobian, turns by `joint_radius`."""
    J = on_lanes(kinematics_of(platform).jacobian, p_W=p_W, Q_WP=Q_WP)["J"]
    return np.asarray(np.linalg.cond(J @ scaling(platform, "characteristic")))


def leg_rates(t: ArrayLike, l: ArrayLike) -> Array:
    """(n, 6) rates of leg lengths along a trajectory [m/s], by differences of second order in time.

    NaN where time does not go on: at moments that stand twice, or where a recording begins anew.
    """
    when, lengths = np.asarray(t, dtype=np.float64), np.asarray(l, dtype=np.float64)
    if len(when) < 2:
        return np.full(lengths.shape, np.nan)
    steps = np.diff(when)
    good = steps > 0
    found = np.gradient(lengths, np.concatenate([[0.0], np.cumsum(np.where(good, steps, 1.0))]), axis=0)
    found[np.concatenate([[False], ~good]) | np.concatenate([~good, [False]])] = np.nan
    return np.asarray(found)
