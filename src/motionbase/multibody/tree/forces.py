"""Effect of a model's elements on its tree: ports, loads, generalised force, reflected inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import casadi as ca

from motionbase.compile import Port
from motionbase.multibody.elements import Load
from motionbase.multibody.model import Model
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import TreeState


def element_ports(model: Model) -> tuple[Port, ...]:
    """Inputs of the elements: in the model's order of elements, and each element's own order within."""
    return tuple(port for element in model.elements for port in element.inputs(model))


def element_loads(state: TreeState, inputs: Sequence[Expr]) -> list[Load]:
    """The load of each element; `inputs` are those of `element_ports`."""
    loads, at = [], 0
    for element in state.model.elements:
        count = len(element.inputs(state.model))
        loads.append(element.load(state, inputs[at : at + count]))
        at += count
    return loads


def element_force(state: TreeState, inputs: Sequence[Expr]) -> Expr:
    """(nv,) generalised force of all elements (part of G_j and G_ext of equation 16)."""
    G = ca.SX(state.model.nv, 1)
    for load in element_loads(state, inputs):
        G = G + load.force(state)
    return G


def reflected_inertia(model: Model) -> dict[int, float]:
    """Contribution of motors to the mass matrix's diagonal, by index in v."""
    added: dict[int, float] = {}
    for element in model.elements:
        for at, inertia in element.reflected_inertia(model).items():
            if inertia:
                added[at] = added.get(at, 0.0) + inertia
    return added
