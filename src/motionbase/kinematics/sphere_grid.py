"""Directions all round, in rows of equal height: a rule for integrals over the sphere, and a surface over it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import PlatformError
from motionbase.kinematics.mesh import Mesh

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
FEWEST, MOST = 4, 200  # rows


@final
@dataclass(frozen=True)
class SphereGrid:
    """Gauss's rule in the height, equal steps round about: polynomials of degree 2 rows - 1 on the sphere are exact.

    Rays are the rows from below, each counter-clockwise from forward, then straight down and straight up, which have
    no weight.
    """

    rows: int = 24

    def __post_init__(self) -> None:
        if not FEWEST <= self.rows <= MOST:
            raise PlatformError(f"there are {self.rows} rows of directions, {FEWEST} to {MOST} are wanted")

    @property
    def columns(self) -> int:
        """Directions in a row."""
        return 2 * self.rows

    @cached_property
    def _rule(self) -> tuple[Array, Array]:
        heights, weights = np.polynomial.legendre.leggauss(self.rows)
        return np.asarray(heights, dtype=np.float64), np.asarray(weights, dtype=np.float64)

    @cached_property
    def azimuths(self) -> Array:
        """(columns,) from forward to the left [rad]."""
        return np.asarray(2 * np.pi / self.columns * np.arange(self.columns), dtype=np.float64)

    @cached_property
    def elevations(self) -> Array:
        """(rows,) above the horizontal [rad]."""
        return np.asarray(np.arcsin(self._rule[0]))

    @cached_property
    def directions(self) -> Array:
        """(rows * columns + 2, 3) unit vectors."""
        heights = self._rule[0]
        level = np.sqrt(1 - heights**2)
        grid = np.stack([np.outer(level, np.cos(self.azimuths)), np.outer(level, np.sin(self.azimuths)),
                         np.repeat(heights[:, None], self.columns, axis=1)], axis=2)  # fmt: skip
        return np.vstack([grid.reshape(-1, 3), [[0, 0, -1], [0, 0, 1]]])

    @cached_property
    def weights(self) -> Array:
        """(rows * columns + 2,) solid angle of each ray [sr]."""
        return np.append(np.repeat(self._rule[1] * 2 * np.pi / self.columns, self.columns), [0.0, 0.0])

    def grid(self, values: Array) -> Array:
        """(rows, columns) of values of the rays, the poles left out."""
        return np.asarray(values[:-2]).reshape(self.rows, self.columns)

    @cached_property
    def triangles(self) -> Ints:
        """(n, 3) of the closed surface through the ends of the rays."""
        k = np.arange(self.columns)
        after = (k + 1) % self.columns
        last = (self.rows - 1) * self.columns
        down, up = self.rows * self.columns, self.rows * self.columns + 1
        faces = [np.column_stack([np.full_like(k, down), after, k])]
        for row in range(self.rows - 1):
            low, high = row * self.columns, (row + 1) * self.columns
            faces.append(np.column_stack([low + k, low + after, high + after]))
            faces.append(np.column_stack([low + k, high + after, high + k]))
        faces.append(np.column_stack([last + k, last + after, np.full_like(k, up)]))
        return np.concatenate(faces).astype(np.int64)

    def mesh(self, centre: Array, reach: Array) -> Mesh:
        """The surface through the ends of rays from a place [m]."""
        return Mesh(centre + reach[:, None] * self.directions, self.triangles)

    def neighbours(self) -> Ints:
        """(rays, 4) of each ray: left, right, below and above; the poles are above and below their rows."""
        number = np.arange(self.rows * self.columns).reshape(self.rows, self.columns)
        down, up = number.size, number.size + 1
        below = np.vstack([np.full(self.columns, down), number[:-1]])
        above = np.vstack([number[1:], np.full(self.columns, up)])
        each = np.stack([np.roll(number, 1, axis=1), np.roll(number, -1, axis=1), below, above], axis=2).reshape(-1, 4)
        quarter = np.linspace(0, self.columns, 4, endpoint=False).astype(int)
        return np.vstack([each, number[0][quarter], number[-1][quarter]])
