"""Timing along a path: the fraction covered (0 to 1) at each time, from rest to rest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.errors import SimulationError
from motionbase.spatial.rotations import Expr

Kind = Literal["quintic", "trapezoid"]
QUINTIC_SPEED, QUINTIC_ACCELERATION = 15 / 8, 10 / math.sqrt(3)  # peaks of 10 u^3 - 15 u^4 + 6 u^5


@final
@dataclass(frozen=True)
class Timing:
    """From 0 to 1 in a given time, starting and ending at rest.

    Attributes:
        duration: [s]
        kind: "quintic", with continuous acceleration, or "trapezoid", a trapezoidal speed profile
        ramp: for a trapezoid, the fraction of the time for speeding up, and again for slowing down: above 0 to 0.5
    """

    duration: float
    kind: Kind = "quintic"
    ramp: float = 0.25

    def __post_init__(self) -> None:
        if not (math.isfinite(self.duration) and self.duration > 0):
            raise SimulationError(f"timing: duration is {self.duration!r} s, a finite number above 0 is wanted")
        if self.kind not in ("quintic", "trapezoid"):
            raise SimulationError(f"timing: kind is {self.kind!r}, must be 'quintic' or 'trapezoid'")
        if not 0.0 < self.ramp <= 0.5:
            raise SimulationError(f"timing: ramp is {self.ramp!r}, must be above 0 and at most 0.5")

    def at(self, t: Expr) -> tuple[Expr, Expr, Expr]:
        """Fraction, its rate [1/s] and acceleration [1/s^2]; 0 before the start, 1 after the end."""
        T = self.duration
        u = ca.fmin(ca.fmax(t / T, 0.0), 1.0)
        if self.kind == "quintic":
            s = u**3 * (10 - 15 * u + 6 * u**2)
            return s, 30 * u**2 * (1 - u) ** 2 / T, 60 * u * (1 - u) * (1 - 2 * u) / T**2
        r = self.ramp
        a = 1 / (r * (1 - r))  # so that the total distance is 1
        up, down = u < r, u > 1 - r
        inside = ca.logic_and(t >= 0, t <= T)
        s = ca.if_else(up, 0.5 * a * u**2, ca.if_else(down, 1 - 0.5 * a * (1 - u) ** 2, a * r * (u - 0.5 * r)))
        s_dot = ca.if_else(up, a * u, ca.if_else(down, a * (1 - u), a * r))
        s_ddot = inside * ca.if_else(up, a, ca.if_else(down, -a, 0))
        return s, s_dot / T, s_ddot / T**2


def quickest(distance: ArrayLike, rate: ArrayLike, acceleration: ArrayLike, kind: Kind = "trapezoid") -> Timing:
    """The shortest timing in which several distances keep their limits, all starting and ending together.

    Args:
        distance: of each joint, or length and angle of a path
        rate, acceleration: limits of each
    """
    d, v, a = (np.atleast_1d(np.array(x, dtype=np.float64)) for x in (distance, rate, acceleration))
    d = np.abs(d)
    if not d.shape == v.shape == a.shape or not (np.all(v > 0) and np.all(a > 0) and np.all(np.isfinite(d))):
        raise SimulationError("timing: distance, rate and acceleration must have one length, the limits positive")
    if not d.max(initial=0.0) > 0:
        raise SimulationError("timing: every distance is zero, so there is nothing to time")
    moves = d > 0
    speed, push = float(np.min(v[moves] / d[moves])), float(np.min(a[moves] / d[moves]))  # per unit distance
    if kind == "quintic":
        return Timing(max(QUINTIC_SPEED / speed, math.sqrt(QUINTIC_ACCELERATION / push)), kind)
    if speed**2 >= push:  # the top speed is never reached
        return Timing(2 / math.sqrt(push), "trapezoid", 0.5)
    duration = 1 / speed + speed / push
    return Timing(duration, "trapezoid", speed / push / duration)
