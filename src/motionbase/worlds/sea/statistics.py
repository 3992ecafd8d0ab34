"""Statistics of a record of the surface: waves between up-crossings of zero, heights and periods."""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import WorldError


@final
class Statistics(NamedTuple):
    """Of the surface at one place.

    Attributes:
        sigma: standard deviation [m]
        spectral_height: 4 sigma [m]
        waves: between up-crossings of zero
        third_height: mean height of the highest third of them [m]
        largest_height: [m]
        crossing_period: mean time between up-crossings [s]
    """

    sigma: float
    spectral_height: float
    waves: int
    third_height: float
    largest_height: float
    crossing_period: float


def statistics(t: Array, eta: Array) -> Statistics:
    """Statistics of samples of the surface over time; raises `WorldError` if there are fewer than three waves."""
    level = eta - eta.mean()
    up = np.flatnonzero((level[:-1] < 0) & (level[1:] >= 0))
    if len(up) < 4:
        raise WorldError(f"statistics: {max(len(up) - 1, 0)} waves in {t[-1] - t[0]:g} s, at least 3 are needed")
    share = level[up] / (level[up] - level[up + 1])
    crossings = t[up] + share * (t[up + 1] - t[up])
    heights = np.array([level[a : b + 1].max() - level[a : b + 1].min() for a, b in zip(up, up[1:], strict=False)])
    third = np.sort(heights)[::-1][: math.ceil(len(heights) / 3)]
    sigma = float(level.std())
    period = float(crossings[-1] - crossings[0]) / len(heights)
    return Statistics(sigma, 4 * sigma, len(heights), float(third.mean()), float(heights.max()), period)
