"""Channels of motion cueing: what the vehicle does at the pilot's head, what the platform gives, what people feel."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cache

from motionbase.record.axes import DOFS, LEGS
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.record.vehicle import AXES, VEHICLE


class Follows(IntEnum):
    """Which algorithm the platform follows."""

    WASHOUT = 0
    PREDICTIVE = 1


FOLLOWS = ("0 washout: the filters", "1 predictive: a plan within the legs' limits")
SIX = tuple((name, axis) for name in ("f", "omega") for axis in AXES)  # order of every row of six
UNITS = {"f": "m/s^2", "omega": "rad/s"}
TEXTS = {"f": "specific force along {axis}", "omega": "angular rate about {axis}"}
ROWS = {  # six channels each, in the order of SIX
    "demand": "of the vehicle at the pilot's head",
    "cue": "that the commanded motion of the platform gives at the pilot's head",
    "felt_vehicle": "as a person in the vehicle feels it",
    "felt_cue": "as a person on the platform feels it",
}
SINGLE = {
    channel.name: channel
    for channel in (
        Channel("cue_error", "-", "difference of the two feelings, in thresholds of perception", "cueing"),
        Channel("stroke_left", "m", "least way of a leg from its demand to an end of its stroke", "cueing"),
        Channel("cue_follows", "-", "what the platform follows", "cueing", codes=FOLLOWS),
        Channel("cue_set", "-", "set in use: 0 air, 1 ground, between them on the way", "cueing"),
        Channel("cue_late", "-", "plans since the start that came after their deadline, or not at all", "cueing"),
    )
}
LINK = tuple(
    Channel(f"link_{name}", "-", f"datagrams since the start that {text}", "host_link")
    for name, text in (
        ("frames", "were good"),
        ("lost", "were missing in the sequence"),
        ("late", "came after a newer one"),
        ("duplicate", "came twice"),
        ("malformed", "could not be read, were cut short, too long, or held something that is no number"),
        ("foreign", "came from an address that is not allowed"),
    )
)


def cueing_channels() -> Iterator[Channel]:
    """Demand and cue, both as a person feels them, and how the cueing does."""
    for row, of in ROWS.items():
        for name, axis in SIX:
            yield Channel(f"{row}_{name}_{axis}", UNITS[name], f"{TEXTS[name].format(axis=axis)} {of}", row)
    yield from SINGLE.values()


@cache
def tried_schema() -> Schema:
    """Of a recording of cueing alone, without a base: the vehicle, what cueing makes of it, demanded pose and legs."""
    base = hexapod_schema()
    names = [f"host_{dof}{order}" for order in ("", "_dot", "_ddot") for dof in DOFS]
    demand = (*names, *(f"leg{leg}_l_cmd" for leg in LEGS))
    time = Channel("t", "s", "time", "time")
    return Schema("tried_cueing", (time, *VEHICLE, *cueing_channels(), *(base.channels[base.place(n)] for n in demand)))


@cache
def cued_schema(base: Schema) -> Schema:
    """The record of a base whose host tells a vehicle's motion: also the link's channels, the vehicle's, cueing's."""
    return Schema(base.name, (*base.channels, *LINK, *VEHICLE, *cueing_channels()))


@cache
def linked_schema(base: Schema) -> Schema:
    """The record of a base whose host tells poses: also the link's channels."""
    return Schema(base.name, (*base.channels, *LINK))
