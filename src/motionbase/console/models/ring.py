"""A ring: its writer, its channels and its events."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field, field_validator

from motionbase.console.models.base import Model, SourceName
from motionbase.record.schema import NAME


class Timing(Model):
    """Timing of the last second: records per second, largest lateness [s], overruns, largest load, records lost."""

    rate_hz: float
    late_max_s: float | None
    overruns: float | None
    load_max: float | None
    lost: int


class HostDemand(Model):
    """The host's demand and the limits. `exceeded`: sentences, empty if all limits are kept."""

    age_s: float | None
    frames: float
    lost: float
    exceeded: list[str]


class BaseLife(Model):
    """The live base while no records come: it is starting, or has ended.

    `text`: a sentence; `platform`: of a starting base, "" if not known yet; `utc`: since when [s]. `may_start`: whether
    `motionbase run` can restart it on request.
    """

    doing: Literal["starting", "ended"]
    platform: str
    text: str
    utc: float | None
    may_start: bool


class Ring(Model):
    """A ring as its reader sees it.

    `state`: live, waiting, lost or none, of the writer; `state_text`: the same as a sentence. `generation` changes
    when earlier records do not belong to those that follow: another writer, another schema, time that went back.
    `platform` is empty if the ring has none; if it is not, a scene can be requested once per generation.
    `world`: name of the world in which its host's vehicle moves, empty if there is none.
    `estop_by`: who requested the active stop, None if none is active or the name is unknown. `base_state`, `base_mode`,
    `base_fault`: the schema's words in the newest record, None if it has none; "none..." means no fault.
    `t`: time stamp [s] of that record. `life`: state of the base while no records come, None if unknown.
    `behind_s`: how much older [s] the newest record read by the console is than that of the ring.
    """

    source: SourceName
    name: str
    backend: str
    is_hardware: bool
    state: Literal["live", "waiting", "lost", "none"]
    state_text: str
    behind_s: float
    generation: int
    writer: str
    writer_pid: int
    platform: str
    world: str
    schema_name: str
    schema_hash: str
    channels: int
    rate_hz: float
    dt: float
    epoch_utc: float
    takes_commands: bool
    has_parameters: bool
    estop_acts: bool
    estop_by: str | None
    t: float | None
    life: BaseLife | None
    base_state: str | None
    base_mode: str | None
    base_fault: str | None
    timing: Timing | None
    host: HostDemand | None


EventKind: TypeAlias = Literal[
    "state", "mode", "fault", "warning", "estop", "request", "seat", "tuning", "generators", "alarm", "note", "gap",
    "writer", "recorder",
]  # fmt: skip


class Event(Model):
    """An event: a change of state, a request, a fault, a note, a gap.

    `t`: time of the ring [s], None if it has none; `tick`: of the control law; `person`: who caused it, "" if nobody.
    """

    kind: Literal["event"] = "event"
    number: int
    source: SourceName
    generation: int
    t: float | None
    tick: int | None = None
    utc: float
    what: EventKind
    text: str
    person: str = ""
    is_bad: bool = False


class AlarmChange(Model):
    """Alarm of a channel of the live ring: `value` is the worst, at `t` [s], in the channel's unit."""

    channel: str = Field(max_length=64)
    change: Literal["raised", "acknowledged", "over"]
    level: Literal["warn", "alarm"]
    value: float = Field(allow_inf_nan=False)
    limit: float = Field(allow_inf_nan=False)
    t: float = Field(allow_inf_nan=False)


class Channel(Model):
    """A channel of a schema; `place` identifies it on the WebSocket."""

    place: int
    name: str
    unit: str
    description: str
    group: str
    leg: int | None = None
    dof: str | None = None
    codes: list[str] | None = None
    bits: list[str] | None = None
    formula: str | None = None


class Schema(Model):
    """The channels of a ring or recording, derived ones at the end."""

    name: str
    hash: str
    channels: list[Channel]


class Derive(Model):
    """A channel by formula: names of channels, numbers, + - * / ** and the functions of docs/console.md.

    `unit`: "" for the unit that results from the formula.
    """

    name: str
    formula: str = Field(min_length=1, max_length=500)
    unit: str = Field(default="", max_length=40)

    @field_validator("name")
    @classmethod
    def _is_a_channel_name(cls, name: str) -> str:
        if not NAME.fullmatch(name):
            raise ValueError(
                "a name is 1 to 64 lower-case letters, digits and _, and begins with a letter, such as leg1_error"
            )
        return name
