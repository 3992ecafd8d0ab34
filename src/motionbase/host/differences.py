"""Velocities and accelerations of positions that come one frame at a time."""

from __future__ import annotations

from typing import final

FADE = 0.6  # weight of a frame relative to the one after it
PAUSE_S = 0.25  # after a longer one the motion begins anew, at rest
SHORTEST_S = 1e-4  # time between two frames
TRUST = 0.1  # share of a new interval in the smoothed period
G, H, K = 1 - FADE**3, 1.5 * (1 - FADE) ** 2 * (1 + FADE), 0.5 * (1 - FADE) ** 3


@final
class Differences:
    """A parabola through the last frames, fitted with fading weights, at the newest of them.

    Morrison (1969), the fading-memory polynomial filter of second degree: exact for constant acceleration once its
    start has faded, about 0.6^n after n frames; a changing acceleration is late by about four frames.
    Arrival times jitter, so a whole number of smoothed periods is taken between frames.

    Args:
        exact: times are those of the host's clock, so intervals are taken as they are
    """

    def __init__(self, exact: bool = False) -> None:
        self._exact = exact
        self._t: float | None = None
        self._period = 0.0
        self._x: tuple[float, ...] = (0.0,) * 6
        self._v, self._a = self._x, self._x

    def __call__(self, t: float, x: tuple[float, ...]) -> tuple[float, ...]:
        """(18,) the position as it is, and velocity and acceleration.

        Args:
            t: of the position [s]
            x: (6,)
        """
        before, self._t = self._t, t
        dt = PAUSE_S if before is None else t - before
        if not 0 <= dt < PAUSE_S:
            self._period = 0.0
        if not 0 <= dt < PAUSE_S or before is None:
            self._x, self._v, self._a = x, (0.0,) * 6, (0.0,) * 6
            return x + self._v + self._a
        dt = max(dt, SHORTEST_S) if self._exact else self._interval(dt)
        g, h, k = G, H / dt, 2 * K / dt**2
        made = []
        for p, v, a, now in zip(self._x, self._v, self._a, x, strict=True):
            v += a * dt
            ahead = p + v * dt - 0.5 * a * dt * dt
            r = now - ahead
            made.append((ahead + g * r, v + h * r, a + k * r))
        self._x, self._v, self._a = zip(*made, strict=True)
        return x + self._v + self._a

    def _interval(self, dt: float) -> float:
        """A whole number of periods."""
        if self._period == 0.0:
            self._period = max(dt, SHORTEST_S)
            return self._period
        count = max(1, round(dt / self._period))
        self._period += TRUST * (dt / count - self._period)
        self._period = max(self._period, SHORTEST_S)
        return count * self._period
