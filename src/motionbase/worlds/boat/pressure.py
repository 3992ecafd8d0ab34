"""Pressure of water on triangles that may be partly wet: exact where the head is linear over a triangle.

The head is the pressure over density and gravity: in still water the depth below the surface. Where it is positive the
triangle is wet. Its integral over the wet part of a triangle has a closed form in the heads of the three corners. It is
continuous, and so is its first derivative, so a hull that enters the water feels no steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import for_each
from motionbase.worlds.boat.mesh import Indices, Mesh

SX = ca.SX


class Wet(NamedTuple):
    """Sums over all triangles.

    Attributes:
        force: (3,) of a pressure equal to the head: minus the integral of head times outward normal [m^3]
        moment: (3,) of the same about the origin [m^4]
        area: wet [m^2]
    """

    force: SX
    moment: SX
    area: SX


def wet_share(a: SX, b: SX, c: SX, heads: SX) -> tuple[SX, SX, SX]:
    """Means over a triangle with corners a, b, c: of the head where it is positive, of head times place, wet part."""
    wet = [heads[k] > 0 for k in range(3)]
    count = wet[0] + wet[1] + wet[2]
    first = ca.logic_and(ca.ne(wet[0], wet[1]), ca.ne(wet[0], wet[2]))  # the corner that differs from both others
    second = ca.logic_and(ca.ne(wet[1], wet[0]), ca.ne(wet[1], wet[2]))

    def turned(x: Any, y: Any, z: Any) -> Any:
        return ca.if_else(first, x, ca.if_else(second, y, z))

    r, p, q = turned(a, b, c), turned(b, c, a), turned(c, a, b)
    h, g, k = turned(*(heads[n] for n in (0, 1, 2))), turned(*(heads[n] for n in (1, 2, 0))), turned(*(
        heads[n] for n in (2, 0, 1)))  # fmt: skip
    mixed = ca.logic_and(count > 0, count < 3)
    t = ca.if_else(mixed, h / ca.if_else(mixed, h - g, 1.0), 0.0)  # along the edges to where the head is zero
    s = ca.if_else(mixed, h / ca.if_else(mixed, h - k, 1.0), 0.0)
    part = t * s
    corner = part * h / 3.0
    corner_place = part * h / 12.0 * (4.0 * r + t * (p - r) + s * (q - r))
    whole = (heads[0] + heads[1] + heads[2]) / 3.0
    centre = a + b + c
    whole_place = (heads[0] * (a + centre) + heads[1] * (b + centre) + heads[2] * (c + centre)) / 12.0
    full = count >= 2
    sign = ca.if_else(ca.eq(count, 1), 1.0, ca.if_else(ca.eq(count, 2), -1.0, 0.0))
    return (
        ca.if_else(full, whole, 0.0) + sign * corner,
        ca.if_else(full, whole_place, 0.0) + sign * corner_place,
        ca.if_else(full, 1.0, 0.0) + sign * part,
    )


def triangle_rows(mesh: Mesh) -> Array:
    """(m, 13) input of `wet_sums`, a row per triangle: corners, outward area vector, area."""
    areas = np.linalg.norm(mesh.normals, axis=1)[:, None]
    return np.concatenate([mesh.corners.reshape(-1, 9), mesh.normals, areas], axis=1)


def wet_sums(faces: Indices, triangles: SX, heads: SX, factors: SX | None = None) -> Wet:
    """Force, moment and wet area of a hull with a head at every vertex.

    Args:
        faces: (m, 3) indices of corners
        triangles: (m, 13) from `triangle_rows`
        factors: of the head, for each triangle; all 1 unless given
    """
    at = ca.horzcat(*(heads[faces[:, k].tolist()] for k in range(3)))

    def triangle(row: SX, h: SX, *factor: SX) -> Any:
        """Of one triangle."""
        mean, place, wet = wet_share(row[0:3], row[3:6], row[6:9], h)
        normal = row[9:12] * (factor[0] if factor else 1.0)
        return ca.vertcat(-mean * normal, -ca.cross(place, normal), wet * row[12])

    sums = ca.sum1(for_each(triangle, triangles, at, *(() if factors is None else (factors,)))).T
    return Wet(sums[0:3], sums[3:6], sums[6])
