"""The standard record of a hexapod: 178 channels, as many as NASA Langley's motion base sends to its displays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from motionbase.record.axes import DERIVATIVES, DOFS, LEGS, unit_of
from motionbase.record.faults import FAULTS, WARNINGS
from motionbase.record.generators import COUNT
from motionbase.record.quantity import Quantity
from motionbase.record.schema import Channel, Schema
from motionbase.record.states import MODES, STATES
from motionbase.record.words import GROUPS, named, told

Channels = Iterator[Channel]
OF_A_LEG = {  # for leg 1: leg1_l_cmd, "leg 1: commanded length, joint to joint", and so on
    channel.name: channel
    for channel in (
        Channel("l_cmd", "m", "commanded length, joint to joint", "leg_command"),
        Channel("l_dot_cmd", "m/s", "commanded rate of the length", "leg_command"),
        Channel("l_ddot_cmd", "m/s^2", "commanded acceleration of the length", "leg_command"),
        Channel("l_meas", "m", "measured length, joint to joint", "leg_position"),
        Channel("l_dot_meas", "m/s", "measured rate of the length", "leg_velocity"),
        Channel("l_ddot_meas", "m/s^2", "measured acceleration of the length", "leg_acceleration"),
        Channel("f_meas", "N", "measured force on the platform, pushing is positive", "leg_force"),
        Channel("p_cap", "Pa", "pressure at the cap end (extends the leg)", "leg_pressure"),
        Channel("p_rod", "Pa", "pressure at the rod end (retracts the leg)", "leg_pressure"),
        Channel("valve_cmd", "-", "valve command, -1 to 1, positive extends", "valve"),
        Channel("valve_meas", "-", "measured spool position, -1 to 1", "valve"),
        Channel("u_ff", "-", "feed-forward part of the valve command", "compensator"),
        Channel("u_fb", "-", "feedback part of the valve command", "compensator"),
    )
}
AXES = "x, y, z"
OF_AN_AXIS = {  # for x: acc_x, "specific force along platform x, at the accelerometers", and so on
    channel.name: channel
    for channel in (
        Channel("acc", "m/s^2", f"specific force along platform {AXES}, at the accelerometers", "inertial"),
        Channel("omega", "rad/s", f"angular rate about platform {AXES}, by the gyros", "inertial"),
        Channel("alpha", "rad/s^2", f"angular acceleration about platform {AXES}", "inertial"),
    )
}
SINGLE = {
    channel.name: channel
    for channel in (
        Channel("p_supply", "Pa", "supply pressure", "hydraulics"),
        Channel("p_return", "Pa", "return pressure", "hydraulics"),
        Channel("state", "-", "state of the control law", "status", codes=STATES),
        Channel("mode", "-", "0 host, 1 maintenance", "status", codes=MODES),
        Channel("fault", "-", "code of the first fault, 0 for none", "status", codes=FAULTS),
        Channel("warning", "-", "bits of the warnings", "status", bits=WARNINGS),
        Channel("estop", "-", "1 while the emergency stop acts", "status"),
        Channel("generators_version", "-", "version of the generator settings in use", "status"),
        Channel("command_ack", "-", "number of the last operator command taken", "status"),
        Channel("host_age", "s", "age of the newest host frame", "host_link"),
        Channel("host_frames", "-", "host frames taken since the start", "host_link"),
        Channel("host_lost", "-", "host frames lost, late or refused since the start", "host_link"),
        Channel("lateness", "s", "start of the tick behind its due time", "timing"),
        Channel("compute", "s", "computing time of the tick before", "timing"),
        Channel("overruns", "-", "ticks since the start that ended after the next was due", "timing"),
        Channel("load", "-", "largest computing time since the record before, over the period", "timing"),
    )
}
HOST_DEMAND = "host demand, pose of the joint centroid"
QUANTITIES: Mapping[str, Quantity] = OF_A_LEG | OF_AN_AXIS | SINGLE
"""Channels by the port name in control law and plant; one port holds all legs or axes."""


@cache
def hexapod_schema(electric: bool = False) -> Schema:
    """Time, demands, measurements, internal values of the control law, states and timing.

    Args:
        electric: electric legs; names and positions of the channels are the same, descriptions speak of drives
    """
    return Schema("hexapod", tuple(_of_drives(c) if electric else c for c in _channels()))


def _of_drives(channel: Channel) -> Channel:
    """The channel with the description for electric legs."""
    about = told(channel.description, electric=True)
    unit = "-" if channel.name in ("p_supply", "p_return") else channel.unit
    codes = channel.codes
    if channel.name == "fault":
        pairs = (code.split(": ", 1) for code in FAULTS)
        codes = tuple(f"{named(name, electric=True)}: {told(text, electric=True)}" for name, text in pairs)
    group = GROUPS.get(channel.group, channel.group)
    return replace(channel, description=about, unit=unit, codes=codes, group=group)


def _channels() -> Channels:
    yield Channel("t", "s", "tick x dt since the ring's epoch", "time")
    yield Channel("tick", "-", "ticks of the control law since the epoch", "time")
    yield from _by_dof("host", HOST_DEMAND, "host", 3)
    yield from _by_dof("cmd", "demand after propagation and generators", "command", 3)
    yield from _by_dof("pose_meas", "pose from the measured leg lengths", "pose", 1)
    yield from _by_dof("pose_hat", "estimated pose", "pose", 2)
    for channel in OF_A_LEG.values():
        for leg in LEGS:
            about = f"leg {leg}: {channel.description}"
            yield replace(channel, name=f"leg{leg}_{channel.name}", description=about, leg=leg)
    for channel in OF_AN_AXIS.values():
        for axis in AXES.split(", "):
            about = channel.description.replace(AXES, axis)
            yield replace(channel, name=f"{channel.name}_{axis}", description=about)
    for n in range(1, COUNT + 1):
        yield Channel(f"generator{n}", "-", f"output of function generator {n}, m or rad by its axis", "generators")
    for dof in DOFS:
        yield Channel(f"gen_{dof}", unit_of(dof), f"sum of the generators in {dof}", "generators", dof=dof)
    for leg in LEGS:
        yield Channel(f"gen_leg{leg}", "m", f"sum of the generators on leg {leg}", "generators", leg=leg)
    yield from SINGLE.values()


@cache
def host_schema() -> Schema:
    """Of a recording that holds poses alone: what a host sent."""
    return Schema("host", (Channel("t", "s", "time", "time"), *_by_dof("host", HOST_DEMAND, "host", 3)))


def _by_dof(prefix: str, what: str, group: str, derivatives: int) -> Channels:
    for order in range(derivatives):
        suffix, of = DERIVATIVES[order], ("", "rate of the ", "acceleration of the ")[order]
        for dof in DOFS:
            yield Channel(f"{prefix}_{dof}{suffix}", unit_of(dof, order), f"{dof}: {of}{what}", group, dof=dof)
