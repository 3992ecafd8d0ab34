"""The surface: a number that progresses along a Bezier curve in a loop moves a noise, which displaces the surface.

Published are the loop of 10 s, its range of 0 to 500 units, that the curve is at half of it in the middle, and that the
number goes to a noise. Left open are the curve's handles and the noise. Here the handles make the loop smooth where it
closes, and the noise is a sum of cosines of random wavelength, direction and phase, each of which turns a whole number
of times in a loop. So nothing jumps, and every derivative is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.record.vehicle import G

LOOP_S, UNITS = 10.0, 500.0  # of the published progression
SLOPE = 0.5  # of the curve at both ends, over its mean; illustrative
COMPONENTS = 24
TURNS = (1, 2, 3, 4, 5)  # of a component in a loop
SHARES = (0.22, 0.42, 0.27, 0.07, 0.02)  # of the variance, by turns; illustrative
SPREAD = 1.1  # [rad] directions lie so far to both sides of the main one


class Heights(NamedTuple):
    """Heights with their first and second derivative by time."""

    now: Array
    rate: Array
    change: Array


@final
@dataclass(frozen=True)
class Progression:
    """A float on a Bezier curve of degree five from 0 to `units`, in a loop.

    Its abscissae are evenly spaced, so time is its parameter. Slopes at both ends are equal and curvatures are zero
    there, so value (up to the whole loop), rate and change are continuous where the loop closes.

    Attributes:
        loop: duration [s]
        slope: at the ends, over the mean; 1 is a straight line
    """

    loop: float = LOOP_S
    units: float = UNITS
    slope: float = SLOPE

    @cached_property
    def handles(self) -> tuple[float, ...]:
        """Ordinates of the six points, over the range."""
        s = self.slope / 5
        return 0.0, s, 2 * s, 1 - 2 * s, 1 - s, 1.0

    def at(self, t: float) -> tuple[float, float, float]:
        """The float, its rate and change at a time [s]."""
        x = (t / self.loop) % 1.0
        points = np.array(self.handles)
        value = _bernstein(points, x)
        rate = _bernstein(5 * np.diff(points), x)
        change = _bernstein(20 * np.diff(points, 2), x)
        return self.units * value, self.units * rate / self.loop, self.units * change / self.loop**2


def _bernstein(points: Array, x: float) -> float:
    """A Bezier curve's ordinate: de Casteljau's way is exact at both ends."""
    while len(points) > 1:
        points = (1 - x) * points[:-1] + x * points[1:]
    return float(points[0])


@final
@dataclass(frozen=True)
class Wave:
    """The surface z(x, y, t) = sum a cos(kx x + ky y - turns 2 pi P(t) / units + phase).

    Attributes:
        height: significant height [m], four times the standard deviation
        direction: main direction of travel, from x towards y [rad]
        seed: of the random numbers
    """

    height: float = 0.8
    direction: float = math.pi
    seed: int = 1
    progression: Progression = Progression()

    def __post_init__(self) -> None:
        if not 0 <= self.height <= 20:
            raise UsageError(f"the significant height is {self.height:g} m, it must be 0 to 20 m")

    @cached_property
    def components(self) -> Array:
        """(n, 5) amplitude [m], kx, ky [rad/m], turns in a loop, phase [rad]; the largest first."""
        random = np.random.default_rng(self.seed)
        turns = np.resize(TURNS, COMPONENTS)
        share = np.array([SHARES[n - 1] / np.count_nonzero(turns == n) for n in turns])
        amplitude = np.sqrt(2 * share) * self.height / 4
        # as long as in deep water at the mean rate: omega^2 = g k, about; no loop repeats itself in space
        omega = turns * (2 * math.pi / self.progression.loop) * random.uniform(0.9, 1.1, COMPONENTS)
        heading = self.direction + random.uniform(-SPREAD, SPREAD, COMPONENTS)
        k = omega**2 / G
        phase = random.uniform(0, 2 * math.pi, COMPONENTS)
        rows = np.column_stack((amplitude, k * np.cos(heading), k * np.sin(heading), turns, phase))
        return rows[np.argsort(-amplitude, kind="stable")]

    def under(self, t: float, p: Array, v: Array, a: Array) -> Heights:
        """Height of the surface below points that move: (m, 2) places, velocities and accelerations [m, s]."""
        amplitude, kx, ky, turns, phase = self.components.T[:, :, None]
        now, rate, change = (2 * math.pi * x / self.progression.units for x in self.progression.at(t))
        angle = kx * p[:, 0] + ky * p[:, 1] - turns * now + phase
        turned = kx * v[:, 0] + ky * v[:, 1] - turns * rate
        bent = kx * a[:, 0] + ky * a[:, 1] - turns * change
        cos, sin = amplitude * np.cos(angle), amplitude * np.sin(angle)
        return Heights(cos.sum(0), -(sin * turned).sum(0), -(cos * turned**2 + sin * bent).sum(0))
