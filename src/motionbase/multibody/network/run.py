"""Runs of a network: steps in native loops, samples of coordinates and speeds, and new pivots where they are due."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Scan, compile, scan
from motionbase.errors import SimulationError
from motionbase.multibody.driven import TIME
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.methods import AdaptiveMultistep
from motionbase.multibody.network.motion import coupling_miss, joint_motion, unwrapped, violation
from motionbase.multibody.network.solved import numbers_solved
from motionbase.multibody.network.step import FEEDBACK

CHUNKS = 50  # native calls in a run, for the progress display
# Part of the steps with growth beyond the alarm at which pivots are chosen anew. A pivot that passes through zero
# raises growth for a step or two, which the corrections make good.
OFTEN = 0.1
TRIED = 3  # native calls in a row with such growth, after which dense factors are taken
CLOSE = 0.1  # of the rows' independence at the start: a place with less is near a singular one
LONGER, SHORTER, SAFETY = 2.0, 0.3, 0.9  # of a step against the last one; beyond 2.4 BDF2 is unstable


@final
@dataclass(frozen=True)
class NetworkRun:
    """Samples of a run.

    Attributes:
        t: (n,) [s]
        q, v: (n, nq), (n, nv)
        nodes: (n, nodes, 25) as `Node.layout` has them
        own: (n, m) own unknowns of the parts: multipliers, states of friction
        residual: largest residual of a step before its last correction
        miss: largest miss of a constraint at a sample [m, rad]
        steps: taken, rejected ones included
        repivots: how often a new order of pivots was chosen
        wall_s: time of the integration alone [s]
    """

    t: Array
    q: Array
    v: Array
    nodes: Array
    own: Array
    residual: float
    miss: float
    steps: int
    repivots: int
    wall_s: float


@final
@dataclass(frozen=True, eq=False)
class RunJob:
    """What is to be run.

    Attributes:
        steps: of the network's step size
        held: inputs that stay the same, by name
        rows: inputs with one row a step
        every: steps between samples
    """

    network: Network
    steps: int
    held: Mapping[str, Array]
    rows: Mapping[str, Array]
    every: int = 1
    mode: Literal["strict", "fast"] = "strict"
    progress: Callable[[float], None] = lambda _: None

    def inputs(self, first: int, count: int) -> dict[str, Any]:
        """Of the steps from `first` on."""
        return {**self.held, **{name: table[first : first + count] for name, table in self.rows.items()}}

    def inputs_at(self, step: int) -> dict[str, Any]:
        """Of one step."""
        return {**self.held, **{name: table[step] for name, table in self.rows.items()}}


class _Samples:
    """Room for the samples of a run."""

    def __init__(self, job: RunJob) -> None:
        ports = job.network.network.ports
        inputs = {**job.inputs_at(0), **job.network.inputs}
        begin = job.network.start(np.concatenate([np.ravel(inputs[p.name]) for p in ports]))
        count = job.steps // job.every + 1
        self.job = job
        self.state: dict[str, Any] = {**begin.ports(), "worst": np.zeros(2)}
        self.nodes, self.own = np.empty((count, *begin.nodes.shape)), np.empty((count, len(begin.own)))
        self.nodes[0], self.own[0] = begin.nodes, begin.own
        self.residual, self.wall, self.steps, self.repivots = 0.0, 0.0, 0, 0

    def finished(self) -> NetworkRun:
        network, every = self.job.network, self.job.every
        t = np.arange(len(self.nodes), dtype=np.float64) * (network.step_size * every)
        found = _mapped(joint_motion(network.network), self)
        v = np.asarray(found["v"])
        q = unwrapped(network.network, t, np.asarray(found["q"]), v, network.start_q)
        miss = coupling_miss(network.network, q)
        miss = max(miss, float(np.max(_mapped(violation(network.network), self)["miss"])))
        return NetworkRun(t, q, v, self.nodes, self.own, self.residual, miss, self.steps, self.repivots, self.wall)


def _mapped(kernel: Kernel, kept: _Samples) -> dict[str, Array]:
    """A kernel of nodes, and of own unknowns if it takes them, for every sample."""
    given = {"nodes": kept.nodes, "own": kept.own}
    return compile(kernel).map(**{port.name: given[port.name] for port in kernel.inputs})


def run_network(job: RunJob, adaptive: AdaptiveMultistep | None = None) -> NetworkRun:
    """All steps from the network's start: fixed ones in native loops, or as long as a tolerance allows."""
    samples = _Samples(job)
    if adaptive is None:
        _fixed(job, samples)
    else:
        _adaptive(job, samples, adaptive)
    return samples.finished()


# ---- fixed steps ---------------------------------------------------------------------------------------------------


