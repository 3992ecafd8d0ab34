"""Legs and joints at a pose, and clearances between parts."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from motionbase.console.models.base import Model, Numbers, SourceName

PoseName: TypeAlias = Literal["measured", "estimated", "command", "host"]
Verdict: TypeAlias = Literal["clear", "warn", "stop", "interference"]
LARGEST = 100.0  # metres or radians, far beyond any platform
Bounded: TypeAlias = Annotated[float, Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Length: TypeAlias = Annotated[float, Field(gt=0, le=LARGEST, allow_inf_nan=False)]
Threshold: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class LegPosture(Model):
    """One leg: `l` [m], `share` of the operational stroke; angles [rad], of bearings and rod from neutral."""

    l: float
    share: float
    base: tuple[float, float]
    platform: tuple[float, float]
    rotation: float
    elevation: float
    azimuth: float


class PartGap(Model):
    """Gap between two parts: distance [m], null if they interfere; nearest points in W [m]."""

    first: str
    second: str
    distance: float | None
    points: list[list[float]]
    verdict: Verdict


class Posture(Model):
    """Posture at a pose: `dof` from neutral [m, rad]; the nearest pairs of parts, or the reason in `clearance_text`.

    `bearings`: angles of the first and second bearing, at base and platform [rad]; null if unknown.
    `text`: why the pose cannot be reached, "" if it can.
    """

    dof: list[float]
    legs: list[LegPosture]
    bearings: list[Numbers]
    dexterity: float
    gaps: list[PartGap]
    verdict: Verdict | None
    text: str
    clearance_text: str


class AskPose(Model):
    """Six degrees of freedom from neutral [m, rad], or six leg lengths [m]."""

    dof: list[Bounded] | None = Field(default=None, min_length=6, max_length=6)
    legs: list[Length] | None = Field(default=None, min_length=6, max_length=6)

    @model_validator(mode="after")
    def _is_one(self) -> AskPose:
        if (self.dof is None) == (self.legs is None):
            raise ValueError("either dof or legs is wanted, six numbers")
        return self


class ClearanceThresholds(Model):
    """Clearances [m] below which gaps are coloured (`warn`), and below which an alarm is raised (`stop`)."""

    warn: Threshold
    stop: Threshold

    @model_validator(mode="after")
    def _is_in_order(self) -> ClearanceThresholds:
        if self.stop > self.warn:
            raise ValueError(f"stop is {self.stop:g} m and warn {self.warn:g} m, stop must not be more than warn")
        return self


class Kinematics(Model):
    """Sent as text to watching pages: kinematics of the newest record, at most five times a second.

    `state`: `preparing` while kernels are compiled, `none` if there are no kinematics, with the reason in `text`.
    """

    kind: Literal["kinematics"] = "kinematics"
    source: SourceName
    generation: int
    pose: PoseName
    t: float | None
    state: Literal["ready", "preparing", "none"]
    text: str
    found: Posture | None


class ClearanceAlarm(Model):
    """Sent as text to every page: the nearest pair at the measured pose, and whether the alarm is raised.

    `least` [m] is null if parts interfere, and if nothing is known: then `verdict` is null, too.
    """

    kind: Literal["clearance"] = "clearance"
    source: SourceName
    generation: int
    t: float | None
    verdict: Verdict | None
    least: float | None
    first: str
    second: str
    is_alarm: bool
    thresholds: ClearanceThresholds
    text: str


class Extreme(Model):
    """One of the 64 extremes: bit k of `number` is set if leg k + 1 is out."""

    number: int
    name: str
    posture: Posture


class AngleRange(Model):
    """Range of one joint of one leg over the extremes [rad], and the extremes where it occurs."""

    joint: str
    leg: int
    least: float
    most: float
    at_least: int
    at_most: int


class WorstGap(Model):
    """The smallest gap of a pair of parts over the extremes; distance [m], null if they interfere."""

    first: str
    second: str
    distance: float | None
    verdict: Verdict
    at: int


class Extremes(Model):
    """All combinations of legs fully in and out that have a pose; `missing`: numbers of those without."""

    platform: str
    extremes: list[Extreme]
    missing: list[int]
    requirements: list[AngleRange]
    worst: list[WorstGap]
    clearance_text: str
