"""Clearances between the parts of a hexapod at a pose: exact distances, nearest points, interference."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Ints
from motionbase.errors import PlatformError
from motionbase.spatial.equals import ranked
from motionbase.workbench.distance import (
    TOLERANCE,
    Hulls,
    Piece,
    Placed,
    box_bounds,
    capsule_bounds,
    distance,
    hulls,
    least,
    pieces_of,
    placed,
    transforms,
)
from motionbase.workbench.geometry import FRAME, Geometry, Placement

Verdict: TypeAlias = Literal["clear", "warn", "stop", "interference"]
EXACT = 10 * TOLERANCE  # [m]: pairs that differ by less are equally near
WITHIN = 0.25  # [m]: range of sweeps
HORIZONS = (0.2, 1.0, np.inf)  # [m]: pairs are sorted by their bounds up to these, as needed


@final
@dataclass(frozen=True)
class Thresholds:
    """Clearances at which to warn and to stop [m].

    Less than an inch was of concern at the Cockpit Motion Facility (Bryant & Carrelli); the warning is illustrative.
    """

    warn: float = 0.05
    stop: float = 0.0254

    def __post_init__(self) -> None:
        if not 0 <= self.stop <= self.warn < np.inf:
            raise PlatformError(
                f"thresholds: stop is {self.stop:g} m and warn {self.warn:g} m; 0 <= stop <= warn is wanted"
            )

    @property
    def within(self) -> float:
        """Range of a sweep that covers all warnings, with a margin [m]."""
        return max(WITHIN, 1.5 * self.warn)

    def verdict(self, clearance: float | None) -> Verdict:
        """Verdict on a distance [m]; None is interference."""
        if clearance is None:
            return "interference"
        return "stop" if clearance < self.stop else "warn" if clearance < self.warn else "clear"


@final
@dataclass(frozen=True, eq=False)
class Gap:
    """Gap between two parts at a pose.

    Attributes:
        first, second: names of the parts
        distance: [m]; None if they interfere, because the depth is unknown
        points: (2, 3) nearest points of the first and the second, in W [m]; if they interfere, a point of the overlap
    """

    first: str
    second: str
    distance: float | None
    points: Array

    @property
    def interferes(self) -> bool:
        """Whether the parts overlap or touch."""
        return self.distance is None

    def facts(self, limits: Thresholds) -> dict[str, Any]:
        """The gap as JSON data."""
        return {
            "first": self.first, "second": self.second, "distance_m": self.distance, "points_m": self.points.tolist(),
            "verdict": limits.verdict(self.distance),
        }  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class Clearance:
    """Clearances of one platform's parts; models of the meshes are made once."""

    geometry: Geometry

    def at(self, p_W: ArrayLike, Q_WP: ArrayLike, nearest: int = 10) -> tuple[Gap, ...]:
        """The nearest pairs at one pose, interfering ones first, then by distance."""
        return self.nearest(self.geometry.placed(p_W, Q_WP), nearest)

    def between(self, first: str, second: str, p_W: ArrayLike, Q_WP: ArrayLike) -> Gap:
        """Gap of any two parts, even of a pair that is left out elsewhere."""
        part_a, part_b = self.geometry.part(first), self.geometry.part(second)
        where = self.geometry.placed(p_W, Q_WP)
        T = transforms(where.R[0], where.p[0])
        a, b = T[FRAME[part_a.frame]], T[FRAME[part_b.frame]]
        mine = [self._of_parts[self.geometry.parts.index(part)] for part in (part_a, part_b)]
        return _gap(first, second, *least([(one, a, other, b) for one in mine[0] for other in mine[1]]))

    def between_kinds(self, a: str, b: str, p_W: ArrayLike, Q_WP: ArrayLike) -> tuple[Gap, ...]:
        """Gaps of all pairs of the named parts or kinds, nearest first; joined pairs only if both names are parts."""
        first, second = self._named(a), self._named(b)
        left_out = {frozenset((one.first, one.second)) for one in self.geometry.left_out}
        both_named = len(first) == 1 and len(second) == 1
        pairs = {frozenset((one, other)): (one, other) for one in first for other in second if one != other}
        gaps = [self.between(*names, p_W, Q_WP) for pair, names in pairs.items() if both_named or pair not in left_out]
        if not gaps:
            raise PlatformError(f"{a!r} {b!r}: all of these are one body or joined to each other; name others")
        return tuple(gaps[k] for k in ranked([-1.0 if gap.distance is None else gap.distance for gap in gaps], EXACT))

    def _named(self, name: str) -> list[str]:
        found = [part.name for part in self.geometry.parts if name in (part.name, part.kind)]
        if not found:
            kinds = ", ".join(dict.fromkeys(part.kind for part in self.geometry.parts))
            raise PlatformError(
                f"{self.geometry.platform.name!r} has no part {name!r}; kinds: {kinds}, or one of a leg: 'rod 3'"
            )
        return found

    def nearest(self, where: Placement, wanted: int) -> tuple[Gap, ...]:
        """The nearest pairs at the first pose of a placement."""
        if wanted < 1:
            raise PlatformError(f"the nearest {wanted} pairs are wanted, it must be at least 1")
        T, at = transforms(where.R[0], where.p[0]), placed(self.hulls, where.R[0], where.p[0])
        bounds = capsule_bounds(at, self.first, self.second)
        found: dict[int, tuple[float, Any]] = {}
        last = np.inf  # distance of the furthest wanted pair so far
        begin = -np.inf
        for horizon in HORIZONS:
            for bound, q in zip(*self._sharpened(at, bounds, begin, horizon), strict=True):
                if bound >= last:
                    break
                pair = self.pair_of(q)
                if pair in found and bound >= found[pair][0]:
                    continue
                new = self.exact(q, T)
                if pair not in found or new[0] < found[pair][0]:
                    found[pair] = new
                    last = _nth(found, wanted)
            if last <= horizon:
                break
            begin = horizon
        return tuple(self.gap(pair, *result) for pair, result in nearest_first(found)[:wanted])

    def exact(self, q: int, T: list[Any]) -> tuple[float, Any]:
        """Exact distance of a pair of pieces with frames at these transforms."""
        i, j, frames = self._piece_pairs[0][q], self._piece_pairs[1][q], self.frame_list
        return distance(self.pieces[i], T[frames[i]], self.pieces[j], T[frames[j]])

    def gap(self, pair: int, found: float, result: Any) -> Gap:
        """The gap of a pair in `geometry.pairs`."""
        i, j = self.geometry.pairs[pair]
        return _gap(self.geometry.parts[i].name, self.geometry.parts[j].name, found, result)

    @cached_property
    def pieces(self) -> list[Piece]:
        """Pieces of all parts, part by part."""
        return [piece for own in self._of_parts for piece in own]

    @cached_property
    def _of_parts(self) -> list[tuple[Piece, ...]]:
        return [pieces_of(part.mesh) for part in self.geometry.parts]

    @cached_property
    def hulls(self) -> Hulls:
        """Hulls of the pieces."""
        return hulls([piece.mesh for piece in self.pieces], self.frame_list)

    @cached_property
    def frame_list(self) -> list[int]:
        """Index of each piece's frame."""
        own = zip(self.geometry.parts, self._of_parts, strict=True)
        return [FRAME[part.frame] for part, pieces in own for _ in pieces]

    @cached_property
    def first(self) -> Ints:
        """(m,) first piece of each checked pair."""
        return np.array(self._piece_pairs[0])

    @cached_property
    def second(self) -> Ints:
        """(m,) second piece of each checked pair."""
        return np.array(self._piece_pairs[1])

    @cached_property
    def pair(self) -> Ints:
        """(m,) pair of parts, as an index into `geometry.pairs`."""
        return np.array(self._piece_pairs[2])

    def pair_of(self, q: int) -> int:
        """Pair of parts of one pair of pieces."""
        return self._piece_pairs[2][q]

    @cached_property
    def _piece_pairs(self) -> tuple[list[int], list[int], list[int]]:
        """First, second and pair of parts, as lists, from which single numbers are read quickly."""
        rows = [(i, j, k) for k, (a, b) in enumerate(self.geometry.pairs)
                for i in self._ranges[a] for j in self._ranges[b]]  # fmt: skip
        return [i for i, _, _ in rows], [j for _, j, _ in rows], [k for _, _, k in rows]

    @cached_property
    def _ranges(self) -> list[range]:
        ends = list(accumulate(map(len, self._of_parts), initial=0))
        return [range(begin, end) for begin, end in pairwise(ends)]

    def _sharpened(self, at: Placed, bounds: Array, begin: float, end: float) -> tuple[list[float], list[int]]:
        """Tighter bounds, and numbers, of the pairs of pieces with bounds from `begin` to `end`, in ascending order."""
        near = np.flatnonzero((bounds >= begin) & (bounds < end))
        better = np.maximum(bounds[near], box_bounds(at, self.first[near], self.second[near]))
        order = np.argsort(better)
        return better[order].tolist(), near[order].tolist()


def nearest_first(found: dict[int, tuple[float, Any]]) -> list[tuple[int, tuple[float, Any]]]:
    """Pairs by distance; equal ones, such as mirrored pairs, in the order of `geometry.pairs`."""
    pairs = sorted(found.items())
    return [pairs[k] for k in ranked([distance for _, (distance, _) in pairs], EXACT)]


def _nth(found: dict[int, tuple[float, Any]], n: int) -> float:
    distances = sorted(value[0] for value in found.values())
    return distances[n - 1] if len(distances) >= n else np.inf


def _gap(first: str, second: str, found: float, result: Any) -> Gap:
    points = np.array([result.getNearestPoint1(), result.getNearestPoint2()])
    return Gap(first, second, found if found > 0 else None, points)
