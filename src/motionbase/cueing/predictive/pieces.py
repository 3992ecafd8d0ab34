"""Predictive cueing over a whole series of samples: a planner between pieces of a native loop, as in real time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Scan
from motionbase.cueing.predictive.horizon import PERIOD
from motionbase.cueing.predictive.planner import Planner
from motionbase.cueing.predictive.plans import lead, no_plan
from motionbase.cueing.predictive.rows import row_of, where_of
from motionbase.errors import UsageError

WHERE = "where"


def in_pieces(
    loop: Scan, planner: Planner, dt: float, start: Array, held: Mapping[str, Any], rows: Mapping[str, Array],
    progress: Callable[[float], None] = lambda _: None,
) -> dict[str, Array]:  # fmt: skip
    """Recorded outputs, a row per tick, of a loop around a cueing that takes plans and records `where`.

    Args:
        loop: whose state is `x`
        start: value of `x`
        held: other inputs that are the same in all ticks
        rows: inputs with a row per tick
        progress: called with the fraction done
    """
    every = lead(dt)
    if abs(every * dt - PERIOD) > 1e-9:
        raise UsageError(f"predictive cueing: {PERIOD:g} s between plans must be a multiple of the period, {dt:g} s")
    ports = loop.plan.unit.ports
    ticks = len(next(iter(rows.values())))
    found = {ports[k].name: np.empty((ticks, *ports[k].array_shape)) for k in loop.plan.recorded}
    plan, x = no_plan(), start
    planner.reset()
    for first in range(0, ticks, every):
        piece = slice(first, min(first + every, ticks))
        given: dict[str, Any] = {**held, "x": x, "plan": plan, **{name: part[piece] for name, part in rows.items()}}
        made = loop(piece.stop - first, out={name: part[piece] for name, part in found.items()}, **given)
        x, where = made["x"], found[WHERE][piece.stop - 1]
        if (planned := planner.plan(where_of(where, dt))) is not None:
            plan = row_of(planned, where[0])
        progress(piece.stop / ticks)
    return found
