"""Requirements at the 64 extremes of a hexapod: angles of bearings and rods, and clearances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.errors import PlatformError
from motionbase.platform.envelope import Extremes, extremes
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.spatial.equals import ALIKE, first_largest, first_least
from motionbase.workbench.clearance import WITHIN, Clearance, Thresholds
from motionbase.workbench.posture import Postures, postures
from motionbase.workbench.sweep import Sweep, sweep

Row: TypeAlias = dict[str, str | int | float | None]


@final
@dataclass(frozen=True)
class Requirement:
    """Range of one angle of one leg over some poses, from neutral.

    Attributes:
        joint: "base, first bearing" and so on, or "rod rotation"
        leg: 1 to 6
        least, most: [rad]
        at_least, at_most: numbers of the poses with these angles
    """

    joint: str
    leg: int
    least: float
    most: float
    at_least: int
    at_most: int

    @property
    def largest(self) -> float:
        """Largest angle in either direction from neutral [rad]."""
        return max(-self.least, self.most)

    @property
    def at_largest(self) -> int:
        """Number of the pose with the largest angle."""
        return self.at_most if self.most >= -self.least else self.at_least


@final
@dataclass(frozen=True, eq=False)
class SweptExtremes:
    """Angles and clearances at all extremes that have a pose.

    Attributes:
        extremes: all 64
        numbers: (n,) of the extremes that have a pose
        postures: at these, in the same order
        clearances: at these, in the same order
    """

    extremes: Extremes
    numbers: Ints
    postures: Postures
    clearances: Sweep

    @cached_property
    def requirements(self) -> tuple[Requirement, ...]:
        """Requirements by joint and leg; poses are numbers of extremes."""
        return requirements_of(self.postures, self.numbers)

    @property
    def largest(self) -> dict[str, Requirement]:
        """For each kind of joint, the leg with the largest angle."""
        return largest_of(self.requirements)

    def angle_rows(self) -> list[Row]:
        """Rows of a table, angles in degrees."""
        return [
            {
                "joint": one.joint, "leg": one.leg,
                "least_deg": float(np.degrees(one.least)), "at_least": legs_out(one.at_least),
                "most_deg": float(np.degrees(one.most)), "at_most": legs_out(one.at_most),
            }
            for one in self.requirements
        ]  # fmt: skip

    def clearance_rows(self, thresholds: Thresholds | None = None) -> list[Row]:
        """Rows of a table: near pairs, the nearest first; no distance if they interfere."""
        limits = thresholds or Thresholds()
        return [
            {
                "first": one.gap.first, "second": one.gap.second, "distance_m": one.gap.distance,
                "verdict": limits.verdict(one.gap.distance), "at": legs_out(int(self.numbers[one.pose])),
            }
            for one in self.clearances.worst
        ]  # fmt: skip


def requirements_of(found: Postures, numbers: Ints | None = None) -> tuple[Requirement, ...]:
    """Requirements by joint and leg over poses with these numbers, by default counted from 0."""
    angles = {
        "base, first bearing": found.base[:, :, 0],
        "base, second bearing": found.base[:, :, 1],
        "platform, first bearing": found.platform[:, :, 0],
        "platform, second bearing": found.platform[:, :, 1],
        "rod rotation": found.rotation,
    }
    named = np.arange(len(found)) if numbers is None else numbers
    return tuple(_range(joint, k, turns[:, k], named) for joint, turns in angles.items() for k in range(LEGS))


def _range(joint: str, leg: int, turns: Array, numbers: Ints) -> Requirement:
    low, high = first_least(turns, ALIKE), first_largest(turns, ALIKE)
    return Requirement(joint, leg + 1, float(turns[low]), float(turns[high]), int(numbers[low]), int(numbers[high]))


def largest_of(requirements: tuple[Requirement, ...]) -> dict[str, Requirement]:
    """For each kind of joint, the leg with the largest angle."""
    joints = dict.fromkeys(one.joint for one in requirements)
    of = {joint: [one for one in requirements if one.joint == joint] for joint in joints}
    return {joint: those[first_largest([one.largest for one in those], ALIKE)] for joint, those in of.items()}


def needs_of(found: Postures, numbers: Ints | None = None) -> dict[str, dict[str, Any]]:
    """Largest angle of each kind of joint, with its leg and pose, as JSON data."""
    return {
        joint: {"degrees": float(np.degrees(one.largest)), "leg": one.leg, "pose": one.at_largest}
        for joint, one in largest_of(requirements_of(found, numbers)).items()
    }


def legs_out(number: int) -> str:
    """An extreme as text: "legs 1, 4 out"."""
    out = [str(k + 1) for k in range(LEGS) if number >> k & 1]
    return {0: "all legs in", LEGS: "all legs out"}.get(len(out), f"leg{'s' * (len(out) > 1)} {', '.join(out)} out")


def reached_extremes(platform: Hexapod, hard: bool = False) -> tuple[Extremes, Ints]:
    """All 64 extremes, and the numbers of those that have a pose."""
    found = extremes(platform, hard=hard)
    numbers = np.flatnonzero(found.converged)
    if not len(numbers):
        raise PlatformError(f"platform {platform.name!r}: no pose was found at any of the 64 extremes of its legs")
    return found, numbers


def swept_extremes(
    platform: Hexapod, clearance: Clearance, *, hard: bool = False, within: float = WITHIN
) -> SweptExtremes:
    """Angles and clearances at the extremes of the operational stroke, or of the hard ends."""
    found, numbers = reached_extremes(platform, hard)
    p, Q = found.p_W[numbers], found.Q_WP[numbers]
    return SweptExtremes(found, numbers, postures(platform, p, Q), sweep(clearance, p, Q, within))
