"""Exact distances between pieces of meshes, by coal.

Convex pieces are solids and are compared by GJK, which ends at the exact distance of polytopes; others are surfaces in
a tree of boxes. Both give 0 where pieces overlap, and no depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import coal
import numpy as np
from numpy.typing import NDArray

from motionbase.kinematics.mesh import Mesh

Array: TypeAlias = NDArray[np.float64]
MOST_PIECES = 64  # of a mesh; one of more, a drawing with its bolts, is one surface
TOLERANCE = 1e-10  # [m] at which GJK may end early
REQUEST: Any = coal.DistanceRequest()
REQUEST.enable_signed_distance = False
REQUEST.gjk_tolerance = TOLERANCE


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """One piece of a part as coal has it.

    Attributes:
        mesh: in the part's frame
        model: of coal; tree: what it is made of and must live as long
        is_solid: whether what is inside overlaps, too; a surface alone is looked into separately
    """

    mesh: Mesh
    model: Any
    tree: Any
    is_solid: bool


def pieces_of(mesh: Mesh) -> tuple[Piece, ...]:
    """What a mesh is measured by."""
    return tuple(piece(one) for one in (mesh.pieces if len(mesh.pieces) <= MOST_PIECES else (mesh,)))


def piece(mesh: Mesh) -> Piece:
    """Of a mesh that hangs together, or of one taken as a whole."""
    tree = surface_tree(mesh)
    if not mesh.is_convex:
        return Piece(mesh, tree, tree, False)
    tree.buildConvexRepresentation(False)
    return Piece(mesh, tree.convex, tree, True)


def surface_tree(mesh: Mesh) -> Any:
    """A mesh as triangles in a tree of boxes."""
    tree = coal.BVHModelOBBRSS()
    tree.beginModel(len(mesh.triangles), len(mesh.vertices))
    tree.addVertices(np.ascontiguousarray(mesh.vertices))
    tree.addTriangles(np.ascontiguousarray(mesh.triangles))
    tree.endModel()
    return tree


def transforms(R: Array, p: Array) -> list[Any]:
    """Of (m, 3, 3) axes and (m, 3) origins, as coal has them."""
    return [coal.Transform3s(axes, origin) for axes, origin in zip(R, p, strict=True)]


def distance(a: Piece, T_a: Any, b: Piece, T_b: Any) -> tuple[float, Any]:
    """Distance [m], 0 where they overlap, and coal's result with the nearest points in W."""
    result = coal.DistanceResult()
    found = float(coal.distance(a.model, T_a, b.model, T_b, REQUEST, result))
    if found > 0 and not (a.is_solid and b.is_solid) and _is_inside(a, T_a, b, T_b):
        return 0.0, result
    return max(found, 0.0), result


def _is_inside(a: Piece, T_a: Any, b: Piece, T_b: Any) -> bool:
    """Whether anything of one is inside the other, known that their surfaces do not meet: then all its corners are."""
    for inner, T_inner, outer, T_outer in ((a, T_a, b, T_b), (b, T_b, a, T_a)):
        if not outer.is_solid:
            corners = np.array([one.vertices[0] for one in inner.mesh.pieces])
            in_W = corners @ T_inner.getRotation().T + T_inner.getTranslation()
            if any(map(outer.mesh.contains, (in_W - T_outer.getTranslation()) @ T_outer.getRotation())):
                return True
    return False


def overlap(a: Mesh, b: Mesh) -> bool:
    """Whether two meshes of one frame reach into each other."""
    here = coal.Transform3s()
    others = pieces_of(b)
    return any(distance(one, here, other, here)[0] <= 0 for one in pieces_of(a) for other in others)


def least(pairs: Sequence[tuple[Piece, Any, Piece, Any]]) -> tuple[float, Any]:
    """The least distance of several pairs of pieces."""
    return min((distance(*pair) for pair in pairs), key=lambda found: found[0])
