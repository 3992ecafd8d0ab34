"""Comparisons of two sets: jobs that run in processes of their own; the last few results are kept in memory."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.console.access import Caller
from motionbase.console.api.sentences import NotThere, TooLarge, WrongState
from motionbase.console.children import Child
from motionbase.console.cueing import worker
from motionbase.console.cueing.result import SIDES, trial_schema
from motionbase.console.cueing.samples import MOST_S, samples_of
from motionbase.console.jobs import Task
from motionbase.console.live.frames import window_frame
from motionbase.console.live.history import Window, bucket_size
from motionbase.console.live.levels import Buckets, grouped
from motionbase.console.models import (
    Channel,
    CueingChoices,
    CueingSet,
    CueingSetText,
    CueingSide,
    CueingTrial,
    Job,
    Schema,
    TryCueing,
)
from motionbase.errors import MotionBaseError, UsageError, unknown
from motionbase.interpreter import python
from motionbase.ring.blocks import parameters as block

if TYPE_CHECKING:
    from motionbase.console.console import Console

IN_USE = "in use"  # the set of the live base, as it is tuned now
PREFIX = "cue_"  # of its parameters
KEPT = 6  # results
LONGEST_S = 600.0  # of a comparison: a first one compiles
PREDICTIVE, MOST_PREDICTED_S = "predictive", 30.0
POLL_S = 0.05
BASIS = "simona"  # a set of which all numbers are replaced by those in use


class Result(NamedTuple):
    """A comparison that is done: what it was, and the columns of `trial_schema`, (channels, n)."""

    trial: CueingTrial
    columns: Array


@final
class Trials:
    """Comparisons of a console; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._results: dict[int, Result] = {}

    def keep(self, number: int, result: Result) -> None:
        """Keep a result, and forget the oldest."""
        with self._lock:
            self._results[number] = result
            while len(self._results) > KEPT:
                self._results.pop(next(iter(self._results)))

    def of(self, number: int) -> Result:
        """The result of a job."""
        with self._lock:
            found = self._results.get(number)
            there = ", ".join(map(str, self._results)) or "none"
        if found is None:
            raise NotThere(f"there is no comparison {number}; the last ones are kept: {there}")
        return found


def choices(console: Console) -> CueingChoices:
    """Sets and algorithms that can be compared."""
    from motionbase.cueing.cueing import ALGORITHMS
    from motionbase.cueing.sets import load_set, set_names

    sets = [CueingSet(name=name, summary=load_set(name).summary) for name in set_names()]
    return CueingChoices(sets=sets, algorithms=list(ALGORITHMS), in_use=bool(_in_use(console)), most_s=MOST_S)


def begun(console: Console, wanted: TryCueing, caller: Caller) -> Job:
    """Start a comparison as a job; what cannot work is refused at once."""
    is_lent = not console.access.me(caller).seated
    if not caller.client:
        raise UsageError("a comparison belongs to a page: give its name in X-Client, 1 to 64 letters, digits, - or _")
    sides = {side: _asked(console, of) for side, of in zip(SIDES, (wanted.a, wanted.b), strict=True)}
    samples = samples_of(console, wanted)
    seconds = samples.rows[-1, 0] - samples.start
    if seconds > MOST_PREDICTED_S and PREDICTIVE in (wanted.a.algorithm, wanted.b.algorithm):
        raise TooLarge(
            f"{seconds:.0f} s are too long for the predictive algorithm, which takes more time than it predicts; "
            f"{MOST_PREDICTED_S:.0f} s are the most"
        )
    asked = json.dumps({"platform": samples.platform, "start": samples.start, **sides})
    what = f"cueing {wanted.a.set} against {wanted.b.set}, {samples.what}"
    a, b = (side.model_copy(update={"text": ""}) for side in (wanted.a, wanted.b))
    work = partial(_tried, console, asked, samples.rows, samples.what, (a, b))
    return console.jobs.start(what, work, caller.client, is_lent)


def _asked(console: Console, side: CueingSide) -> dict[str, object]:
    """A side as the worker reads it."""
    from motionbase.cueing.cueing import ALGORITHMS
    from motionbase.cueing.sets import set_names

    if side.algorithm not in ALGORITHMS:
        raise unknown("cueing algorithm", side.algorithm, ALGORITHMS)
    params: dict[str, list[float]] | None = None
    if side.set == IN_USE and not side.text:
        params = _in_use(console)
        if not params:
            raise WrongState("the live base has no parameters of cueing; choose a set")
    elif side.set not in set_names() and not side.text:
        raise unknown("cueing set", side.set, [*set_names(), IN_USE])
    return {
        "set": BASIS if params else side.set, "algorithm": side.algorithm, "params": params, "text": side.text
    }  # fmt: skip


