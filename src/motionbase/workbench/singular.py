"""Search for singular poses of a hexapod: the least dexterity within its strokes and bearings.

The leg lengths within the strokes form a box. Followed from neutral, each point of it has one pose unless a singular
pose is passed. The search covers the box: its corners and many random points, each followed from neutral, then descents
from the worst of them. The sign of the Jacobian's determinant is monitored on the way: it changes only if a singular
pose has been passed. This is a search, not a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.platform.envelope import IDENTITY, extremes
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.sizing.architecture import check_architecture
from motionbase.record.axes import DOFS
from motionbase.spatial.equals import ALIKE, first_largest_of_rows, ranked
from motionbase.workbench.poses import compiled, on_lanes
from motionbase.workbench.posture import Definition, posture_kernel
from motionbase.workbench.workspace import margins_kernel

SEED = 20  # makes the search repeatable
WORST = 24  # starts of descents
SHRINK, SMALLEST = 0.5, 1e-7  # factor and last size of the steps, relative to the stroke
PATH = 12  # poses between neutral and a point, each found from the one before


@final
@dataclass(frozen=True, eq=False)
class Worst:
    """The pose of least dexterity found.

    Attributes:
        dexterity: 0 to 1; l: (6,) leg lengths [m]; dof: (6,) its degrees of freedom from neutral [m, rad]
        looked_at: number of poses examined
        lost: number of points whose pose was lost on the way from neutral; 0 suggests that the box has no
            singular pose
        crossed: number of poses where the determinant of the Jacobian has another sign than at neutral
        barred: number of points whose pose exceeds the range of the bearings
        starts: number of points followed from neutral
    """

    dexterity: float
    l: Array
    dof: Array
    looked_at: int
    lost: int
    crossed: int
    barred: int
    starts: int

    def facts(self) -> dict[str, Any]:
        """The result as JSON data, in metres and radians."""
        return {
            "dexterity": self.dexterity, "l_m": self.l.tolist(), "dof": dict(zip(DOFS, self.dof.tolist(), strict=True)),
            "looked_at": self.looked_at, "starts": self.starts, "lost": self.lost, "crossed": self.crossed,
            "barred": self.barred, "sentence": self.sentence,
        }  # fmt: skip

    @property
    def sentence(self) -> str:
        """The result and the method, as a sentence."""
        how = (
            f"{self.looked_at} poses were looked at: {self.starts} sets of leg lengths within the strokes (the 64 "
            f"extremes, the rest at random), each followed from neutral in {PATH} stations, then downhill from the "
            f"{WORST} worst; a search, not a proof"
        )
        if self.crossed or self.lost:
            said = (
                f"a singular pose must be counted on: at {self.crossed} poses the Jacobian's determinant has changed "
                f"its sign since neutral, and {self.lost} sets of lengths lost their pose on the way"
            )
        else:
            said = (
                f"no singular pose was met: the least dexterity found is {self.dexterity:.4f}, the Jacobian's "
                "determinant kept its sign everywhere, and all lengths have their pose"
            )
        return f"{said} ({how})"


def worst_pose(
    platform: Hexapod,
    *,
    samples: int = 4000,
    definition: Definition = "characteristic",
    gimbals: Gimbals | None = None,
) -> Worst:
    """The worst pose over the operational strokes and the range of the bearings, by default the platform's own."""
    check_architecture(platform)  # an error if every pose is singular
    search = _Search(platform, definition, gimbals or platform.gimbals)
    corners = extremes(platform)
    rng = np.random.default_rng(SEED)
    l = np.vstack([corners.l, rng.uniform(search.least, search.most, (samples, 6))])
    found = search.from_neutral(l)
    order = ranked(found.dexterity)[:WORST]
    best = search.downhill(found.taken(order))
    dof = compiled(search.kinematics.dof_of_pose).map(p_W=best.p_W[:1], Q_WP=best.Q_WP[:1])["dof"][0]
    return Worst(float(best.dexterity[0]), best.l[0], dof, search.looked_at, search.lost, search.crossed,
                 search.barred, len(l))  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class _Places:
    """(n, 6) lengths, their poses, (n,) dexterities, infinite without a pose or beyond the bearings."""

    l: Array
    p_W: Array
    Q_WP: Array
    dexterity: Array

    def taken(self, rows: Indices) -> _Places:
        return _Places(self.l[rows], self.p_W[rows], self.Q_WP[rows], self.dexterity[rows])


