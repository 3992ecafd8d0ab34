"""The static elimination order and the parts that both orderings share: pivots, live samples, the singularity floor."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.compile.linear.samples import Equilibrated
from motionbase.compile.linear.structure import no_common_pivot, singular_everywhere
from motionbase.errors import NoCommonPivot, SingularSystem

# Pivots below FLOOR_FACTOR * n * eps * (largest entry so far) are rounding noise of a singular system.
FLOOR_FACTOR = 8.0
# Ties are broken by pivot quality in steps of 1/QUALITY_STEPS, so that the last bits of a libm never change an order.
QUALITY_STEPS = 64.0


class Pivot(NamedTuple):
    """One elimination step: the equations and unknowns it removes (one each, or two in a 2x2 pivot)."""

    rows: tuple[int, ...]
    cols: tuple[int, ...]


class Order(NamedTuple):
    """A static pivot order, with what was learned about the samples.

    Attributes:
        pivots: the steps, first to last
        singular_samples: samples that turned out to be singular and were ignored from then on
        sample_growth: largest update over largest entry, over the other samples
    """

    pivots: tuple[Pivot, ...]
    singular_samples: tuple[int, ...]
    sample_growth: float


class Elimination:
    """Numeric elimination of all samples at once, while the order is chosen step by step."""

    def __init__(self, start: Equilibrated, names: Sequence[str] | None) -> None:
        self.start, self.names = start, names
        self.values, self.pattern = start.values.copy(), start.pattern.copy()
        n = len(start.pattern)
        self.active_rows, self.active_cols = np.ones(n, dtype=bool), np.ones(n, dtype=bool)
        self.original = np.abs(start.values).max(axis=(1, 2), initial=0.0)
        self.largest, self.largest_update = self.original.copy(), np.zeros(len(start.values))
        self.live = np.ones(len(start.values), dtype=bool)
        self.pivots: list[Pivot] = []

    @property
    def floor(self) -> Array:
        """(samples,) size below which a number is noise."""
        return np.asarray(FLOOR_FACTOR * len(self.pattern) * np.finfo(float).eps * self.largest)

    def eliminate(self, pivot: Pivot) -> tuple[Indices, Indices]:
        """Remove the pivot's rows and columns from the active part; return the rows and columns that were updated."""
        i, j = list(pivot.rows), list(pivot.cols)
        self.active_rows[i], self.active_cols[j] = False, False
        rows = np.flatnonzero(self.active_rows & self.pattern[:, j].any(axis=1))
        cols = np.flatnonzero(self.active_cols & self.pattern[i].any(axis=0))
        block = self.values[:, i][:, :, j]
        block = np.where(self.live[:, None, None], block, np.eye(len(i)))  # a singular sample must not stop the others
        lower = self.values[:, rows][:, :, j] @ np.linalg.inv(block)
        upper = self.values[:, i][:, :, cols]
        update = lower @ upper
        where = np.ix_(np.arange(len(self.values)), rows, cols)
        self.values[where] -= update
        self.pattern[np.ix_(rows, cols)] = True
        if update.size:
            sizes = np.abs(lower).max(axis=1) * np.abs(upper).max(axis=2)
            self.largest_update = np.maximum(self.largest_update, sizes.sum(axis=1))
            self.largest = np.maximum(self.largest, np.abs(self.values[where]).max(axis=(1, 2)))
        self.pivots.append(pivot)
        return rows, cols

    def bury_singular_samples(self) -> None:
        """Drop samples whose whole active part is noise; raise if none remains, or if none had to be dropped."""
        rows, cols = np.flatnonzero(self.active_rows), np.flatnonzero(self.active_cols)
        remaining = np.abs(self.values[np.ix_(np.arange(len(self.values)), rows, cols)]).max(axis=(1, 2))
        dead = self.live & (remaining <= self.floor)
        if not dead.any():
            raise NoCommonPivot(no_common_pivot(rows.tolist(), np.flatnonzero(self.live).tolist(), self.names))
        self.live &= ~dead
        if not self.live.any():
            floor = float(self.floor.max())
            raise SingularSystem(singular_everywhere(self.start.values, rows.tolist(), floor, self.names))

    def order(self) -> Order:
        """The chosen order, once nothing is left to eliminate."""
        updates, entries = self.largest_update[self.live], self.original[self.live]
        ratios = updates[updates > 0.0] / entries[updates > 0.0]
        dead = tuple(np.flatnonzero(~self.live).tolist())
        return Order(tuple(self.pivots), dead, max(1.0, float(ratios.max(initial=0.0))))


def ranked(cost: Array, quality: Array) -> Array:
    """One number that sorts by cost first and, among equal costs, by the better worst-case pivot."""
    return cost - 0.5 * np.floor(np.minimum(quality, 1.0) * QUALITY_STEPS) / QUALITY_STEPS
