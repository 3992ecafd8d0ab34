"""The record of a law that looks on: its own outputs, and beside them what is done by the law that commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from motionbase.record.axes import LEGS
from motionbase.record.faults import FAULTS
from motionbase.record.schema import Channel, Schema
from motionbase.record.states import STATES

OF_LEGS = ("l_cmd", "l_dot_cmd", "valve_cmd", "u_ff", "u_fb")  # channels of a leg that are shown of both laws
JOINED = ("waits", "follows")


def done(name: str) -> str:
    """Name of the channel for what is done."""
    return f"{name}_done"


def _done(base: Schema) -> Iterator[Channel]:
    for name in OF_LEGS:
        for leg in LEGS:
            channel = base.channels[base.index[f"leg{leg}_{name}"]]
            about = f"{channel.description}, as it is done"
            yield replace(channel, name=done(channel.name), group=f"{channel.group}_done", description=about)
    yield Channel(done("state"), "-", "state of the base", "shadow", codes=STATES)
    yield Channel(done("fault"), "-", "fault of the base", "shadow", codes=FAULTS)
    yield Channel("shadow_joined", "-", "whether this law goes along with the base", "shadow", codes=JOINED)
    yield Channel("shadow_joins", "-", "how often it began to go along", "shadow")
    yield Channel("shadow_stops", "-", "how often it would have stopped though the base went on", "shadow")


@cache
def shadow_schema(base: Schema) -> Schema:
    """The record of a base, and what is done beside what this law would do."""
    return Schema(base.name, (*base.channels, *_done(base)))
