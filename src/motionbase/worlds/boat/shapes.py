"""Shapes of hulls for viewers: axes of the hull, x ahead from amidships, z up from the keel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.worlds.boat.lines import Lines, sections
from motionbase.worlds.boat.mesh import Mesh

Shape = dict[str, Any]
Point = tuple[float, float, float]
FINE = np.unique(
    np.concatenate([np.linspace(0.0, 0.7, 15), np.linspace(0.7, 1.0, 16)])
)  # stations of a hull to look at
WATERLINE = {"v": 2, "ship": 3, "box": 3}  # point of a section up to which a hull has its bottom's colour
UNIT_Q = [1.0, 0.0, 0.0, 0.0]


def mesh(vertices: Array, faces: Sequence[Sequence[int]], color: str) -> Shape:
    """A mesh of triangles."""
    return {
        "type": "mesh", "size": [], "p": [0.0, 0.0, 0.0], "q": UNIT_Q, "color": color,
        "vertices": [[round(float(x), 3) for x in p] for p in vertices], "faces": [list(map(int, f)) for f in faces],
    }  # fmt: skip


def box(size: Point, p: Point, color: str, pitch: float = 0.0) -> Shape:
    """A box with its middle at p, turned about y [rad]."""
    q = [math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0]
    return {"type": "box", "size": list(size), "p": [round(x, 4) for x in p], "q": q, "color": color}


def boxes(size: Point, places: Sequence[Point], color: str) -> Shape:
    """Many equal boxes as one mesh."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * np.array(size) / 2
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [[q[0], q[k], q[k + 1]] for q in quads for k in (1, 2)]
    vertices = np.concatenate([corners + np.array(place) for place in places])
    return mesh(vertices, [[8 * n + k for k in face] for n in range(len(places)) for face in faces], color)


def rod(a: Point, b: Point, radius: float, color: str, end: float | None = None) -> Shape:
    """A round bar from a to b, with another radius at b if wanted."""
    way = np.subtract(b, a)
    length = float(np.linalg.norm(way))
    x, y, z = (way / length).tolist()
    q = np.array([1.0 + z, -y, x, 0.0]) if z > -1 + 1e-9 else np.array([0.0, 1.0, 0.0, 0.0])
    return {
        "type": "cylinder", "size": [radius, radius if end is None else end, length], "color": color,
        "p": [round(float(v), 4) for v in np.add(a, b) / 2], "q": (q / np.linalg.norm(q)).tolist(),
    }  # fmt: skip


def house(foot: Sequence[tuple[float, float]], roof: Sequence[tuple[float, float]], low: float, high: float,
          color: str) -> Shape:  # fmt: skip
    """A body between two outlines of equal count: half outlines (x, y) from ahead aft, mirrored."""
    rings = []
    for outline, z in ((foot, low), (roof, high)):
        left = [(x, y, z) for x, y in outline]
        rings.append(left + [(x, -y, z) for x, y in reversed(outline)])
    n = len(rings[0])
    faces = [[k, n + k, (k + 1) % n] for k in range(n)] + [[(k + 1) % n, n + k, n + (k + 1) % n] for k in range(n)]
    faces += [[n, n + k + 1, n + k] for k in range(1, n - 1)]
    return mesh(np.array(rings[0] + rings[1]), [f[::-1] for f in faces], color)


def strip(left: Array, right: Array, color: str) -> Shape:
    """A band between two lines of points, seen from the side to which (left, next, right) turns counter-clockwise."""
    n = len(left)
    faces = [[k, k + 1, n + k] for k in range(n - 1)] + [[k + 1, n + k + 1, n + k] for k in range(n - 1)]
    return mesh(np.concatenate([left, right]), faces, color)


