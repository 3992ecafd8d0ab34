"""Postures along a trajectory, read from recordings and CSV files, written to data files as channels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import PlatformError, UsageError
from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DOFS, LEGS, unit_of
from motionbase.record.schema import MOST_WORDS, Channel, Schema
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.recording.sinks.sink import ENDINGS, Heading, open_sink
from motionbase.recording.whole import trouble, whole_or_not
from motionbase.workbench.clearance import Clearance, Thresholds, Verdict
from motionbase.workbench.geometry import Geometry, geometry_of
from motionbase.workbench.posture import Definition, Postures, at_dof, at_legs, condition_numbers
from motionbase.workbench.sweep import Sweep, sweep

ENDS = ("base", "platform")
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LENGTHS = tuple(f"leg{k}_l_meas" for k in LEGS)
POSES = {
    "legs": LENGTHS,
    "measured": tuple(f"pose_meas_{dof}" for dof in DOFS),
    "estimated": tuple(f"pose_hat_{dof}" for dof in DOFS),
    "host": tuple(f"host_{dof}" for dof in DOFS),
}
NONE = "none"  # code if no parts are near


def posture_schema() -> Schema:
    """Schema of a file: time, pose, legs and joints; angles in radians."""
    return Schema("kinematics", tuple(_channels()))


def _channels() -> Iterator[Channel]:
    yield Channel("t", "s", "time", "time")
    for dof in DOFS:
        yield Channel(dof, unit_of(dof), f"{dof} from neutral", "pose", dof=dof)
    for leg in LEGS:
        yield Channel(f"leg{leg}_l", "m", f"length of leg {leg}", "legs", leg=leg)
    for leg in LEGS:
        yield Channel(f"leg{leg}_l_dot", "m/s", f"rate of leg {leg}, by differences in time", "leg_rates", leg=leg)
    for end in ENDS:
        for leg in LEGS:
            for bearing, which in ((1, "first"), (2, "second")):
                text = f"{which} bearing of leg {leg} at the {end}, from neutral"
                yield Channel(f"leg{leg}_{end}{bearing}", "rad", text, f"{end}_bearings", leg=leg)
    for leg in LEGS:
        yield Channel(f"leg{leg}_rotation", "rad", f"rod {leg} in its cylinder, from neutral", "rotation", leg=leg)
    for leg in LEGS:
        yield Channel(f"leg{leg}_elevation", "rad", f"leg {leg} above the horizontal", "actuators", leg=leg)
        yield Channel(f"leg{leg}_azimuth", "rad", f"leg {leg} from forward to the left", "actuators", leg=leg)
    yield Channel("dexterity", "-", "1 where all directions are alike, 0 where singular", "pose")
    yield Channel(
        "condition", "-", "characteristic condition number: leg Jacobian, turns by the joints' rms radius", "pose"
    )


def posture_rows(platform: Hexapod, t: Array, found: Postures) -> Array:
    """(n, channels) in the order of the schema."""
    n = len(found)
    joints = (found.base, found.platform, found.rotation, found.actuator)
    conditions = condition_numbers(platform, found.p_W, found.Q_WP)
    parts = (t, found.dof, found.l, leg_rates(t, found.l), *joints, found.dexterity, conditions)
    return np.hstack([part.reshape(n, -1) for part in parts])


def with_clearance(schema: Schema, geometry: Geometry) -> Schema:
    """A schema with the least clearance at every time; parts are numbers whose names are the channels' codes."""
    parts = NONE, *(part.name for part in geometry.parts)
    if len(parts) > MOST_WORDS:
        raise PlatformError(f"there are {len(parts) - 1} parts, a file can name {MOST_WORDS - 1}; leave some out")
    least = "between the nearest parts; NaN where they interfere, infinite where none are near"
    return Schema(schema.name, (
        *schema.channels,
        Channel("clearance", "m", least, "clearance"),
        Channel("clearance_first", "-", "one of the nearest parts", "clearance", codes=parts),
        Channel("clearance_second", "-", "the other", "clearance", codes=parts),
        Channel("clearance_verdict", "-", "by the thresholds", "clearance", codes=VERDICTS),
    ))  # fmt: skip


