"""Platform, planners and vehicles for the tests of predictive cueing."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.feelings import Felt
from motionbase.cueing.predictive.forecast import AT_REST
from motionbase.cueing.predictive.horizon import PERIOD
from motionbase.cueing.predictive.planner import Planner
from motionbase.cueing.predictive.problem import Assembly, Problem
from motionbase.cueing.predictive.weights import Weights, limits_of
from motionbase.platform import Hexapod, load_platform

MIRROR = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])  # of (f, omega), and of the degrees of freedom, left for right


@cache
def simona() -> Hexapod:
    return load_platform("simona")


def planner(**options: Any) -> Planner:
    return Planner(simona(), simona().points["eye"], **options)


@cache
def assembly(weights: Weights = Weights()) -> Assembly:  # noqa: B008  frozen
    return Assembly(simona(), simona().points["eye"], limits_of(simona()), weights)


def problem_at(seed: int, size: float, weights: Weights = Weights()) -> tuple[Assembly, Problem, Array]:  # noqa: B008
    """A problem somewhere in motion, with a vehicle that does something of this size, and its nominal demand."""
    rng, made = np.random.default_rng(seed), assembly(weights)
    present = rng.normal(size=(3, 6)) * np.array([[0.1], [0.15], [0.5]]) * size
    nominal = rng.normal(size=made.size) * 0.3 * size
    forecast = AT_REST + size * rng.normal(size=(20, 6)) * [3, 3, 3, 0.1, 0.1, 0.1]
    felt = Felt()
    for _ in range(5):
        felt.advance(size * rng.normal(size=6), 0.1)
    made.look(present, nominal)
    return made, made.problem(present, nominal, forecast, felt), nominal


def vehicle(seconds: float, *parts: tuple[int, float, float, float, float]) -> Array:
    """(n, 6) at the head: sums of smooth pulses (channel, amplitude, begin, end, edge)."""
    t = PERIOD * np.arange(round(seconds / PERIOD))
    rows = np.tile(AT_REST, (t.size, 1))
    for channel, amplitude, begin, end, edge in parts:
        up, down = (np.clip((t - x) / edge, 0.0, 1.0) for x in (begin, end))
        rows[:, channel] += amplitude * (up**2 * (3 - 2 * up) - down**2 * (3 - 2 * down))
    return rows
