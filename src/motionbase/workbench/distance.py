"""Distances between pieces of meshes: exact ones by coal, and cheap lower bounds that avoid most of them.

Convex pieces are solids and are compared by GJK, which gives the exact distance of polytopes; others are surfaces in a
tree of boxes. Both give 0 for overlapping pieces, and no depth.

Bounds come from capsules and boxes around the pieces, and from how far they moved. A capsule contains all points within
r of a segment. A piece is inside its capsule, so the distance of the segments minus both radii never exceeds the
distance of the pieces; the same holds for gaps along the axes of boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import coal
import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.workbench.mesh import Mesh

MOST_PIECES = 64  # of a mesh; one with more, such as a drawing with bolts, is one surface
TOLERANCE = 1e-10  # [m] at which GJK may end early
REQUEST: Any = coal.DistanceRequest()
REQUEST.enable_signed_distance = False
REQUEST.gjk_tolerance = TOLERANCE
PARALLEL = 1e-12  # squared sine below which segments count as parallel
SLACK = 1e-5  # [m]: error of that over ten metres, far above rounding
TINY = 1e-30
FRAMES = 1 << 16  # more than any platform has


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """One piece of a part with its coal model.

    Attributes:
        mesh: in the part's frame
        model: of coal; tree: data of the model, which must live as long
        is_solid: whether an object inside counts as overlapping; for a surface this is checked separately
    """

    mesh: Mesh
    model: Any
    tree: Any
    is_solid: bool


def pieces_of(mesh: Mesh) -> tuple[Piece, ...]:
    """Pieces by which a mesh is measured."""
    return tuple(piece(one) for one in (mesh.pieces if len(mesh.pieces) <= MOST_PIECES else (mesh,)))


def piece(mesh: Mesh) -> Piece:
    """The piece of a connected mesh, or of one taken as a whole."""
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
    """Coal transforms of (m, 3, 3) axes and (m, 3) origins."""
    return [coal.Transform3s(axes, origin) for axes, origin in zip(R, p, strict=True)]


def distance(a: Piece, T_a: Any, b: Piece, T_b: Any) -> tuple[float, Any]:
    """Distance [m], 0 if they overlap, and coal's result with the nearest points in W."""
    result = coal.DistanceResult()
    found = float(coal.distance(a.model, T_a, b.model, T_b, REQUEST, result))
    if found > 0 and not (a.is_solid and b.is_solid) and _is_inside(a, T_a, b, T_b):
        return 0.0, result
    return max(found, 0.0), result


def _is_inside(a: Piece, T_a: Any, b: Piece, T_b: Any) -> bool:
    """Whether one is inside the other; their surfaces do not intersect, so one corner of each piece is enough."""
    for inner, T_inner, outer, T_outer in ((a, T_a, b, T_b), (b, T_b, a, T_a)):
        if not outer.is_solid:
            corners = np.array([one.vertices[0] for one in inner.mesh.pieces])
            in_W = corners @ T_inner.getRotation().T + T_inner.getTranslation()
            if any(map(outer.mesh.contains, (in_W - T_outer.getTranslation()) @ T_outer.getRotation())):
                return True
    return False


def overlap(a: Mesh, b: Mesh) -> bool:
    """Whether two meshes in the same frame overlap."""
    here = coal.Transform3s()
    others = pieces_of(b)
    return any(distance(one, here, other, here)[0] <= 0 for one in pieces_of(a) for other in others)


def least(pairs: Sequence[tuple[Piece, Any, Piece, Any]]) -> tuple[float, Any]:
    """The least distance of several pairs of pieces."""
    return min((distance(*pair) for pair in pairs), key=lambda found: found[0])


@final
@dataclass(frozen=True, eq=False)
class Hulls:
    """Capsule and box around each of n pieces, in its frame.

    Attributes:
        a, b: (n, 3) ends of the segment [m]; r: (n,) radius [m]
        centre, axes, half: (n, 3), (n, 3, 3) as columns, (n, 3) of the box [m]
        furthest: (n,) largest distance of a corner from the frame's origin [m]
        frame: (n,) index of the frame
    """

    a: Array
    b: Array
    r: Array
    centre: Array
    axes: Array
    half: Array
    furthest: Array
    frame: Ints


def hulls(meshes: list[Mesh], frames: list[int]) -> Hulls:
    """Hulls of meshes: boxes along the principal axes of their corners, capsules along the longest axis."""
    columns = [_hull(mesh.vertices) for mesh in meshes]
    a, b, r, centre, axes, half = (np.array(column) for column in zip(*columns, strict=True))
    furthest = [float(np.linalg.norm(mesh.vertices, axis=1).max()) for mesh in meshes]
    return Hulls(a, b, r, centre, axes, half, np.array(furthest), np.array(frames))


def _hull(vertices: Array) -> tuple[Array, Array, float, Array, Array, Array]:
    axes = np.linalg.eigh(np.cov(vertices.T))[1]
    local = vertices @ axes
    low, high = local.min(axis=0), local.max(axis=0)
    half = 0.5 * (high - low)
    local = local - 0.5 * (low + high)
    centre = axes @ (0.5 * (low + high))
    long = int(half.argmax())
    beside = np.linalg.norm(np.delete(local, long, axis=1), axis=1)
    r = float(beside.max())
    # the ends move in as far as every corner stays within r of them
    reach = max(0.0, float((np.abs(local[:, long]) - np.sqrt(r**2 - beside**2)).max()))
    return centre - reach * axes[:, long], centre + reach * axes[:, long], r, centre, axes, half


