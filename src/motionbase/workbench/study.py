"""Answers to one question about a platform each, as `motionbase kinematics` shows them; `facts` are for scripts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Ints
from motionbase.platform.demand import LegDemand
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of
from motionbase.platform.sizing.architecture import SINGULAR
from motionbase.spatial.equals import first_least
from motionbase.workbench.any_attitude import reachable_surface
from motionbase.workbench.clearance import Clearance, Gap, Thresholds, Verdict
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.poses import compiled
from motionbase.workbench.posture import DEFINITIONS, Definition, Postures, at_dof, condition_numbers, postures
from motionbase.workbench.requirements import Row, legs_out, needs_of, reached_extremes, swept_extremes
from motionbase.workbench.surface import Surface, surface_at_attitude, surface_at_place
from motionbase.workbench.sweep import Sweep
from motionbase.workbench.trajectory import write_trajectory
from motionbase.workbench.workspace import Progress, Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@final
@dataclass(frozen=True, eq=False)
class PoseStudy:
    """What legs and joints do at one pose.

    Attributes:
        posture: at that pose alone
        definition: of the dexterity
        leg_rates: (6,) [m/s] at the rates that were asked for, if any
        condition: characteristic condition number
    """

    platform: Hexapod
    posture: Postures
    definition: Definition
    leg_rates: Array | None
    condition: float

    @staticmethod
    def of(platform: Hexapod, posture: Postures, definition: Definition, rates: ArrayLike | None = None) -> PoseStudy:
        """With leg rates for (6,) rates of the degrees of freedom [m/s, rad/s]."""
        l_dot = None
        if rates is not None:
            l_dot = LegDemand(platform)(posture.dof, np.asarray(rates, dtype=np.float64)[None])[1][0]
        condition = float(condition_numbers(platform, posture.p_W, posture.Q_WP)[0])
        return PoseStudy(platform, posture, definition, l_dot, condition)

    @cached_property
    def dexterities(self) -> dict[str, float]:
        """By every definition."""
        p, Q = self.posture.p_W, self.posture.Q_WP
        return {one: float(postures(self.platform, p, Q, one).dexterity[0]) for one in DEFINITIONS}

    def facts(self) -> dict[str, Any]:
        """As JSON has them, which has no infinity."""
        condition = self.condition if self.condition < SINGULAR else None
        rates = None if self.leg_rates is None else self.leg_rates.tolist()
        return {"definition": self.definition, **self.posture.facts(), "condition": [condition], "l_dot": [rates]}


@final
@dataclass(frozen=True, eq=False)
class ExtremesStudy:
    """The extremes of the legs that have a pose.

    Attributes:
        reached: their numbers, of 64
        clearances: rows of the pairs of parts that come near; None where they were not asked for
    """

    platform: Hexapod
    reached: Ints
    postures: Postures
    definition: Definition
    clearances: list[Row] | None

    @staticmethod
    def of(
        platform: Hexapod, definition: Definition, *, hard: bool = False, limits: Thresholds | None = None
    ) -> ExtremesStudy:
        """With clearances where there are limits for them."""
        corners, reached = reached_extremes(platform, hard)
        found = postures(platform, corners.p_W[reached], corners.Q_WP[reached], definition)
        rows = None
        if limits is not None:
            swept = swept_extremes(platform, Clearance(geometry_of(platform)), hard=hard, within=limits.within)
            rows = swept.clearance_rows(limits)
        return ExtremesStudy(platform, reached, found, definition, rows)

    @cached_property
    def needs(self) -> dict[str, dict[str, Any]]:
        """Largest angle of each kind of joint."""
        return needs_of(self.postures, self.reached)

    @property
    def least_dexterity(self) -> tuple[float, str]:
        """And the extreme that has it, in words."""
        worst = first_least(self.postures.dexterity)
        return float(self.postures.dexterity[worst]), legs_out(int(self.reached[worst]))

    @property
    def neutral_dexterity(self) -> float:
        """To compare with."""
        return float(at_dof(self.platform, np.zeros(6), self.definition).dexterity[0])

    def facts(self, limits: Thresholds) -> dict[str, Any]:
        """As JSON has them."""
        made = {"platform": self.platform.name, "reached": len(self.reached), "needs": self.needs}
        near = {"clearances": self.clearances, "warn_m": limits.warn, "stop_m": limits.stop}
        poses = {"definition": self.definition, **self.postures.facts()}
        return {**made, "dexterity": self.definition, **(near if self.clearances is not None else {}), "poses": poses}


@final
@dataclass(frozen=True, eq=False)
class ClearanceStudy:
    """The nearest pairs of parts at one pose.

    Attributes:
        gaps: the nearest first
        warnings: sentences about the geometry
    """

    platform: Hexapod
    posture: Postures
    limits: Thresholds
    gaps: tuple[Gap, ...]
    warnings: tuple[str, ...]

    @staticmethod
    def of(
        platform: Hexapod, posture: Postures, limits: Thresholds, nearest: int, pairs: tuple[str, str] | None = None
    ) -> ClearanceStudy:
        """Of all parts, or of those with these two names or kinds."""
        measure = Clearance(geometry_of(platform))
        if pairs is None:
            gaps = measure.at(posture.p_W, posture.Q_WP, nearest)
        else:
            gaps = measure.between_kinds(*pairs, posture.p_W, posture.Q_WP)[:nearest]
        warnings = tuple(one.sentence for one in measure.geometry.warnings)
        return ClearanceStudy(platform, posture, limits, gaps, warnings)

    @property
    def verdict(self) -> Verdict:
        """Of the nearest pair."""
        return self.limits.verdict(self.gaps[0].distance)

    def facts(self) -> dict[str, Any]:
        """As JSON has them."""
        return {
            "platform": self.platform.name, "dof": self.posture.dof[0].tolist(), "verdict": self.verdict,
            "warn_m": self.limits.warn, "stop_m": self.limits.stop,
            "pairs": [gap.facts(self.limits) for gap in self.gaps], "warnings": list(self.warnings),
        }  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class TrajectoryStudy:
    """A trajectory that was written to a data file, moment by moment.

    Attributes:
        t: (n,) [s]
        swept: clearances; None where they were not asked for
    """

    out: Path
    t: Array
    postures: Postures
    swept: Sweep | None
    limits: Thresholds

    @staticmethod
    def written(
        platform: Hexapod,
        file: Path,
        out: Path,
        source: str,
        definition: Definition,
        limits: Thresholds,
        *,
        clearances: bool,
        force: bool,
    ) -> TrajectoryStudy:
        """See `write_trajectory`."""
        near = limits if clearances else None
        return TrajectoryStudy(out, *write_trajectory(platform, file, out, source, definition, force, near), limits)

    @cached_property
    def needs(self) -> dict[str, dict[str, Any]]:
        """Largest angle of each kind of joint."""
        return needs_of(self.postures)

    @property
    def least_dexterity(self) -> float:
        """Of all moments."""
        return float(self.postures.dexterity.min())

    @property
    def worst(self) -> tuple[Gap, float] | None:
        """The nearest pair of parts, and when [s]; None where none came near, or none were looked at."""
        least = None if self.swept is None else self.swept.least
        return None if least is None else (least.gap, float(self.t[least.pose]))

    def facts(self) -> dict[str, Any]:
        """As JSON has them."""
        made: dict[str, Any] = {"out": str(self.out), "moments": len(self.postures), "needs": self.needs}
        made["least_dexterity"] = self.least_dexterity
        if self.swept is not None:
            near, least = None, self.swept.least
            if least is not None:
                near = {**least.gap.facts(self.limits), "moment": least.pose, "t": float(self.t[least.pose])}
            made["clearance"] = {"within_m": self.swept.within, "worst": near}
        return made


@final
@dataclass(frozen=True, eq=False)
class WorkspaceStudy:
    """How far a platform goes in all directions, or turns in one place.

    Attributes:
        found: with one attitude, or at one place
        union: with any attitude, where it was asked for
    """

    space: Workspace
    found: Surface
    union: Surface | None

    @staticmethod
    def at_attitude(
        space: Workspace, attitude: ArrayLike, *, rows: int, union: bool, progress: Progress
    ) -> WorkspaceStudy:
        """Where it goes with one attitude (roll, pitch, yaw) [rad], and with any if the union is asked for."""
        dof = np.array([[0.0, 0.0, 0.0, *np.asarray(attitude)]])
        Q = compiled(kinematics_of(space.platform).pose_of_dof).map(dof=dof)["Q_WP"][0]
        share = 0.5 if union else 1.0
        found = surface_at_attitude(space, Q, rows=rows, progress=lambda part: progress(share * part))
        if not union:
            return WorkspaceStudy(space, found, None)
        reached = reachable_surface(space, rows=rows, progress=lambda part: progress(0.5 + 0.5 * part))
        return WorkspaceStudy(space, found, reached)

    @staticmethod
    def at_place(space: Workspace, place: ArrayLike, *, rows: int, progress: Progress) -> WorkspaceStudy:
        """How far it turns at a place, from neutral [m]."""
        p_W = np.asarray(space.platform.p_neutral) + place
        return WorkspaceStudy(space, surface_at_place(space, p_W, rows=rows, progress=progress), None)

    def figure(self) -> Figure:
        """Its picture."""
        from motionbase.workbench.plot_space import surface_figure, turns_figure

        platform = self.space.platform
        if self.found.kind == "place":
            return turns_figure(platform, self.found)
        return surface_figure(platform, self.found, self.space, self.union)

    def facts(self, whole: bool = False) -> dict[str, Any]:
        """As JSON has them; with all rays, or only the few numbers."""
        platform, space = self.space.platform, self.space
        shown = [one if one is None else one.facts() if whole else one.summary() for one in (self.found, self.union)]
        return {
            "platform": platform.name,
            "thickness_m": space.thickness,
            "stop_m": None if space.clearance is None else space.stop,
            "bearings_rad": {"base": platform.gimbals.base, "platform": platform.gimbals.platform},
            "surface": shown[0],
            "any_attitude": shown[1],
        }
