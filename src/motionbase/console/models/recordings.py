"""Recordings, exports of them, and replays."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from motionbase.console.models.base import Model, OneOf, SourceName
from motionbase.console.models.ring import Channel, Schema
from motionbase.record.requests import REPLAY_KINDS


class Ticket(Model):
    """An address from which a browser can download one file within a minute, without a token."""

    address: str


class RecordingFile(Model):
    """A file of the recordings folder; `file` names it in all other requests."""

    file: str
    bytes: int
    modified_utc: float
    format: Literal["mcap", "csv", "parquet", "estop"]
    is_written: bool


class RecordingEvent(Model):
    """An event of a recording; the fields are those of `Event`."""

    t: float
    kind: str
    text: str
    tick: int | None
    person: str
    is_bad: bool


class RecordingInfo(Model):
    """Description of a recording, as `motionbase info`. Times [s] since the recording's epoch.

    `derived`: stored derived channels that fit it. `damage_at`: start and end of each damage, or of the gap if records
    are missing, None if it concerns the whole file. `events`: those in the file; `/api/recordings/events` has all.
    """

    file: str
    recording_schema: Schema
    derived: list[Channel]
    records: int
    start: float
    end: float
    rate_hz: float
    epoch_utc: float | None
    platform: str
    world: str
    events: list[RecordingEvent]
    damage: list[str]
    damage_at: list[tuple[float, float] | None]
    about: dict[str, str]


class Export(Model):
    """Selection and format of an export; without legs, groups and channels it has all channels.

    `pdf` is a strip chart of up to 16 channels, with `seconds_per_page`.
    """

    file: str
    format: Literal["mcap", "csv", "parquet", "pdf"]
    legs: list[int] = []
    groups: list[str] = []
    channels: list[str] = []
    start: float | None = None
    stop: float | None = None
    piece_records: int | None = Field(default=None, ge=1)
    piece_seconds: float | None = Field(default=None, gt=0)
    seconds_per_page: float = Field(default=60.0, gt=0, le=86400)
    name: str = Field(default="", max_length=120)


class StartReplay(Model):
    """Play a file of the recordings folder into the replay ring."""

    file: str
    paused: bool = True


class ReplayControl(Model):
    """A command to a replay, as `motionbase replay-control`."""

    source: SourceName = "replay"
    action: Annotated[str, OneOf(REPLAY_KINDS)]
    values: list[float] = Field(default=[], max_length=2)
