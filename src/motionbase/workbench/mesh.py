"""Triangle meshes of solids: closed, convex, pieces, points inside; boxes, bars and balls.

Meshes of round solids are circumscribed, so a clearance is underestimated, by at most r (1 / cos(pi / sides) - 1) for a
bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Ints
from motionbase.errors import PlatformError
from motionbase.platform.gimbals import leg_axes

FLAT = 1e-9  # of the size: tolerance for a corner outside the plane of a face
MOST_FACES = 2000  # of a mesh that is tested for convexity, which takes the square of their number
Z = np.array([0.0, 0.0, 1.0])


@final
@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh; corners run counter-clockwise around the outward normal.

    Attributes:
        vertices: (n, 3) [m]
        triangles: (m, 3) indices of the corners in `vertices`
    """

    vertices: Array
    triangles: Ints

    @cached_property
    def is_closed(self) -> bool:
        """Whether every edge is used equally often in both directions, so that the mesh has an inside."""
        edges = np.concatenate([self.triangles[:, [0, 1]], self.triangles[:, [1, 2]], self.triangles[:, [2, 0]]])
        n = len(self.vertices)
        there, back = np.sort(edges[:, 0] * n + edges[:, 1]), np.sort(edges[:, 1] * n + edges[:, 0])
        return bool(np.array_equal(there, back))

    @cached_property
    def is_convex(self) -> bool:
        """Whether it is closed and no corner is outside the plane of any face; False for fine meshes, untested."""
        if len(self.triangles) > MOST_FACES or not self.is_closed:
            return False
        a, b, c = np.moveaxis(self.vertices[self.triangles], 1, 0)
        normals = np.cross(b - a, c - a)
        areas = np.linalg.norm(normals, axis=1)
        size = float(np.ptp(self.vertices, axis=0).max())
        solid = areas > FLAT * size**2
        if not solid.any():
            return False
        normals = normals[solid] / areas[solid, None]
        out = normals @ self.vertices.T - np.sum(normals * a[solid], axis=1)[:, None]
        return bool(out.max() <= FLAT * size)

    @cached_property
    def pieces(self) -> tuple[Mesh, ...]:
        """The connected components."""
        label = np.arange(len(self.vertices))
        while True:
            lower = label.copy()
            np.minimum.at(lower, self.triangles.ravel(), np.repeat(label[self.triangles].min(axis=1), 3))
            lower = lower[lower]
            if np.array_equal(lower, label):
                break
            label = lower
        of_triangle = label[self.triangles[:, 0]]
        order = np.argsort(of_triangle, kind="stable")
        found = []
        for own in np.split(self.triangles[order], np.flatnonzero(np.diff(of_triangle[order])) + 1):
            used, places = np.unique(own, return_inverse=True)
            found.append(Mesh(self.vertices[used], places.reshape(-1, 3)))
        return tuple(found)

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """(3,) least and (3,) largest coordinates [m]."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    def winding(self, points: ArrayLike) -> Array:
        """(n,) winding number of the surface around (n, 3) points: 0 outside a closed mesh, +-1 or more inside.

        It is the sum of the solid angles of all triangles (Van Oosterom & Strackee 1983) divided by 4 pi.
        """
        corners = self.vertices[self.triangles]
        turns = np.empty(len(points := np.atleast_2d(np.asarray(points, dtype=np.float64))))
        for k, point in enumerate(points):
            a, b, c = np.moveaxis(corners - point, 1, 0)
            la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
            volume = np.sum(a * np.cross(b, c), axis=1)
            rest = la * lb * lc + np.sum(a * b, axis=1) * lc + np.sum(b * c, axis=1) * la + np.sum(c * a, axis=1) * lb
            turns[k] = 2 * np.arctan2(volume, rest).sum()
        return turns / (4 * np.pi)

    def contains(self, point: ArrayLike) -> bool:
        """Whether a point is inside; a mesh that is not closed has no inside."""
        point = np.asarray(point, dtype=np.float64)
        low, high = self.box
        if not self.is_closed or np.any(point < low) or np.any(point > high):
            return False
        return bool(abs(self.winding(point)[0]) > 0.5)

    def moved(self, R: ArrayLike = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), p: ArrayLike = (0, 0, 0)) -> Mesh:
        """The mesh rotated by R, then shifted by p [m]."""
        return Mesh(self.vertices @ np.asarray(R, dtype=np.float64).T + np.asarray(p), self.triangles)

    def turned(self, angle: float) -> Mesh:
        """The mesh rotated about z [rad]."""
        c, s = np.cos(angle), np.sin(angle)
        return self.moved([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def checked_mesh(owner: str, vertices: ArrayLike, triangles: ArrayLike) -> Mesh:
    """The mesh of unchecked corners and triangles; equal corners are merged."""
    corners = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
    faces = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    if not len(faces):
        raise PlatformError(f"{owner} has no triangles; a surface of at least four is wanted")
    if faces.min() < 0 or faces.max() >= len(corners):
        raise PlatformError(f"{owner}: a triangle has corner {faces.max()}, there are {len(corners)}")
    is_used = np.zeros(len(corners), bool)
    is_used[faces] = True
    if bad := int((~np.isfinite(corners[is_used])).any(axis=1).sum()):
        raise PlatformError(f"{owner}: {bad} of its {len(corners)} corners are not finite numbers; all must be")
    corners, places = _distinct(corners)
    faces = places[faces]
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    if not distinct.any():
        raise PlatformError(f"{owner}: all of its {len(faces)} triangles are without area; a surface is wanted")
    return Mesh(corners, faces[distinct])


def _distinct(corners: Array) -> tuple[Array, Ints]:
    """Distinct rows in order, and the index of each row among them: like np.unique, but ten times faster."""
    order = np.lexsort(corners.T[::-1])
    ordered = corners[order]
    is_new = np.ones(len(ordered), bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    places = np.empty(len(ordered), np.int64)
    places[order] = np.cumsum(is_new) - 1
    return ordered[is_new], places


def joined(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one, of which they are pieces."""
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    triangles = [mesh.triangles + offset for mesh, offset in zip(meshes, offsets, strict=True)]
    return Mesh(np.concatenate([mesh.vertices for mesh in meshes]), np.concatenate(triangles))


