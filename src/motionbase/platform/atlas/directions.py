"""Maxima over all directions: triangles on the unit sphere, subdivided where a maximum is still possible."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array

Support = Callable[[Array], Array]  # (n, 3) directions -> (n,) values; convex and homogeneous of degree one


def octahedron() -> Array:
    """(8, 3, 3) corners of eight triangles that cover the sphere."""
    signs = np.array(list(product((1.0, -1.0), repeat=3)))
    return np.asarray(signs[:, :, None] * np.eye(3))


def halved(cells: Array) -> Array:
    """(4 n, 3, 3) each triangle divided into four at the midpoints of its sides."""
    a, b, c = cells[:, 0], cells[:, 1], cells[:, 2]
    ab, bc, ca = ((x + y) / np.linalg.norm(x + y, axis=1)[:, None] for x, y in ((a, b), (b, c), (c, a)))
    corners = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.concatenate([np.stack(four, axis=1) for four in corners])


def flat_distances(cells: Array) -> Array:
    """(n,) distances of the planes through the corners from the centre; tends to 1 for small triangles."""
    normals = np.cross(cells[:, 1] - cells[:, 0], cells[:, 2] - cells[:, 0])
    return np.asarray(np.abs(np.sum(normals * cells[:, 0], axis=1)) / np.linalg.norm(normals, axis=1))


class Proof(NamedTuple):
    """Result of bounding a maximum over all directions.

    Attributes:
        bound: upper bound over all directions
        cells: number of triangles examined
        higher: a direction above the assumed maximum, if one was found; then nothing is proven
    """

    bound: float
    cells: int
    higher: Array | None


def proven_bound(support: Support, reached: float, tolerance: float, most_cells: int) -> Proof:
    """An upper bound of a convex function of degree one over all unit vectors.

    A direction m within a triangle with corners v_k is a sum c_k v_k with c_k >= 0 and sum c_k <= 1 / d, d being the
    distance of the corners' plane from the centre. So F(m) <= sum c_k F(v_k) <= max F(v_k) / d: triangles whose bound
    does not exceed `reached` are finished, the others are subdivided, and the excess falls with their size squared.

    Args:
        support: the function
        reached: the largest value known so far
        tolerance: permitted relative excess of the bound
        most_cells: with more triangles than this at once, the bound proven so far is returned
    """
    cells, looked_at, bound, enough = octahedron(), 0, reached, reached * (1 + tolerance)
    while True:
        looked_at += len(cells)
        corners = support(cells.reshape(-1, 3))
        if corners.max() > enough:
            return Proof(np.inf, looked_at, cells.reshape(-1, 3)[np.argmax(corners)])
        values = corners.reshape(-1, 3).max(axis=1) / flat_distances(cells)
        open_ = values > enough
        bound = max(bound, float(values[~open_].max(initial=0.0)))
        if 4 * np.count_nonzero(open_) > most_cells:
            return Proof(max(bound, float(values.max())), looked_at, None)
        if not open_.any():
            return Proof(bound, looked_at, None)
        cells = halved(cells[open_])
