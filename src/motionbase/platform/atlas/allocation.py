"""Wheel torques for a moment on the sphere, and their maximum over all directions of the moment.

With three wheels the torques are unique. With more they must be chosen:

    least_squares   the torques of least 2-norm, by the pseudo-inverse
    least_largest   the torques whose largest is smallest; a linear programme, solved exactly facet by facet

Both maxima are exact. The first is the longest row of the pseudo-inverse (Cauchy-Schwarz). For the second, the moments
that torques up to 1 can reach are the zonotope Z = J [-1, 1]^n, and the largest torque is the factor by which Z must be
scaled to contain the moment: its worst direction is the nearest facet, its best one the furthest corner. A facet is
spanned by two wheels, so only pairs of wheels need to be examined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.spatial.equals import ALIKE, axes_of, first_largest

FLAT = 1e-10  # sines below this count as zero; they round to 1e-16


@final
@dataclass(frozen=True, eq=False)
class WheelDemand:
    """Largest torque of any wheel for a moment of 1 N m, over all directions of the moment.

    Attributes:
        allocation: method by which torques are chosen
        each: (n,) largest torque of each wheel [-]
        worst: the largest of all [-]
        worst_directions: (k, 3) directions of the moment, in W, that are equally bad, each also for its opposite
        best: the smallest, over directions, of the largest torque [-]
        best_directions: (k, 3) directions in W that are equally good
    """

    allocation: str
    each: Array
    worst: float
    worst_directions: Array
    best: float
    best_directions: Array

    @property
    def worst_direction(self) -> Array:
        """(3,) of the equally bad directions, the one furthest along x."""
        return np.asarray(self.worst_directions[0])

    @property
    def best_direction(self) -> Array:
        """(3,) of the equally good directions, the one furthest along x."""
        return np.asarray(self.best_directions[0])

    @property
    def underestimate(self) -> float:
        """Relative error of the maximum if only the best direction is considered."""
        return 1 - self.best / self.worst


def least_squares(J: Array, M: Array) -> Array:
    """(n,) torques of least 2-norm."""
    return np.asarray(np.linalg.pinv(J) @ M)


def least_largest(J: Array, M: Array) -> Array:
    """(n,) torques whose largest is smallest."""
    if len(M) == 1:
        return np.asarray(np.sign(J[0]) * M[0] / np.abs(J[0]).sum())
    facets = facets_of(J)
    y = facets[first_largest(facets @ M)]
    level = float(y @ M)
    if level <= 0:
        return np.zeros(J.shape[1])
    along = y @ J
    inside = np.abs(along) <= FLAT * np.linalg.norm(y) * np.linalg.norm(J, axis=0)
    tau = np.where(inside, 0.0, level * np.sign(along))
    rest = M - J @ tau  # lies in the facet: one dimension less, and less than `level` is enough
    basis = np.linalg.svd(y[None])[2][1:]
    tau[inside] = least_largest(basis @ J[:, inside], basis @ rest)
    return np.asarray(tau)


def facets_of(J: Array) -> Array:
    """(k, d) vectors y; the largest torque is the largest y . M; d is 2 or 3."""
    d, n = J.shape
    normals = []
    for group in combinations(range(n), d - 1):
        first = J[:, group[0]]
        normal = np.array([-first[1], first[0]]) if d == 2 else np.cross(first, J[:, group[1]])
        size = float(np.linalg.norm(normal))
        if size > FLAT * float(np.prod(np.linalg.norm(J[:, list(group)], axis=0))):
            normals.append(normal / size)
    found = np.array(normals)
    y = found / np.abs(found @ J).sum(axis=1)[:, None]
    return np.concatenate([y, -y])


def least_squares_demand(J: Array) -> WheelDemand:
    """Exact demand with the pseudo-inverse."""
    rows: Array = np.asarray(np.linalg.pinv(J), dtype=np.float64)
    each = np.linalg.norm(rows, axis=1)
    worst, worst_directions = _longest(rows)
    far, best_directions = _longest(np.array(_corners_between(rows)))
    return WheelDemand("least_squares", each, worst, worst_directions, 1 / far, best_directions)


def least_largest_demand(J: Array) -> WheelDemand:
    """Exact demand from facets and corners of the zonotope."""
    facets = facets_of(J)
    worst, worst_directions = _longest(facets)
    far, best_directions = _longest(np.array(_zonotope_corners(J)))
    each = np.full(J.shape[1], worst)  # all but the two wheels of a facet are at the limit
    return WheelDemand("least_largest", each, worst, worst_directions, 1 / far, best_directions)


def _longest(vectors: Array) -> tuple[float, Array]:
    """The largest length, and (k, 3) the lines along all vectors of that length."""
    sizes = np.linalg.norm(vectors, axis=1)
    longest = float(sizes.max())
    return longest, axes_of(vectors[sizes >= longest * (1 - ALIKE)])


def _corners_between(rows: Array) -> list[Array]:
    """Corners of {x : |row . x| <= 1 for every row}: intersections of three planes that violate no other."""
    corners = []
    for trio in combinations(range(len(rows)), 3):
        planes = rows[list(trio)]
        if abs(np.linalg.det(planes)) <= FLAT * float(np.prod(np.linalg.norm(planes, axis=1))):
            continue
        for signs in product((1.0, -1.0), repeat=2):
            x = np.linalg.solve(planes, np.array([1.0, *signs]))
            if np.abs(rows @ x).max() <= 1 + 1e-9:  # allows for rounding of the solve
                corners.append(x)
    return corners


def _zonotope_corners(J: Array) -> list[Array]:
    """Every corner ends an edge along some wheel, in a facet spanned by two wheels; this order gives the signs."""
    unit = J / np.linalg.norm(J, axis=0)
    corners = []
    for i, j in product(range(J.shape[1]), repeat=2):
        normal = np.cross(unit[:, i], unit[:, j])
        if np.linalg.norm(normal) <= FLAT:
            continue
        normal = normal / np.linalg.norm(normal)
        across = np.cross(normal, unit[:, j])
        for a, b in product((1.0, -1.0), repeat=2):
            signs = np.zeros(J.shape[1])
            for direction in (normal, a * across, b * unit[:, j]):
                along = direction @ unit
                signs = np.where((signs == 0) & (np.abs(along) > FLAT), np.sign(along), signs)
            corners.append(J @ signs)
    return corners


ALLOCATIONS: dict[str, tuple[Callable[[Array, Array], Array], Callable[[Array], WheelDemand]]] = {
    "least_squares": (least_squares, least_squares_demand),
    "least_largest": (least_largest, least_largest_demand),
}


def wheel_demand(J_tau: Array, allocation: str) -> WheelDemand:
    """The wheel demand of an allocation, by name."""
    if allocation not in ALLOCATIONS:
        raise PlatformError(f"no allocation {allocation!r}; allocations: {', '.join(ALLOCATIONS)}")
    return ALLOCATIONS[allocation][1](J_tau)
