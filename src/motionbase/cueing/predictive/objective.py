"""What is minimised: squares of what is felt of the error, and of the demand's own motion."""

from __future__ import annotations

from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.predictive.feelings import ORGANS, Felt, response
from motionbase.cueing.predictive.horizon import Horizon
from motionbase.cueing.predictive.weights import Limits, Weights
from motionbase.cueing.vestibular import THRESHOLDS

COASTS = 1.0  # [s] times the velocity at the end is how far an axis is expected to go on


@final
class Objective:
    """1/2 z' H z + f' z, up to a constant."""

    def __init__(self, horizon: Horizon, limits: Limits, weights: Weights) -> None:
        self.n, self.k = len(horizon.nodes), len(horizon.knots)
        self._organs(horizon, weights)
        self._keeping(horizon, limits.dof, weights)

    def _organs(self, horizon: Horizon, weights: Weights) -> None:
        """Responses of the organs, scaled so that their squares are the integral over the horizon."""
        root, scale = np.sqrt(horizon.share)[:, None], np.sqrt(weights.error) / THRESHOLDS
        self._felt = []
        for organ, at in ORGANS:
            free, forced = response(organ, horizon.times)
            self._felt.append((root * free, root * forced, at, scale[at]))

    def _keeping(self, horizon: Horizon, limits: Array, weights: Weights) -> None:
        """Costs of the demand itself: constant Hessian, and gradient by the present motion of each axis."""
        (free, forced), step = horizon.basis, np.diff(horizon.knot_times)
        jerk, jerk_free = (np.eye(self.k) - np.eye(self.k, k=-1)) / step[:, None], np.zeros((self.k, 3))
        jerk_free[0, 2] = -1 / step[0]
        self._H, self._f_by_present = np.zeros((6 * self.k, 6 * self.k)), np.zeros((6, self.k, 3))
        for d in range(6):
            parts = [(weights.jerk[d] * step, limits[2, d], jerk, jerk_free)]
            for j, row in enumerate((weights.position, weights.velocity, weights.acceleration)):
                parts.append((row[d] * horizon.share, limits[j, d], forced[1:, j], free[1:, j]))
            rest = [part[-1:, 0] + COASTS * part[-1:, 1] for part in (forced, free)]
            parts.append((np.array([weights.end[d]]), limits[0, d], *rest))
            at = slice(d * self.k, (d + 1) * self.k)
            for weight, most, by_knots, by_present in parts:
                scaled = by_knots.T * (weight / most**2)
                self._H[at, at] += scaled @ by_knots
                self._f_by_present[d] += scaled @ by_present

    def about(self, present: Array, nominal: Array, error: Array, felt: Felt, by_z: Array) -> tuple[Array, Array]:
        """H and f.

        Args:
            present: (3, 6) motion
            nominal: (size,) accelerations at the knots
            error: (n + 1, 6) cue of the nominal demand less what the vehicle does
            felt: the organs at the present
            by_z: (n, 6, size) derivatives of the cue at the nodes
        """
        slopes, values = [], []
        for (free, forced, at, scale), parts in zip(self._felt, felt.parts, strict=True):
            by = forced[:, 1:] @ by_z[:, at].reshape(self.n, -1)
            slopes.append((by.reshape(self.n, 3, -1) * scale[:, None]).reshape(3 * self.n, -1))
            values.append(((forced @ error[:, at] + free @ parts) * scale).ravel())
        slope, value = np.vstack(slopes), np.concatenate(values)
        f = slope.T @ (value - slope @ nominal)
        f += np.einsum("dkj,jd->dk", self._f_by_present, present).ravel()
        return self._H + slope.T @ slope, f
