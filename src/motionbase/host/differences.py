"""Velocities and accelerations of positions that come one frame at a time."""

from __future__ import annotations

import math
from typing import final

FADE = 0.6  # weight of a frame relative to the one after it
PAUSE_S = 0.25  # after a longer one the motion begins anew, at rest
SHORTEST_S = 1e-3  # time between two frames: a thousand a second
JUMP = 0.5  # [m] or [rad] between what was foreseen and what came: no motion, but another beginning
REST = (0.0,) * 6
Axis = tuple[float, float, float]
JUMPED: Axis = (math.nan, math.nan, math.nan)
TRUST = 0.1  # share of a new interval in the smoothed period
G, H, K = 1 - FADE**3, 1.5 * (1 - FADE) ** 2 * (1 + FADE), 0.5 * (1 - FADE) ** 3


@final
class Differences:
    """A parabola through the last frames, fitted with fading weights, at the newest of them.

    Morrison (1969), the fading-memory polynomial filter of second degree: exact for constant acceleration once its
    start has faded, about 0.6^n after n frames; a changing acceleration is late by about four frames.
    Arrival times jitter, so intervals between frames are rounded to whole smoothed periods. A jump or a pause begins a
    new motion, at rest.

    Args:
        exact: times are those of the host's clock, so intervals are taken as they are
    """

    def __init__(self, exact: bool = False) -> None:
        self._exact = exact
        self._t: float | None = None
        self._period, self._intervals = 0.0, 0
        self._axes: tuple[Axis, ...] = (JUMPED,) * 6

    def __call__(self, t: float, x: tuple[float, ...]) -> tuple[float, ...]:
        """(18,) the position as it is, and velocity and acceleration.

        Args:
            t: of the position [s]
            x: (6,)
        """
        before, self._t = self._t, t
        dt = PAUSE_S if before is None else t - before
        if not 0 <= dt < PAUSE_S:
            self._intervals = 0
            return self._at_rest(x)
        dt = max(dt, SHORTEST_S) if self._exact else self._interval(dt)
        x1, x2, x3, x4, x5, x6 = x
        a1, a2, a3, a4, a5, a6 = self._axes
        h, k = H / dt, 2 * K / dt**2
        axes = (
            _next(a1, x1, dt, h, k), _next(a2, x2, dt, h, k), _next(a3, x3, dt, h, k),
            _next(a4, x4, dt, h, k), _next(a5, x5, dt, h, k), _next(a6, x6, dt, h, k),
        )  # fmt: skip
        if JUMPED in axes:
            return self._at_rest(x)
        self._axes = axes
        (_, v1, b1), (_, v2, b2), (_, v3, b3), (_, v4, b4), (_, v5, b5), (_, v6, b6) = axes
        return (*x, v1, v2, v3, v4, v5, v6, b1, b2, b3, b4, b5, b6)

    def _interval(self, dt: float) -> float:
        """A whole number of periods."""
        self._intervals += 1
        count = max(1, round(dt / self._period)) if self._intervals > 1 else 1
        share = max(TRUST, 1 / self._intervals)  # the mean of the first ones
        self._period = max(SHORTEST_S, (1 - share) * self._period + share * dt / count)
        return count * self._period

    def _at_rest(self, x: tuple[float, ...]) -> tuple[float, ...]:
        x1, x2, x3, x4, x5, x6 = x
        self._axes = (x1, 0.0, 0.0), (x2, 0.0, 0.0), (x3, 0.0, 0.0), (x4, 0.0, 0.0), (x5, 0.0, 0.0), (x6, 0.0, 0.0)
        return (*x, *REST, *REST)


def _next(axis: Axis, x: float, dt: float, h: float, k: float) -> Axis:
    """Position, velocity, acceleration of one axis; one call per axis is twice as fast as lists of all axes."""
    p, v, a = axis
    p += dt * (v + 0.5 * dt * a)
    e = x - p
    if -JUMP < e < JUMP:
        return p + G * e, v + dt * a + h * e, a + k * e
    return JUMPED
