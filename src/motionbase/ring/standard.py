"""The standard record of a hexapod: 178 channels, as many as the motion base of NASA Langley sends its displays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from motionbase.ring.schema import DOFS, LEGS, Channel, Schema
from motionbase.words import GROUPS, named, told

Channels = Iterator[Channel]
LINEAR = ("m", "m/s", "m/s^2")
ANGULAR = ("rad", "rad/s", "rad/s^2")
DERIVATIVES = ("", "_dot", "_ddot")
# Words of the control law's enums, in their order: they travel with every ring and recording, so that a reader needs no
# control law, and a recording says years later what its numbers meant.
STATES = (
    "off", "down", "rising", "standby", "engaging", "drive", "settling", "lowering", "freeze", "abort", "held",
    "stopping",
)  # fmt: skip
MODES = ("host", "maintenance")
FAULTS = (
    "none: no fault",
    "estop: the emergency stop acts",
    "measurement: the measured length or rate of a leg is no number, out of range, frozen or contradicted",
    "valve: the valve or the drive of a leg does not do what it was told",
    "leg velocity: a leg is faster than it may be",
    "tracking: a leg does not follow its command and may be seized",
    "supply: the supply pressure, or the power of the drives, is too low",
    "pressure: a measured pressure is no number, out of range or contradicts the measured force",
    "limit contact: a leg is at its hard end",
    "kinematics: no pose of the platform has the measured leg lengths",
    "timeout: a change of state takes too long",
    "operator abort: the operator asked for an abort",
    "blind: neither the length nor the rate of a leg can be believed",
    "guard number: the guard stopped the law: a command, a code or an estimate of it is no finite number",
    "guard bounds: the guard stopped the law: a command is beyond what the legs may be told",
    "guard rate: the guard stopped the law: a command changes faster than valve or drive can follow",
    "guard late: the guard stopped the law: it did not answer in time",
    "guard sphere: the guard stopped the sphere's law: torques that its motors may not be told",
)
WARNINGS = ("host silent", "frame refused", "dof limit", "leg limit", "demand outside", "gyros wrong")


@cache
def hexapod_schema(electric: bool = False) -> Schema:
    """Time, demands, measurements, the control law's own numbers, states and timing.

    Args:
        electric: whether the legs are: channels have the same names and places, and the words of drives
    """
    return Schema("hexapod", tuple(_of_drives(c) if electric else c for c in _channels()))


def _of_drives(channel: Channel) -> Channel:
    """A channel in the words of electric legs."""
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
    yield from _by_dof("host", "host demand, pose of the joint centroid", "host", 3)
    yield from _by_dof("cmd", "demand after propagation and generators", "command", 3)
    yield from _by_dof("pose_meas", "pose from the measured leg lengths", "pose", 1)
    yield from _by_dof("pose_hat", "estimated pose", "pose", 2)
    yield from _by_leg("l_cmd", "m", "commanded length, joint to joint", "leg_command")
    yield from _by_leg("l_dot_cmd", "m/s", "commanded rate of the length", "leg_command")
    yield from _by_leg("l_ddot_cmd", "m/s^2", "commanded acceleration of the length", "leg_command")
    yield from _by_leg("l_meas", "m", "measured length, joint to joint", "leg_position")
    yield from _by_leg("l_dot_meas", "m/s", "measured rate of the length", "leg_velocity")
    yield from _by_leg("l_ddot_meas", "m/s^2", "measured acceleration of the length", "leg_acceleration")
    yield from _by_leg("f_meas", "N", "measured force on the platform, pushing is positive", "leg_force")
    yield from _by_leg("p_cap", "Pa", "pressure at the cap end (extends the leg)", "leg_pressure")
    yield from _by_leg("p_rod", "Pa", "pressure at the rod end (retracts the leg)", "leg_pressure")
    yield from _by_leg("valve_cmd", "-", "valve command, -1 to 1, positive extends", "valve")
    yield from _by_leg("valve_meas", "-", "measured spool position, -1 to 1", "valve")
    yield from _by_leg("u_ff", "-", "feed-forward part of the valve command", "compensator")
    yield from _by_leg("u_fb", "-", "feedback part of the valve command", "compensator")
    for axis in "xyz":
        yield Channel(
            f"acc_{axis}", "m/s^2", f"specific force along platform {axis}, at the accelerometers", "inertial"
        )
    for axis in "xyz":
        yield Channel(f"omega_{axis}", "rad/s", f"angular rate about platform {axis}, by the gyros", "inertial")
    for axis in "xyz":
        yield Channel(f"alpha_{axis}", "rad/s^2", f"angular acceleration about platform {axis}", "inertial")
    for n in range(1, 8):
        yield Channel(f"generator{n}", "-", f"output of function generator {n}, m or rad by its axis", "generators")
    for dof in DOFS:
        unit = LINEAR[0] if dof in DOFS[:3] else ANGULAR[0]
        yield Channel(f"gen_{dof}", unit, f"sum of the generators in {dof}", "generators", dof=dof)
    for leg in LEGS:
        yield Channel(f"gen_leg{leg}", "m", f"sum of the generators on leg {leg}", "generators", leg=leg)
    yield Channel("p_supply", "Pa", "supply pressure", "hydraulics")
    yield Channel("p_return", "Pa", "return pressure", "hydraulics")
    yield Channel("state", "-", "state of the control law", "status", codes=STATES)
    yield Channel("mode", "-", "0 host, 1 maintenance", "status", codes=MODES)
    yield Channel("fault", "-", "code of the first fault, 0 for none", "status", codes=FAULTS)
    yield Channel("warning", "-", "bits of the warnings", "status", bits=WARNINGS)
    yield Channel("estop", "-", "1 while the emergency stop acts", "status")
    yield Channel("generators_version", "-", "version of the generator settings in use", "status")
    yield Channel("command_ack", "-", "number of the last operator command taken", "status")
    yield Channel("host_age", "s", "age of the newest host frame", "host_link")
    yield Channel("host_frames", "-", "host frames taken since the start", "host_link")
    yield Channel("host_lost", "-", "host frames lost, late or refused since the start", "host_link")
    yield Channel("lateness", "s", "start of the tick behind its due time", "timing")
    yield Channel("compute", "s", "computing time of the tick before", "timing")
    yield Channel("overruns", "-", "ticks since the start that ended after the next was due", "timing")
    yield Channel("load", "-", "largest computing time since the record before, over the period", "timing")


def _by_dof(prefix: str, what: str, group: str, derivatives: int) -> Channels:
    for order in range(derivatives):
        suffix, of = DERIVATIVES[order], ("", "rate of the ", "acceleration of the ")[order]
        for dof in DOFS:
            unit = (LINEAR if dof in DOFS[:3] else ANGULAR)[order]
            yield Channel(f"{prefix}_{dof}{suffix}", unit, f"{dof}: {of}{what}", group, dof=dof)


def _by_leg(symbol: str, unit: str, what: str, group: str) -> Channels:
    for leg in LEGS:
        yield Channel(f"leg{leg}_{symbol}", unit, f"leg {leg}: {what}", group, leg=leg)
