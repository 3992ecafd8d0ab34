"""Hulls as triangles: closed surfaces whose normals point into the water; from files too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from motionbase.arrays import Array
from motionbase.errors import ModelError

Indices = NDArray[np.int64]
MOST_FACES = 2000
ENDINGS = (".stl", ".obj", ".ply")


@final
@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed surface.

    Attributes:
        vertices: (n, 3) x forward from amidships, y to the left, z up from the keel [m]
        faces: (m, 3) indices of corners, counter-clockwise from outside
    """

    vertices: Array
    faces: Indices

    @cached_property
    def corners(self) -> Array:
        """(m, 3, 3) corner by corner."""
        return np.asarray(self.vertices[self.faces])

    @cached_property
    def normals(self) -> Array:
        """(m, 3) outward, as long as the area [m^2]."""
        a, b, c = self.corners[:, 0], self.corners[:, 1], self.corners[:, 2]
        return np.asarray(0.5 * np.cross(b - a, c - a))

    @property
    def volume(self) -> float:
        """Of the whole body [m^3]."""
        return float(np.sum(self.corners[:, 0] * self.normals) / 3.0)

    @property
    def gap(self) -> float:
        """Length of the sum of all area vectors over the whole area; zero if the surface is closed."""
        area = np.linalg.norm(self.normals, axis=1).sum()
        return float(np.linalg.norm(self.normals.sum(axis=0)) / area)

    def moved(self, by: Array) -> Mesh:
        """The mesh, translated."""
        return Mesh(self.vertices + by, self.faces)

    @staticmethod
    def joined(parts: list[Mesh]) -> Mesh:
        """Several bodies as one."""
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
        return Mesh(np.concatenate([part.vertices for part in parts]), np.concatenate(faces))


def mesh_from_file(path: Path) -> Mesh:
    """A hull from an STL, OBJ or PLY file in metres: x forward, z up, keel at z = 0, amidships at x = 0."""
    import trimesh

    if path.suffix.lower() not in ENDINGS:
        raise ModelError(f"hull file {path}: it must be one of {', '.join(ENDINGS)}")
    try:
        found = trimesh.load_mesh(str(path))
        vertices, faces = np.asarray(found.vertices, np.float64), np.asarray(found.faces, np.int64)
    except Exception as e:  # readers of mesh formats raise whatever a damaged file leads them to
        reason = next(iter(str(e).splitlines()), type(e).__name__)
        raise ModelError(f"hull file {path}: cannot be read: {reason}") from None
    if len(faces) > MOST_FACES:
        raise ModelError(f"hull file {path}: {len(faces)} triangles, at most {MOST_FACES} are possible")
    if len(faces) == 0 or not np.isfinite(vertices).all() or not found.is_watertight:
        raise ModelError(f"hull file {path}: the surface is not closed")
    if not found.is_winding_consistent:
        raise ModelError(f"hull file {path}: some triangles face outward and others inward")
    mesh = Mesh(vertices, faces)
    return mesh if mesh.volume > 0 else Mesh(vertices, faces[:, ::-1])
