"""The horizon: nodes where motion is judged, knots of the acceleration between them, and the motion at every node.

The acceleration of each degree of freedom is linear between knots, so its velocity and position at the nodes are exact
linear functions of its values at the knots.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError

NODES = (
    *(0.02, 0.05, 0.10, 0.15, 0.20, 0.25, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 1.0, 1.2),
    *(1.4, 1.6, 1.8, 2.0),
)  # [s]; with the present they are twenty
KNOTS = (0.02, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.60, 0.80, 1.2, 1.6, 2.0)  # [s], in addition to the present
PERIOD = 0.01  # [s] between plans
PLAN_TIMES = (0.0, *KNOTS[:7])  # [s] nodes of what is handed on
PLAN_NODES, PLAN_LENGTH = len(PLAN_TIMES), PLAN_TIMES[-1]
PLAN_STEPS = tuple(end - begin for begin, end in pairwise(PLAN_TIMES))


class Basis(NamedTuple):
    """Motion at the nodes by one of: position, velocity, acceleration at the present; accelerations at the knots.

    Attributes:
        free: (n + 1, 3, 3) position, velocity, acceleration from those of the present
        forced: (n + 1, 3, k) the same from the knots
    """

    free: Array
    forced: Array


@final
@dataclass(frozen=True)
class Horizon:
    """Times from the present [s], increasing; every knot is a node.

    Attributes:
        nodes: where motion is judged
        knots: where the acceleration is free
    """

    nodes: tuple[float, ...] = NODES
    knots: tuple[float, ...] = KNOTS

    def __post_init__(self) -> None:
        steps = np.diff([0.0, *self.nodes])
        if not steps.size or not steps.min() > 0:
            raise UsageError("horizon: nodes must be after the present and increase")
        if not set(self.knots) <= set(self.nodes) or self.knots[-1:] != self.nodes[-1:]:
            raise UsageError("horizon: knots must be nodes, and the last node a knot")

    @cached_property
    def times(self) -> Array:
        """(n + 1,) the present and the nodes [s]."""
        return np.array([0.0, *self.nodes])

    @cached_property
    def knot_times(self) -> Array:
        """(k + 1,) the present and the knots [s]."""
        return np.array([0.0, *self.knots])

    @cached_property
    def share(self) -> Array:
        """(n,) time that each node stands for, by the trapezoidal rule [s]."""
        steps = np.diff(self.times)
        return np.asarray(0.5 * (steps + np.append(steps[1:], 0.0)))

    @cached_property
    def basis(self) -> Basis:
        """Motion at the present and the nodes."""
        return self.basis_at(self.times)

    def basis_at(self, times: Array) -> Basis:
        """Motion at increasing times from 0 to the last knot."""
        every = np.union1d(self.knot_times, times)
        hats = np.stack([np.interp(every, self.knot_times, unit) for unit in np.eye(self.knot_times.size)], axis=1)
        h = np.diff(every)[:, None]
        velocity, position = np.zeros_like(hats), np.zeros_like(hats)
        for n in range(every.size - 1):  # cubic in each interval
            first, last = hats[n], hats[n + 1]
            velocity[n + 1] = velocity[n] + h[n] * (first + last) / 2
            position[n + 1] = position[n] + h[n] * velocity[n] + h[n] ** 2 * (first / 3 + last / 6)
        motion = np.stack([position, velocity, hats], axis=1)[np.searchsorted(every, times)]
        free = np.zeros((times.size, 3, 3))
        free[:, 0, 0] = free[:, 1, 1] = 1.0
        free[:, 0, 1] = times
        free[:, :, 2] = motion[:, :, 0]
        return Basis(free, np.ascontiguousarray(motion[:, :, 1:]))

    def shifted(self, start: Array, knots: Array, by: float) -> Array:
        """(k, dofs) accelerations at the knots of a horizon that begins later [s]; beyond the old end they rest at 0.

        Args:
            start: (dofs,) acceleration at the old present
            knots: (k, dofs) at the old knots
        """
        old = np.vstack([start, knots])
        at = self.knot_times[1:] + by
        moved = np.stack([np.interp(at, self.knot_times, column) for column in old.T], axis=1)
        return np.where(at[:, None] > self.knot_times[-1], 0.0, moved)