def _fixed(job: RunJob, kept: _Samples) -> None:
    network, h, every = job.network, job.network.step_size, job.every
    loop, done, in_a_row = _loop(network, job), 0, 0
    state: Mapping[str, Any]
    for count in _pieces(job.steps, every):
        weights = (network.method.start() if done == 0 else network.method.weights(1.0)).row(h)
        while True:
            begun = time.perf_counter()
            out = loop(count, every=min(every, count), weights=weights, **kept.state, **job.inputs(done, count))
            kept.wall += time.perf_counter() - begun
            residual, alarms = (float(x) for x in out["worst"])
            solved, taken, state = numbers_solved(residual, kept.state, out), count, kept.state
            if not solved:  # one by one: from step to step forces may grow as they do not in one
                taken, state = _solved_steps(job, loop, kept.state, weights, done, count)
                solved = taken == count
            if solved or not alarms or network.dense or (_same(network, kept.state) and not network.may_be_dense):
                break
            network, loop = _repivoted(network, job, kept)  # the order of pivots was chosen elsewhere
        if not solved:
            raise _unsolved(network, (done + taken) * h, (done + taken + 1) * h, residual, state)
        in_a_row = in_a_row + 1 if alarms > OFTEN * count else 0
        if in_a_row and not network.dense and (network.may_be_dense or in_a_row < TRIED):
            network, loop = _repivoted(network, job, kept, in_a_row)
        kept.state = {**{name: out[name] for name in FEEDBACK}, "worst": np.zeros(2)}
        kept.residual, kept.steps = max(kept.residual, residual), kept.steps + count
        done += count
        if done % every == 0:
            at = slice((done - count) // every + 1, done // every + 1)
            kept.nodes[at], kept.own[at] = (out[name][-(at.stop - at.start) :] for name in ("one_next", "own_one_next"))
        job.progress(done / job.steps)


def _solved_steps(
    job: RunJob, loop: Scan, state: Mapping[str, Any], weights: Array, done: int, count: int
) -> tuple[int, Mapping[str, Any]]:
    """How many steps of a native call were solved, and the state after them."""
    for taken in range(count):
        given = {**state, "worst": np.zeros(2)}
        out = loop(1, every=1, weights=weights, **given, **job.inputs(done + taken, 1))
        if not numbers_solved(float(out["worst"][0]), state, out):
            return taken, state
        state = {name: out[name] for name in FEEDBACK}
    return count, state


def _pieces(steps: int, every: int) -> list[int]:
    """Numbers of steps of the native calls: the first step, the rest of its sample, then whole samples."""
    lengths, left = [1], steps - 1
    if every > 1:
        lengths.append(every - 1)
        left -= every - 1
    chunk = max(1, steps // every // CHUNKS) * every
    while left > 0:
        lengths.append(min(chunk, left))
        left -= lengths[-1]
    return lengths


def _loop(network: Network, job: RunJob) -> Scan:
    return scan(network.program, FEEDBACK, per_step=list(job.rows), record=["one_next", "own_one_next"], mode=job.mode)


def _repivoted(network: Network, job: RunJob, kept: _Samples, in_a_row: int = 1) -> tuple[Network, Scan]:
    """Pivots chosen at the present state; dense factors where that has been tried already."""
    kept.repivots += 1
    tried = in_a_row >= TRIED or _same(network, kept.state)
    chosen = replace(network, dense=True) if tried else network.repivoted(kept.state)
    return chosen, _loop(chosen, job)


def _same(network: Network, state: Mapping[str, Array]) -> bool:
    """Whether the pivots were chosen at this very state."""
    return network.chosen_at is not None and np.array_equal(network.chosen_at[1], state["own_one"])


def _unsolved(network: Network, t: float, end: float, residual: float, state: Mapping[str, Any]) -> SimulationError:
    """One sentence, with the rows that depend on each other near there."""
    least, names = network.dependence(state)
    near_there = least < max(1e-3, CLOSE * network.dependence(network.start().ports())[0])
    undamped = network.method.radius > 0.99
    damp = "this method damps nothing of what constraints excite: use ms or bdf2, or " if undamped else ""
    near = f"near there {', '.join(names)} depend on each other; " if near_there else ""
    return SimulationError(
        f"model {network.model.name!r}: a step between t = {t:.6g} s and {end:.6g} s was not solved "
        f"(residual {residual:.3g}); {near}{damp}try a smaller dt or more iterations"
    )


# ---- steps as long as a tolerance allows ---------------------------------------------------------------------------


def _adaptive(job: RunJob, kept: _Samples, adaptive: AdaptiveMultistep) -> None:
    """Every step of the job is met; between them as many as the tolerance needs."""
    step, interval = compile(job.network.program, mode=job.mode), job.network.step_size
    names = [port.name for port in job.network.program.outputs]
    h, last, timed = min(interval, 1e-4), 0.0, TIME in job.rows
    begun = time.perf_counter()
    for k in range(job.steps):
        left, inputs = interval, job.inputs_at(k)
        while left > 1e-9 * interval:
            trial = left if h > 0.999 * left else min(h, 0.5 * left) if h > 0.5 * left else h
            ratio = trial / last if last else 0.0
            if timed:
                inputs[TIME] = np.float64((k + 1) * interval - left + trial)
            weights = (adaptive.method.weights(ratio) if last else adaptive.method.start()).row(trial)
            out = dict(zip(names, step(weights=weights, **kept.state, **inputs), strict=True))
            kept.steps += 1
            factor = adaptive.method.error_over_change(ratio or 1.0)
            error = float(out["change"]) * factor if last else float(out["change"])
            after = {name: out[to] for name, to in FEEDBACK.items()}
            solved = numbers_solved(float(out["residual"]), kept.state, after)
            growth = SAFETY * (adaptive.tolerance / max(error, 1e-300)) ** (1 / 3) if solved else SHORTER
            if solved and error <= adaptive.tolerance or trial < adaptive.shortest:
                if not solved:
                    t = (k + 1) * interval - left
                    raise _unsolved(job.network, t, t + trial, float(out["residual"]), kept.state)
                kept.state = {name: np.asarray(x) for name, x in after.items()}
                kept.residual = max(kept.residual, float(out["residual"]))
                left, last = left - trial, trial
            h = trial * min(LONGER, max(SHORTER, growth))
        if (k + 1) % job.every == 0:
            at = (k + 1) // job.every
            kept.nodes[at], kept.own[at] = kept.state["one"], kept.state["own_one"]
        job.progress((k + 1) / job.steps)
    kept.wall += time.perf_counter() - begun
