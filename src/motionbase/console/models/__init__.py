"""What goes over the console's REST border and in its text messages, as types: the one definition of both sides.

`web/src/net/types.ts` is generated from it (`scripts/console_types.py`).
"""

from motionbase.console.models.base import Model, Numbers, SourceName
from motionbase.console.models.generators import (
    Apply,
    Card,
    CardSet,
    Exceeded,
    Generators,
    Limits,
    Preview,
    PreviewRequest,
)
from motionbase.console.models.operating import (
    Answer,
    AskRecorder,
    Operate,
    Parameter,
    Parameters,
    Seen,
    StartStrip,
    StripChannel,
    Tune,
)
from motionbase.console.models.recordings import (
    Export,
    RecordingEvent,
    RecordingFile,
    RecordingInfo,
    ReplayControl,
    StartReplay,
)
from motionbase.console.models.ring import Channel, Derive, Event, HostDemand, Ring, Schema, Timing
from motionbase.console.models.shown import Layout, Mesh, Scene
from motionbase.console.models.status import Job, Recorder, Replay, Status, Strip
from motionbase.console.models.who import Me, Seat, TakeSeat

__all__ = (
    "Model",
    "Numbers",
    "SourceName",
    "Me",
    "Seat",
    "TakeSeat",
    "Timing",
    "HostDemand",
    "Ring",
    "Event",
    "Channel",
    "Schema",
    "Derive",
    "Recorder",
    "Replay",
    "Strip",
    "Job",
    "Status",
    "Card",
    "CardSet",
    "Generators",
    "Apply",
    "PreviewRequest",
    "Limits",
    "Exceeded",
    "Preview",
    "Answer",
    "Seen",
    "Operate",
    "Parameter",
    "Parameters",
    "Tune",
    "AskRecorder",
    "StripChannel",
    "StartStrip",
    "RecordingFile",
    "RecordingEvent",
    "RecordingInfo",
    "Export",
    "StartReplay",
    "ReplayControl",
    "Mesh",
    "Scene",
    "Layout",
)
