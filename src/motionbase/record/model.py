"""The record of a multibody model in real time: joints, poses of bodies, the step's quality, the controller's link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

from motionbase.record.faults import MODEL_FAULTS, MODEL_WARNINGS
from motionbase.record.hexapod import SINGLE as OF_A_BASE
from motionbase.record.schema import Channel, Schema

LONGEST_STEM = 48  # letters of a name, so that channels can add to it
FORCE = {"rad": "N m", "m": "N"}
OF_A_JOINT = (  # ending, rate of change of the coordinate or force, description, group
    ("_ref", "{unit}", "set point, as it is followed", "set_points"),
    ("", "{unit}", "position", "positions"),
    ("_speed", "{unit}/s", "speed", "speeds"),
    ("_torque", "{force}", "torque of its drive, or force", "torques"),
    ("_friction", "{force}", "friction and brake", "friction"),
)
OF_A_BODY = (
    *((f"_{axis}", "m", f"origin of its frame along world {axis}") for axis in "xyz"),
    *((f"_q{part}", "-", f"its orientation, body to world: {part} of the quaternion") for part in "wxyz"),
)
GROUPS = tuple(group for *_, group in OF_A_JOINT)
POSES = "bodies"  # the group of the channels of bodies
SETTINGS = "settings"  # the group of what acts on a rotor: only a rotor has it
FIRST = (
    *(OF_A_BASE[name] for name in ("state", "estop", "command_ack")),
    replace(OF_A_BASE["fault"], codes=MODEL_FAULTS),
    replace(OF_A_BASE["warning"], bits=MODEL_WARNINGS),
)  # fmt: skip
BRAKES = (
    Channel("brake", "-", "0 open, 1 closed", "status"),
    Channel("friction_scale", "-", "friction of the joints over that of the model", "status"),
)
LAST = (
    Channel("residual", "-", "largest part of the step's residual before its last correction", "step"),
    Channel("growth", "-", "growth of the pivots", "step"),
    Channel("unsolved", "-", "steps since the start that were not solved, and tried again", "step"),
    Channel("repivots", "-", "how often the order of pivots was chosen anew since the start", "step"),
    Channel("controller_age", "s", "age of the state that the torques or settings in use answer", "controller"),
    Channel("controller_frames", "-", "answers of the controller taken since the start", "controller"),
    Channel("controller_late", "-", "answers to a state older than one answered before, or too old", "controller"),
    Channel("controller_duplicate", "-", "answers that came twice", "controller"),
    Channel("controller_malformed", "-", "datagrams of wrong size or content, such as a NaN", "controller"),
    Channel("controller_foreign", "-", "datagrams from another address", "controller"),
    *(OF_A_BASE[name] for name in ("lateness", "compute", "overruns", "load")),
)  # fmt: skip
STATUS = (*FIRST, *BRAKES, *LAST)


@final
@dataclass(frozen=True)
class ModelNames:
    """Stems of the channels: `elbow` for elbow_ref, elbow, elbow_speed; `link1` for link1_x and so on.

    Attributes:
        joints: of joint coordinates, by their names in the model
        bodies: of bodies, by theirs
    """

    joints: dict[str, str]
    bodies: dict[str, str]


def model_names(joints: Sequence[str], bodies: Sequence[str], reserved: Sequence[str] = ()) -> ModelNames:
    """Stems in the letters that channels may have; two that would have a channel in common are numbered.

    Args:
        reserved: further channels
    """
    taken = {channel.name for channel in (*_first(), *STATUS)} | set(reserved)
    endings_of_joints = [ending for ending, *_ in OF_A_JOINT]
    return ModelNames(
        {name: _stem(name, endings_of_joints, taken) for name in joints},
        {name: _stem(name, [ending for ending, *_ in OF_A_BODY], taken) for name in bodies},
    )


def _stem(name: str, endings: Sequence[str], taken: set[str]) -> str:
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST_STEM]
    plain = plain if plain[:1].isalpha() else f"n{plain}"
    tries = (plain, *(f"{plain}_{k}" for k in range(2, len(taken) + 3)))
    stem = next(stem for stem in tries if not taken & {f"{stem}{ending}" for ending in endings})
    taken |= {f"{stem}{ending}" for ending in endings}
    return stem


def model_schema(name: str, joints: Sequence[tuple[str, str]], bodies: Sequence[str]) -> Schema:
    """The schema of a model.

    Args:
        name: of the model
        joints: name and unit, rad or m, of each joint coordinate
        bodies: names
    """
    stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST_STEM]
    names = model_names([joint for joint, _ in joints], bodies)
    channels = (*_first(), *_of_joints(joints, names), *_of_bodies(bodies, names), *STATUS)
    return Schema(f"model_{stem}".rstrip("_"), channels)


class Shown(NamedTuple):
    """A setting or an output of a rotor."""

    name: str
    unit: str
    about: str


def reserved_names(settings: Sequence[Shown], outputs: Sequence[Shown], acting: Sequence[Shown] = ()) -> list[str]:
    """Channels of a rotor's record that are not of joints or bodies."""
    of_settings = (f"{one.name}{ending}" for one in settings for ending in ("_ref", ""))
    return [*of_settings, *(one.name for one in (*outputs, *acting))]


def rotor_schema(
    name: str, joints: Sequence[tuple[str, str]], bodies: Sequence[str],
    settings: Sequence[Shown], outputs: Sequence[Shown], acting: Sequence[Shown] = (),
) -> Schema:  # fmt: skip
    """The schema of a rotor.

    Args:
        joints, bodies: as for a model
        settings: of its controls and its flight
        outputs: loads and whatever else its model tells
        acting: what a law of the rotor itself makes of the settings
    """
    stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST_STEM]
    names = model_names([joint for joint, _ in joints], bodies, reserved_names(settings, outputs, acting))
    channels = (
        *_first(),
        *(Channel(f"{one.name}_ref", one.unit, f"{one.about}: where it is to go", "setting_refs") for one in settings),
        *(Channel(one.name, one.unit, one.about, SETTINGS) for one in settings),
        *(Channel(one.name, one.unit, one.about, "outputs") for one in outputs),
        *(Channel(one.name, one.unit, one.about, "acting") for one in acting),
        *_of_joints(joints, names, ("positions", "speeds")),
        *_of_bodies(bodies, names),
        *FIRST,
        *LAST,
    )
    return Schema(f"rotor_{stem}".rstrip("_"), channels)


def _first() -> Iterator[Channel]:
    yield Channel("t", "s", "tick x dt since the ring's epoch", "time")
    yield Channel("tick", "-", "steps of the model since the epoch", "time")


def _of_joints(
    joints: Sequence[tuple[str, str]], names: ModelNames, groups: Sequence[str] = GROUPS
) -> Iterator[Channel]:
    """All set points, then all positions, and so on, so that each can be copied as one array."""
    for ending, unit, about, group in (one for one in OF_A_JOINT if one[-1] in groups):
        for joint, own in joints:
            given = unit.format(unit=own, force=FORCE[own])
            yield Channel(f"{names.joints[joint]}{ending}", given, f"joint {joint}: {about}", group)


def _of_bodies(bodies: Sequence[str], names: ModelNames) -> Iterator[Channel]:
    for body in bodies:
        for ending, unit, about in OF_A_BODY:
            yield Channel(f"{names.bodies[body]}{ending}", unit, f"body {body}: {about}", POSES)
