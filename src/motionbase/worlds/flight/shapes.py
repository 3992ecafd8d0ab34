"""Shapes that aircraft are drawn with: bodies from frames, wings from sections, boxes, cylinders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from motionbase.worlds.felt import Vector

Shape = dict[str, Any]
Frame = tuple[float, float, float, float]  # of a body: x, bottom, top, half of the width [m]
Section = tuple[float, float, float, float]  # of a wing: leading edge and trailing edge along x, y, z [m]
AROUND = 20  # corners of a frame


def body(frames: Sequence[Frame], color: str, square: float = 2.6) -> Shape:
    """A closed body through frames from the nose to the tail, each a superellipse: 2 is an ellipse, more is squarer."""
    vertices, faces = list[list[float]](), list[list[int]]()
    for x, low, high, half in frames:
        middle, tall = (low + high) / 2, (high - low) / 2
        for k in range(AROUND):
            angle = 2 * math.pi * (k + 0.5) / AROUND
            vertices.append(
                [x, half * _power(math.cos(angle), square), middle + tall * _power(math.sin(angle), square)]
            )
    for ring in range(len(frames) - 1):
        for k in range(AROUND):
            a, b = ring * AROUND + k, ring * AROUND + (k + 1) % AROUND
            faces += [[a, a + AROUND, b], [b, a + AROUND, b + AROUND]]
    last = (len(frames) - 1) * AROUND
    for k in range(1, AROUND - 1):
        faces += [[0, k, k + 1], [last, last + k + 1, last + k]]
    return _mesh(vertices, faces, color)


def _power(x: float, square: float) -> float:
    return math.copysign(abs(x) ** (2 / square), x)


def wing(sections: Sequence[Section], color: str, thickness: float = 0.1, upright: bool = False) -> Shape:
    """A wing through sections from the left to the right, or from the top down where it is upright."""
    vertices, faces = list[list[float]](), list[list[int]]()
    for lead, trail, y, z in sections:
        chord = lead - trail
        for share, height in ((0.0, 0.0), (0.28, 0.5), (0.7, 0.32), (1.0, 0.02), (0.7, -0.22), (0.28, -0.35)):
            x, off = lead - share * chord, height * thickness * chord
            vertices.append([x, y + (off if upright else 0.0), z + (0.0 if upright else off)])
    for k in range(len(sections) - 1):
        for corner in range(6):
            a, b = 6 * k + corner, 6 * k + (corner + 1) % 6
            faces += [[a, b, a + 6], [b, b + 6, a + 6]]
    last = 6 * (len(sections) - 1)
    for corner in range(1, 5):
        faces += [[0, corner + 1, corner], [last, last + corner, last + corner + 1]]
    if upright:  # which turns inside and outside about
        faces = [[a, c, b] for a, b, c in faces]
    return _mesh(vertices, faces, color)


def panel(x: tuple[float, float], y: float, z: tuple[float, float], color: str) -> Shape:
    """A rectangle on the left side, seen from outside alone, so that it is not in a pilot's way; x from the tail on."""
    (a, b), (low, high) = x, z
    corners = [[a, y, low], [a, y, high], [b, y, high], [b, y, low]]
    return _mesh(corners, [[0, 1, 2], [0, 2, 3]], color)


def sheet(corners: Sequence[Vector], color: str, thickness: float = 0.03) -> Shape:
    """A flat plate with corners counter-clockwise, seen from where it faces."""
    n = _normal(corners)
    count = len(corners)
    vertices = [[p[k] + s * thickness / 2 * n[k] for k in range(3)] for s in (1, -1) for p in corners]
    faces = [[0, k, k + 1] for k in range(1, count - 1)] + [
        [count, count + k + 1, count + k] for k in range(1, count - 1)
    ]
    for k in range(count):
        b = (k + 1) % count
        faces += [[k, count + k, b], [b, count + k, count + b]]
    return _mesh(vertices, faces, color)


def _normal(corners: Sequence[Vector]) -> Vector:
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners[:3]
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    size = math.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


def box(size: Vector, p: Vector, color: str) -> Shape:
    """A box with its middle at p."""
    return {"type": "box", "size": list(size), "p": list(p), "q": [1.0, 0.0, 0.0, 0.0], "color": color}


def rod(a: Vector, b: Vector, radius: float, color: str, end: float | None = None) -> Shape:
    """A cylinder from a to b, or a cone with another radius at b."""
    way = [y - x for x, y in zip(a, b, strict=True)]
    length = math.hypot(*way)
    x, y, z = (one / length for one in way)
    # the shortest turn of the z axis onto the way
    w = 1.0 + z
    q = (w, -y, x, 0.0) if w > 1e-9 else (0.0, 1.0, 0.0, 0.0)
    size = math.sqrt(sum(one * one for one in q))
    return {
        "type": "cylinder", "size": [radius, radius if end is None else end, length],
        "p": [(s + t) / 2 for s, t in zip(a, b, strict=True)], "q": [one / size for one in q], "color": color,
    }  # fmt: skip


def wheel(p: Vector, radius: float, width: float) -> list[Shape]:
    """A tyre and its rim, which turn about y."""
    x, y, z = p
    return [
        rod((x, y - width / 2, z), (x, y + width / 2, z), radius, "#26282b"),
        rod((x, y - 0.52 * width, z), (x, y + 0.52 * width, z), 0.5 * radius, "#a9adb3"),
    ]


def mirrored(shape: Shape) -> Shape:
    """The same on the other side."""
    w, x, y, z = shape["q"]
    px, py, pz = shape["p"]
    made = {**shape, "p": [px, -py, pz], "q": [w, -x, y, -z]}
    if "vertices" in shape:
        made["vertices"] = [[a, -b, c] for a, b, c in shape["vertices"]]
        made["faces"] = [[a, c, b] for a, b, c in shape["faces"]]
    return made


def both(shapes: Sequence[Shape]) -> list[Shape]:
    """Shapes of the left side, and of the right one."""
    return [*shapes, *(mirrored(shape) for shape in shapes)]


def _mesh(vertices: Sequence[Sequence[float]], faces: Sequence[Sequence[int]], color: str) -> Shape:
    return {
        "type": "mesh", "size": [], "p": [0.0, 0.0, 0.0], "q": [1.0, 0.0, 0.0, 0.0],
        "vertices": [[round(x, 4) for x in p] for p in vertices], "faces": [list(face) for face in faces],
        "color": color,
    }  # fmt: skip
