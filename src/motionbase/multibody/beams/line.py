"""Lines that beams follow: places and section axes of their nodes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import Vector, checked_vector, numbers_of, shown

LEAST = 1e-9  # [m] between nodes, and of a direction across the line


@final
@dataclass(frozen=True, eq=False)
class Line:
    """Nodes along a line.

    Attributes:
        points: (n, 3) places [m]
        axes: (n, 3, 3) of the sections: x along the line, in columns
        stations: (n,) length of line up to each node [m]
    """

    points: Array
    axes: Array
    stations: Array

    def twisted(self, angle: float) -> Line:
        """The same line, its sections turned about x by an angle [rad] that grows evenly from the root to the tip."""
        turned = [R @ _about_x(angle * s / self.stations[-1]) for R, s in zip(self.axes, self.stations, strict=True)]
        return Line(self.points, np.array(turned), self.stations)


def straight(start: Vector, end: Vector, nodes: int, up: Vector = (0.0, 0.0, 1.0)) -> Line:
    """A straight line; `up` is near the sections' z axis."""
    a, b = (np.array(checked_vector("straight line", what, p)) for what, p in (("start", start), ("end", end)))
    _check_count("straight line", nodes)
    length = float(np.linalg.norm(b - a))
    if length < LEAST:
        raise ModelError(f"straight line: start and end are {length:g} m apart")
    s = np.linspace(0.0, 1.0, nodes)[:, None]
    R = _section("straight line", (b - a) / length, np.array(checked_vector("straight line", "up", up)))
    return Line(a + s * (b - a), np.tile(R, (nodes, 1, 1)), length * s.ravel())


def arc(centre: Vector, start: Vector, axis: Vector, angle: float, nodes: int) -> Line:
    """Part of a circle about an axis through its centre, by an angle [rad] from the start; the axis is sections' z."""
    c, a, n = (
        np.array(checked_vector("arc", what, p)) for what, p in (("centre", centre), ("start", start), ("axis", axis))
    )
    _check_count("arc", nodes)
    if np.linalg.norm(n) < LEAST:
        raise ModelError("arc: the axis has no direction")
    n = n / np.linalg.norm(n)
    radius = a - c - n * (n @ (a - c))
    r = float(np.linalg.norm(radius))
    if r < LEAST or not math.isfinite(angle) or angle == 0.0:
        raise ModelError(f"arc: its radius is {r:g} m and its angle {shown(angle)} rad; neither may be zero")
    angles = np.linspace(0.0, angle, nodes)
    ahead = math.copysign(1.0, angle) * np.cross(n, radius) / r
    tangents = [np.cos(t) * ahead - math.copysign(1.0, angle) * np.sin(t) * radius / r for t in angles]
    places = [a - radius + np.cos(t) * radius + np.sin(t) * np.cross(n, radius) for t in angles]
    axes = [_section("arc", tangent, n) for tangent in tangents]
    return Line(np.array(places), np.array(axes), r * np.abs(angles))


def through(points: Sequence[Vector] | Array, up: Vector = (0.0, 0.0, 1.0)) -> Line:
    """Nodes at given places; sections stand across a circle through each node and its neighbours."""
    given = numbers_of(points)
    if given is None or given.ndim != 2 or given.shape[1] != 3 or len(given) < 2 or not np.all(np.isfinite(given)):
        raise ModelError(f"line through points: they are {shown(points)}, at least two of three numbers are wanted")
    chords = np.diff(given, axis=0)
    lengths = np.linalg.norm(chords, axis=1)
    if min(lengths) < LEAST:
        raise ModelError(f"line through points: numbers {int(np.argmin(lengths))} and the next coincide")
    unit = chords / lengths[:, None]
    if len(unit) == 1:
        tangents = np.array([unit[0], unit[0]])
    else:
        # weights of the derivative of a parabola through three nodes
        inner = lengths[1:, None] * unit[:-1] + lengths[:-1, None] * unit[1:]
        inner /= np.linalg.norm(inner, axis=1)[:, None]
        ends = [2 * (inner[0] @ unit[0]) * unit[0] - inner[0], 2 * (inner[-1] @ unit[-1]) * unit[-1] - inner[-1]]
        tangents = np.array([ends[0], *inner, ends[1]])
    z = np.array(checked_vector("line through points", "up", up))
    axes = []
    for tangent in tangents:  # carried along, so that sections of a line in space do not jump
        axes.append(_section("line through points", tangent, z))
        z = axes[-1][:, 2]
    return Line(given, np.array(axes), np.concatenate([[0.0], np.cumsum(lengths)]))


def _section(owner: str, tangent: Array, up: Array) -> Array:
    """Axes whose first is the tangent and whose third is as near to `up` as can be."""
    across = np.cross(up, tangent)
    size = float(np.linalg.norm(across))
    if size < LEAST:
        raise ModelError(f"{owner}: up = {up.tolist()} is along the line, and tells nothing of its sections")
    y = across / size
    return np.column_stack([tangent, y, np.cross(tangent, y)])


def _about_x(angle: float) -> Array:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _check_count(owner: str, nodes: int) -> None:
    if not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 2:
        raise ModelError(f"{owner}: nodes is {shown(nodes)}, a whole number from 2 is wanted")
