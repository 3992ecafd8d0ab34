"""The report: all results of the workbench about a platform, with author and revision, for a page and for scripts."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.platform.envelope import axis_limits
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.shape import shape_of
from motionbase.record.axes import DOFS
from motionbase.report.document import Document, fingerprint, versions
from motionbase.workbench.any_attitude import reachable_surface
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.maps import MEANING as QUANTITY_MEANING
from motionbase.workbench.maps import QUANTITIES, PlaneMap, plane_map
from motionbase.workbench.posture import DEXTERITIES, Postures
from motionbase.workbench.requirements import Row, SweptExtremes, legs_out, swept_extremes
from motionbase.workbench.singular import Worst, worst_pose
from motionbase.workbench.surface import Surface, surface_at_attitude, surface_at_place
from motionbase.workbench.sweep import Sweep, sweep
from motionbase.workbench.workspace import Progress, Workspace

PLANES = ((0, 2), (3, 4))  # surge-heave, roll-pitch


@final
@dataclass(frozen=True, eq=False)
class Moments:
    """Results along a recording.

    Attributes:
        name: of the file
        t: (n,) [s]
        found: postures; swept: clearances
    """

    name: str
    t: Array
    found: Postures
    swept: Sweep


@final
@dataclass(frozen=True, eq=False)
class Report:
    """All results about a platform.

    Attributes:
        reach: displacements in level attitude; turns: at neutral; any_attitude: displacements in any attitude
        planes: maps of all quantities, plane by plane
        moments: along a recording, if there is one
    """

    hexapod: Hexapod
    thresholds: Thresholds
    clearance: Clearance
    space: Workspace
    limits: Array
    extremes: SweptExtremes
    reach: Surface
    turns: Surface
    any_attitude: Surface
    planes: tuple[tuple[PlaneMap, ...], ...]
    worst: Worst
    moments: Moments | None
    document: Document

    def verdict(self, first: str, second: str, distance: float | None) -> str:
        """Verdict on a clearance [m], None for interference; "derived", not judged, if a part's dimensions are."""
        geometry = self.clearance.geometry
        if geometry.is_derived(first) or geometry.is_derived(second):
            return "derived"
        return self.thresholds.verdict(distance)

    def clearance_rows(self) -> list[Row]:
        """Near pairs at the extremes, the nearest first."""
        rows = self.extremes.clearance_rows(self.thresholds)
        gaps = (one.gap for one in self.extremes.clearances.worst)
        return [
            {**row, "verdict": self.verdict(g.first, g.second, g.distance)} for row, g in zip(rows, gaps, strict=True)
        ]

    def facts(self) -> dict[str, Any]:
        """The report as JSON data, in metres and radians."""
        hexapod = self.hexapod
        made: dict[str, Any] = {
            "document": {**dataclasses.asdict(self.document), "fingerprint": fingerprint(hexapod)},
            "platform": {**dataclasses.asdict(hexapod), "l_neutral": hexapod.l_neutral.tolist()},
            "illustrative": list(hexapod.illustrative),
            "shape": dataclasses.asdict(shape_of(hexapod)),
            "thresholds_m": {"warn": self.thresholds.warn, "stop": self.thresholds.stop},
            "axis_limits": dict(zip(DOFS, self.limits.tolist(), strict=True)),
            "extremes": self.extreme_rows(),
            "joint_angles": self.extremes.angle_rows(),
            "clearances": self.clearance_rows(),
            "left_out": [dataclasses.asdict(one) for one in self.clearance.geometry.left_out],
            "workspace": self.reach.facts(),
            "turns": self.turns.facts(),
            "any_attitude": self.any_attitude.facts(),
            "maps": [one.facts() for plane in self.planes for one in plane],
            "singular": {
                "dexterity": self.worst.dexterity, "l_m": self.worst.l.tolist(), "dof": self.worst.dof.tolist(),
                "sentence": self.worst.sentence,
            },
            "definitions": {"dexterity": dict(DEXTERITIES), "maps": dict(QUANTITY_MEANING)},
            "versions": versions(),
        }  # fmt: skip
        if self.moments is not None:
            made["recording"] = self.moment_facts(self.moments)
        return made

    @property
    def nearest_words(self) -> str:
        """Which parts come nearest at the extremes."""
        worst = self.extremes.clearances.least
        return "no parts near" if worst is None else f"{worst.gap.first} and {worst.gap.second} nearest"

    def json(self) -> str:
        """The facts as JSON text; NaN and infinity are written as words."""

        def plain(value: Any) -> Any:
            return list(value) if isinstance(value, tuple | set | frozenset) else str(value)

        return json.dumps(self.facts(), default=plain, allow_nan=False)

    def extreme_rows(self) -> list[dict[str, Any]]:
        """The 64 extremes, each with its pose, dexterity and least clearance."""
        found, swept, rows = self.extremes.extremes, self.extremes.clearances, []
        place = {int(number): k for k, number in enumerate(self.extremes.numbers)}
        geometry = self.clearance.geometry
        for number in range(len(found.l)):
            row: dict[str, Any] = {"number": number, "legs": legs_out(number), "reached": number in place}
            if (k := place.get(number)) is not None:
                distance, pair = float(swept.distance[k]), int(swept.pairs[k])
                first, second = (geometry.parts[one].name for one in geometry.pairs[pair])
                gap = None if swept.interferes[k] else distance
                row |= {
                    "dof": found.dof[number].tolist(),
                    "dexterity": float(self.extremes.postures.dexterity[k]),
                    "condition": float(found.condition[number]),
                    "clearance_m": distance if np.isfinite(distance) else None,
                    "verdict": "clear" if pair < 0 else self.verdict(first, second, gap),
                }
            rows.append(row)
        return rows

    def moment_facts(self, moments: Moments) -> dict[str, Any]:
        """Results along a recording as JSON data."""
        worst = moments.swept.least
        return {
            "file": moments.name, "moments": len(moments.t), "seconds": float(moments.t[-1] - moments.t[0]),
            "least_dexterity": float(moments.found.dexterity.min()),
            "worst_clearance": None if worst is None else {
                "first": worst.gap.first, "second": worst.gap.second, "distance_m": worst.gap.distance,
                "t": float(moments.t[worst.pose]),
                "verdict": self.verdict(worst.gap.first, worst.gap.second, worst.gap.distance),
            },
        }  # fmt: skip


