"""Running a method over many steps in native loops, with samples, progress, and a stop when a motion runs away."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Scan, scan
from motionbase.errors import SimulationError
from motionbase.multibody.integrators.adaptive import FEEDBACK, Adaptive
from motionbase.multibody.integrators.method import AbstractMethod
from motionbase.multibody.integrators.system import System

Array: TypeAlias = NDArray[np.float64]
ATTEMPTS = 256  # of an adaptive method, in one native call
CHUNKS = 50  # native calls in a run of fixed steps, for the progress display


@final
@dataclass(frozen=True)
class Job:
    """What is to be run.

    Attributes:
        held: inputs that stay the same, by name; rows: inputs with one row a step
        steps: a multiple of `every`, the steps between samples
        h: length of a step [s]
        report: called with the fraction done
    """

    system: System
    held: Mapping[str, Array]
    rows: Mapping[str, Array]
    steps: int
    h: float
    every: int
    mode: Literal["strict", "fast"]
    report: Callable[[float], None]


class Samples(NamedTuple):
    """Rows of q and v (the start is row 0), steps taken or tried, and the seconds it took."""

    q: Array
    v: Array
    steps: int
    wall_s: float


def run(job: Job, method: AbstractMethod | Adaptive, q: Array, v: Array) -> Samples:
    """Samples of the motion from (q, v)."""
    return _adaptive(job, method, q, v) if isinstance(method, Adaptive) else _fixed(job, method, q, v)


def _fixed(job: Job, method: AbstractMethod, q: Array, v: Array) -> Samples:
    """A few native calls, so that progress can be shown and a motion that runs away is noticed."""
    record = ["q_next", "v_next"]
    loop = scan(
        method.step(job.system), {"q": "q_next", "v": "v_next"}, per_step=list(job.rows), record=record, mode=job.mode
    )
    kept = _room(job.steps // job.every, q, v)
    chunk = job.every * max(1, job.steps // job.every // CHUNKS)
    start = time.perf_counter()
    for done in range(0, job.steps, chunk):
        now = min(chunk, job.steps - done)
        inputs: dict[str, Any] = {**job.held, **{name: rows[done : done + now] for name, rows in job.rows.items()}}
        out = loop(now, every=job.every, h=job.h, q=q, v=v, **inputs)
        q, v = out["q"], out["v"]
        at = slice(done // job.every + 1, (done + now) // job.every + 1)
        kept[0][at], kept[1][at] = out["q_next"], out["v_next"]
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            raise SimulationError(
                f"method {method.name}: the motion became infinite before t = {(done + now) * job.h:.6g} s; "
                "try a smaller dt, or the methods dopri5 and rodas3"
            )
        job.report((done + now) / job.steps)
    return Samples(*kept, job.steps, time.perf_counter() - start)


def _adaptive(job: Job, method: Adaptive, q: Array, v: Array) -> Samples:
    """Native calls of many attempts; inputs that vary are held over a step of the job, which a call may not pass."""
    loop = scan(method.attempt(job.system), FEEDBACK, record=["q_next", "v_next", "met"], mode=job.mode)
    every = 1 if job.rows else job.every
    samples, interval = job.steps // every, job.h * every
    kept = _room(samples, q, v)
    state: dict[str, Any] = {"q": q, "v": v, "trial": min(interval, 1e-3), "left": interval, "error": 1.0}
    found, attempts, start = 0, 0, time.perf_counter()
    while found < samples:
        held = {**job.held, **{name: rows[found] for name, rows in job.rows.items()}}
        wanted = 1 if job.rows else samples - found
        rows, used, state = _attempts(loop, {**held, "interval": interval}, state, wanted)
        at = slice(found + 1, found + 1 + len(rows[0]))
        kept[0][at], kept[1][at] = rows
        found, attempts = found + len(rows[0]), attempts + used
        if not float(state["trial"]) > 1e-12 * interval:
            raise SimulationError(
                f"method {method.name}: the motion cannot be followed beyond t = {found * interval:.6g} s; "
                "check the model, the start and the inputs"
            )
        job.report(found / samples)
    wall = time.perf_counter() - start
    keep = slice(None, None, job.every // every)
    return Samples(kept[0][keep], kept[1][keep], attempts, wall)


def _room(samples: int, q: Array, v: Array) -> tuple[Array, Array]:
    rows = np.empty((samples + 1, len(q))), np.empty((samples + 1, len(v)))
    rows[0][0], rows[1][0] = q, v
    return rows


def _attempts(
    loop: Scan, held: dict[str, Any], state: dict[str, Any], wanted: int
) -> tuple[tuple[Array, Array], int, dict[str, Any]]:
    """As many samples as one native call gives; where that is more than wanted, it is run again, shorter."""
    out = loop(ATTEMPTS, **state, **held)
    met, used = np.flatnonzero(out["met"])[:wanted], ATTEMPTS
    if len(met) == wanted:
        used = int(met[-1]) + 1
        out = loop(used, **state, **held)
    return (out["q_next"][met], out["v_next"][met]), used, {name: out[name] for name in FEEDBACK}
