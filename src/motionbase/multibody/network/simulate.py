"""The motion of a model by the network engine, as a trajectory like that of the tree engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import SimulationError
from motionbase.multibody.closed import Start, closed_start, moved
from motionbase.multibody.driven import Driven
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.methods import METHODS, AdaptiveMultistep, Multistep
from motionbase.multibody.network.run import RunJob, run_network
from motionbase.multibody.runs import check_moves, method_of, trajectory_of
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.watch import SimulationWarning, overbent

Inputs: TypeAlias = Callable[[Sequence[Port], float, int], tuple[dict[str, Array], dict[str, Array]]]
OPENED = 1e-6  # [m, rad] a constraint may be open by without a word


@final
@dataclass(frozen=True, eq=False)
class NetworkJob:
    """What is to be simulated.

    Attributes:
        begin: the start asked for
        steps, h: number and length of the steps [s]
        every: steps between samples
    """

    model: Model
    begin: Start
    steps: int
    h: float
    every: int
    mode: Literal["strict", "fast"]
    progress: Callable[[float], None]


def simulate_network(job: NetworkJob, method: Any, inputs: Inputs) -> Trajectory:
    """Assemble, start, run.

    Args:
        inputs: gives those of ports, functions being asked at a part of each step, for so many steps: at their ends
            for the run, and at the start
    """
    model = job.model
    check_moves(model)
    chosen = method_of(method, METHODS, (Multistep, AdaptiveMultistep), "ms", "the network engine")
    adaptive = chosen if isinstance(chosen, AdaptiveMultistep) else None
    plain = chosen.method if isinstance(chosen, AdaptiveMultistep) else chosen
    driven = Driven.of(model)
    ports = driven.left
    held, rows = inputs(ports, 1.0, job.steps)
    _check_followed(model, adaptive, rows)
    held_first, rows_first = inputs(ports, 0.0, 1)
    first = {**held_first, **{name: table[0] for name, table in rows_first.items()}}
    q, v, dropped = assembled(model, job.begin, job.h, driven.named(first))
    network = Network(model, job.h, q, v, plain, dropped=dropped, inputs=first)
    run = run_network(RunJob(network, job.steps, held, rows, job.every, job.mode, job.progress), adaptive)
    if run.miss > OPENED:
        warnings.warn(
            f"model {model.name!r}: a constraint was open by {run.miss:.3g} m or rad; try a smaller dt",
            SimulationWarning,
            stacklevel=3,
        )
    for sentence in overbent(model, run.t, run.q):
        warnings.warn(sentence, SimulationWarning, stacklevel=3)
    return trajectory_of(Tree(model), chosen.name, run.t, run.q, run.v, run.steps, run.wall_s)


def _check_followed(model: Model, adaptive: AdaptiveMultistep | None, rows: Mapping[str, Array]) -> None:
    """A motion that is imposed step by step would be followed in jumps between steps that are shorter."""
    moving = [port.name for closure in model.closures for port in closure.inputs if port.name in rows]
    if adaptive is not None and moving:
        raise SimulationError(
            f"model {model.name!r}: {moving[0]} is known at whole steps only, which method {adaptive.name!r} divides; "
            f"use {adaptive.method.name!r}"
        )


def assembled(
    model: Model, begin: Start, h: float, inputs: Mapping[str, Array] | None = None
) -> tuple[Array, Array, tuple[str, ...]]:
    """Coordinates and speeds that meet the closures, and the closures' rows that follow from others.

    Args:
        inputs: what closures follow, by name, and whether they hold; zero and yes where not given
    """
    if not model.closures:
        return begin.q, begin.v, ()
    given = inputs or {}
    drives = {p.name: float(given.get(p.name, 0.0)) for closure in model.closures for p in closure.inputs}
    loops = Loops(model, step=h, around=begin.q, drives=drives)
    switches = {port.name: np.asarray(given.get(port.name, 1.0)) for port in loops.switch_ports}
    q, v = closed_start(loops, begin, {**{name: np.asarray(x) for name, x in drives.items()}, **switches})
    if said := moved(model, begin, q, v):
        warnings.warn(said, SimulationWarning, stacklevel=4)
    return q, v, tuple(found.row for found in loops.redundant)
