"""The vehicle's motion and the platform of a comparison: from a recording, or from the live base."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.console.api.judge import Judge, judge_of_text
from motionbase.console.api.recordings import path_of
from motionbase.console.api.sentences import TooLarge, WrongState
from motionbase.console.models import TryCueing
from motionbase.errors import UsageError
from motionbase.record.schema import Schema
from motionbase.record.vehicle import VEHICLE
from motionbase.recording.times import check_times

if TYPE_CHECKING:
    from motionbase.console.console import Console

MOST_S = 300.0  # of a comparison
MOST_RECORDS = 2_000_000  # of a recording in that time
MOST_HZ = 500.0  # of samples; more records a second are thinned out
LEAST_S = 0.1
RUN_IN_S = 10.0  # before what is wanted, where there is as much: a cueing begins at rest
DEFAULT_PLATFORM = "simona"
NAMES = tuple(channel.name for channel in VEHICLE)
HINT = "a run with --host has them, and so has what motionbase host listen records"


class Samples(NamedTuple):
    """Samples of a vehicle's motion.

    Attributes:
        what: where they are from, for people
        rows: (n, 14) time [s], then `record.vehicle.VEHICLE`; up to RUN_IN_S of what came before
        start: of what is wanted [s]
        platform: its text
    """

    what: str
    rows: Array
    start: float
    platform: str


def samples_of(console: Console, wanted: TryCueing) -> Samples:
    """The samples of a request; raises an error with one sentence if there are none that can be used."""
    if wanted.file is not None:
        return _of_file(console, wanted, wanted.file)
    return _of_live(console, wanted.seconds)


def _of_file(console: Console, wanted: TryCueing, file: str) -> Samples:
    check_times(wanted.start, wanted.stop)
    with console.opened.use(path_of(console, file)) as recording:
        _check_channels(recording.schema, f"recording {file!r}")
        first, last = recording.rows_between(wanted.start, wanted.stop)
        if last - first < 2:
            raise UsageError(f"recording {file!r} has fewer than two records there")
        start, stop = (float(recording.time_of(row)) for row in (first, last - 1))
        _check_length(stop - start)
        if last - first > MOST_RECORDS:
            raise TooLarge(f"{last - first} records are too many to compare, {MOST_RECORDS} are the most")
        found = recording.columns(list(NAMES), start - RUN_IN_S, stop)
        rows = np.column_stack([found["time"], *(found[name] for name in NAMES)])
        text = str(recording.source.about.get("platform", ""))
    return Samples(f"{file}, {start:.1f} to {stop:.1f} s", _good(rows, start), start, _platform(console, text))


def _of_live(console: Console, seconds: float) -> Samples:
    live = console.source("live")
    run = live.run
    if run is None or not run.history.count:
        raise WrongState(f"ring {live.ring!r} has shown no records yet ({live.state_text})")
    _check_channels(run.schema, f"ring {live.ring!r}")
    _check_length(seconds)
    wanted = int((seconds + RUN_IN_S) * run.rate_hz) + 1
    places = [0, *(run.schema.index[name] for name in NAMES)]
    with run.history.lock:
        rows = run.history.rows(run.history.count - wanted, run.history.count, np.asarray(places, np.intp)).T
    start = max(float(rows[-1, 0]) - seconds, float(rows[0, 0]))
    rows = _good(rows, start)
    what = f"the last {rows[-1, 0] - start:.1f} s of {live.ring}"
    return Samples(what, rows, start, _platform(console, run.header.layout.platform))


def _check_channels(schema: Schema, where: str) -> None:
    missing = [name for name in NAMES if name not in schema.index]
    if missing:
        raise UsageError(f"{where} has no motion of a vehicle: {missing[0]} and {len(missing) - 1} more channels are "
                         f"missing; {HINT}")  # fmt: skip


def _check_length(seconds: float) -> None:
    if seconds > MOST_S:
        raise TooLarge(f"{seconds:.0f} s are too long to compare, {MOST_S:.0f} s are the most; choose a part of it")


def _good(rows: Array, start: float) -> Array:
    """Whole samples at ascending times, at no more than MOST_HZ."""
    rows = rows[np.isfinite(rows).all(axis=1)]
    if len(rows):
        slots = np.floor(rows[:, 0] * MOST_HZ + 1e-6)
        highest = np.maximum.accumulate(slots)
        rows = rows[np.diff(highest, prepend=-np.inf) > 0]
    if len(rows) < 2 or rows[-1, 0] - max(start, rows[0, 0]) < LEAST_S:
        raise UsageError("there is too little of the vehicle's motion: at least 0.1 s are wanted")
    return np.ascontiguousarray(rows)


def _platform(console: Console, text: str) -> str:
    """The platform's text: of the recording or ring, else of the live ring, else of a preset."""
    live = console.source("live").header
    for one in (text, live.layout.platform if live else ""):
        if isinstance(judge_of_text(one), Judge):
            return one
    from motionbase.platform.load import platform_text

    return platform_text(DEFAULT_PLATFORM)
