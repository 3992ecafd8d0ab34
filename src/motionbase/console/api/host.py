"""Compares the host's demand in the newest record with the platform's limits."""

from __future__ import annotations

import math

import numpy as np

from motionbase.arrays import Array
from motionbase.console.api.judge import Demand, Judge, judge_of, told
from motionbase.console.models import Exceeded, HostDemand
from motionbase.record.axes import DOFS
from motionbase.record.schema import Schema
from motionbase.ring.layout import Header

SUFFIXES = ("", "_dot", "_ddot")
NEEDED = ("host_age", "host_frames", "host_lost", *(f"host_{dof}{order}" for order in SUFFIXES for dof in DOFS))


def host_demand(header: Header | None, schema: Schema | None, row: Array | None) -> HostDemand | None:
    """The demand in the newest record; None if the records have none. Quick: legs are judged only once compiled."""
    if schema is None or row is None or any(name not in schema.index for name in NEEDED):
        return None
    age, frames, lost = (float(row[schema.index[name]]) for name in NEEDED[:3])
    heard = math.isfinite(frames) and frames > 0
    judge = judge_of(header) if heard else None
    return HostDemand(
        age_s=age if heard and math.isfinite(age) else None,
        frames=frames if math.isfinite(frames) else 0.0,
        lost=lost if math.isfinite(lost) else 0.0,
        exceeded=[] if judge is None else [_sentence(e) for e in _exceeded(judge, _demand(schema, row))],
    )


def _demand(schema: Schema, row: Array) -> Demand:
    dofs = np.array([[[row[schema.index[f"host_{dof}{order}"]]] for order in SUFFIXES] for dof in DOFS])
    return Demand(np.array([row[0]]), dofs, np.zeros((6, 3, 1)))


def _exceeded(judge: Judge, demand: Demand) -> list[Exceeded]:
    """Limits exceeded by a demand; legs are left out while their kinematics compile."""
    if judge.is_ready:
        return judge.exceeded(demand)
    judge.prepare_soon()
    neutral = np.repeat((judge.platform.stroke.l_min + judge.platform.stroke.l_max) / 2, 6)[:, None]
    return judge.exceeded(demand, (neutral, np.zeros((6, 1))))


def _sentence(e: Exceeded) -> str:
    value, limit, unit = told(e)
    return f"{e.what} is {value} {unit}, its limit is {limit} {unit}"
