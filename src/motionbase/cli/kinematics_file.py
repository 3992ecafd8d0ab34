"""Postures of a recording or a CSV, written to a data file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import UsageError
from motionbase.record.axes import DOFS, LEGS
from motionbase.recording.open import open_recording
from motionbase.recording.sinks.sink import ENDINGS, Heading, open_sink
from motionbase.recording.whole import trouble, whole_or_not
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.posture import Postures, at_dof, at_legs
from motionbase.workbench.sweep import WITHIN, Sweep, sweep
from motionbase.workbench.trajectory import clearance_rows, posture_rows, posture_schema, with_clearance

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.recording.recording import Recording
    from motionbase.workbench.posture import Definition

Array = NDArray[np.float64]
LENGTHS = tuple(f"leg{k}_l_meas" for k in LEGS)
POSES = {
    "legs": LENGTHS,
    "measured": tuple(f"pose_meas_{dof}" for dof in DOFS),
    "estimated": tuple(f"pose_hat_{dof}" for dof in DOFS),
    "host": tuple(f"host_{dof}" for dof in DOFS),
}


def write(
    platform: Hexapod,
    file: Path,
    out: Path,
    source: str,
    definition: Definition,
    force: bool,
    limits: Thresholds | None = None,
) -> tuple[Array, Postures, Sweep | None]:
    """What is in the file, moment by moment, to `out`, with clearances where there are limits; whole or not there."""
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"--out is {str(out)!r}: the name must end in {', '.join(ENDINGS)}")
    t, found, epoch = read(platform, file, source, definition)
    geometry = None if limits is None else geometry_of(platform)
    swept, schema, rows = None, posture_schema(), posture_rows(platform, t, found)
    if geometry is not None and limits is not None:
        swept = sweep(Clearance(geometry), found.p_W, found.Q_WP, within=max(WITHIN, 1.5 * limits.warn))
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


def read(platform: Hexapod, file: Path, source: str, definition: Definition) -> tuple[Array, Postures, int]:
    """(n,) times [s] of a recording or CSV, postures there, and the epoch [ns since 1970]."""
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
    """The channels to look at: plain degrees of freedom where a file has them, else those of the pose asked for."""
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
