"""Clearances along a trajectory: the least at every pose, and the least of every pair over all poses.

Poses are taken middle first, then the middles of both halves, and so on. The distance of a pair at a middle, minus the
largest possible motion of both parts, bounds it at the poses of the halves, so most pairs are not measured again. The
result is the same as if each pair were measured at each pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Flags, Ints
from motionbase.errors import PlatformError
from motionbase.spatial.equals import ranked
from motionbase.workbench.clearance import EXACT, WITHIN, Clearance, Gap, Thresholds, Verdict, nearest_first
from motionbase.workbench.distance import box_bounds, capsule_bounds, moved, placed, reach_of_frames, transforms
from motionbase.workbench.geometry import Placement
from motionbase.workbench.poses import checked_poses

BLOCK = 4096  # poses placed at once: 10 MB
LONGEST = 256  # poses in the first range; over longer ones parts move too far


@final
@dataclass(frozen=True, eq=False)
class Worst:
    """The least gap of a pair over all poses, and the pose, counted from 0."""

    gap: Gap
    pose: int


@final
@dataclass(frozen=True, eq=False)
class Sweep:
    """Clearances over n poses, exact up to `within`.

    Attributes:
        within: larger distances are not measured [m]
        distance: (n,) least at each pose [m]; infinite beyond `within`, NaN if parts interfere
        interferes: (n,) whether any parts interfere
        pairs: (n,) the nearest pair as an index into `geometry.pairs`, the first of equals; -1 beyond `within`
        worst: of every pair that comes nearer than `within`, interfering ones first, then by distance
        measured: number of exact distances of pieces
    """

    within: float
    distance: Array
    interferes: Flags
    pairs: Ints
    worst: tuple[Worst, ...]
    measured: int

    @property
    def least(self) -> Worst | None:
        """The nearest pair of all; None if all are beyond `within`."""
        return self.worst[0] if self.worst else None

    def verdicts(self, thresholds: Thresholds | None = None) -> list[Verdict]:
        """Verdict on each pose."""
        limits = thresholds or Thresholds()
        each = zip(self.distance.tolist(), self.interferes.tolist(), strict=True)
        return [limits.verdict(None if interferes else distance) for distance, interferes in each]


def sweep(clearance: Clearance, p_W: ArrayLike, Q_WP: ArrayLike, within: float = WITHIN) -> Sweep:
    """Clearances at (n, 3) positions [m] and (n, 4) attitudes, in the order of a trajectory if they are one."""
    if not 0 < within < np.inf:
        raise PlatformError(f"clearances are wanted within {within:g} m, a finite number above 0 is wanted")
    p, Q = checked_poses(p_W, Q_WP)
    run = _Run(clearance, len(p), within)
    for begin in range(0, len(p), BLOCK):
        run.look_at(begin, clearance.geometry.placed(p[begin : begin + BLOCK], Q[begin : begin + BLOCK]))
    distance = np.where(run.pose_pair < 0, np.inf, run.pose_best)
    interferes = distance <= 0
    return Sweep(within, np.where(interferes, np.nan, distance), interferes, run.pose_pair, run.worst(), run.measured)


class _Run:
    """Results so far.

    `pose_best`, `pair_best`: least distances found [m], `within` if there is none yet.
    """

    def __init__(self, clearance: Clearance, poses: int, within: float) -> None:
        self.clearance, self.within, self.measured = clearance, within, 0
        self.pose_best, self.pose_pair = np.full(poses, within), np.full(poses, -1)
        pairs = len(clearance.geometry.pairs)
        self.pair_best, self.pair_pose = np.full(pairs, within), np.full(pairs, -1)
        self.pair_found: dict[int, tuple[float, Any]] = {}

    def look_at(self, begin: int, where: Placement) -> None:
        """Measure a block of poses, of which the first is number `begin`."""
        self.begin, self.where = begin, where
        pieces = len(self.clearance.first)
        self.look(0, len(where), np.arange(pieces), np.full(pieces, -np.inf))

    def look(self, begin: int, end: int, active: Ints, lower: Array) -> None:
        """Measure poses from begin to end.

        Args:
            active: pairs of pieces that can come within `within` there
            lower: (active,) bounds of their distances at the middle pose
        """
        if begin == end:
            return
        middle = (begin + end) // 2
        lower = self._measure(middle, active, self._bounded(middle, active, lower))
        for first, last in ((begin, middle), (middle + 1, end)):
            if first < last:
                keep = lower - self._furthest(middle, first, last, active) < self.within
                child, there = active[keep], (first + last) // 2
                self.look(first, last, child, lower[keep] - self._moved(middle, there, child))

    def _bounded(self, pose: int, active: Ints, lower: Array) -> Array:
        """Tighter bounds, by capsules and boxes, of the pairs that may be within `within`."""
        clearance, where = self.clearance, self.where
        at = placed(clearance.hulls, where.R[pose], where.p[pose])
        for bounds in (capsule_bounds, box_bounds):
            near = np.flatnonzero(lower < self.within)
            pieces = active[near]
            lower[near] = np.maximum(lower[near], bounds(at, clearance.first[pieces], clearance.second[pieces]))
        return lower

    def _measure(self, pose: int, active: Ints, lower: Array) -> Array:
        """Measure pairs that could be nearer than the best of the pose, then of their pair; returns tighter bounds."""
        T = transforms(self.where.R[pose], self.where.p[pose])
        near = np.flatnonzero(lower < self.within)
        for n in near[ranked(lower[near], EXACT)].tolist():
            if lower[n] >= self.pose_best[self.begin + pose]:
                break
            lower[n] = self._found(pose, int(active[n]), T)
        for n in np.flatnonzero(lower < self.pair_best[self.clearance.pair[active]]).tolist():
            q = int(active[n])
            if lower[n] < self.pair_best[self.clearance.pair_of(q)]:
                lower[n] = self._found(pose, q, T)
        return lower

    def _found(self, pose: int, q: int, T: list[Any]) -> float:
        """Measure and record the distance of a pair of pieces."""
        found, result = self.clearance.exact(q, T)
        pair = self.clearance.pair_of(q)
        self.measured += 1
        pose += self.begin
        best, known = self.pose_best[pose], self.pose_pair[pose]
        if found < (best if known < 0 else best - EXACT) or (found <= best + EXACT and pair < known):
            self.pose_pair[pose] = pair
        self.pose_best[pose] = min(best, found)
        if found < self.pair_best[pair]:
            self.pair_best[pair], self.pair_pose[pair] = found, pose
            self.pair_found[pair] = found, result
        return found

    def _moved(self, pose: int, to: int, active: Ints) -> Array:
        """(active,) largest possible approach of each pair at another pose."""
        R, p, (first, second) = self.where.R, self.where.p, self._pieces(active)
        return moved(self.clearance.hulls, first, second, (R[pose], p[pose]), (R[to], p[to]))

    def _furthest(self, pose: int, begin: int, end: int, active: Ints) -> Array | float:
        """(active,) largest possible approach at any pose of a range, a coarser bound."""
        if end - begin > LONGEST:
            return np.inf
        R, p, hulls = self.where.R, self.where.p, self.clearance.hulls
        shift, turn = reach_of_frames(R[pose], p[pose], R[begin:end], p[begin:end])
        way = shift[hulls.frame] + turn[hulls.frame] * hulls.furthest
        first, second = self._pieces(active)
        return np.asarray(way[first] + way[second])

    def _pieces(self, active: Ints) -> tuple[Ints, Ints]:
        return self.clearance.first[active], self.clearance.second[active]

    def worst(self) -> tuple[Worst, ...]:
        """The least gaps, sorted."""
        gaps = ((pair, self.clearance.gap(pair, *found)) for pair, found in nearest_first(self.pair_found))
        return tuple(Worst(gap, int(self.pair_pose[pair])) for pair, gap in gaps)