def prism(low: ArrayLike, high: ArrayLike) -> Mesh:
    """A solid between two convex outlines of (n, 3) corners, counter-clockwise from above, `high` above `low`."""
    bottom, top = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    n = len(bottom)
    k = np.arange(n)
    after = (k + 1) % n
    fan = np.arange(1, n - 1)
    triangles = [
        np.column_stack([np.zeros_like(fan), fan + 1, fan]),
        np.column_stack([np.zeros_like(fan), fan, fan + 1]) + n,
        np.column_stack([k, after, after + n]),
        np.column_stack([k, after + n, k + n]),
    ]
    return Mesh(np.concatenate([bottom, top]), np.concatenate(triangles).astype(np.int64))


def box(size: ArrayLike, at: ArrayLike = (0, 0, 0), turn: float = 0.0) -> Mesh:
    """A box with three edges [m] around its centre, rotated about the vertical there [rad]."""
    x, y, z = 0.5 * np.asarray(size, dtype=np.float64)
    outline = np.array([[-x, -y, -z], [x, -y, -z], [x, y, -z], [-x, y, -z]])
    return prism(outline, outline + [0, 0, 2 * z]).turned(turn).moved(p=at)


def plate(outline: ArrayLike, z: float, height: float) -> Mesh:
    """A plate from z to z + height [m] with an outline (n, 2), convex and counter-clockwise."""
    flat = np.asarray(outline, dtype=np.float64)
    low = np.column_stack([flat, np.full(len(flat), z)])
    return prism(low, low + [0, 0, height])


def bar(start: ArrayLike, end: ArrayLike, radius: float, sides: int = 16, end_radius: float | None = None) -> Mesh:
    """A round bar between two points, with another radius at its end if given [m]."""
    begin, finish = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    R = leg_axes((finish - begin)[None])[0]
    turns = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    circle = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(sides)]) / np.cos(np.pi / sides)
    return prism(radius * circle @ R.T + begin, (end_radius or radius) * circle @ R.T + finish)


def beam(start: ArrayLike, end: ArrayLike, width: float, height: float) -> Mesh:
    """A rectangular beam between two points; a level one has level and upright sides [m]."""
    begin, finish = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    x, y, z = leg_axes((finish - begin)[None])[0].T
    length = float(np.linalg.norm(finish - begin))
    return box([length, width, height]).moved(np.column_stack([z, x, y]), 0.5 * (begin + finish))


def ball(at: ArrayLike, radius: float, sides: int = 12, rows: int = 6) -> Mesh:
    """A ball of level rings between two caps [m]."""
    scale = radius / (np.cos(np.pi / sides) * np.cos(np.pi / (2 * rows)))
    heights = np.pi * np.arange(1, rows) / rows
    turns = 2 * np.pi * np.arange(sides) / sides
    rings = [np.column_stack([np.sin(h) * np.cos(turns), np.sin(h) * np.sin(turns), np.full(sides, -np.cos(h))])
             for h in heights]  # fmt: skip
    vertices = scale * np.concatenate([[-Z], *rings, [Z]])
    k = np.arange(sides)
    after = (k + 1) % sides
    last = len(vertices) - 1
    triangles = [np.column_stack([np.zeros_like(k), 1 + after, 1 + k])]
    for row in range(len(rings) - 1):
        low, high = 1 + row * sides, 1 + (row + 1) * sides
        triangles.append(np.column_stack([low + k, low + after, high + after]))
        triangles.append(np.column_stack([low + k, high + after, high + k]))
    top = 1 + (len(rings) - 1) * sides
    triangles.append(np.column_stack([top + k, top + after, np.full(sides, last)]))
    return Mesh(vertices, np.concatenate(triangles).astype(np.int64)).moved(p=at)