@final
class _Search:
    def __init__(self, platform: Hexapod, definition: Definition, gimbals: Gimbals) -> None:
        self.platform, self.kinematics = platform, kinematics_of(platform)
        self.least, self.most = platform.stroke.l_min, platform.stroke.l_max
        self._forward, self._posture = compiled(self.kinematics.forward), posture_kernel(platform, definition)
        self._margins, self._jacobian = margins_kernel(platform, gimbals), self.kinematics.jacobian
        self.looked_at = self.lost = self.crossed = self.barred = 0
        self._sign = self._signs(np.array([platform.p_neutral]), np.array([IDENTITY]))[0]

    def _signs(self, p: Array, Q: Array) -> Array:
        return np.asarray(np.sign(np.linalg.det(on_lanes(self._jacobian, p_W=p, Q_WP=Q)["J"])))

    def from_neutral(self, l: Array) -> _Places:
        """Poses of lengths, followed on a straight line through the box, so that they belong to the same branch."""
        p, Q = np.tile(self.platform.p_neutral, (len(l), 1)), np.tile(IDENTITY, (len(l), 1))
        for share in np.arange(1, PATH + 1) / PATH:
            at = self._at((1 - share) * self.platform.l_neutral + share * l, p, Q)
            p, Q = at.p_W, at.Q_WP
        self.lost = self._lost
        self.barred = int(np.isinf(at.dexterity).sum()) - self._lost
        return at

    def _at(self, l: Array, p: Array, Q: Array) -> _Places:
        found = self._forward.map(
            l=np.ascontiguousarray(l), p_start=np.ascontiguousarray(p), Q_start=np.ascontiguousarray(Q)
        )
        pose = {"p_W": found["p_W"], "Q_WP": found["Q_WP"]}
        dexterity = on_lanes(self._posture, **pose)["dexterity"]
        converged = found["converged"] == 1
        self.looked_at += len(l)
        self._lost = int((~converged).sum())
        signs = self._signs(pose["p_W"][converged], pose["Q_WP"][converged])
        self.crossed += int((signs != self._sign).sum())
        allowed = on_lanes(self._margins, **pose)["bearings"] >= 0
        return _Places(l, **pose, dexterity=np.where(converged & allowed, dexterity, np.inf))

    def downhill(self, places: _Places) -> _Places:
        """Descend by moving one leg at a time; steps halve when none lowers the dexterity. Lowest first."""
        step = np.full(len(places.l), 0.1 * (self.most - self.least))
        moves = np.vstack([np.eye(6), -np.eye(6)])
        while np.any(step > SMALLEST * (self.most - self.least)):
            l = np.clip(places.l[:, None] + step[:, None, None] * moves, self.least, self.most).reshape(-1, 6)
            near = self._at(l, np.repeat(places.p_W, 12, axis=0), np.repeat(places.Q_WP, 12, axis=0))
            rows = first_largest_of_rows(-near.dexterity.reshape(-1, 12)) + 12 * np.arange(len(step))
            better = near.taken(rows)
            lower = better.dexterity < (1 - ALIKE) * places.dexterity
            step = np.where(lower, step, SHRINK * step)
            wide = lower[:, None]
            places = _Places(
                np.where(wide, better.l, places.l),
                np.where(wide, better.p_W, places.p_W),
                np.where(wide, better.Q_WP, places.Q_WP),
                np.where(lower, better.dexterity, places.dexterity),
            )
        return places.taken(ranked(places.dexterity))
