"""The centre line of a road: straights and arcs, joined by clothoids with linearly changing curvature."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError

SPACING = 0.5  # of samples [m]
GAUSS = (0.5 - math.sqrt(0.15), 0.5, 0.5 + math.sqrt(0.15)), (5 / 18, 8 / 18, 5 / 18)


@final
class Straight(NamedTuple):
    """A straight; the lengths of two straights that are `free` are chosen so that the road closes.

    Attributes:
        name: by which things are placed on it
    """

    length: float
    name: str = ""
    free: bool = False


@final
class Bend(NamedTuple):
    """A clothoid, an arc, a clothoid.

    Attributes:
        turn: total angle, positive to the left [deg]
        radius: of the arc [m]
        transition: length of each clothoid [m]
    """

    turn: float
    radius: float
    transition: float

    @property
    def pieces(self) -> list[Piece]:
        """Its parts."""
        k = math.copysign(1 / self.radius, self.turn)
        arc = math.radians(abs(self.turn)) * self.radius - self.transition
        if arc < 0:
            raise ModelError(
                f"bend of {self.turn:g} deg: the transition is {self.transition:g} m, it must be at most "
                f"{arc + self.transition:.1f} m"
            )
        return [Piece(self.transition, 0.0, k), Piece(arc, k, k), Piece(self.transition, k, 0.0)]


class Piece(NamedTuple):
    """A length along which the curvature changes linearly [m, 1/m]."""

    length: float
    begin: float
    end: float


Part = Straight | Bend


@final
@dataclass(frozen=True)
class Course:
    """The centre line of a road, from the origin in the direction of x.

    Attributes:
        closed: the end is the start
        width: of the road [m]
    """

    parts: tuple[Part, ...]
    closed: bool = True
    width: float = 7.0

    @cached_property
    def lengths(self) -> tuple[float, ...]:
        """Lengths of the straights, free ones as closing the road requires; 0 for bends."""
        found = [part.length if isinstance(part, Straight) else 0.0 for part in self.parts]
        free = [k for k, part in enumerate(self.parts) if isinstance(part, Straight) and part.free]
        if not self.closed:
            return tuple(found)
        if len(free) != 2:
            raise ModelError(f"course: {len(free)} straights are free, a closed road needs two")
        heading, directions = 0.0, []
        for part in self.parts:
            directions.append((math.cos(heading), math.sin(heading)))
            heading += 0.0 if isinstance(part, Straight) else math.radians(part.turn)
        if abs(heading - 2 * math.pi) > 1e-9:
            raise ModelError(f"course: its bends turn by {math.degrees(heading):g} deg, a closed road turns by 360")
        end = _traced(self._pieces(found), SPACING)[-1, 1:3]
        change = np.linalg.solve(np.array([directions[k] for k in free]).T, -end)
        for k, by in zip(free, change.tolist(), strict=True):
            found[k] += by
            if found[k] < 0:
                raise ModelError(f"course: a free straight would have the length {found[k]:.1f} m; change a bend")
        return tuple(found)

    def _pieces(self, lengths: Sequence[float]) -> list[Piece]:
        found = []
        for part, length in zip(self.parts, lengths, strict=True):
            found += [Piece(length, 0.0, 0.0)] if isinstance(part, Straight) else part.pieces
        return [piece for piece in found if piece.length > 0]

    @cached_property
    def length(self) -> float:
        """Of the whole [m]."""
        return sum(piece.length for piece in self._pieces(self.lengths))

    @cached_property
    def samples(self) -> Array:
        """(n, 6) s, x, y, heading, curvature and its change, evenly spaced; without the end of a closed road."""
        n = round(self.length / SPACING)
        rows = _traced(self._pieces(self.lengths), self.length / n)
        return rows[:-1] if self.closed else rows

    @cached_property
    def rows(self) -> list[list[float]]:
        """The samples as plain numbers, which are quicker to take one by one."""
        rows: list[list[float]] = self.samples.tolist()
        return rows

    def begin(self, name: str) -> float:
        """Distance along the road at which a straight starts [m]."""
        s = 0.0
        for part, length in zip(self.parts, self.lengths, strict=True):
            if isinstance(part, Straight):
                if part.name == name:
                    return s
                s += length
            else:
                s += sum(piece.length for piece in part.pieces)
        raise ModelError(f"course: there is no straight {name!r}")

    def at(self, s: float) -> tuple[float, float, float]:
        """Position and heading at a distance along the road."""
        rows = self.rows
        s = s % self.length if self.closed else min(max(s, 0.0), self.length)
        begin, x0, y0, heading, k, k1 = rows[min(int(s / rows[1][0]), len(rows) - 1)]
        u = s - begin
        theta = u * (k + k1 * u / 2)
        x, y = u - u * theta * theta / 6, u * u * (k / 2 + k1 * u / 6)
        c, sn = math.cos(heading), math.sin(heading)
        return x0 + c * x - sn * y, y0 + sn * x + c * y, heading + theta


def _traced(pieces: Sequence[Piece], spacing: float) -> Array:
    """Samples along consecutive pieces; Gauss quadrature over each spacing is exact to 1e-12 m."""
    borders = np.concatenate([[0.0], np.cumsum([p.length for p in pieces])])
    begin = np.array([p.begin for p in pieces])
    slope = np.array([(p.end - p.begin) / p.length for p in pieces])
    turned = np.concatenate([[0.0], np.cumsum([p.length * (p.begin + p.end) / 2 for p in pieces])])
    n = round(borders[-1] / spacing)
    s = np.linspace(0.0, borders[-1], n + 1)

    def heading(at: Array) -> tuple[Array, Array, Array]:
        k = np.clip(np.searchsorted(borders, at, side="right") - 1, 0, len(pieces) - 1)
        u = at - borders[k]
        return turned[k] + u * (begin[k] + slope[k] * u / 2), begin[k] + slope[k] * u, slope[k]

    step = borders[-1] / n
    dx, dy = np.zeros(n), np.zeros(n)
    for place, weight in zip(*GAUSS, strict=True):
        theta = heading(s[:-1] + place * step)[0]
        dx, dy = dx + weight * step * np.cos(theta), dy + weight * step * np.sin(theta)
    x, y = np.concatenate([[0.0], np.cumsum(dx)]), np.concatenate([[0.0], np.cumsum(dy)])
    theta, k, k1 = heading(s)
    return np.column_stack((s, x, y, theta, k, k1))
