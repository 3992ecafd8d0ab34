"""Planner and platform in one loop without real time: a plan for every hundredth of a second, followed exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.horizon import PERIOD, PLAN_LENGTH
from motionbase.cueing.predictive.nodes import Nodes
from motionbase.cueing.predictive.planner import Plan, Planner, Where
from motionbase.errors import UsageError


class Followed(NamedTuple):
    """Demanded motion, every `PERIOD`.

    Attributes:
        t: (n,) [s]
        motion: (n, 3, 6) position, velocity, acceleration of the degrees of freedom
        legs: (n, 6, 3) length, rate, acceleration
        cue: (n, 6) specific force and angular rate at the head
        late: plans that did not come
        seconds: (n,) that each plan took
    """

    t: Array
    motion: Array
    legs: Array
    cue: Array
    late: int
    seconds: Array


def follow(planner: Planner, demand: Array, start: Array | None = None) -> Followed:
    """What the planner makes of a vehicle's motion.

    Args:
        demand: (n, 6) specific force and angular rate of the vehicle at the head, every `PERIOD`
        start: (3, 6) motion to begin with; at rest in neutral by default
    """
    n = len(demand)
    now = np.zeros((3, 6)) if start is None else start
    motion, seconds, late = np.zeros((n, 3, 6)), np.zeros(n), 0
    plan: Plan | None = None
    planner.reset()
    for k, row in enumerate(np.asarray(demand, dtype=np.float64)):
        motion[k], t = now, k * PERIOD
        new = planner.plan(Where(t, now, row))
        seconds[k], late, plan = planner.outcome.seconds, late + (new is None), new or plan
        if plan is None or t + PERIOD - plan.t > PLAN_LENGTH:
            raise UsageError(f"predictive cueing: no plan for {PLAN_LENGTH:g} s: {planner.outcome.verdict.name}")
        now = plan.motion(t + PERIOD - plan.t)
    shown = Nodes(planner.platform, planner.head, n)
    shown.position[:], shown.velocity[:], shown.acceleration[:] = motion[:, 0], motion[:, 1], motion[:, 2]
    shown()
    return Followed(np.asarray(PERIOD * np.arange(n)), motion, shown.legs, shown.cue, late, seconds)
