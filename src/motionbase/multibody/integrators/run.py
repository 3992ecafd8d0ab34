"""Running a method over many steps in native loops, with samples, progress, and a stop if a motion diverges."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Scan, scan
from motionbase.errors import SimulationError
from motionbase.multibody.integrators.adaptive import SAMPLE_FEEDBACK, Adaptive, StepSizes
from motionbase.multibody.integrators.method import AbstractMethod
from motionbase.multibody.integrators.system import System

Jump: TypeAlias = Callable[[Array, Array], Array]
CHUNKS = 50  # native calls in a run, for the progress display


@final
class RanAway(SimulationError):
    """A motion that diverged, and the last finite state."""

    def __init__(self, message: str, t: float, q: Array) -> None:
        super().__init__(message)
        self.t, self.q = t, q


@final
@dataclass(frozen=True)
class Job:
    """A run to do.

    Attributes:
        held: inputs that stay the same, by name; rows: inputs with one row per step
        steps: a multiple of `every`, the steps between samples
        h: length of a step [s]
        report: called with the fraction done
        jumps: (q, v) -> v, applied before the step of that number; the sample there has the speeds before it
    """

    system: System
    held: Mapping[str, Array]
    rows: Mapping[str, Array]
    steps: int
    h: float
    every: int
    mode: Literal["strict", "fast"]
    report: Callable[[float], None]
    jumps: Mapping[int, Jump] = field(default_factory=dict)

    def pieces(self, count: int, stride: int) -> Iterator[tuple[int, int]]:
        """First and last of `count` steps or samples in calls of at most `stride`, none across a jump."""
        ends = sorted({*range(stride, count, stride), *(k for k in self.jumps if 0 < k < count), count})
        return zip([0, *ends[:-1]], ends, strict=True)


class Samples(NamedTuple):
    """Rows of q and v (row 0 is the initial state), steps taken or tried, and the elapsed time [s]."""

    q: Array
    v: Array
    steps: int
    wall_s: float


def run(job: Job, method: AbstractMethod | Adaptive, q: Array, v: Array) -> Samples:
    """Samples of the motion from (q, v)."""
    return _adaptive(job, method, q, v) if isinstance(method, Adaptive) else _fixed(job, method, q, v)


def _fixed(job: Job, method: AbstractMethod, q: Array, v: Array) -> Samples:
    """A few native calls, so that progress can be shown and divergence is noticed."""
    record = ["q_next", "v_next"]
    loop = scan(
        method.step(job.system), {"q": "q_next", "v": "v_next"}, per_step=list(job.rows), record=record, mode=job.mode
    )
    kept = _room(job.steps // job.every, q, v)
    start = time.perf_counter()
    for first, end in job.pieces(job.steps, job.every * max(1, job.steps // job.every // CHUNKS)):
        v = job.jumps[first](q, v) if first in job.jumps else v
        inputs: dict[str, Any] = {**job.held, **{name: rows[first:end] for name, rows in job.rows.items()}}
        whole = first % job.every == 0 and end % job.every == 0
        out = loop(end - first, every=job.every if whole else 1, h=job.h, q=q, v=v, **inputs)
        own = slice(None) if whole else slice(-(first + 1) % job.every, None, job.every)
        at = slice(first // job.every + 1, end // job.every + 1)
        kept[0][at], kept[1][at] = out["q_next"][own], out["v_next"][own]
        if not (np.all(np.isfinite(out["q"])) and np.all(np.isfinite(out["v"]))):
            k, q_last = _last_finite(loop, job, first, end, q, v)
            raise RanAway(
                f"method {method.name}: the motion became infinite before t = {(k + 1) * job.h:.6g} s; "
                "try a smaller dt, or the methods dopri5 and rodas3",
                k * job.h,
                q_last,
            )
        q, v = out["q"], out["v"]
        job.report(end / job.steps)
    return Samples(*kept, job.steps, time.perf_counter() - start)


def _last_finite(loop: Scan, job: Job, first: int, end: int, q: Array, v: Array) -> tuple[int, Array]:
    """The last step with a finite state at its start, and the coordinates there."""
    inputs: dict[str, Any] = {**job.held, **{name: rows[first:end] for name, rows in job.rows.items()}}
    out = loop(end - first, h=job.h, q=q, v=v, **inputs)
    states = np.vstack([np.concatenate([q, v]), np.hstack([out["q_next"], out["v_next"]])])
    last = int(np.argmin(np.all(np.isfinite(states), axis=1))) - 1
    return first + last, states[last, : len(q)]


def _adaptive(job: Job, method: Adaptive, q: Array, v: Array) -> Samples:
    """Native calls of many samples; a sample that needs many attempts takes several calls.

    Inputs that vary are held over a step of the job, which is then the time between samples.
    """
    every = 1 if job.rows else job.every
    samples, interval = job.steps // every, job.h * every
    record = [*SAMPLE_FEEDBACK.values(), "met", "tried"]
    loop = scan(method.sample(job.system), SAMPLE_FEEDBACK, per_step=list(job.rows), record=record, mode=job.mode)
    kept = _room(samples, q, v)
    pace = StepSizes.layout.vector({"trial": min(interval, 1e-3), "left": interval, "error": 1.0})
    state: dict[str, Any] = {"q": q, "v": v, "pace": pace}
    attempts, start = 0, time.perf_counter()
    for first, end in job.pieces(samples, max(1, samples // CHUNKS)):
        if first in job.jumps:
            state["v"] = job.jumps[first](state["q"], state["v"])
        found = first
        while found < end:
            inputs = {name: rows[found:end] for name, rows in job.rows.items()}
            given: dict[str, Any] = {**state, **job.held, **inputs, "unmet": 0.0, "interval": interval}
            out = loop(end - found, **given)
            met = int(np.count_nonzero(out["met"]))  # after the first unmet sample, none is met
            at = slice(found + 1, found + 1 + met)
            kept[0][at], kept[1][at] = out["q_next"][:met], out["v_next"][:met]
            found, attempts = found + met, attempts + int(out["tried"].sum())
            state = {name: out[name] for name in SAMPLE_FEEDBACK if name != "unmet"}
            trial, left, _ = state["pace"]
            if not trial > 1e-12 * interval:
                t = (found + 1) * interval - left
                raise RanAway(
                    f"method {method.name}: the motion cannot be followed beyond t = {t:.6g} s; "
                    "check the model, the start and the inputs",
                    t,
                    np.asarray(state["q"]),
                )
            job.report(found / samples)
    wall = time.perf_counter() - start
    keep = slice(None, None, job.every // every)
    return Samples(np.ascontiguousarray(kept[0][keep]), np.ascontiguousarray(kept[1][keep]), attempts, wall)


def _room(samples: int, q: Array, v: Array) -> tuple[Array, Array]:
    rows = np.empty((samples + 1, len(q))), np.empty((samples + 1, len(v)))
    rows[0][0], rows[1][0] = q, v
    return rows
