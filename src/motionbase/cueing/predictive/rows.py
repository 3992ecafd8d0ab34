"""Rows of numbers between cueing and planner: where cueing stands, and plans."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.planner import Plan, Where
from motionbase.cueing.predictive.plans import Planned, Standing, lead

STANDING, PLANNED = Standing.layout.size, Planned.layout.size
DOFS = 6


def where_of(row: Array, dt: float) -> Where:
    """From the port `where` of a cueing with this period [s]."""
    return Where(float(row[0]) * dt, row[1:19].reshape(3, DOFS).copy(), row[19:].copy(), lead(dt) * dt)


def row_of(plan: Plan, tick: float) -> Array:
    """For the port `plan`; the plan begins at this tick."""
    return np.concatenate([[tick], np.column_stack([plan.start.T, plan.a.T]).ravel()])
