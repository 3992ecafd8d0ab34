"""Newton's method for unknowns of steady flights, many at once: differences, Broyden's updates, limited steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.errors import SimulationError

LEAST_GAIN = 0.9  # of the residual's length, above which a step is halved
HALVINGS = 5
UPDATES = 3  # of Broyden's in a row before differences are taken again


@final
@dataclass(frozen=True, eq=False)
class Root:
    """What was found, by lane.

    Attributes:
        x: (lanes, n)
        residual: (lanes, n)
        jacobian: (lanes, n, n) of the residual
        iterations: of all lanes
        found: (lanes,) whether the residual is below the tolerance
    """

    x: Array
    residual: Array
    jacobian: Array
    iterations: int
    found: Flags


@final
@dataclass(frozen=True, eq=False)
class Problem:
    """n equations on each lane.

    Attributes:
        residual: (lanes, n) unknowns -> (lanes, n), in units in which one tolerance serves all
        moves: (n,) of the differences
        largest: (n,) that an unknown may change in a step
        least, most: (n,) bounds
        tolerance: of each residual
    """

    residual: Callable[[Array], Array]
    moves: Array
    largest: Array
    least: Array
    most: Array
    tolerance: float = 1e-7

    def solve(self, x: Array, iterations: int = 25) -> Root:
        """From a start; a lane that finds no better place stays where it is."""
        x = np.clip(x, self.least, self.most)
        r, fresh, k = self.residual(x), UPDATES, 0
        J = np.empty((*x.shape, x.shape[1]))
        stuck = np.zeros(len(x), dtype=bool)
        while k < iterations and not np.all(self._found(r) | stuck):
            k += 1
            if fresh >= UPDATES:
                J, fresh = self._differences(x, r), 0
            step = self._limited(x, J, r)
            x, r, J, better = self._along(x, step, r, J, stuck | self._found(r))
            stalled = ~better & ~self._found(r)
            stuck = stalled if fresh == 0 else np.zeros_like(stuck)
            fresh = UPDATES if stalled.any() else fresh + 1
        return Root(x, r, J, k, self._found(r))

    def _found(self, r: Array) -> Flags:
        return np.asarray(np.abs(r).max(axis=1) < self.tolerance)

    def _differences(self, x: Array, r: Array) -> Array:
        """Away from a bound where one is near."""
        columns = []
        for k, move in enumerate(self.moves):
            moved = x.copy()
            moved[:, k] += np.where(x[:, k] + move > self.most[k], -move, move)
            columns.append((self.residual(moved) - r) / (moved[:, k] - x[:, k])[:, None])
        return np.stack(columns, axis=-1)

    def _limited(self, x: Array, J: Array, r: Array) -> Array:
        """Newton's step, shortened as a whole, then cut at the bounds."""
        step = -np.stack([np.linalg.lstsq(A, b, rcond=1e-10)[0] for A, b in zip(J, r, strict=True)])
        step /= np.maximum(1.0, np.abs(step / self.largest).max(axis=1))[:, None]
        return np.asarray(np.clip(x + step, self.least, self.most) - x)

    def _along(self, x: Array, step: Array, r: Array, J: Array, done: Flags) -> tuple[Array, Array, Array, Flags]:
        """The first place along a step that is better; lanes that are done stay."""
        better, part = done.copy(), np.where(done, 0.0, 1.0)
        x, r, J = x.copy(), r.copy(), J.copy()
        size = np.linalg.norm(r, axis=1)
        for _ in range(HALVINGS):
            tried = x + np.where(better, 0.0, part)[:, None] * step
            try:
                now = self.residual(tried)
            except SimulationError:  # too far for the rotor to follow
                part = part / 2
                continue
            moved = tried - x
            won = ~better & (np.linalg.norm(now, axis=1) < LEAST_GAIN * size)
            for lane in np.flatnonzero(~better & (np.abs(moved).max(axis=1) > 0)):  # Broyden 1965
                d = moved[lane]
                J[lane] += np.outer(now[lane] - r[lane] - J[lane] @ d, d) / (d @ d)
            x[won], r[won] = tried[won], now[won]
            better |= won
            if better.all():
                break
            part = part / 2
        return x, r, J, better
