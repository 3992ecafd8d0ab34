"""Kernels of a tree: mass matrix, forces, and forward dynamics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.compile.linear import Factorization, factorize
from motionbase.errors import ModelError
from motionbase.multibody.lookup import listed
from motionbase.multibody.model import Model
from motionbase.multibody.tree.articulated import accelerations
from motionbase.multibody.tree.coordinates import speed_rows
from motionbase.multibody.tree.forces import element_force, element_ports
from motionbase.multibody.tree.modal import modal_matrices, tangent
from motionbase.multibody.tree.state import TreeState
from motionbase.multibody.tree.terms import elastic_force, force_term_ports, force_terms
from motionbase.spatial.rotations import Expr

Recursion = Literal["mass", "articulated"]
DEEP = 12  # joint axes in series above which articulated bodies are always shorter


@final
@dataclass(frozen=True)
class Tree:
    """A model in minimal coordinates; every quantity is a kernel.

    Attributes:
        coriolis_of_modes: keep the acceleration 2 omega x (shape eta_dot), which the authors of the formulation neglect
        stiffening: geometric stiffness of flexible bodies, from rotation, acceleration and loads
        recursion: for forward dynamics: by the mass matrix, by articulated bodies, or whichever is shorter
    """

    model: Model
    coriolis_of_modes: bool = field(default=True)
    stiffening: bool = field(default=True)
    recursion: Recursion | Literal["shorter"] = "shorter"

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ModelError(f"tree: the model is {type(self.model).__name__}, a Model is wanted")

    def state(self, q: Expr, v: Expr) -> TreeState:
        """The tree at one instant, with this tree's options."""
        return TreeState.of(self.model, q, v, self.coriolis_of_modes, self.stiffening)

    @property
    def state_ports(self) -> tuple[Port, Port]:
        """Coordinates and speeds."""
        return Port("q", self.model.nq, "-", "coordinates"), Port("v", self.model.nv, "-", "speeds")

    @cached_property
    def mass_matrix(self) -> Kernel:
        """q -> M."""

        def expr(q: Expr) -> Any:
            return self.state(q, ca.SX(self.model.nv, 1)).mass_matrix()

        nv = self.model.nv
        return Kernel("mass_matrix", self.state_ports[:1], (Port("M", (nv, nv), "-", "mass matrix"),), expr)

    @cached_property
    def bias_force(self) -> Kernel:
        """(q, v) -> G: gravity and velocity terms; M v_dot = G + tau."""

        def expr(q: Expr, v: Expr) -> Any:
            return self.state(q, v).bias_force()

        return Kernel("bias_force", self.state_ports, (Port("G", self.model.nv, "-", "generalised force"),), expr)

    @cached_property
    def element_force(self) -> Kernel:
        """(q, v, inputs) -> G: force of the elements, within joints and at points."""
        inputs = element_ports(self.model)

        def expr(q: Expr, v: Expr, *inputs: Expr) -> Any:
            return element_force(self.state(q, v), inputs)

        output = Port("G", self.model.nv, "-", "generalised force")
        return Kernel("element_force", (*self.state_ports, *inputs), (output,), expr)

    @cached_property
    def force_terms(self) -> Kernel:
        """(q, v, tau, inputs) -> G_j, G_nl, G_g, G_ext, G_el: the terms of equation 16, whose sum is M v_dot.

        For comparison term by term. `bias_force` is G_nl + G_g in one pass, `element_force` is G_ext + G_j - tau.
        """

        def expr(q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Any:
            return tuple(force_terms(self.state(q, v), tau, inputs))

        return Kernel("force_terms", self.ports, force_term_ports(self.model.nv), expr)

    @cached_property
    def forward_dynamics(self) -> Kernel:
        """(q, v, tau, inputs of the elements) -> v_dot; elements in the model's order, each with its own order."""
        if self.model.closures:
            raise ModelError(
                f"model {self.model.name!r} has closures ({listed(c.name for c in self.model.closures)}), which a tree "
                "alone does not hold; use Loops(model, step=...)"
            )

        ways: dict[Recursion, Callable[..., Expr]] = {"mass": self._by_mass_matrix, "articulated": self._by_articulated}
        return Kernel(
            "forward_dynamics", self.ports, (Port("v_dot", self.model.nv, "-", "accelerations"),), ways[self.chosen]
        )

    def _by_mass_matrix(self, q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Expr:
        _, M, G = self.equations(q, v, tau, inputs)
        return self.factors(M).solve(G).x

    def factors(self, M: Expr) -> Factorization:
        """LDL' of the mass matrix, in an order that suits this tree."""
        return factorize(M, [self._sample], symmetric=True, names=speed_rows(self.model))

    def _by_articulated(self, q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Expr:
        state = self.state(q, v)
        return accelerations(state, tau + element_force(state, inputs))

    @cached_property
    def chosen(self) -> Recursion:
        """The recursion of forward dynamics: the one with fewer instructions, unless `recursion` prescribes it."""
        rigid = all(b.modes is None for b in self.model.bodies)
        if self.recursion == "articulated" and not rigid:
            raise ModelError(f"model {self.model.name!r} has flexible bodies; articulated bodies are rigid ones only")
        if self.recursion != "shorter":
            return self.recursion
        if not rigid:
            return "mass"
        if self.model.depth > DEEP:  # a long chain: the answer is known, and tracing the other takes seconds
            return "articulated"
        counts: dict[int, Recursion] = {}
        for way, expr in (("articulated", self._by_articulated), ("mass", self._by_mass_matrix)):
            symbols = [port.symbol() for port in self.ports]
            traced = ca.Function(way, symbols, [expr(*symbols)], {"cse": True})
            counts[traced.n_instructions()] = "mass" if way == "mass" else "articulated"
        return counts[min(counts)]

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs of forward dynamics: coordinates, speeds, joint forces, then inputs of the elements."""
        tau = Port("tau", self.model.nv, "-", "generalised forces of the joints")
        return (*self.state_ports, tau, *element_ports(self.model))

    def equations(self, q: Expr, v: Expr, tau: Expr, inputs: Sequence[Expr] = ()) -> tuple[TreeState, Expr, Expr]:
        """The state, M and G with M v_dot = G: everything except closures (equation 16)."""
        state = self.state(q, v)
        G = tau + state.bias_force() + elastic_force(self.model, q, v) + element_force(state, inputs)
        return state, state.mass_matrix(), G

    @property
    def stiffness(self) -> Array:
        """(nv, nv) K of equation 16: that of the modes, zero for joints; constant, so an array instead of a kernel."""
        return modal_matrices(self.model)[0]

    @property
    def damping(self) -> Array:
        """(nv, nv) D of the modes, zero for joints; constant."""
        return modal_matrices(self.model)[1]

    @cached_property
    def linearised(self) -> Kernel:
        """(q, v, tau, inputs) -> M, C, K of small motions about a steady state: all forces and geometric stiffness."""

        def expr(q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Any:
            _, M, G = self.equations(q, v, tau, inputs)
            return M, *tangent(self.model, G, q, v)

        size = (self.model.nv, self.model.nv)
        outputs = (Port("M", size, "-", "mass"), Port("C", size, "-", "damping"), Port("K", size, "-", "stiffness"))
        return Kernel("linearised", self.ports, outputs, expr)

    @cached_property
    def _sample(self) -> Any:
        """The mass matrix at a generic configuration, undeformed: it is positive definite, so one sample is enough."""
        at = self.model.neutral + 0.1 * np.sin(np.arange(1.0, self.model.nq + 1))
        for _, modes in self.model.q_slices:
            at[modes] = 0.0
        return np.array(self.mass_matrix.function(at))
