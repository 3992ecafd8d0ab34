"""What a revolution does to a small disturbance: the monodromy matrix of a periodic system, or of any map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.rotor.stability.periodic import PeriodicSystem

STEPS = 360  # a revolution
BATCH = 120  # steps whose matrices are in memory at once
# Gauss' three points of a step
POINTS = 0.5 + np.sqrt(0.15) * np.array([-1.0, 0.0, 1.0])
PADE = np.array([1.0, 1 / 2, 5 / 44, 1 / 66, 1 / 792, 1 / 15840, 1 / 665280])  # of exp, degree 6 over 6


@final
@dataclass(frozen=True, eq=False)
class Monodromy:
    """x after a revolution is `matrix` times x before it.

    Attributes:
        matrix: (n, n)
        period: of the revolution [s]
        path: (steps + 1, n, n) the same from azimuth zero to azimuths equally spaced over the revolution, the identity
            first; None for a map that tells the end alone
    """

    matrix: Array
    period: float
    path: Array | None = None


def monodromy(system: PeriodicSystem, steps: int = STEPS) -> Monodromy:
    """By a Magnus integrator of sixth order, exact for constant coefficients (Blanes, Casas & Ros 2000).

    Args:
        steps: a revolution
    """
    if steps < 1:
        raise ModelError(f"monodromy matrix: {steps} steps a revolution, at least 1 is wanted")
    h, n = system.period / steps, len(system.states)
    path = np.empty((steps + 1, n, n))
    path[0] = np.eye(n)
    for first in range(0, steps, BATCH):
        k = np.arange(first, min(first + BATCH, steps))
        A1, A2, A3 = (system.at(system.speed * h * (k + point)) for point in POINTS)
        for step, turn in zip(k, exponential(_magnus(A1, A2, A3, h)), strict=True):
            path[step + 1] = turn @ path[step]
    return Monodromy(path[-1], system.period, path)


def monodromy_of_map(
    revolution: Callable[[Array], Array], x: ArrayLike, period: float, *, step: ArrayLike = 1e-5
) -> Monodromy:
    """Of a map over one revolution, by central differences about a periodic solution; the error is that of step^2.

    Args:
        revolution: (batch, n) states at azimuth zero -> (batch, n) states a revolution later
        x: (n,) state of the periodic solution at azimuth zero
        period: of the revolution [s]
        step: of each state: a number, or (n,) numbers in the units of the states
    """
    about = np.asarray(x, dtype=np.float64)
    n = len(about)
    moves = np.broadcast_to(np.asarray(step, dtype=np.float64), (n,))
    if not np.all(moves > 0):
        raise ModelError(f"monodromy matrix: steps of the differences are {moves}, they must be positive")
    starts = about + np.concatenate([np.diag(moves), -np.diag(moves)])
    ends = np.asarray(revolution(starts), dtype=np.float64)
    if ends.shape != (2 * n, n) or not np.all(np.isfinite(ends)):
        raise ModelError(
            f"monodromy matrix: the map returned shape {ends.shape} for {starts.shape}, or numbers that are not finite"
        )
    return Monodromy((ends[:n] - ends[n:]).T / (2 * moves), period)


def exponential(X: Array) -> Array:
    """(..., n, n) exp X: Pade approximation of degree 6, scaled, squared (Golub & Van Loan 2013, algorithm 9.3.1)."""
    size = float(np.abs(X).sum(axis=-1).max(initial=0.0))
    halvings = max(0, int(np.ceil(np.log2(size))) + 2) if size > 0.25 else 0
    Y, one = X / 2.0**halvings, np.eye(X.shape[-1])
    power, above, below = one, PADE[0] * one, PADE[0] * one
    for k, c in enumerate(PADE[1:], start=1):
        power = power @ Y
        above, below = above + c * power, below + (-1) ** k * c * power
    found = np.linalg.solve(below, above)
    for _ in range(halvings):
        found = found @ found
    return np.asarray(found)


def _magnus(A1: Array, A2: Array, A3: Array, h: float) -> Array:
    """Exponent of a step, from A at Gauss' points: sixth order with three commutators (Blanes et al. 2000)."""
    B1, B2, B3 = h * A2, np.sqrt(5 / 3) * h * (A3 - A1), 10 / 3 * h * (A3 - 2 * A2 + A1)
    C1 = _commutator(B1, B2)
    C2 = -_commutator(B1, 2 * B3 + C1) / 60
    return np.asarray(B1 + B3 / 12 + _commutator(-20 * B1 - B3 + C1, B2 + C2) / 240)


def _commutator(X: Array, Y: Array) -> Array:
    return np.asarray(X @ Y - Y @ X)
