"""What runs of both engines share: the method that was asked for, and the motion with its names and energies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import shown
from motionbase.multibody.model import Model
from motionbase.multibody.names import coordinates, speeds
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.outputs import Outputs

M = TypeVar("M")


def check_moves(model: Model) -> None:
    """Raise ModelError for a model without a joint that moves."""
    if not model.nv:
        raise ModelError(f"model {model.name!r}: no joint moves, so there is nothing to integrate")


def method_of(given: Any, methods: Mapping[str, M], kinds: tuple[type, ...], usual: str, engine: str) -> M:
    """A method itself, by name, or the usual one if None."""
    if isinstance(given, kinds):
        return cast(M, given)
    if given is None:
        return methods[usual]
    if not isinstance(given, str) or given not in methods:
        raise SimulationError(f"{engine} has no method {shown(given)}; methods: {', '.join(methods)}")
    return methods[given]


def trajectory_of(
    tree: Tree, method: str, t: Array, q: Array, v: Array, steps: int, wall_s: float, more: tuple[Any, ...] = ()
) -> Trajectory:
    """Samples with names, and energies computed from them."""
    rows = {"q": np.ascontiguousarray(q), "v": np.ascontiguousarray(v)}
    energy, model = compile(Outputs(tree).energies).map(**rows), tree.model
    names = coordinates(model), speeds(model)
    return Trajectory(model.name, method, t, q, v, *names, steps, wall_s, energy, more)