def hull_shapes(lines: Lines, bottom: str, side: str, deck: str, sunk: float) -> list[Shape]:
    """One or two hulls with a deck that lies a little below the sheer.

    Args:
        sunk: how far the deck lies below the sheer [m]
    """
    half = sections(lines, FINE)[:, :5]
    x = lines.length * (FINE - 0.5)
    points = np.concatenate([np.broadcast_to(x[:, None, None], (len(x), 5, 1)), half], axis=2)
    made = []
    for aside in (0.5 * lines.spacing, -0.5 * lines.spacing) if lines.spacing else (0.0,):
        moved = np.array([0.0, aside, 0.0])
        mark = WATERLINE[lines.form]
        for first, last, color in ((0, mark, bottom), (mark, 4, side)):
            made.append(_shell(points[:, first : last + 1], moved, color))
        made.append(_shell(points[:, mark:5], moved, side, inside=True))
        made += [_cap(points[0], moved, side)]
        edge = points[:, 4].copy()
        edge[:, 2] = np.maximum(edge[:, 2] - sunk, points[:, mark, 2])
        for k, section in enumerate(points):  # as broad as the hull is there
            edge[k, 1] = 0.97 * np.interp(edge[k, 2], section[mark:, 2], section[mark:, 1])
        made.append(strip(edge * [1, -1, 1] + moved, edge + moved, deck))
    return made


def _shell(points: Array, moved: Array, color: str, inside: bool = False) -> Shape:
    """Both sides of a grid of points, stations by points of the section."""
    n, m, _ = points.shape
    grid = np.arange(n * m).reshape(n, m)
    a, b, c, d = grid[:-1, :-1].ravel(), grid[1:, :-1].ravel(), grid[:-1, 1:].ravel(), grid[1:, 1:].ravel()
    left = np.concatenate([np.stack([a, c, b], 1), np.stack([b, c, d], 1)])
    right = left[:, ::-1] + n * m
    faces = np.concatenate([left, right])
    shrunk = points * [1.0, 0.97, 1.0] if inside else points
    both = np.concatenate([shrunk.reshape(-1, 3), shrunk.reshape(-1, 3) * [1, -1, 1]]) + moved
    return mesh(both, (faces if inside else faces[:, ::-1]).tolist(), color)


def _cap(section: Array, moved: Array, color: str) -> Shape:
    """The transom, seen from astern."""
    ring = np.concatenate([section, section[:0:-1] * [1, -1, 1]]) + moved
    return mesh(ring, [[0, k, k + 1] for k in range(1, len(ring) - 1)], color)


def sheer_at(lines: Lines, x: float) -> tuple[float, float]:
    """Half breadth and height of the sheer at x."""
    y, z = sections(lines, np.array([x / lines.length + 0.5]))[0, 4]
    return float(y), float(z)


def whole(hull: Mesh, color: str) -> Shape:
    """A hull from a file, as it is."""
    return mesh(hull.vertices, hull.faces.tolist(), color)


def propeller(p: Point, diameter: float, color: str = "#b08d3c") -> list[Shape]:
    """Hub and blades, which turn about x."""
    x, y, z = p
    r = 0.5 * diameter
    made = [rod((x - 0.2 * r, y, z), (x + 0.3 * r, y, z), 0.2 * r, color)]
    for k in range(4):
        a = k * math.pi / 2
        c, s = math.cos(a), math.sin(a)
        # a blade is a thin plate along its radius, twisted out of the disc by 30 degrees
        turn = np.array([math.cos(a / 2), math.sin(a / 2), 0.0, 0.0])
        twist = np.array([math.cos(math.pi / 12), 0.0, 0.0, math.sin(math.pi / 12)])
        q = [
            turn[0] * twist[0], turn[1] * twist[0], -turn[1] * twist[3], turn[0] * twist[3],
        ]  # fmt: skip
        at = [x, y - 0.6 * r * s, z + 0.6 * r * c]
        made.append({"type": "box", "size": [0.05 * r, 0.5 * r, 0.8 * r], "p": at, "q": list(map(float, q)),
                     "color": color})  # fmt: skip
    return made
