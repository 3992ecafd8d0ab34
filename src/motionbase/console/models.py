"""What goes over the console's REST border and in its text messages, as types: the one definition of both sides.

`web/src/net/types.ts` is generated from it (`scripts/web types`).
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Role = Literal["viewer", "operator"]
SourceName = Literal["live", "replay"]
Numbers = list[float | None]  # None stands for a number that is none: JSON has no NaN


class Model(BaseModel):
    """Whatever is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# ---- who is who -----------------------------------------------------------------------------------------------------


class Me(Model):
    """The role of who asks. `seated`: holds the operator's seat, so that what changes state is taken from here."""

    role: Role
    client: str
    seated: bool


class Seat(Model):
    """Who operates; one at a time."""

    client: str
    name: str
    since_utc: float


class TakeSeat(Model):
    """`force` takes it from `from_client`, the one whom the page named, and from nobody else; both are told."""

    name: str = Field(default="operator", min_length=1, max_length=40)
    force: bool = False
    from_client: str | None = Field(default=None, max_length=64)


# ---- the ring -------------------------------------------------------------------------------------------------------


class Timing(Model):
    """Health of the last second: records per second, largest lateness [s], overruns, largest load, records lost."""

    rate_hz: float
    late_max_s: float | None
    overruns: float | None
    load_max: float | None
    lost: int


class HostDemand(Model):
    """The host's demand against the limits. `exceeded`: sentences, empty where all is within them."""

    age_s: float | None
    frames: float
    lost: float
    exceeded: list[str]


class Ring(Model):
    """A ring as its reader sees it.

    `state`: live, waiting, lost or none, of the writer; `state_text` is the reader's own words. `generation` changes
    whenever what was drawn before does not belong to what comes: another writer, another schema, time that ran back.
    `platform` is empty where the ring has none; a scene is worth asking for when it is not, once a generation.
    `estop_by`: who asked for the stop that acts, None while none acts or nobody is known. `base_state`, `base_mode`,
    `base_fault`: the schema's words of the newest record, None where it has none; no fault begins with "none".
    `behind_s`: how much older [s] than the ring's newest record the newest one is that the console has read.
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
    base_state: str | None
    base_mode: str | None
    base_fault: str | None
    timing: Timing | None
    host: HostDemand | None


class Recorder(Model):
    """Of the live ring."""

    state: str
    file: str
    bytes: int
    files: int
    records: int
    lost: int
    gaps: int
    trouble: str


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
    """A strip chart drawn by a process of its own."""

    state: Literal["drawing", "ended", "failed"]
    out: str
    channels: list[str]
    pages: int
    text: str


class Status(Model):
    """Sent as text every half second, and at once when something changed."""

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


class Event(Model):
    """Something that happened: a change of state, a fault, a note, a gap. `t`: [s] of the ring, None if it has none."""

    kind: Literal["event"] = "event"
    number: int
    source: SourceName
    generation: int
    t: float | None
    utc: float
    what: Literal["state", "mode", "fault", "warning", "estop", "note", "gap", "writer", "seat", "recorder"]
    text: str
    is_bad: bool = False


class Channel(Model):
    """Of a schema; `place` is what the WebSocket asks by."""

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
    """A channel by formula: names of channels, numbers, + - * / ** and the functions of docs/console.md."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    formula: str = Field(min_length=1, max_length=500)
    unit: str = Field(default="-", min_length=1, max_length=40)


# ---- what can be asked of a base ------------------------------------------------------------------------------------


class Seen(Model):
    """The newest record that the page had shown when the operator asked, so that nothing stale is carried out.

    `t`: its time stamp [s]; `state`, `mode`: the schema's words, "" where it has none; `generators_version`: of what
    was armed as the page showed it, None where it showed none.
    """

    t: float = Field(allow_inf_nan=False)
    state: str = Field(max_length=64)
    mode: str = Field(max_length=64)
    generators_version: int | None


class Operate(Model):
    """An action of `motionbase operate`; an emergency stop has its own address."""

    seen: Seen
    action: Literal[
        "down", "standby", "drive", "settle", "lower", "off", "freeze", "abort", "reset", "host", "maintenance"
    ]


class Answer(Model):
    """What became of a request."""

    accepted: bool
    text: str


class Card(Model):
    """One function generator; numbers as in docs/generators.md."""

    enabled: bool = False
    space: Literal["leg", "dof"] = "dof"
    axes: list[int | str] = []
    shape: Literal[
        "sine", "square", "triangle", "sawtooth", "step", "ramp", "chirp", "multisine", "random"
    ] = "sine"  # fmt: skip
    amplitude: float = 0.0
    frequency: float = 0.0
    end_frequency: float = 0.0
    phase: float = 0.0
    offset: float = 0.0
    fade_in: float = 0.0
    fade_out: float = 0.0
    start: float = 0.0
    cycles: float = 0.0
    duration: float = 0.0
    tones: int = 0
    seed: int = 0


class CardSet(Model):
    """Seven cards at most, with a name for people."""

    name: str = Field(default="", max_length=64)
    cards: list[Card] = Field(max_length=7)