def clearance_rows(geometry: Geometry, found: Sweep, limits: Thresholds) -> Array:
    """(n, 4) in the order of the schema."""
    pairs = np.array([*geometry.pairs, (-1, -1)])[found.pairs] + 1
    verdicts = [VERDICTS.index(verdict) for verdict in found.verdicts(limits)]
    return np.column_stack([found.distance, pairs, verdicts]).astype(np.float64)


def leg_rates(t: ArrayLike, l: ArrayLike) -> Array:
    """(n, 6) rates of leg lengths along a trajectory [m/s], by differences of second order in time.

    NaN where time does not advance: at repeated times, or where a recording restarts.
    """
    when, lengths = np.asarray(t, dtype=np.float64), np.asarray(l, dtype=np.float64)
    if len(when) < 2:
        return np.full(lengths.shape, np.nan)
    steps = np.diff(when)
    good = steps > 0
    found = np.gradient(lengths, np.concatenate([[0.0], np.cumsum(np.where(good, steps, 1.0))]), axis=0)
    found[np.concatenate([[False], ~good]) | np.concatenate([~good, [False]])] = np.nan
    return np.asarray(found)


def write_trajectory(
    platform: Hexapod,
    file: Path,
    out: Path,
    source: str,
    definition: Definition,
    force: bool,
    limits: Thresholds | None = None,
) -> tuple[Array, Postures, Sweep | None]:
    """Write postures along a file to `out`, with clearances if there are limits; an incomplete file is removed."""
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"--out is {str(out)!r}: the name must end in {', '.join(ENDINGS)}")
    t, found, epoch = read_trajectory(platform, file, source, definition)
    geometry = None if limits is None else geometry_of(platform)
    swept, schema, rows = None, posture_schema(), posture_rows(platform, t, found)
    if geometry is not None and limits is not None:
        swept = sweep(Clearance(geometry), found.p_W, found.Q_WP, limits.within)
        schema, rows = with_clearance(schema, geometry), np.hstack([rows, clearance_rows(geometry, swept, limits)])
    about = {"platform": platform.name, "from": file.name, "dexterity": definition}
    try:
        with whole_or_not(out, force) as part:
            sink = open_sink(part, ending, Heading(schema, about, epoch, 0))
            sink.write(t, rows)
            sink.close([])
    except OSError as e:
        raise trouble(out, e) from None
    return t, found, swept


def read_trajectory(platform: Hexapod, file: Path, source: str, definition: Definition) -> tuple[Array, Postures, int]:
    """(n,) times [s] of a recording or CSV, postures, and the epoch [ns since 1970]."""
    t, values, names, epoch = samples(file, source)
    found = at_legs(platform, values, definition) if names == LENGTHS else at_dof(platform, values, definition)
    return t, found, epoch


def samples(file: Path, source: str) -> tuple[Array, Array, tuple[str, ...], int]:
    """(n,) times [s] of a recording or CSV, (n, 6) degrees of freedom or leg lengths, their channels, the epoch."""
    with open_recording(file) as recording:
        names = _names(recording, source)
        columns = recording.columns(names)
        epoch = int(recording.source.about.get("epoch_utc_ns", "0") or 0)
    t, values = columns["time"], np.stack([columns[name] for name in names], axis=1)
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise UsageError(
            f"{file.name}, record {row + 1} at {float(t[row]):g} s: {names[column]} is {values[row, column]:g}, "
            "a finite number is wanted"
        )
    return np.asarray(t), values, names, epoch


def _names(recording: Recording, source: str) -> tuple[str, ...]:
    """The channels to read: plain degrees of freedom if the file has them, else those of the requested pose."""
    known = recording.schema.index
    if all(dof in known for dof in DOFS):
        return DOFS
    if source not in POSES:
        raise UsageError(f"--pose is {source!r}, it must be one of {', '.join(POSES)}")
    missing = [name for name in POSES[source] if name not in known]
    if missing:
        raise UsageError(
            f"{str(recording.path)!r} has no channel {missing[0]!r}; a trajectory has {', '.join(DOFS)}, or the "
            "channels of a recorded platform"
        )
    return POSES[source]
