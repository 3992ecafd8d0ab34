"""Limits over the horizon, as rows of accelerations at the knots: legs, turning, degrees of freedom.

Every row may be exceeded at a price, so that there is always a solution. A leg's length and rate share a row: l + T l',
inside the stroke, from which the leg can be stopped (`Limits.braking_time`).
"""

from __future__ import annotations

from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.horizon import Horizon
from motionbase.cueing.predictive.nodes import Nodes
from motionbase.cueing.predictive.weights import Limits, Weights
from motionbase.cueing.vestibular import THRESHOLDS

JUDGED = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.9, 1.2, 2.0)  # [s] nodes for the limits of the axes
EASES = 0.6  # [s] an axis keeps so much of its way at its velocity to its end: it is not stopped there with a jolt
LEG_ROWS, TURNING_ROWS = 18, 3  # at each node
BAND = np.array(THRESHOLDS[3:])[:, None]


@final
class Constraints:
    """lower <= A z <= upper, row by row, in arrays that are filled anew for every problem.

    Attributes:
        rows: number of rows
        price, give: (rows,) exceeding a row by e costs price e + e^2 / (2 give)
    """

    def __init__(self, horizon: Horizon, limits: Limits, weights: Weights) -> None:
        self.n, self.k, self.limits = len(horizon.nodes), len(horizon.knots), limits
        self.size = 6 * self.k
        self._legs, self._turning = slice(0, LEG_ROWS * self.n), slice(LEG_ROWS * self.n, 21 * self.n)
        self._leg_bounds = np.repeat([[limits.l_min, limits.l_max], *([-x, x] for x in limits.leg)], 6 * self.n, axis=0)
        self._bases = self._leg_bases(horizon.basis.forced[1:])
        own = self._own_rows(horizon)
        self._own = slice(self._turning.stop, self._turning.stop + own.shape[0])
        self.rows = self._own.stop
        self.A, self.lower, self.upper = np.zeros((self.rows, self.size)), np.zeros(self.rows), np.zeros(self.rows)
        self.A[self._own] = own
        self._prices(horizon, weights)

    def _leg_bases(self, forced: Array) -> Array:
        """(n, 3 J's, 3 kinds k): l + T l', l', l'' of the legs, by J, J' and J''."""
        P, V, A = (forced[:, j] for j in range(3))
        nothing, T = np.zeros_like(P), self.limits.braking_time
        kinds = ((P + T * V, T * P, nothing), (V, P, nothing), (A, 2 * V, P))
        by = np.stack([np.stack(kind, axis=1) for kind in kinds], axis=2)
        return np.ascontiguousarray(by.reshape(self.n, 3, 3 * self.k))

    def _own_rows(self, horizon: Horizon) -> Array:
        """Positions, with room to stop, and velocities of the degrees of freedom at some nodes."""
        judged = [
            k for k, t in enumerate(horizon.times) if any(abs(t - u) < 1e-9 for u in (*JUDGED, horizon.nodes[-1]))
        ]
        free, forced = (np.array(part[judged, :2]) for part in horizon.basis)
        for part in (free, forced):
            part[:, 0] += EASES * part[:, 1]
        self._free, rows = free, np.zeros((2, 6, len(judged), 6, self.k))
        for d in range(6):
            rows[:, d, :, d] = forced.transpose(1, 0, 2)
        self._own_bounds = np.repeat(self.limits.dof[:2].ravel(), len(judged))
        return rows.reshape(-1, self.size)

    def _prices(self, horizon: Horizon, weights: Weights) -> None:
        """Limits are too dear to be exceeded if anything else is possible; too much turning can be worth its price."""
        self.price, self.give = np.zeros(self.rows), np.zeros(self.rows)
        stroke = self.limits.l_max - self.limits.l_min
        hard = np.repeat([stroke, *self.limits.leg], 6 * self.n), self._own_bounds
        for at, unit in zip((self._legs, self._own), hard, strict=True):
            self.price[at], self.give[at] = weights.slack / unit, unit**2 / weights.slack
        self.give[self._turning] = (BAND**2 / (2 * weights.false_rate * horizon.share)).ravel()

    # ---- each problem ------------------------------------------------------------------------------------------------

    def fill(self, present: Array, nominal: Array, nodes: Nodes, forecast: Array, cue_by_z: Array) -> None:
        """About a nominal demand that the nodes show.

        Args:
            present: (3, 6) motion
            nominal: (size,) accelerations at the knots
            forecast: (n + 1, 6) specific force and rate of the vehicle at the head
            cue_by_z: (n, 6, size) derivatives of the cue at the nodes
        """
        self._fill_legs(nominal, nodes)
        self._fill_turning(nominal, nodes.cue[1:, 3:], forecast[1:, 3:], cue_by_z[:, 3:])
        free = (self._free @ present).transpose(1, 2, 0).ravel()  # kind, degree of freedom, node
        self.upper[self._own], self.lower[self._own] = self._own_bounds - free, -self._own_bounds - free

    def _fill_legs(self, nominal: Array, nodes: Nodes) -> None:
        rows, legs, T = self.A[self._legs], nodes.legs[1:], self.limits.braking_time
        changes = nodes.changes[1:].transpose(0, 1, 3, 2).reshape(self.n, 36, 3)
        by_z = (changes @ self._bases).reshape(self.n, 6, 6, 3, self.k)  # node, leg, degree of freedom, kind, knot
        rows.reshape(3, self.n, 6, 6, self.k)[:] = by_z.transpose(3, 0, 1, 2, 4)
        braked = legs[..., 0] + T * legs[..., 1]
        values = np.concatenate([braked.ravel(), legs[..., 1].ravel(), legs[..., 2].ravel()])
        offset = values - rows @ nominal
        self.lower[self._legs], self.upper[self._legs] = (self._leg_bounds - offset[:, None]).T

    def _fill_turning(self, nominal: Array, rates: Array, vehicle: Array, by_z: Array) -> None:
        """Rates from zero to the vehicle's, plus or minus a threshold; rates outside are false cues."""
        rows = self.A[self._turning]
        rows.reshape(3, self.n, self.size)[:] = by_z.transpose(1, 0, 2)
        offset = rates.T.ravel() - rows @ nominal
        self.upper[self._turning] = (np.maximum(vehicle.T, 0.0) + BAND).ravel() - offset
        self.lower[self._turning] = (np.minimum(vehicle.T, 0.0) - BAND).ravel() - offset
