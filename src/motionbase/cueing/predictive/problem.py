"""The quadratic program: from the present motion, a nominal demand and a forecast to a condensed dense problem.

Variables are the accelerations z at the knots, one degree of freedom after the other. Motion at the nodes is linear in
z; the legs and what the head feels are linearised about the nominal demand, which is the last solution.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.constraints import Constraints
from motionbase.cueing.predictive.feelings import Felt
from motionbase.cueing.predictive.horizon import Horizon
from motionbase.cueing.predictive.nodes import Nodes
from motionbase.cueing.predictive.objective import Objective
from motionbase.cueing.predictive.weights import Limits, Weights
from motionbase.multibody.body import Vector
from motionbase.platform.hexapod import Hexapod


class Problem(NamedTuple):
    """Least 1/2 z' H z + f' z with |z| <= most and lower <= A z <= upper.

    Leaving a row by e costs price e + e^2 / (2 give).
    """

    H: Array
    f: Array
    most: Array
    A: Array
    lower: Array
    upper: Array
    price: Array
    give: Array


@final
class Assembly:
    """Makes problems; everything constant is made once.

    Attributes:
        size: number of variables
        nodes: legs and cue along the demand that it looked along last
    """

    def __init__(
        self, platform: Hexapod, head: Vector, limits: Limits, weights: Weights, horizon: Horizon | None = None
    ) -> None:
        self.horizon, self.limits = horizon or Horizon(), limits
        self.k = len(self.horizon.knots)
        self.size = 6 * self.k
        self.nodes = Nodes(platform, head, self.horizon.times.size)
        self._objective = Objective(self.horizon, limits, weights)
        self._constraints = Constraints(self.horizon, limits, weights)
        self._most = np.repeat(limits.dof[2], self.k)
        self._later = np.ascontiguousarray(self.horizon.basis.forced[1:])

    def motion(self, present: Array, z: Array) -> Array:
        """(n + 1, 3, 6) motion at the present and the nodes, of accelerations at the knots.

        Args:
            present: (3, 6) position, velocity, acceleration
        """
        free, forced = self.horizon.basis
        return np.asarray(free @ present + forced @ z.reshape(6, self.k).T)

    def look(self, present: Array, z: Array) -> None:
        """Legs and cue along a demand, into `nodes`."""
        motion = self.motion(present, z)
        for j, kept in enumerate((self.nodes.position, self.nodes.velocity, self.nodes.acceleration)):
            kept[:] = motion[:, j]
        self.nodes()

    def problem(self, present: Array, nominal: Array, forecast: Array, felt: Felt) -> Problem:
        """About the demand that it looked along. The next call reuses the arrays of the rows.

        Args:
            present: (3, 6) motion that the demand starts from
            nominal: (size,) accelerations at the knots
            forecast: (n + 1, 6) specific force and rate of the vehicle at the head, at the present and the nodes
            felt: what is felt of the error until now
        """
        nodes, rows = self.nodes, self._constraints
        by_motion = nodes.by_motion[1:].transpose(0, 1, 3, 2).reshape(-1, 36, 3)
        by_z = (by_motion @ self._later).reshape(-1, 6, self.size)
        H, f = self._objective.about(present, nominal, nodes.cue - forecast, felt, by_z)
        rows.fill(present, nominal, nodes, forecast, by_z)
        return Problem(H, f, self._most, rows.A, rows.lower, rows.upper, rows.price, rows.give)
