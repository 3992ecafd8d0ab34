"""Motion of a vehicle or a pose in recordings and in CSV files of hosts: which channels tell it, and its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.record.axes import DERIVATIVES, DOFS
from motionbase.record.schema import Schema
from motionbase.record.vehicle import VEHICLE
from motionbase.recording.recording import Recording

MOST_SAMPLES = 2_000_000  # of a motion: 300 MB
PREFIX = "vehicle_"
PLAIN_NAMES = tuple(channel.name.removeprefix(PREFIX) for channel in VEHICLE)
NEEDED = PLAIN_NAMES[:6]  # specific force and rates; the others are 0 if missing
ALPHA = slice(6, 9)  # angular acceleration
FRAMES = "link_frames"  # a recording of a base holds a sample for many ticks; this counts them
WANTED = f"{NEEDED[0]} to {NEEDED[-1]} of a vehicle (specific force and angular rates, with the prefix {PREFIX} or not)"
CHOOSE = "choose a part of it"


def vehicle_names(schema: Schema) -> tuple[str, ...] | None:
    """Names of the 13 channels of a vehicle, with the prefix `vehicle_` or without; None if needed ones are missing."""
    for prefix in (PREFIX, ""):
        if all(prefix + name in schema.index for name in NEEDED):
            return tuple(prefix + name for name in PLAIN_NAMES)
    return None


def pose_names(schema: Schema, prefix: str = "host") -> tuple[str, ...] | None:
    """Names of the channels of a pose, with as many derivatives as there are for all axes; None if there is none.

    Args:
        prefix: of channels such as `host_surge`; the names may also stand without one
    """
    for start in (f"{prefix}_", ""):
        orders = [tuple(f"{start}{dof}{suffix}" for dof in DOFS) for suffix in DERIVATIVES]
        there = [all(name in schema.index for name in names) for names in orders]
        if there[0]:
            count = there.index(False) if False in there else len(there)
            return tuple(name for names in orders[:count] for name in names)
    return None


def vehicle_samples(
    recording: Recording, start: float | None = None, stop: float | None = None
) -> tuple[Array, Array, bool]:
    """(n,) times [s] and (n, 13) samples between two times, and whether angular accelerations are among them.

    A recording of a base holds each sample for many ticks, and they become one again.
    """
    known = recording.schema.index
    names = vehicle_names(recording.schema)
    if names is None:
        raise UsageError(f"{_owner(recording)} has no channels {WANTED}; missing: {', '.join(_missing(known))}")
    present = [name for name in names if name in known]
    t, found = _read(recording, [*present, *([FRAMES] if FRAMES in known else [])], start, stop)
    if FRAMES in known:
        new = np.concatenate([[True], np.diff(found[:, -1]) != 0])
        t, found = t[new], found[new, :-1]
    _check(recording, t, found, present)
    rows = np.zeros((len(t), len(names)))
    rows[:, [names.index(name) for name in present]] = found
    return t, rows, all(name in known for name in names[ALPHA])


def pose_samples(
    recording: Recording, names: Sequence[str], start: float | None = None, stop: float | None = None
) -> tuple[Array, Array]:
    """(n,) times [s] and (n, names) samples between two times, of the channels that `pose_names` gives."""
    t, found = _read(recording, names, start, stop)
    _check(recording, t, found, names)
    return t, found


def _missing(known: Mapping[str, int]) -> list[str]:
    """What is needed and not there, with the prefix if any channel has it."""
    prefix = PREFIX if any(PREFIX + name in known for name in NEEDED) else ""
    return [prefix + name for name in NEEDED if prefix + name not in known]


def _owner(recording: Recording) -> str:
    return f"recording {recording.path.name!r}"


def _read(recording: Recording, names: Sequence[str], start: float | None, stop: float | None) -> tuple[Array, Array]:
    first, last = recording.rows_between(start, stop)
    if last - first > MOST_SAMPLES:
        raise UsageError(
            f"{_owner(recording)}: {last - first} records are too many, {MOST_SAMPLES} are the most; {CHOOSE}"
        )
    if recording.source.kind == "CSV":  # others end at a whole record, and may still be written
        for damage in recording.damage:
            if damage.first == damage.last == recording.count and damage.touches(first, last, recording.count):
                raise UsageError(f"{_owner(recording)}: {damage.text}; add a line end, or {CHOOSE}")
    columns = recording.columns(names, start, stop)
    return columns["time"], np.stack([columns[name] for name in names], axis=1)


def _check(recording: Recording, t: Array, values: Array, names: Sequence[str]) -> None:
    owner = _owner(recording)
    if len(t) < 2:
        there = f"it goes from {recording.start:g} to {recording.end:g} s" if recording.count else "it is empty"
        raise UsageError(f"{owner} has fewer than two samples in the chosen time; {there}")
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        raise UsageError(f"{owner}: time goes from {t[back[0]]:g} to {t[back[0] + 1]:g} s, it must go on; {CHOOSE}")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise UsageError(
            f"{owner}, at {t[row]:g} s: {names[column]} is {values[row, column]:g}, a finite number is wanted; {CHOOSE}"
        )