def _in_use(console: Console) -> dict[str, list[float]]:
    """The live base's parameters of cueing, where they go; empty without any."""
    header = console.source("live").header
    if header is None or not header.layout.parameters:
        return {}
    try:
        found, _ = block.shown(console.settings.ring)
    except MotionBaseError:
        return {}
    table = found.table
    return {
        p.name: found.goals[table.starts[p.name] :][: p.size].tolist()
        for p in table.parameters
        if p.name.startswith(PREFIX)
    }


def in_use_text(console: Console) -> CueingSetText:
    """The parameters in use as a file that `motionbase run --cueing FILE` reads."""
    from motionbase.cueing.cueing import PARTS

    params = _in_use(console)
    if not params:
        raise WrongState("the live base has no parameters of cueing that could be saved")
    lines = ['summary = "as tuned in the console"', "sources = []", 'illustrative = ["air", "ground"]']
    tables: dict[str, list[str]] = {table: [] for table in PARTS}
    by_length = sorted(PARTS.items(), key=lambda part: -len(part[1]))  # cue_ground_ before cue_
    for name, values in params.items():
        table, prefix = next(part for part in by_length if name.startswith(part[1]))
        tables[table].append(f"{name.removeprefix(prefix)} = {values[0] if len(values) == 1 else values!r}")
    for table, numbers in tables.items():
        lines += ["", f"[{table}]", *numbers] if numbers else []
    return CueingSetText(name="tuned.toml", text="\n".join([*lines, ""]))


def _tried(
    console: Console, asked: str, rows: Array, what: str, sides: tuple[CueingSide, CueingSide], task: Task
) -> str:
    """The work of the job, in a thread that only waits."""
    with tempfile.TemporaryDirectory(prefix="motionbase_cueing_") as name:
        folder = Path(name)
        (folder / worker.ASKED).write_text(asked)
        np.save(folder / worker.SAMPLES, rows)
        role = f"cueing {task.number}"
        child = console.children.start(role, python("-m", worker.__name__, name))
        try:
            _wait(child, task)
        finally:
            child.end(POLL_S)
            console.children.forget(role)
        if child.failed:
            said = child.complaint.replace(f"{folder}{os.sep}", "")
            raise MotionBaseError(said or "the comparison ended without a word")
        columns = np.load(folder / worker.COLUMNS)
        told = json.loads((folder / worker.FIGURES).read_text())
    trial = CueingTrial(
        number=task.number, what=what, platform=told["platform"], start=float(columns[0, 0]), end=float(columns[0, -1]),
        channels=_channels(), sides=sides, figures=tuple(told["figures"]),
    )  # fmt: skip
    console.trials.keep(task.number, Result(trial, columns))
    errors = ("none" if f.error is None else f"{f.error:.2f}" for f in trial.figures)
    return f"perceived error {' and '.join(errors)} thresholds"


def _wait(child: Child, task: Task) -> None:
    end = time.monotonic() + LONGEST_S
    while child.lives:
        task.progress(1 + child.said_of(worker.DONE), 4)
        if time.monotonic() > end:
            raise MotionBaseError(f"the comparison took longer than {LONGEST_S:g} s; choose a shorter part")
        child.ends_within(POLL_S)


def _channels() -> Schema:
    schema = trial_schema()
    channels = [
        Channel(
            place=k, name=c.name, unit=c.unit, description=c.description, group=c.group,
            codes=list(c.codes) if c.codes else None,
        )
        for k, c in enumerate(schema.channels)
    ]  # fmt: skip
    return Schema(name=schema.name, hash=schema.hash.hex(), channels=channels)


def window(result: Result, places: list[int], start: float | None, stop: float | None, pixels: int) -> bytes:
    """A stretch of a result as a window frame, decimated without losing spikes."""
    t = result.columns[0]
    first = 0 if start is None else max(0, int(np.searchsorted(t, start, "left")) - 1)
    last = len(t) if stop is None else min(len(t), int(np.searchsorted(t, stop, "right")) + 1)
    size = bucket_size(max(1, last - first), pixels)
    begin = first // size * size  # buckets begin at whole multiples of their size
    chosen = result.columns[np.array([0, *places], np.intp), begin:last]
    found = grouped(Buckets(chosen, chosen), size)
    asked = (float(t[0]) if start is None else start, float(t[-1]) if stop is None else stop)
    return window_frame(
        0, 0, places, asked,
        Window(size, begin // size, found.least[0], found.least[1:], found.most[1:], float(t[0]), float(t[-1])),
    )  # fmt: skip
