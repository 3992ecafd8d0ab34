"""Clearances along a trajectory: at every pose the least, of every pair the least of all poses.

Poses are taken middle first, then the middles of both halves, and so on. What is known of a pair at a middle, less how
far both parts can have gone since, is a bound for the poses of the halves: most pairs are never looked at again. Every
result is as if each pair had been measured at each pose.
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
LONGEST = 256  # poses of a range that is looked at as a whole: over longer ones everything moves too far


@final
@dataclass(frozen=True, eq=False)
class Worst:
    """Of a pair over all poses: the gap where it is least, and the pose, counted from 0."""

    gap: Gap
    pose: int


@final
@dataclass(frozen=True, eq=False)
class Sweep:
    """Over n poses, exact up to `within`.

    Attributes:
        within: what is further apart than this is not measured [m]
        distance: (n,) least at each pose [m]; infinite beyond `within`, NaN where parts interfere
        interferes: (n,) whether any parts do
        pairs: (n,) the nearest pair as a place in `geometry.pairs`, the first of equals; -1 beyond `within`
        worst: of every pair that comes nearer than `within`, interfering ones first, then by distance
        measured: how many exact distances of pieces it took
    """

    within: float
    distance: Array
    interferes: Flags
    pairs: Ints
    worst: tuple[Worst, ...]
    measured: int

    @property
    def least(self) -> Worst | None:
        """The nearest pair of all; None where all are beyond `within`."""
        return self.worst[0] if self.worst else None

    def verdicts(self, thresholds: Thresholds | None = None) -> list[Verdict]:
        """Of each pose."""
        limits = thresholds or Thresholds()
        each = zip(self.distance.tolist(), self.interferes.tolist(), strict=True)
        return [limits.verdict(None if interferes else distance) for distance, interferes in each]


def sweep(clearance: Clearance, p_W: ArrayLike, Q_WP: ArrayLike, within: float = WITHIN) -> Sweep:
    """At (n, 3) positions [m] and (n, 4) attitudes, in the order of a trajectory where they are one."""
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
    """What is known so far.

    `pose_best`, `pair_best`: least distances found [m], `within` where there is none yet.
    """

    def __init__(self, clearance: Clearance, poses: int, within: float) -> None:
        self.clearance, self.within, self.measured = clearance, within, 0
        self.pose_best, self.pose_pair = np.full(poses, within), np.full(poses, -1)
        pairs = len(clearance.geometry.pairs)
        self.pair_best, self.pair_pose = np.full(pairs, within), np.full(pairs, -1)
        self.pair_found: dict[int, tuple[float, Any]] = {}

    def look_at(self, begin: int, where: Placement) -> None:
        """At a block of poses, of which the first is number `begin`."""
        self.begin, self.where = begin, where
        pieces = len(self.clearance.first)
        self.look(0, len(where), np.arange(pieces), np.full(pieces, -np.inf))

    def look(self, begin: int, end: int, active: Ints, lower: Array) -> None:
        """At poses from begin to end.

        Args:
            active: pairs of pieces that can come within reach there
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
        """Better bounds, by capsules and boxes, of the pairs that may be within reach."""
        clearance, where = self.clearance, self.where
        at = placed(clearance.hulls, where.R[pose], where.p[pose])
        for bounds in (capsule_bounds, box_bounds):
            near = np.flatnonzero(lower < self.within)
            pieces = active[near]
            lower[near] = np.maximum(lower[near], bounds(at, clearance.first[pieces], clearance.second[pieces]))
        return lower

    def _measure(self, pose: int, active: Ints, lower: Array) -> Array:
        """Exactly, what could be nearer than what is known of the pose, then of the pairs; bounds, made better."""
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
        """The exact distance of a pair of pieces, noted."""
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
        """(active,) how much nearer each pair can have come at another pose."""
        R, p, (first, second) = self.where.R, self.where.p, self._pieces(active)
        return moved(self.clearance.hulls, first, second, (R[pose], p[pose]), (R[to], p[to]))

    def _furthest(self, pose: int, begin: int, end: int, active: Ints) -> Array | float:
        """(active,) the same at any pose of a range, more coarsely."""
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
        """Sorted."""
        gaps = ((pair, self.clearance.gap(pair, *found)) for pair, found in nearest_first(self.pair_found))
        return tuple(Worst(gap, int(self.pair_pose[pair])) for pair, gap in gaps)