def made_report(
    hexapod: Hexapod,
    thresholds: Thresholds,
    document: Document,
    *,
    recording: tuple[str, Array, Postures] | None = None,
    rows: int = 24,
    points: int = 61,
    progress: Progress | None = None,
) -> Report:
    """Compute a report.

    Args:
        recording: name, (n,) times [s] and postures of a recording
        rows: of directions; points: along each axis of a map
    """
    done = progress or (lambda part: None)
    clearance = Clearance(geometry_of(hexapod))
    space = Workspace.of(hexapod)
    extremes = swept_extremes(hexapod, clearance, within=thresholds.within)
    done(0.1)
    reach, turns = surface_at_attitude(space, rows=rows), surface_at_place(space, rows=rows)
    done(0.2)
    union = reachable_surface(space, rows=rows, progress=lambda part: done(0.2 + 0.4 * part))
    planes = tuple(tuple(plane_map(space, one, plane, points=points) for one in QUANTITIES) for plane in PLANES)
    done(0.7)
    worst = worst_pose(hexapod)
    done(0.8)
    moments = None
    if recording is not None:
        name, t, found = recording
        moments = Moments(name, t, found, sweep(clearance, found.p_W, found.Q_WP, thresholds.within))
    done(1.0)
    return Report(hexapod, thresholds, clearance, space, axis_limits(hexapod), extremes, reach, turns, union, planes,
                  worst, moments, document)  # fmt: skip
