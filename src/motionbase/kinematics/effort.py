"""What a pose asks of the legs: rates for the motion that may be commanded, and how evenly they share it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.compile import Kernel, Port
from motionbase.kinematics.lanes import kinematics_of, on_lanes
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import POSE
from motionbase.platform.legs import legs_at
from motionbase.platform.sizing.architecture import conditions_of
from motionbase.spatial.rotations import Expr

Array: TypeAlias = NDArray[np.float64]


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


def most_leg_rates(platform: Hexapod, p_W: Array, Q_WP: Array) -> Array:
    """(n, 6) [m/s] at n poses."""
    return on_lanes(rates_kernel(platform), p_W=p_W, Q_WP=Q_WP)["rates"]


def condition_numbers(platform: Hexapod, p_W: Array, Q_WP: Array) -> Array:
    """(n,) characteristic ones: largest over least singular value of the leg Jacobian, turns by `joint_radius`."""
    return conditions_of(platform, on_lanes(kinematics_of(platform).jacobian, p_W=p_W, Q_WP=Q_WP)["J"])


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
