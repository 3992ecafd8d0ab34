"""Poses as people give them: checked, and packed for kernels."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.errors import PlatformError
from motionbase.multibody.body import shown
from motionbase.platform.hexapod import Hexapod

Array: TypeAlias = NDArray[np.float64]
UNIT = 1e-6  # how far the length of a quaternion may be from 1
SHORTEST = 1e-6  # [m]: a leg of no length has no direction


def checked_rows(what: str, value: ArrayLike, width: int) -> Array:
    """(n, width) finite numbers, of one row or many."""
    array = np.atleast_2d(np.asarray(value, dtype=np.float64))
    if array.ndim != 2 or array.shape[1] != width or not np.all(np.isfinite(array)):
        raise PlatformError(f"{what} is {shown(value)}, rows of {width} finite numbers are wanted")
    return np.ascontiguousarray(array)


def checked_poses(p_W: ArrayLike, Q_WP: ArrayLike) -> tuple[Array, Array]:
    """(n, 3) positions and (n, 4) unit quaternions, of one pose or many."""
    p, Q = checked_rows("p_W", p_W, 3), checked_rows("Q_WP", Q_WP, 4)
    if len(p) != len(Q):
        raise PlatformError(f"there are {len(p)} positions and {len(Q)} attitudes, as many are wanted")
    if not np.all(np.abs(np.linalg.norm(Q, axis=1) - 1) <= UNIT):
        raise PlatformError(f"Q_WP is {shown(Q_WP)}, unit quaternions are wanted")
    return p, Q


def check_lengths(platform: Hexapod, l: Array) -> None:
    """Refuse (n, 6) leg lengths [m] of which one is nothing."""
    if len(short := np.argwhere(l < SHORTEST)):
        pose, leg = short[0] + 1
        raise PlatformError(
            f"platform {platform.name!r}: pose {pose} puts both joints of leg {leg} in one place, where it has no "
            "direction; choose a pose within the stroke"
        )
