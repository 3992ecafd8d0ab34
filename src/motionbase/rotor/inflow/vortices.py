"""Velocities that vortex lines induce: straight segments with a core, the arc about a point of a line, a far wake."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array

SOLID_CORE = 0.25  # of a core that turns like a solid body (Saffman 1992, ch. 10)
_U = np.log1p(1 / np.arange(1.0, 1e4))
CHORDS = float(np.sum(np.sinh(_U) - _U))  # what straight segments induce more than their arcs, on both sides: 0.0770


def segment_velocity(points: Array, start: Array, end: Array, core: ArrayLike) -> Array:
    """(3, n_points, n_segments): velocity at points for a circulation of one about each segment, by Biot and Savart.

    The core follows Vatistas' profile with n = 2: velocity is largest at its radius, and zero on the line.

    Args:
        points: (n_points, 3)
        start, end: (n_segments, 3); circulation is positive about the direction from start to end
        core: radius of the core, of all or of each
    """
    ax, ay, az = (points[:, None, k] - start[None, :, k] for k in range(3))
    bx, by, bz = (points[:, None, k] - end[None, :, k] for k in range(3))
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    a, b = np.sqrt(ax**2 + ay**2 + az**2), np.sqrt(bx**2 + by**2 + bz**2)
    dot, ends = ax * bx + ay * by + az * bz, a * b
    # the distance from the segment, not from its line: a neighbour that points at the point has it beyond its core
    length = np.linalg.norm(end - start, axis=-1)
    beside = (a**2 - dot >= 0) & (b**2 - dot >= 0)
    distance2 = np.where(beside, (cx**2 + cy**2 + cz**2) / length**2, np.minimum(a, b) ** 2)
    inside = distance2 / np.maximum(np.sqrt(distance2**2 + np.asarray(core) ** 4), 1e-30)
    along = inside * (a + b) / np.maximum(ends * (ends + dot), 1e-30) / (4 * np.pi)
    return np.stack([cx * along, cy * along, cz * along])


def arc_velocity(radius: Array, step: float, core: float) -> Array:
    """Velocity along the axis, at a point of a ring, of the arcs that straight segments beside the point leave out.

    The ring moves by (ln(8 radius / core) - 1/4) / (4 pi radius) for a circulation of one (Kelvin), of which all but
    the arcs of one step to either side is -ln tan(step / 4) / (4 pi radius); chords instead of arcs add `CHORDS`.

    Args:
        step: angle of a segment [rad]
    """
    found: Array = (np.log(8 * radius / core * np.tan(step / 4)) - SOLID_CORE - CHORDS) / (4 * np.pi * radius)
    return found


def far_velocity(distance: Array, radius: ArrayLike, rate: ArrayLike, blades: int) -> Array:
    """Velocity along the axis of helices that begin far below and go on for ever, as of a cylinder, on its axis.

    Args:
        distance: from the beginning of the cylinder
        rate: by which helices fall, length per radian; circulation is one for each blade's
    """
    falls = blades / (2 * np.pi * np.asarray(rate))
    found: Array = falls / 2 * (1 - distance / np.sqrt(distance**2 + np.asarray(radius) ** 2))
    return found
