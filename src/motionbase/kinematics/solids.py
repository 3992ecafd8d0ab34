"""Convex solids as meshes, to build parts of: boxes, round bars, balls, raised outlines.

Round ones are circumscribed: the mesh holds the round solid, so that a clearance errs on the small side, by at most
r (1 / cos(pi / sides) - 1) for a bar.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionbase.kinematics.mesh import Mesh
from motionbase.platform.gimbals import leg_axes

Z = np.array([0.0, 0.0, 1.0])


def prism(low: ArrayLike, high: ArrayLike) -> Mesh:
    """Between two convex outlines of as many corners, (n, 3) each, counter-clockwise from above, `high` above `low`."""
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
    """Of three edges [m] about its middle, turned about the vertical there [rad]."""
    x, y, z = 0.5 * np.asarray(size, dtype=np.float64)
    outline = np.array([[-x, -y, -z], [x, -y, -z], [x, y, -z], [-x, y, -z]])
    return prism(outline, outline + [0, 0, 2 * z]).turned(turn).moved(p=at)


def plate(outline: ArrayLike, z: float, height: float) -> Mesh:
    """An outline (n, 2), convex and counter-clockwise, raised from z to z + height [m]."""
    flat = np.asarray(outline, dtype=np.float64)
    low = np.column_stack([flat, np.full(len(flat), z)])
    return prism(low, low + [0, 0, height])


def bar(start: ArrayLike, end: ArrayLike, radius: float, sides: int = 16, end_radius: float | None = None) -> Mesh:
    """Round, between two places, thinner or thicker at its end [m]."""
    begin, finish = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    R = leg_axes((finish - begin)[None])[0]
    turns = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    circle = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(sides)]) / np.cos(np.pi / sides)
    return prism(radius * circle @ R.T + begin, (end_radius or radius) * circle @ R.T + finish)


def beam(start: ArrayLike, end: ArrayLike, width: float, height: float) -> Mesh:
    """Square, between two places, its sides level and upright where it is level [m]."""
    begin, finish = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    x, y, z = leg_axes((finish - begin)[None])[0].T
    length = float(np.linalg.norm(finish - begin))
    return box([length, width, height]).moved(np.column_stack([z, x, y]), 0.5 * (begin + finish))


def ball(at: ArrayLike, radius: float, sides: int = 12, rows: int = 6) -> Mesh:
    """Of level rings between two caps [m]."""
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
