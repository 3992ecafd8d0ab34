"""A vehicle's motion named on the command line: a manoeuvre, a recording, or a CSV file of a host."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.record.vehicle import G

SCHEME = "manoeuvre://"
SENSED = 6  # of the channels of a vehicle, the first: specific force and rates


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
    from motionbase.host.manoeuvres import is_manoeuvre, manoeuvre_of

    if source.startswith(SCHEME) or ("://" not in source and is_manoeuvre(source)):
        made = manoeuvre_of(source, rate)
        return _between(Samples(source.removeprefix(SCHEME), made.t, made.rows), start, stop)
    path = Path(source.removeprefix("file://"))
    from motionbase.recording.motions import vehicle_samples
    from motionbase.recording.open import open_recording

    with open_recording(path) as recording:
        t, rows, _ = vehicle_samples(recording, start, stop)
        return Samples(recording.path.name, t, rows)


def _between(samples: Samples, start: float | None, stop: float | None) -> Samples:
    t = samples.t
    inside = (t >= (-np.inf if start is None else start)) & (t <= (np.inf if stop is None else stop))
    if inside.sum() < 2:
        there = f"it goes from {t[0]:g} to {t[-1]:g} s"
        raise UsageError(f"manoeuvre {samples.name!r} has fewer than two samples in the chosen time; {there}")
    return Samples(samples.name, t[inside], samples.rows[inside])


def notes_of(rows: Array) -> list[str]:
    """Sentences about samples that do not look like a vehicle's motion."""
    from motionbase.cueing.samples import BOUND

    sound = (np.abs(rows[:, :SENSED]) < BOUND).all(axis=1)
    notes = []
    if not sound.all():
        what = f"{len(rows) - sound.sum()} of {len(rows)} samples"
        notes.append(f"{what} have numbers of {BOUND:g} m/s^2 or rad/s and more, and are ignored")
    mean = float(rows[sound, 2].mean()) if sound.any() else G
    if abs(mean - G) >= 0.5 * G:
        notes.append(f"the mean of f_z is {mean:.2f} m/s^2, not about +9.81: is it specific force, with z up?")
    return notes
