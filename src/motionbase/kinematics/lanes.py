"""Kernels that are kept, and run for many poses: packed on lanes, in blocks that stay near the processor."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Kernel, Program, compile
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import Kinematics

Array: TypeAlias = NDArray[np.float64]
LANES = 8  # two or four to an instruction, where the processor has no eight: no slower than so few
BLOCK = 2048  # poses


@lru_cache(maxsize=16)
def kinematics_of(platform: Hexapod) -> Kinematics:
    """Kept, so that its kernels are."""
    return Kinematics(platform)


@lru_cache(maxsize=64)
def compiled(unit: Kernel | Program, lanes: int = 1) -> Any:
    """Kept: tracing takes longer than a million poses."""
    return compile(unit, lanes=lanes)


def on_lanes(kernel: Kernel, **inputs: Array) -> dict[str, Array]:
    """Outputs by name; every array has the poses as its first axis, inputs all the same number of them."""
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
    """(n, ...) -> (n / lanes, ..., lanes), filled up with the last row."""
    missing = -len(rows) % LANES
    if missing:
        rows = np.concatenate([rows, np.repeat(rows[-1:], missing, axis=0)])
    return np.ascontiguousarray(np.moveaxis(rows.reshape(-1, LANES, *rows.shape[1:]), 1, -1))


def _unpacked(packed: Array) -> Array:
    return np.moveaxis(packed, -1, 1).reshape(-1, *packed.shape[1:-1])