class Generators(Model):
    """The block of the ring, and whether it may be written now.

    `version`: of what is armed in the block; `running_version`: of what the control law took at its last transition to
    drive, None where the ring has no such channel.
    """

    armed: CardSet
    version: int
    author: str
    written_utc: float | None
    running_version: int | None
    allowed: bool
    why_not: str


class Apply(Model):
    """`version`: the one that the operator saw; refused if another has been written since."""

    cards: CardSet
    version: int


class PreviewRequest(Model):
    """What the cards would do in so many seconds."""

    cards: CardSet
    seconds: float = Field(default=20.0, gt=0, le=600)


class Exceeded(Model):
    """A limit that would be exceeded: of what, the largest value, the limit, and when first [s]."""

    what: str
    value: float
    limit: float
    unit: str
    t: float


class Preview(Model):
    """`dofs`: (6, 3, n) position, velocity, acceleration of the sums; `legs`: (6, n) lengths [m] about neutral."""

    t: list[float]
    dofs: list[list[list[float]]]
    legs: list[Numbers]
    limits: Limits | None
    exceeded: list[Exceeded]
    text: str


class Limits(Model):
    """Of the platform: largest excursion from neutral, velocity, acceleration by axis, and of the legs [m, m/s]."""

    position: list[float]
    velocity: list[float]
    acceleration: list[float]
    l_min: float
    l_max: float
    leg_velocity: float


class Parameter(Model):
    """One of the control law, see `motionbase tune`."""

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
    """All of them."""

    law: str
    version: int
    parameters: list[Parameter]


class Tune(Model):
    """New numbers by name; an empty list sets the designed ones."""

    values: dict[str, list[float]]


class AskRecorder(Model):
    """As `motionbase record-control`."""

    do: Literal["start", "stop", "split", "note"]
    text: str = Field(default="", max_length=4096)


class StripChannel(Model):
    """A pen: which channel, and the range of its lane; None takes what comes."""

    name: str
    low: float | None = None
    high: float | None = None
    colour: str | None = None


class StartStrip(Model):
    """A strip chart of the live ring."""

    channels: list[StripChannel] = Field(min_length=1, max_length=16)
    format: Literal["pdf", "png"] = "pdf"
    seconds_per_page: float = Field(default=60.0, gt=0, le=86400)
    name: str = Field(default="strip", pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.-]{0,79}$")


# ---- recordings -----------------------------------------------------------------------------------------------------


class RecordingFile(Model):
    """A file of the recordings folder; `file` names it in all other requests."""

    file: str
    bytes: int
    modified_utc: float
    format: Literal["mcap", "csv", "parquet", "estop"]
    is_written: bool


class RecordingInfo(Model):
    """As `motionbase info`. Times [s] since the recording's epoch.

    `damage_at`: from and to of each damage, the records beside it where some are missing, None where it concerns the
    file as a whole.
    """

    file: str
    recording_schema: Schema
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


class RecordingEvent(Model):
    """Beside the records."""

    t: float
    kind: str
    text: str


class Export(Model):
    """What to take of a recording, and into what; without legs, groups and channels it is all of them."""

    file: str
    format: Literal["mcap", "csv", "parquet"]
    legs: list[int] = []
    groups: list[str] = []
    channels: list[str] = []
    start: float | None = None
    stop: float | None = None
    piece_records: int | None = Field(default=None, ge=1)
    piece_seconds: float | None = Field(default=None, gt=0)
    name: str = Field(default="", max_length=120)


class Job(Model):
    """Something that takes a while."""

    number: int
    what: str
    state: Literal["running", "done", "failed", "cancelled"]
    share: float
    text: str
    files: list[str]


class StartReplay(Model):
    """Play a file of the recordings folder into the replay ring."""

    file: str
    paused: bool = True


class ReplayControl(Model):
    """As `motionbase replay-control`."""

    source: SourceName = "replay"
    action: Literal["play", "pause", "rewind", "step", "seek", "speed", "loop", "loop-off", "stop"]
    values: list[float] = Field(default=[], max_length=2)


# ---- what is shown --------------------------------------------------------------------------------------------------


class Mesh(Model):
    """A user's own picture of a part; `number` names it in /api/mesh/NUMBER."""

    number: int
    format: Literal["glb", "stl"]
    part: Literal["base", "platform", "cylinder", "rod"]
    scale: float
    colour: str


class Scene(Model):
    """The platform to scale. Places [m]: base joints in W, platform joints in P; P at neutral is at `p_neutral`."""

    name: str
    summary: str
    illustrative: list[str]
    base: list[list[float]]
    joints: list[list[float]]
    p_neutral: list[float]
    l_min: float
    l_max: float
    hard_min: float
    hard_max: float
    l_down: float
    cylinder_radius: float
    rod_radius: float
    points: dict[str, list[float]]
    limits: Limits
    meshes: list[Mesh]


class Layout(Model):
    """What the page shows, by name; the page alone knows what it means."""

    name: str
    body: dict[str, object]


for _model in (Status, Preview, RecordingInfo):
    _model.model_rebuild()
