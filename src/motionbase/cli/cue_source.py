"""A vehicle's motion named on the command line: a manoeuvre, a recording, or a CSV file of a host."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.record.vehicle import VEHICLE, G

if TYPE_CHECKING:
    from motionbase.recording.recording import Recording

SCHEME = "manoeuvre://"
NEEDED = 6  # of the channels of a vehicle, the first: specific force and rates; the others are 0 if missing
FRAMES = "link_frames"  # a recording of a base holds a sample for many ticks; this counts them


class Samples(NamedTuple):
    """Samples of a vehicle's motion.

    Attributes:
        name: for people
        t: (n,) [s]; rows: (n, 13) in the order of `record.vehicle.VEHICLE`
    """

    name: str
    t: Array
    rows: Array


def samples_of(source: str, rate: float, start: float | None = None, stop: float | None = None) -> Samples:
    """The samples that a text names, between two times [s].

    Args:
        rate: of a manoeuvre's samples [Hz]
    """
    from motionbase.host.manoeuvres import manoeuvre_names, manoeuvre_of

    if source.startswith(SCHEME) or source.partition("?")[0] in manoeuvre_names():
        made = manoeuvre_of(source, rate)
        return _between(Samples(source.removeprefix(SCHEME), made.t, made.rows), start, stop)
    path = Path(source.removeprefix("file://"))
    if not path.exists() and not path.suffix:
        from motionbase.errors import unknown

        raise unknown("manoeuvre or file", source, manoeuvre_names(), "manoeuvres")
    from motionbase.recording.open import open_recording

    with open_recording(path) as recording:
        return _between(_of_recording(recording), start, stop)


def _of_recording(recording: Recording) -> Samples:
    """Vehicle channels, with the prefix `vehicle_` or without it."""
    known, owner = recording.schema.index, f"recording {recording.path.name!r}"
    prefix = "" if "f_x" in known and "vehicle_f_x" not in known else "vehicle_"
    names = [prefix + channel.name.removeprefix("vehicle_") for channel in VEHICLE]
    missing = [name for name in names[:NEEDED] if name not in known]
    if missing:
        raise UsageError(
            f"{owner} has no {', '.join(missing)}: cueing needs specific force (f_x, f_y, f_z) and angular rates "
            "(omega_x, omega_y, omega_z) of a vehicle, with the prefix vehicle_ or without"
        )
    present = [name for name in names if name in known]
    columns = recording.columns([*present, *([FRAMES] if FRAMES in known else [])])
    t = columns["time"]
    rows = np.stack([columns.get(name, np.zeros(len(t))) for name in names], axis=1)
    new = np.ones(len(t), bool)
    if FRAMES in columns:
        new[1:] = np.diff(columns[FRAMES]) != 0
    bad = np.argwhere(~np.isfinite(rows[new]))
    if len(bad):
        row, column = bad[0]
        raise UsageError(f"{owner}: {names[column]} is no number at t = {t[new][row]:g} s; choose with --from and --to")
    return Samples(recording.path.name, t[new], rows[new])


def _between(samples: Samples, start: float | None, stop: float | None) -> Samples:
    t = samples.t
    inside = (t >= (-np.inf if start is None else start)) & (t <= (np.inf if stop is None else stop))
    if inside.sum() < 2:
        there = f"it goes from {t[0]:g} to {t[-1]:g} s" if len(t) else "it is empty"
        raise UsageError(f"{samples.name!r} has fewer than two samples in the chosen time; {there}")
    return Samples(samples.name, t[inside], samples.rows[inside])


def notes_of(rows: Array) -> list[str]:
    """Sentences about samples that do not look like a vehicle's motion."""
    from motionbase.cueing.samples import BOUND

    sound = (np.abs(rows[:, :NEEDED]) < BOUND).all(axis=1)
    notes = []
    if not sound.all():
        what = f"{len(rows) - sound.sum()} of {len(rows)} samples"
        notes.append(f"{what} have numbers of {BOUND:g} m/s^2 or rad/s and more, and are ignored")
    mean = float(rows[sound, 2].mean()) if sound.any() else G
    if abs(mean - G) >= 0.5 * G:
        notes.append(f"the mean of f_z is {mean:.2f} m/s^2, not about +9.81: is it specific force, with z up?")
    return notes
