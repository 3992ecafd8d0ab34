"""How parts of a model look that have no shape of their own: blades by chord and twist, disks about a body's z."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

import numpy as np

from motionbase.arrays import Array

Section: TypeAlias = tuple[float, float]
End: TypeAlias = tuple[str, tuple[float, float, float]]
THICK, AT = 0.12, 0.3  # of a blade's section, over its chord, and where it is thickest
QUARTER = 0.25  # of the chord is ahead of a beam's line
FLAT = 0.12  # of a disk: its height over its radius


@final
@dataclass(frozen=True)
class Looks:
    """Shapes beside those that a scene derives.

    Attributes:
        beams: beam -> chord [m] and twist [rad] of its first and of its last section; the beam's line is at a quarter
            of the chord, the leading edge towards the section's y, twist lifts it towards z
        blades: body -> places along its x [m] with chord and twist, of a rigid blade
        disks: body -> radius of a flat disk about its z, instead of its joint [m]
        rods: pairs of body, or ground, and point in its frame [m]
    """

    beams: Mapping[str, tuple[Section, Section]] = field(default_factory=dict)
    blades: Mapping[str, tuple[tuple[float, Section], ...]] = field(default_factory=dict)
    disks: Mapping[str, float] = field(default_factory=dict)
    rods: tuple[tuple[End, End], ...] = ()


def blade_piece(at: Array, R: Array, x: tuple[float, float], ends: tuple[Section, Section]) -> dict[str, Any]:
    """A mesh of a piece of blade between two sections.

    Args:
        at, R: (3,) point of the beam's line in the body's frame, (3, 3) section axes there
        x: of both sections along the line, from that point [m]
        ends: chord [m] and twist [rad] there
    """
    outlines = [_outline(position, *section) for position, section in zip(x, ends, strict=True)]
    vertices = [at + R @ corner for outline in outlines for corner in outline]
    n = len(vertices) // 2
    faces = [face for k in range(n) for face in _side(k, (k + 1) % n, n)]
    faces += [(k + 1, k, 0) for k in range(1, n - 1)]  # both ends, seen from outside
    faces += [(n, n + k, n + k + 1) for k in range(1, n - 1)]
    return {"vertices": [[round(float(c), 6) for c in v] for v in vertices], "faces": [list(face) for face in faces]}


def disk_size(radius: float) -> tuple[float, float, float]:
    """Of the cylinder that shows a disk."""
    return radius, radius, FLAT * radius


def _outline(x: float, chord: float, twist: float) -> Iterator[Array]:
    """Leading edge, top, trailing edge, bottom."""
    c, s = math.cos(twist), math.sin(twist)
    ahead, thick = QUARTER * chord, 0.5 * THICK * chord
    for y, z in ((ahead, 0.0), (ahead - AT * chord, thick), (ahead - chord, 0.0), (ahead - AT * chord, -thick)):
        yield np.array([x, c * y - s * z, s * y + c * z])


def _side(a: int, b: int, n: int) -> list[tuple[int, int, int]]:
    return [(a, b, b + n), (a, b + n, a + n)]
