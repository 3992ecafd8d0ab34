"""Requests to a base, its parameters and its recorder."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from motionbase.console.models.base import Model, OneOf
from motionbase.record.requests import KINDS


class Answer(Model):
    """Answer to a request."""

    accepted: bool
    text: str


class Seen(Model):
    """The newest record on the page when the operator made the request, so that nothing stale is carried out.

    `t`: its time stamp [s]; `state`, `mode`: the schema's words, "" if it has none; `generators_version`: of the armed
    set on the page, None if it showed none.
    """

    t: float = Field(allow_inf_nan=False)
    state: str = Field(max_length=64)
    mode: str = Field(max_length=64)
    generators_version: int | None


class Operate(Model):
    """An action of `motionbase operate`; an emergency stop has its own address.

    `seen` is ignored for actions that calm a base (freeze, abort, settle, lower), and required for all others.
    """

    seen: Seen | None = None
    action: Annotated[str, OneOf(KINDS)]


class Parameter(Model):
    """A parameter of the control law, see `motionbase tune`."""

    name: str
    unit: str
    description: str
    value: list[float]
    goal: list[float]
    designed: list[float]
    least: list[float]
    most: list[float]
    tunable: bool
    at_rest: bool


class Parameters(Model):
    """All parameters of the control law."""

    law: str
    version: int
    parameters: list[Parameter]


class Tune(Model):
    """New values by name; an empty list restores the design values."""

    values: dict[str, list[float]]


class AskRecorder(Model):
    """A command to the recorder, as `motionbase record-control`."""

    do: Literal["start", "stop", "split", "note"]
    text: str = Field(default="", max_length=4096)


class StripChannel(Model):
    """A pen: its channel, and the range of its lane; None follows the records."""

    name: str
    low: float | None = None
    high: float | None = None
    colour: str | None = None


class StartStrip(Model):
    """A strip chart of the live ring."""

    channels: list[StripChannel] = Field(min_length=1, max_length=16)
    format: Literal["pdf", "png"] = "pdf"
    seconds_per_page: float = Field(default=60.0, gt=0, le=86400)
    name: str = "strip"
