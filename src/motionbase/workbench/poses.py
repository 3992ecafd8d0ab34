"""Checks of poses, and kernels that run at many poses: packed on lanes, block by block."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Program, compile
from motionbase.errors import PlatformError
from motionbase.multibody.body import shown
from motionbase.platform.hexapod import Hexapod

UNIT = 1e-6  # tolerance of the length of a quaternion
SHORTEST = 1e-6  # [m]: a leg of no length has no direction
LANES = 8  # on processors with narrower vectors it is no slower than their own width
BLOCK = 2048  # poses in a block


def checked_rows(what: str, value: ArrayLike, width: int) -> Array:
    """(n, width) finite numbers from one row or many; an error otherwise."""
    array = np.atleast_2d(np.asarray(value, dtype=np.float64))
    if array.ndim != 2 or array.shape[1] != width or not np.all(np.isfinite(array)):
        raise PlatformError(f"{what} is {shown(value)}, rows of {width} finite numbers are wanted")
    return np.ascontiguousarray(array)


def checked_poses(p_W: ArrayLike, Q_WP: ArrayLike) -> tuple[Array, Array]:
    """(n, 3) positions and (n, 4) unit quaternions from one pose or many; an error otherwise."""
    p, Q = checked_rows("p_W", p_W, 3), checked_rows("Q_WP", Q_WP, 4)
    if len(p) != len(Q):
        raise PlatformError(f"there are {len(p)} positions and {len(Q)} attitudes, as many are wanted")
    if not np.all(np.abs(np.linalg.norm(Q, axis=1) - 1) <= UNIT):
        raise PlatformError(f"Q_WP is {shown(Q_WP)}, unit quaternions are wanted")
    return p, Q


def check_lengths(platform: Hexapod, l: Array) -> None:
    """Raise an error if any of (n, 6) leg lengths [m] is zero."""
    if len(short := np.argwhere(l < SHORTEST)):
        pose, leg = short[0] + 1
        raise PlatformError(
            f"platform {platform.name!r}: pose {pose} puts both joints of leg {leg} in one place, where it has no "
            "direction; choose a pose within the stroke"
        )


@lru_cache(maxsize=64)
def compiled(unit: Kernel | Program, lanes: int = 1) -> Any:
    """A compiled kernel, cached because tracing takes longer than a million poses."""
    return compile(unit, lanes=lanes)


def on_lanes(kernel: Kernel, **inputs: Array) -> dict[str, Array]:
    """Outputs by name for many poses; the first axis of every array is the poses, equal in number for all inputs."""
    n = len(next(iter(inputs.values())))
    run = compiled(kernel, LANES)
    outputs = {port.name: np.empty((n, *port.array_shape)) for port in kernel.outputs}
    for begin in range(0, n, BLOCK):
        part = slice(begin, min(begin + BLOCK, n))
        found = run.map(**{name: _packed(array[part]) for name, array in inputs.items()})
        for name, out in outputs.items():
            out[part] = _unpacked(found[name])[: part.stop - begin]
    return outputs


def _packed(rows: Array) -> Array:
    """(n, ...) -> (n / lanes, ..., lanes), padded with the last row."""
    missing = -len(rows) % LANES
    if missing:
        rows = np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)])
    return np.ascontiguousarray(np.moveaxis(rows.reshape(-1, LANES, *rows.shape[1:]), 1, -1))


def _unpacked(packed: Array) -> Array:
    return np.moveaxis(packed, -1, 1).reshape(-1, *packed.shape[1:-1])
