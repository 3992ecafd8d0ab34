"""Recordings, exports of them, and replays."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from motionbase.console.models.base import Model, OneOf, SourceName
from motionbase.console.models.ring import Channel, Schema
from motionbase.record.requests import REPLAY_KINDS


class Ticket(Model):
    """An address at which a browser may fetch one file within a minute, without a token."""

    address: str


class RecordingFile(Model):
    """A file of the recordings folder; `file` names it in all other requests."""

    file: str
    bytes: int
    modified_utc: float
    format: Literal["mcap", "csv", "parquet", "estop"]
    is_written: bool


class RecordingEvent(Model):
    """Beside the records; as `Event` has them."""

    t: float
    kind: str
    text: str
    tick: int | None
    person: str
    is_bad: bool


class RecordingInfo(Model):
    """As `motionbase info`. Times [s] since the recording's epoch.

    `derived`: channels by formula that operators made and that can be computed of it. `damage_at`: from and to of each
    damage, the records beside it where some are missing, None where it concerns the file as a whole. `events`: as the
    file has them; `/api/recordings/events` has all.
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
    events: list[RecordingEvent]
    damage: list[str]
    damage_at: list[tuple[float, float] | None]
    about: dict[str, str]


class Export(Model):
    """What to take of a recording, and into what; without legs, groups and channels it is all of them.

    `pdf` is a strip chart of 16 channels at most, with so many seconds on a page.
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
    """As `motionbase replay-control`."""

    source: SourceName = "replay"
    action: Annotated[str, OneOf(REPLAY_KINDS)]
    values: list[float] = Field(default=[], max_length=2)
