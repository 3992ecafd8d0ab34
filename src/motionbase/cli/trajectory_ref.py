"""A trajectory named on the command line: a recording, a CSV, or function generators, with its derivatives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod

GENERATORS = (".toml", ".json")
STEP = 1e-3  # [s] between samples of generators
DURATION, LONGEST = 20.0, 3600.0  # [s] of generators: as in `motionbase simulate`; more is probably a typing error
MEASURED = ("legs", "measured", "estimated")  # poses of a recording that have noise
SMOOTH = 0.05  # [s] default window for them: shorter than motions of platforms, longer than noise
LONGEST_SMOOTH = 10.0


@final
@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion over time.

    Attributes:
        t: (n,) [s]
        dof, dof_dot, dof_ddot: (n, 6) degrees of freedom from neutral and their derivatives [m, rad, s]
        how: method for velocities and accelerations, as text
    """

    t: Array
    dof: Array
    dof_dot: Array
    dof_ddot: Array
    how: str

    def part(self, within: Flags) -> Trajectory:
        """A part of its samples."""
        return Trajectory(self.t[within], self.dof[within], self.dof_dot[within], self.dof_ddot[within], self.how)


def trajectory_of(
    platform: Hexapod,
    file: Path,
    source: str,
    *,
    duration: float | None = None,
    smooth: float | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> Trajectory:
    """The trajectory of a file; --duration is for generators, --pose and --smooth are for the others.

    Args:
        source: pose of a recording
        duration: of generators [s]; smooth: window of the fit [s]
        start, stop: earlier and later samples are left out [s]
    """
    if smooth is not None and not 0 <= smooth <= LONGEST_SMOOTH:
        raise UsageError(f"--smooth is {smooth:g} s, it must be 0 to {LONGEST_SMOOTH:g} s")
    from motionbase.recording.times import check_times

    check_times(start, stop)
    if file.suffix.lower() in GENERATORS:
        whole = _of_generators(platform, file, DURATION if duration is None else duration, smooth)
        return whole.part(_within(file, whole.t, start, stop))
    if duration is not None:
        raise UsageError(f"--duration is for function generators (.toml, .json), and {file.name!r} has a length")
    from motionbase.workbench.trajectory import LENGTHS, POSES, samples

    if source not in POSES:
        raise UsageError(f"--pose is {source!r}, it must be one of {', '.join(POSES)}")
    t, values, names, _ = samples(file, source)
    within = _within(file, t, start, stop)
    measured = any(names == POSES[one] for one in MEASURED)
    window = smooth if smooth is not None else SMOOTH if measured else 0.0
    return _sampled(platform, t[within], values[within], names == LENGTHS, window)


def _within(file: Path, t: Array, start: float | None, stop: float | None) -> Flags:
    within = (t >= (-math.inf if start is None else start)) & (t <= (math.inf if stop is None else stop))
    if not within.any():
        asked = (
            f"from {'its begin' if start is None else f'{start:g} s'} to {'its end' if stop is None else f'{stop:g} s'}"
        )
        raise UsageError(f"{file.name!r} has nothing {asked}; it goes from {t[0]:g} to {t[-1]:g} s")
    return np.asarray(within)


def _of_generators(platform: Hexapod, file: Path, duration: float, smooth: float | None) -> Trajectory:
    from motionbase.ring.blocks.files import load
    from motionbase.ring.blocks.preview import outputs

    if not (math.isfinite(duration) and 0 < duration <= LONGEST):
        raise UsageError(f"--duration is {duration:g} s, it must be above 0 and at most {LONGEST:g} s")
    t: Array = STEP * np.arange(round(duration / STEP) + 1, dtype=np.float64)
    made = outputs(load(file), t)
    dof, dof_dot, dof_ddot = np.moveaxis(made.dofs, 0, 2)
    if not made.legs.any():
        if smooth is not None:
            raise UsageError("--smooth is for recordings and CSV files; generators have exact derivatives")
        return Trajectory(t, dof, dof_dot, dof_ddot, "exact; jumps of steps and squares have no acceleration here")
    from motionbase.platform.sizing.forces import LegMotion, Motion

    l = LegMotion(platform, Motion.of_dof(platform, dof)).lengths + made.legs[:, 0].T
    return _sampled(platform, t, l, True, smooth or 0.0)


def _sampled(platform: Hexapod, t: Array, values: Array, of_legs: bool, window: float) -> Trajectory:
    from motionbase.platform.sizing.fitted import LEAST, fitted
    from motionbase.workbench.posture import at_legs

    dof = at_legs(platform, values).dof if of_legs else values
    around = f"{window:g} s" if window > 0 else f"{LEAST} samples"
    return Trajectory(t, *fitted(t, dof, window), f"by a cubic fit to {around} around each sample")
