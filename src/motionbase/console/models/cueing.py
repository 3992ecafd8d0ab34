"""Cueing tried on a recording: two sets of parameters on the same motion of a vehicle."""

from __future__ import annotations

from pydantic import Field

from motionbase.console.models.base import Model, Numbers
from motionbase.console.models.ring import Schema


class CueingSet(Model):
    """A set of parameters; `name` identifies it."""

    name: str
    summary: str


class CueingChoices(Model):
    """What can be compared. `in_use`: whether the live base has parameters of cueing, which can be tried as well."""

    sets: list[CueingSet]
    algorithms: list[str]
    in_use: bool
    most_s: float


class CueingSide(Model):
    """A set and the algorithm that uses it.

    The set "in use" is that of the live base as it is tuned now. `text`: of a set's file, which is used then; `set` is
    its name for people.
    """

    set: str = Field(max_length=64)
    algorithm: str = Field(max_length=64)
    text: str = Field(default="", max_length=20_000)


class TryCueing(Model):
    """Two sides on the vehicle's motion in a recording, from one time to another [s].

    Without a file the last `seconds` of the live base are used.
    """

    file: str | None = None
    start: float | None = Field(default=None, allow_inf_nan=False)
    stop: float | None = Field(default=None, allow_inf_nan=False)
    seconds: float = Field(default=30.0, gt=0, allow_inf_nan=False)
    a: CueingSide
    b: CueingSide


class CueingFigures(Model):
    """What a side comes to.

    Perceived errors are in thresholds of perception: root mean square of all axes and of each, and the largest.
    `error_share`: of the error of a platform that stands still. `stroke_left` [m]: negative beyond the legs' strokes;
    `stroke_used`: largest share of its stroke that a leg goes through; `leg_speed` [m/s]: of the fastest leg. None
    stands for what is no number, of a vehicle that told nonsense.
    """

    error: float | None
    error_share: float | None
    error_most: float | None
    axes: Numbers
    stroke_left: float | None
    stroke_used: float | None
    leg_speed: float | None


class CueingTrial(Model):
    """A comparison that is done; `channels` are those of its windows, time first."""

    number: int
    what: str
    platform: str
    start: float
    end: float
    channels: Schema
    sides: tuple[CueingSide, CueingSide]
    figures: tuple[CueingFigures, CueingFigures]


class CueingSetText(Model):
    """The live base's parameters of cueing, as they are tuned now, as a file of a set."""

    name: str
    text: str
