"""A start that meets the closures: the nearest coordinates, then the nearest speeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import compile
from motionbase.errors import SimulationError
from motionbase.multibody.tree.loops import Loops

Array = NDArray[np.float64]
LARGEST_TRIES = 50
CLOSED = 1e-10  # [m, rad] change of the last Newton step; what is left is its square


def closed_start(loops: Loops, q: Array, v: Array, inputs: Mapping[str, Any]) -> tuple[Array, Array]:
    """Coordinates and speeds on the closures that hold, nearest to those given."""
    active = {port.name: np.asarray(inputs[port.name]) for port in loops.switch_ports}
    project = compile(loops.position_projection())
    for _ in range(LARGEST_TRIES):
        q, shift = project(q=q, **active)
        if float(shift) < CLOSED:
            return q, compile(loops.velocity_projection())(q=q, v=v, **active)
    names = ", ".join(c.name for c in loops.model.closures)
    raise SimulationError(
        f"model {loops.model.name!r}: no coordinates near q0 meet the closures ({names}); start nearer to one that does"
    )
