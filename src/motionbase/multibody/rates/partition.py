"""The partition of the equations of motion into kernels that can run separately, at any rate and in any process.

Quiocho, Huynh & Crues: subroutines "that can be executed independently, at different frequencies", which together give
the complete solution of M X_ddot + K X = G_j + G_nl + G_ext (equation 16; with closures 27 and 28).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.compile.linear import Factorization
from motionbase.errors import ModelError
from motionbase.multibody.closures.abstract import imposed_equations
from motionbase.multibody.model import Model
from motionbase.multibody.rates.factors import packed, solved
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.forces import element_ports
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.terms import elastic_force, element_terms
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class Partition:
    """A model's equations of motion as plain kernels with ports.

    A kernel of `parts` provides an input of `solve` with the same name, so they may run in different processes that
    exchange arrays: one receives q and returns `factors` whenever they are ready, another receives q and v and returns
    `G_nl`, and the time-keeping process solves and advances at every step with the values it has.

    Example:
        >>> parts = Partition(Tree(model)).parts
        >>> mass = compile(parts["mass"])  # in one process; factors = mass(q=q)
        >>> nonlinear = compile(parts["nonlinear"])  # in another; G_nl = nonlinear(q=q, v=v)

    Attributes:
        equations: those of the model; with closures, a `Loops`
    """

    equations: Tree | Loops

    def __post_init__(self) -> None:
        if isinstance(self.equations, Tree) and self.model.closures:
            names = ", ".join(c.name for c in self.model.closures)
            raise ModelError(f"model {self.model.name!r} has closures ({names}); use Partition(Loops(model, step=...))")
        if self.model.nv == 0:
            raise ModelError(f"model {self.model.name!r}: no joint moves, so there is nothing to partition")

    @property
    def model(self) -> Model:
        """The model of the equations."""
        return self.equations.model

    @property
    def tree(self) -> Tree:
        """The tree, constrained by the closures if there are any."""
        return self.equations if isinstance(self.equations, Tree) else self.equations.tree

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Inputs besides the state: tau, those of the elements, switches of closures."""
        return self.equations.ports[2:]

    # ---- kernels -----------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> dict[str, Kernel]:
        """Kernels by name of a rate: mass, nonlinear, external, joint; and `closure`, if there are closures."""
        nv, state = self.model.nv, self.tree.state_ports
        elements, switches = element_ports(self.model), self._switches
        tau = self.tree.ports[2]
        size = self._structure_numbers.shape[0]

        def mass(q: Expr, *active: Expr) -> Any:
            return packed(self._factorised(q, active))

        def nonlinear(q: Expr, v: Expr) -> Any:
            return self.tree.state(q, v).bias_force()

        def external(q: Expr, v: Expr, *inputs: Expr) -> Any:
            return element_terms(self.tree.state(q, v), ca.SX(nv, 1), inputs)[1]

        def joint(q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Any:
            return element_terms(self.tree.state(q, v), tau, inputs)[0]

        factors = Port("factors", size, "-", "LDL' of the mass matrix, or of the system with closures")
        G_nl = Port("G_nl", nv, "-", "velocity terms and gravity")
        G_ext = Port("G_ext", nv, "-", "external force: wrenches at points, springs between points, generalised forces")
        G_j = Port("G_j", nv, "-", "joint forces: tau, motors, friction, springs and stops of joints")
        found = {
            "mass": Kernel("mass", (state[0], *switches), (factors,), mass),
            "nonlinear": Kernel("nonlinear", state, (G_nl,), nonlinear),
            "external": Kernel("external", (*state, *elements), (G_ext,), external),
            "joint": Kernel("joint", (*state, tau, *elements), (G_j,), joint),
        }
        if isinstance(self.equations, Loops):
            rows = len(self.equations.saddle.rows)
            sigma = Port("sigma", rows, "-", "right-hand side of the closure rows (equation 26)")
            found["closure"] = Kernel("closure", (*state, *self.equations.closure_ports), (sigma,), self._sigma)
        return found

    @cached_property
    def solve(self) -> Kernel:
        """(q, v, factors, G_nl, G_ext, G_j, sigma if there are closures) -> v_dot; elastic forces are added here."""

        def expr(q: Expr, v: Expr, factors: Expr, *terms: Expr) -> Any:
            G_nl, G_ext, G_j, *sigma = terms
            G = G_j + G_nl + G_ext + elastic_force(self.model, q, v)
            return solved(self._structure, factors, ca.vertcat(G, *sigma))[: self.model.nv]

        held = tuple(port for part in self.parts.values() for port in part.outputs)
        output = Port("v_dot", self.model.nv, "-", "accelerations")
        return Kernel("solve", (*self.tree.state_ports, *held), (output,), expr)

    # ---- details -----------------------------------------------------------------------------------------------------

    @property
    def _switches(self) -> tuple[Port, ...]:
        return self.equations.switch_ports if isinstance(self.equations, Loops) else ()

    def _factorised(self, q: Expr, active: Sequence[Expr]) -> Factorization:
        state = self.tree.state(q, ca.SX(self.model.nv, 1))
        if isinstance(self.equations, Tree):
            return self.tree.factors(state.mass_matrix())
        saddle = self.equations.saddle
        J = ca.vertcat(*(c.equations(state).J for c in self.model.closures))
        return saddle.factors(state.mass_matrix(), J, saddle.switches(active))

    @cached_property
    def _structure(self) -> Factorization:
        """Factors over separate symbols: pivot order and positions of the nonzeros are the same for any q."""
        return self._factorised(ca.SX.sym("q", self.model.nq), [p.symbol() for p in self._switches])

    @cached_property
    def _structure_numbers(self) -> Expr:
        return packed(self._structure)

    def _sigma(self, q: Expr, v: Expr, *inputs: Expr) -> Expr:
        """Of the rows in the system; zero for those that are switched off."""
        assert isinstance(self.equations, Loops)
        state, rows, saddle = self.tree.state(q, v), [], self.equations.saddle
        drives, active = inputs[: len(self.equations.drive_ports)], inputs[len(self.equations.drive_ports) :]
        each = imposed_equations(self.model, state, drives)
        for closure, e in zip(self.model.closures, each, strict=True):
            K_err, D_err = self.equations.gains(closure.name)
            rows.append(-e.bias - D_err * e.rate - K_err * e.residual)
        sigma, s = ca.vertcat(*rows), saddle.switches(active)
        return ca.vertcat(*(s[k] * sigma[i] for k, i in enumerate(saddle.rows)))
