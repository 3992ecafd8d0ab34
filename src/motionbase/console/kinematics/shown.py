"""Postures and gaps as models of the interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motionbase.console.models import AngleRange, Extreme, Extremes, LegPosture, PartGap, Posture, WorstGap

if TYPE_CHECKING:
    from motionbase.console.kinematics.bench import Bench, Gaps
    from motionbase.platform.hexapod import Hexapod
    from motionbase.workbench.clearance import Gap, Thresholds
    from motionbase.workbench.posture import Postures

DECIMALS = 6  # of metres and radians, enough for display
SLACK = 1e-6  # [m] tolerance of the stroke: an extreme is at its end


def posture(
    platform: Hexapod, found: Postures, k: int, gaps: Gaps, thresholds: Thresholds, clearance_text: str
) -> Posture:
    """The model of pose k."""
    shown = [part_gap(gap, thresholds) for gap in gaps]
    return Posture(
        dof=_rounded(found.dof[k]),
        legs=[_leg(platform, found, k, leg) for leg in range(len(platform.joints))],
        bearings=[[_range(x) for x in pair] for pair in (platform.gimbals.base, platform.gimbals.platform)],
        dexterity=round(float(found.dexterity[k]), DECIMALS),
        gaps=shown,
        verdict=shown[0].verdict if shown else None,
        text=unreachable(platform, found.l[k].tolist()),
        clearance_text=clearance_text,
    )


def part_gap(gap: Gap, thresholds: Thresholds) -> PartGap:
    """A gap with its verdict; without points if coal gives none."""
    return PartGap(
        first=gap.first,
        second=gap.second,
        distance=None if gap.distance is None else round(gap.distance, DECIMALS),
        points=[_rounded(point) for point in gap.points] if np.all(np.isfinite(gap.points)) else [],
        verdict=thresholds.verdict(gap.distance),
    )


def unreachable(platform: Hexapod, lengths: list[float]) -> str:
    """A sentence about the leg that is furthest beyond its stroke; "" if all are within."""
    low, high = platform.stroke.l_min, platform.stroke.l_max
    beyond = [max(low - l, l - high) for l in lengths]
    worst = max(range(len(lengths)), key=beyond.__getitem__)
    if beyond[worst] <= SLACK:
        return ""
    count = sum(one > SLACK for one in beyond)
    others = f", and {count - 1} more {'leg is' if count == 2 else 'legs are'} beyond theirs" if count > 1 else ""
    return (
        f"not reachable: leg {worst + 1} would be {lengths[worst]:.3f} m long, its stroke is {low:.3f} to "
        f"{high:.3f} m{others}"
    )


def extremes(bench: Bench, thresholds: Thresholds) -> Extremes:
    """All extremes, in the order of their numbers."""
    from motionbase.workbench.requirements import legs_out

    found, text = bench.extremes(), bench.clearance_text
    return Extremes(
        platform=bench.platform.name,
        extremes=[
            Extreme(
                number=number, name=legs_out(number),
                posture=posture(bench.platform, found.postures, k, found.gaps[k], thresholds, text),
            )
            for k, number in enumerate(found.numbers)
        ],
        missing=sorted(set(range(2 ** len(bench.platform.joints))) - set(found.numbers)),
        requirements=[
            AngleRange(
                joint=one.joint, leg=one.leg, least=round(one.least, DECIMALS), most=round(one.most, DECIMALS),
                at_least=one.at_least, at_most=one.at_most,
            )
            for one in found.requirements
        ],
        worst=[
            WorstGap(
                first=one.gap.first, second=one.gap.second, verdict=thresholds.verdict(one.gap.distance),
                distance=None if one.gap.distance is None else round(one.gap.distance, DECIMALS),
                at=found.numbers[one.pose],
            )
            for one in found.worst
        ],
        clearance_text=text,
    )  # fmt: skip


def _leg(platform: Hexapod, found: Postures, k: int, leg: int) -> LegPosture:
    stroke, l = platform.stroke, float(found.l[k, leg])
    base, up = _rounded(found.base[k, leg]), _rounded(found.platform[k, leg])
    elevation, azimuth = _rounded(found.actuator[k, leg])
    return LegPosture(
        l=round(l, DECIMALS),
        share=round((l - stroke.l_min) / (stroke.l_max - stroke.l_min), DECIMALS),
        base=(base[0], base[1]),
        platform=(up[0], up[1]),
        rotation=round(float(found.rotation[k, leg]), DECIMALS),
        elevation=elevation,
        azimuth=azimuth,
    )


def _range(angle: float) -> float | None:
    """The range of a bearing's angle; None if the platform does not describe the bearing."""
    from motionbase.platform.gimbals import STRAIGHT

    return round(angle, DECIMALS) if angle < STRAIGHT else None


def _rounded(values: np.ndarray) -> list[float]:
    return [round(x, DECIMALS) for x in values.tolist()]
