"""What legs and joints do at a pose, and how near parts are to each other."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, model_validator

from motionbase.console.models.base import Model, Numbers, SourceName

PoseName: TypeAlias = Literal["measured", "estimated", "command", "host"]
Verdict: TypeAlias = Literal["clear", "warn", "stop", "interference"]
LARGEST = 100.0  # metres or radians: no platform comes near it
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
    """Between two parts: distance [m], null where they interfere; nearest points in W [m]."""

    first: str
    second: str
    distance: float | None
    points: list[list[float]]
    verdict: Verdict


class Posture(Model):
    """At one pose: `dof` from neutral [m, rad]; the nearest pairs of parts, none where `clearance_text` says why.

    `bearings`: how far the first and second bearing turn, at base and platform [rad]; null where that is not known.
    `text`: why the pose cannot be reached, "" where it can.
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
    """Clearances [m] below which it is coloured, and below which an alarm is raised."""

    warn: Threshold
    stop: Threshold

    @model_validator(mode="after")
    def _is_in_order(self) -> ClearanceThresholds:
        if self.stop > self.warn:
            raise ValueError(f"stop is {self.stop:g} m and warn {self.warn:g} m, stop must not be more than warn")
        return self


class Kinematics(Model):
    """Sent as text to pages that watch: of the newest record, at most five times a second.

    `state`: preparing while kernels are compiled, none where `text` says why there is nothing.
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
    """Sent as text to every page, of the measured pose: the nearest pair, and whether the alarm is raised.

    `least` [m] is null where parts interfere, and where nothing is known: then `verdict` is null too.
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
    """One of the 64: bit k of `number` is set where leg k + 1 is out."""

    number: int
    name: str
    posture: Posture


class AngleRange(Model):
    """What the extremes ask of one joint of one leg [rad], and at which of them."""

    joint: str
    leg: int
    least: float
    most: float
    at_least: int
    at_most: int


class WorstGap(Model):
    """A pair of parts where it is nearest over the extremes; distance [m], null where they interfere."""

    first: str
    second: str
    distance: float | None
    verdict: Verdict
    at: int


class Extremes(Model):
    """At all combinations of legs fully in and out that have a pose; `missing` are numbers of those that have none."""

    platform: str
    extremes: list[Extreme]
    missing: list[int]
    requirements: list[AngleRange]
    worst: list[WorstGap]
    clearance_text: str