@final
@dataclass(frozen=True, eq=False)
class Placed:
    """Hulls at one pose, in W; coordinates of the capsules are rows, so that pairs are gathered quickly.

    Attributes:
        a, along: (3, n) starts of the segments, and vectors to their ends [m]
        r, centre, axes, half: as in `Hulls`
    """

    a: Array
    along: Array
    r: Array
    centre: Array
    axes: Array
    half: Array


def placed(hulls: Hulls, R: Array, p: Array) -> Placed:
    """Hulls with frames at (m, 3, 3) axes and (m, 3) origins."""
    R, p = R[hulls.frame], p[hulls.frame]
    a, b, centre = (np.einsum("nij,nj->ni", R, x) + p for x in (hulls.a, hulls.b, hulls.centre))
    axes = np.einsum("nij,njk->nik", R, hulls.axes)
    return Placed(np.ascontiguousarray(a.T), np.ascontiguousarray((b - a).T), hulls.r, centre, axes, hulls.half)


def capsule_bounds(at: Placed, first: Ints, second: Ints) -> Array:
    """(m,) bounds of pairs of pieces, below zero if capsules overlap [m]; distances of segments as in `margins`."""
    along, other, between = at.along[:, first], at.along[:, second], at.a[:, first] - at.a[:, second]
    aa, oo, ao = _dot(along, along), _dot(other, other), _dot(along, other)
    ab, ob = _dot(along, between), _dot(other, between)
    rest = np.maximum(aa * oo - ao**2, PARALLEL * aa * oo) + TINY
    s = np.clip((ao * ob - ab * oo) / rest, 0.0, 1.0)
    t = np.clip((ao * s + ob) / (oo + TINY), 0.0, 1.0)
    s = np.clip((ao * t - ab) / (aa + TINY), 0.0, 1.0)
    apart = between + s * along - t * other
    return np.asarray(np.sqrt(_dot(apart, apart)) - at.r[first] - at.r[second] - SLACK)


def box_bounds(at: Placed, first: Ints, second: Ints) -> Array:
    """(m,) the widest gap along the axes of either box, below zero if there is none [m]."""
    between = at.centre[second] - at.centre[first]
    axes_a, axes_b, half_a, half_b = at.axes[first], at.axes[second], at.half[first], at.half[second]
    turn = np.abs(np.einsum("mki,mkj->mij", axes_a, axes_b))
    along_a = np.abs(np.einsum("mki,mk->mi", axes_a, between)) - half_a - np.einsum("mij,mj->mi", turn, half_b)
    along_b = np.abs(np.einsum("mkj,mk->mj", axes_b, between)) - half_b - np.einsum("mij,mi->mj", turn, half_a)
    return np.asarray(np.maximum(along_a.max(axis=1), along_b.max(axis=1)) - SLACK)


def _dot(x: Array, y: Array) -> Array:
    return np.asarray(np.einsum("km,km->m", x, y))


def reach_of_frames(R: Array, p: Array, R_to: Array, p_to: Array) -> tuple[Array, Array]:
    """(m,) largest displacement of each frame's origin [m] and largest rotation to any of the other poses.

    A point at a distance d from the origin moves at most by the first plus d times the second, which is the spectral
    norm of the difference of two rotations, equal to its Frobenius norm divided by sqrt(2).

    Args:
        R, p: of the frames at one pose; R_to, p_to: (n, m, 3, 3), (n, m, 3) at the others
    """
    shift = np.sqrt(np.einsum("nmi,nmi->nm", p_to - p, p_to - p))
    turn = np.sqrt(0.5 * np.einsum("nmij,nmij->nm", R_to - R, R_to - R))
    return shift.max(axis=0), turn.max(axis=0)


def moved(hulls: Hulls, first: Ints, second: Ints, here: tuple[Array, Array], there: tuple[Array, Array]) -> Array:
    """(m,) largest motion of a point of the second piece relative to the first, from one pose to another [m].

    A point of a capsule is within r of its segment. Along the segment the displacement is convex, so it is largest at
    an end; turning moves a point within r of it at most by r times the norm of the rotation.

    Args:
        here, there: (k, 3, 3) axes and (k, 3) origins of all frames
    """
    frames, place = np.unique(hulls.frame[first] * FRAMES + hulls.frame[second], return_inverse=True)
    by, of = np.divmod(frames, FRAMES)
    seen = []
    for R, p in (here, there):
        back = np.swapaxes(R[by], 1, 2)
        seen.append((np.einsum("mij,mjk->mik", back, R[of]), np.einsum("mij,mj->mi", back, p[of] - p[by])))
    (R_here, p_here), (R_there, p_there) = seen
    turn, shift = R_there - R_here, p_there - p_here
    size = np.sqrt(0.5 * np.einsum("mij,mij->m", turn, turn))
    turn, shift = turn[place], shift[place]
    ways = (np.einsum("mij,mj->mi", turn, x[second]) + shift for x in (hulls.a, hulls.b))
    longest = np.sqrt(np.maximum(*(np.einsum("mi,mi->m", way, way) for way in ways)))
    return np.asarray(longest + size[place] * hulls.r[second])
