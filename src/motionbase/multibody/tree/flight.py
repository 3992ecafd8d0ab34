"""A free-flying tree, with the momentum of the whole as a state instead of its base's velocity.

u = (H, P, the other speeds), H about the world's origin and both in world axes. Every one-step method conserves linear
invariants of its state exactly, so momentum without external forces is constant to rounding, for any step. The base's
velocity follows from M_b v = (H, P) in its frame, with M_b the base's rows of the mass matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.compile.linear import solve
from motionbase.errors import ModelError
from motionbase.multibody.joints import Free
from motionbase.multibody.model import Model
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.forces import element_force
from motionbase.multibody.tree.inward import generalised_force
from motionbase.multibody.tree.momentum import momentum
from motionbase.multibody.tree.state import TreeState
from motionbase.spatial.rotations import Expr

BASE = slice(0, 6)


@final
@dataclass(frozen=True)
class Flight:
    """Equations of motion in u; the tree's first joint is `Free` and carries everything else."""

    tree: Tree

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Tree):
            raise ModelError(f"flight: of {type(self.tree).__name__}, a Tree is wanted: Flight(Tree(model))")
        model = self.tree.model
        roots = [j for j, parent in zip(model.joints, model.parents, strict=True) if parent < 0]
        if not roots:
            raise ModelError(f"model {model.name!r} has no body, so it has no momentum to carry along")
        if len(roots) > 1 or not isinstance(roots[0].motion, Free):
            names = ", ".join(repr(j.name) for j in roots)
            raise ModelError(
                f"model {model.name!r} stands on the joints {names}; the momentum of the whole can be carried along "
                "only where one free joint joins it to the ground"
            )
        if model.closures:
            raise ModelError(f"model {model.name!r} has closures; carry its speeds along instead of its momentum")

    @property
    def model(self) -> Model:
        """The tree's model."""
        return self.tree.model

    @cached_property
    def momenta(self) -> Kernel:
        """(q, v) -> u."""

        def expr(q: Expr, v: Expr) -> Any:
            return ca.vertcat(momentum(self.tree.state(q, v)), v[6:])

        return Kernel("momenta", self.tree.state_ports, (self._u("u"),), expr)

    @cached_property
    def speeds(self) -> Kernel:
        """(q, u) -> v."""

        def expr(q: Expr, u: Expr) -> Any:
            return self.speeds_of(q, u)

        v = Port("v", self.tree.model.nv, "-", "speeds")
        return Kernel("speeds", (self.tree.state_ports[0], self._u("u")), (v,), expr)

    @cached_property
    def forward_dynamics(self) -> Kernel:
        """(q, u, tau, inputs) -> u_dot; the port of u is called v, like an integrator's speeds."""

        def expr(q: Expr, u: Expr, tau: Expr, *inputs: Expr) -> Any:
            v = self.speeds_of(q, u)
            accelerations = self.tree.forward_dynamics(q, v, tau, *inputs)
            return ca.vertcat(self._outer_load(self.tree.state(q, v), tau, inputs), accelerations[6:])

        q, _, *rest = self.tree.ports
        u_dot = Port("u_dot", self.tree.model.nv, "-", "rates of the momentum and of the other speeds")
        return Kernel("flight_dynamics", (q, self._u("v"), *rest), (u_dot,), expr)

    def speeds_of(self, q: Expr, u: Expr) -> Expr:
        """v of u: the base's velocity from six equations, with the inertia of the whole as one body."""
        state = self.tree.state(q, ca.SX(self.tree.model.nv, 1))
        M = state.mass_matrix()[BASE, :]
        mine = state.motions[0].T_Wb.inverse().force_to_a(u[BASE])
        base = solve(M[:, BASE], mine - M[:, 6:] @ u[6:], [self._sample], symmetric=True).x
        return ca.vertcat(base, u[6:])

    def _outer_load(self, state: TreeState, tau: Expr, inputs: Sequence[Expr]) -> Expr:
        """(6,) external wrench on the whole, about the world's origin: the base feels all of it."""
        weight = ca.vertcat(ca.DM.zeros(3), -ca.DM(state.model.gravity))
        at_rest = generalised_force(state.model, state.motions, state.inertias, base_acceleration=weight, moving=False)
        load = (at_rest + tau + element_force(state, inputs))[BASE]
        return state.motions[0].T_Wb.force_to_a(load)

    def _u(self, name: str) -> Port:
        return Port(name, self.tree.model.nv, "-", "momentum of the whole about the world's origin, then other speeds")

    @cached_property
    def _sample(self) -> Any:
        return np.array(self.tree.mass_matrix.function(self.tree.model.neutral))[BASE, BASE]
