"""The status that pages show besides curves."""

from __future__ import annotations

from typing import Literal

from motionbase.console.models.base import Model, SourceName
from motionbase.console.models.ring import Ring
from motionbase.console.models.who import Seat


class Recorder(Model):
    """The recorder of the live ring; `incident`: what happened to a file while it was written."""

    state: str
    file: str
    bytes: int
    files: int
    records: int
    lost: int
    gaps: int
    trouble: str
    incident: str


class Replay(Model):
    """A recording that is played into a ring; times are [s] since the recording's epoch."""

    source: SourceName
    file: str
    state: Literal["playing", "paused", "ended"]
    record: int
    records: int
    time: float
    begin: float
    end: float
    speed: float
    period: float | None
    loop: tuple[float, float] | None
    damage: list[str]


class Strip(Model):
    """A strip chart drawn by a separate process."""

    state: Literal["drawing", "ended", "failed"]
    out: str
    channels: list[str]
    pages: int
    text: str


class Job(Model):
    """A job that takes a while. `client`: the page that started it and may cancel it."""

    number: int
    client: str
    what: str
    state: Literal["running", "done", "failed", "cancelled"]
    share: float
    text: str
    files: list[str]


class Status(Model):
    """Sent as text every half second, and at once after a change."""

    kind: Literal["status"] = "status"
    version: str
    utc: float
    sources: list[Ring]
    seat: Seat | None
    viewers: int
    recorder: Recorder | None
    replay: Replay | None
    strip: Strip | None
    jobs: list[Job]
