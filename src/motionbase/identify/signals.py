"""What a recording holds for identification: stretches of evenly spaced samples while the platform is driven."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array, Flags, Indices
from motionbase.errors import RecordingError
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.record.hexapod import OF_A_LEG
from motionbase.record.rig import RIG_AGE
from motionbase.record.states import State
from motionbase.recording.recording import Recording

NEEDED = ("l_meas",)  # without lengths nothing can be identified
OF_LEGS = ("l_meas", "f_meas", "l_cmd", "l_dot_meas", "l_ddot_meas", "p_cap", "p_rod", "valve_cmd", "valve_meas")
OF_AXES = ("acc", "omega")
AXIS_NAMES = "xyz"
SINGLE = ("p_supply", "p_return")
STATUS = ("state", "fault", "estop", "tick")
USED = (*OF_LEGS, *OF_AXES, *SINGLE, *STATUS)
LEAST_S, SHORTEST_S = 12.0, 1.5  # [s] of motion in all, and of one stretch
LEAST_TRAVEL = 2e-3  # [m] of the legs, root mean square: less shows nothing
MOST_ROWS = 2_000_000
JITTER = 0.05  # of the period: stamps of time may be so uneven before samples are interpolated to even ones
USUAL_TICK_S = 5e-4  # [s] of the control law
MARGIN = 5e-3  # [m] from a cushion


def _names(base: str) -> tuple[str, ...]:
    """Channels of a name."""
    if base in OF_A_LEG:
        return tuple(f"leg{k}_{base}" for k in range(1, LEGS + 1))
    return tuple(f"{base}_{axis}" for axis in AXIS_NAMES) if base in OF_AXES else (base,)


USED_CHANNELS = tuple(name for base in USED for name in _names(base))


@final
@dataclass(frozen=True, eq=False)
class Stretch:
    """Evenly spaced samples without a gap.

    Attributes:
        t: (n,) times [s]
        columns: (n, 6) for legs, (n, 3) for axes, (n,) for single channels, by the names without leg and axis
    """

    t: Array
    columns: Mapping[str, Array]

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.t)


@final
@dataclass(frozen=True, eq=False)
class Signals:
    """Stretches of a recording.

    Attributes:
        dt: period of the samples [s]
        every_tick: whether each tick of the control law is there
        notes: what was left out, as sentences
    """

    dt: float
    stretches: tuple[Stretch, ...]
    every_tick: bool = False
    notes: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        """Whether all these channels are there."""
        return all(name in self.stretches[0].columns for name in names)

    @property
    def seconds(self) -> float:
        """Length of all stretches [s]."""
        return self.dt * sum(map(len, self.stretches))

    def all(self, name: str) -> Array:
        """A channel in all stretches, one after another."""
        return np.concatenate([stretch[name] for stretch in self.stretches])

    def advanced(self, late: Mapping[str, float]) -> Signals:
        """With these channels read so many seconds later, by straight lines between samples, to undo their delays."""
        edge = math.ceil(max((abs(x) for x in late.values()), default=0.0) / self.dt)

        def moved(stretch: Stretch) -> Stretch:
            inner = slice(edge, len(stretch) - edge)
            columns = {name: x[inner] for name, x in stretch.columns.items()}
            for name in late.keys() & columns.keys():
                at = stretch.t[inner] + late[name]
                columns[name] = np.stack([np.interp(at, stretch.t, x) for x in stretch[name].T], axis=1)
            return Stretch(stretch.t[inner], columns)

        return Signals(self.dt, tuple(map(moved, self.stretches)), self.every_tick, self.notes)

    def thinned(self, rate: float) -> Signals:
        """Means of neighbouring samples, at most `rate` of them a second; every channel goes through the same mean."""
        n = int(1 / (rate * self.dt) + 1e-6)
        if n < 2:
            return self

        def means(x: Array) -> Array:
            whole = len(x) // n
            return np.asarray(x[: whole * n].reshape(whole, n, *x.shape[1:]).mean(axis=1))

        made = (Stretch(means(s.t), {name: means(x) for name, x in s.columns.items()}) for s in self.stretches)
        return Signals(n * self.dt, tuple(made), False, self.notes)


MADE_UP = ("l_dot_meas", "l_ddot_meas", "acc", "omega", "valve_cmd")
"""What a base on a rig makes of lengths, because nothing else is measured there; its commands are rates, not valves."""


def signals_of(
    recording: Recording, platform: Hexapod, start: float | None = None, stop: float | None = None
) -> Signals:
    """The parts of a recording in which the platform is driven without a fault; a sentence if there are too few.

    Args:
        start, stop: of the part of the recording [s]
    """
    owner = f"recording {recording.path.name!r}"
    first, last = recording.rows_between(start, stop)
    if last - first > MOST_ROWS:
        raise RecordingError(
            f"{owner}: {last - first} records are more than the {MOST_ROWS} that can be used; choose with --from "
            "and --to"
        )
    known = recording.schema.index
    if missing := [name for base in NEEDED for name in _names(base) if name not in known]:
        raise RecordingError(f"{owner} has no channel {missing[0]!r}; identification needs the lengths of all legs")
    made_up = {name for base in MADE_UP for name in _names(base)} if RIG_AGE.name in known else set()
    read = recording.columns([name for name in USED_CHANNELS if name in known and name not in made_up], start, stop)
    return signals_from(read["time"], channels_of(read), platform, owner)


def channels_of(columns: Mapping[str, Array]) -> dict[str, Array]:
    """Columns of a record by the names without leg and axis: (n, 6), (n, 3) or (n,); those that are there in full."""
    found = {}
    for base in USED:
        if all(name in columns for name in _names(base)):
            own = [columns[name] for name in _names(base)]
            found[base] = own[0] if base in (*SINGLE, *STATUS) else np.stack(own, axis=1)
    return found


def signals_from(t: Array, columns: Mapping[str, Array], platform: Hexapod, owner: str) -> Signals:
    """The same from columns by their names without leg and axis."""
    good, notes = _driven(columns, owner)
    used = {name: x for name, x in columns.items() if name not in STATUS}
    for name in [name for name in used if name not in NEEDED]:
        if not _tells(used[name][good]):
            del used[name]
    for x in used.values():
        good &= np.isfinite(x).reshape(len(t), -1).all(axis=1)
    lost = int(np.count_nonzero(_driven(columns, owner)[0] & ~good))
    if lost:
        notes.append(f"{lost} records with a value that is no number are left out")
    inside = _inside(platform, columns["l_meas"])
    if good.any() and not (good & inside).any():
        raise RecordingError(
            f"{owner}: no record in drive has all legs within the stroke of platform {platform.name!r}, clear of its "
            "cushions; is it the platform of this recording?"
        )
    good &= inside
    stretches, dt = _stretches(t, used, good, owner)
    found = Signals(dt, stretches, _every_tick(columns.get("tick"), dt), tuple(notes))
    _check_motion(found, owner)
    return found


def _driven(columns: Mapping[str, Array], owner: str) -> tuple[Flags, list[str]]:
    """Records in drive without fault and stop; all of them if the recording has no states."""
    good, notes = np.ones(len(columns["l_meas"]), dtype=np.bool_), list[str]()
    if "state" in columns:
        good &= columns["state"] == State.DRIVE
        if not good.any():
            there = sorted({State(int(s)).name.lower() for s in np.unique(columns["state"]) if s in list(State)})
            told = ", ".join(there) or "no state"
            raise RecordingError(f"{owner} is never in drive, only in {told}; record a motion")
    else:
        notes.append("the recording has no states: all of it is used")
    faulty = np.zeros_like(good)
    for name in ("fault", "estop"):
        if name in columns:
            faulty |= good & (columns[name] != 0)
    if faulty.any():
        notes.append(f"{np.count_nonzero(faulty)} records with a fault or a stop are left out")
    return good & ~faulty, notes


def _tells(x: Array) -> bool:
    """Whether a channel was measured: not missing in most records, not one number for ever."""
    there = np.isfinite(x)
    return bool(len(x) and there.mean() > 0.5 and np.ptp(x[there]) > 0)


def _inside(platform: Hexapod, l: Array) -> Flags:
    """Records with all legs clear of cushions and stops."""
    stroke, aside = platform.stroke, platform.stroke.cushion + MARGIN
    with np.errstate(invalid="ignore"):
        return np.asarray(((l > stroke.hard_min + aside) & (l < stroke.hard_max - aside)).all(axis=1))


def _stretches(
    t: Array, columns: Mapping[str, Array], good: Flags, owner: str
) -> tuple[tuple[Stretch, ...], float]:  # fmt: skip
    """Runs of good records without a gap, evenly spaced."""
    places = np.flatnonzero(good & np.isfinite(t))
    steps = np.diff(t[places])
    if not len(steps) or not (dt := float(np.median(steps))) > 0:
        raise RecordingError(f"{owner} has no usable records in drive")
    cuts = np.flatnonzero((np.abs(steps - dt) > 0.5 * dt) | (np.diff(places) > 1)) + 1
    runs = [run for run in np.split(places, cuts) if len(run) * dt >= SHORTEST_S]
    return tuple(_even(t, columns, run, dt) for run in runs), dt


def _even(t: Array, columns: Mapping[str, Array], run: Indices, dt: float) -> Stretch:
    """One run, interpolated to even times if its own are not."""
    own = t[run]
    even = own[0] + dt * np.arange(int((own[-1] - own[0]) / dt + 1.0 + 1e-6))
    if len(even) == len(own) and np.abs(even - own).max() <= JITTER * dt:
        return Stretch(even, {name: x[run] for name, x in columns.items()})

    def at(x: Array) -> Array:
        if x.ndim == 1:
            return np.asarray(np.interp(even, own, x))
        return np.stack([np.interp(even, own, column) for column in x.T], axis=1)

    return Stretch(even, {name: at(x[run]) for name, x in columns.items()})


def _every_tick(tick: Array | None, dt: float) -> bool:
    """Whether no tick lies between two records; without a count of them, by the usual period."""
    if tick is None or not _tells(tick):
        return dt < 1.5 * USUAL_TICK_S
    return float(np.nanmedian(np.diff(tick))) == 1.0


def _check_motion(found: Signals, owner: str) -> None:
    """Enough time, and enough motion."""
    if found.seconds < LEAST_S:
        raise RecordingError(
            f"{owner} has {found.seconds:.1f} s of undisturbed drive, at least {LEAST_S:g} s are needed; record longer"
        )
    travel = float(np.max(np.std(found.all("l_meas"), axis=0)))
    if travel < LEAST_TRAVEL:
        raise RecordingError(
            f"{owner}: the legs hardly move in drive, {1e3 * travel:.1f} mm root mean square; drive at least "
            f"{1e3 * LEAST_TRAVEL:g} mm, such as that of --generators identify"
        )
