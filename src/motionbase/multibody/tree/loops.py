"""Kernels of a tree with closed loops: forward dynamics, reactions, projection, capture.

Quiocho, Huynh & Crues, equations 22 to 30. The unknowns are v_dot and F, the force of each closure row on body a:

    [[M, J'], [J, 0]] [v_dot; -F] = [G; sigma],    sigma = -bias - D_err rate - K_err residual    (26 to 28)

(the paper's F_C is -F). Errors then decay as e_ddot + D_err e_dot + K_err e = 0 (Baumgarte 1972).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.compile.linear import Solution
from motionbase.errors import ModelError
from motionbase.multibody.closures import ClosureEquations
from motionbase.multibody.closures.abstract import imposed_equations
from motionbase.multibody.lookup import checked_positive, listed
from motionbase.multibody.model import Model
from motionbase.multibody.tree.consistency import Geometry
from motionbase.multibody.tree.coordinates import moved_slightly
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.kkt import Pivots, Saddle, Weight
from motionbase.multibody.tree.redundancy import Redundancy
from motionbase.multibody.tree.state import TreeState
from motionbase.spatial.rotations import Expr

# Errors decay at omega = 1 / (CORRECTION_STEPS h), critically damped: K_err = omega^2, D_err = 2 omega. A double real
# pole is stable for omega h below 2.7 (RK4), 2 (Euler), 1 (Adams-Bashforth 2), so 1/20 is far inside. Not stiffer,
# because the stages of a Runge-Kutta step miss the closure by O(h^2), and K_err feeds that back. Four-bar at
# 1 kHz, RK4, links at 17 rad/s, largest closure error and energy drift over 4 s for omega h = 1, 1/5, 1/20, 1/80, 0:
# 1e-6, 3e-8, 2e-9, 1e-9, 3e-7 m (growing) and 1e-5, 3e-7, 2e-8, 3e-8, 1e-7.
CORRECTION_STEPS = 20.0
# [1/s] at most, of a closure that follows inputs: these are held over a step, so a motion at speed u is half a step off
# within it, and RK4 settles omega h^2 u / 6 beside it
FOLLOWING = 5.0


@final
@dataclass(frozen=True, eq=False)
class Loops:
    """A model with closures in minimal coordinates; every quantity is a kernel.

    Inputs of the kernels, where they need them: q, v, tau, the elements' inputs in the model's order, then those of
    closures that follow inputs, then CLOSURE_active (0 or 1) of each switchable closure, in the model's order.

    Attributes:
        step: h of the integrator [s], from which K_err = omega^2 and D_err = 2 omega, omega = 1 / (20 h); at most 5 1/s
            for a closure that follows inputs
        corrections: omega [1/s] of single closures, by name, in place of that; 0 for none
        redundancy: rows that follow from others are dropped ("drop"; their force is then zero and the others carry it
            all), or every row is made compliant by epsilon ("regularise"; redundant rows share), or that is an error
        epsilon: of "regularise", relative to each row's own compliance J M^-1 J'
        around: coordinates near which the loops close, for the search of places to choose pivots at; neutral if None
        drives: inputs that closures follow, by name, near which the loops close; zero where not given
        pivots: "safe" wherever the mechanism itself is not singular; "sparse" needs fewer operations, but its pivots
            are only known to be good near the samples: watch `monitors` if you use it
        coriolis_of_modes, stiffening: as for Tree
    """

    model: Model
    step: float
    corrections: Mapping[str, float] = field(default_factory=dict)
    redundancy: Literal["drop", "regularise", "raise"] = "drop"
    epsilon: float = 1e-9
    around: Array | Sequence[float] | None = None
    drives: Mapping[str, float] = field(default_factory=dict)
    pivots: Pivots = "safe"
    coriolis_of_modes: bool = True
    stiffening: bool = True

    def __post_init__(self) -> None:
        owner = f"loops of {self.model.name!r}"
        if not self.model.closures:
            raise ModelError(f"{owner}: the model has no closures; use Tree(model)")
        checked_positive(owner, "step", self.step, "s")
        checked_positive(owner, "epsilon", self.epsilon, "")
        names = [c.name for c in self.model.closures]
        for name, omega in self.corrections.items():
            if name not in names:
                raise ModelError(f"{owner}: corrections name {name!r}; closures: {listed(names)}")
            if not 0.0 <= omega < 2.0 / self.step:
                raise ModelError(
                    f"{owner}: correction of {name!r} is {omega:g} 1/s, must be 0 to below 2 / step = {2 / self.step:g}"
                )
        if self.redundancy not in ("drop", "regularise", "raise"):
            raise ModelError(f"{owner}: redundancy is {self.redundancy!r}, must be 'drop', 'regularise' or 'raise'")
        if self.pivots not in ("safe", "sparse"):
            raise ModelError(f"{owner}: pivots are {self.pivots!r}, must be 'safe' or 'sparse'")

    # ---- parts -----------------------------------------------------------------------------------------------------

    @cached_property
    def tree(self) -> Tree:
        """The tree that the closures constrain."""
        return Tree(self.model, self.coriolis_of_modes, self.stiffening)

    @cached_property
    def saddle(self) -> Saddle:
        """The system that is solved."""
        around = self.model.neutral if self.around is None else np.asarray(self.around, dtype=np.float64)
        drives = np.array([float(self.drives.get(port.name, 0.0)) for port in self.drive_ports])
        return Saddle(Geometry(self.tree, around, drives), self.redundancy, self.epsilon, self.pivots)

    @property
    def row_names(self) -> tuple[str, ...]:
        """CLOSURE.ROW of every element of F."""
        return self.saddle.geometry.names

    @property
    def redundant(self) -> tuple[Redundancy, ...]:
        """Closure rows that follow from others, and from which."""
        return self.saddle.redundant

    @property
    def excluded(self) -> tuple[tuple[str, ...], ...]:
        """Sets of switchable closures for which no common configuration was found; pivots are not checked for them."""
        unmet = [c for c in self.saddle.geometry.combinations if not c.places]
        return tuple(
            tuple(k.name for k, on in zip(self.model.closures, one.active, strict=True) if on and k.switchable)
            for one in unmet
        )

    @cached_property
    def places(self) -> tuple[Array, ...]:
        """Coordinates that meet all closures (as many as can hold at once): good initial states."""
        return next(c.places for c in self.saddle.geometry.combinations if c.places)

    def gains(self, name: str) -> tuple[float, float]:
        """K_err [1/s^2] and D_err [1/s] of a closure."""
        usual = 1.0 / (CORRECTION_STEPS * self.step)
        if any(closure.inputs for closure in self.model.closures if closure.name == name):
            usual = min(usual, FOLLOWING)
        omega = self.corrections.get(name, usual)
        return omega**2, 2.0 * omega

    @property
    def switch_ports(self) -> tuple[Port, ...]:
        """One for each switchable closure."""
        return tuple(
            Port(f"{c.name}_active", (), "-", "1 holds, 0 lets go") for c in self.model.closures if c.switchable
        )

    @property
    def drive_ports(self) -> tuple[Port, ...]:
        """Inputs that closures follow."""
        return tuple(port for closure in self.model.closures for port in closure.inputs)

    @property
    def closure_ports(self) -> tuple[Port, ...]:
        """All inputs of closures: those they follow, then switches."""
        return (*self.drive_ports, *self.switch_ports)

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs of forward dynamics."""
        return (*self.tree.ports, *self.closure_ports)

    def _split(self, inputs: Sequence[Expr]) -> tuple[Sequence[Expr], Sequence[Expr], Sequence[Expr]]:
        """Inputs of the elements, those that closures follow, and the switches."""
        at = len(inputs) - len(self.switch_ports)
        drives = at - len(self.drive_ports)
        return inputs[:drives], inputs[drives:at], inputs[at:]

    def stacked(self, state: TreeState, drives: Sequence[Expr]) -> ClosureEquations:
        """All rows of all closures; `drives` are the values of `drive_ports`."""
        each = imposed_equations(self.model, state, drives)
        residual, rate, J, bias = (
            ca.vertcat(*(getattr(e, x) for e in each)) for x in ("residual", "rate", "J", "bias")
        )
        return ClosureEquations(residual, rate, J, bias, ca.horzcat(*(e.W for e in each)))

    def _sigma(self, rows: ClosureEquations) -> Expr:
        """Right-hand side of the closure rows (equation 26)."""
        gains = [self.gains(c.name) for c in self.model.closures for _ in c.rows]
        K_err, D_err = ca.DM([k for k, _ in gains]), ca.DM([d for _, d in gains])
        return -rows.bias - D_err * rows.rate - K_err * rows.residual

    def _solved(self, M: Expr, J: Expr, G: Expr, sigma: Expr, active: Sequence[Expr], weight: Weight) -> Solution:
        s = self.saddle.switches(active)
        right = ca.vertcat(G, *(s[k] * sigma[i] for k, i in enumerate(self.saddle.rows)))
        return self.saddle.factors(M, J, s, weight).solve(right)

    def _row_forces(self, solution: Solution) -> Expr:
        """F of all rows; zero for dropped ones."""
        F = ca.SX(len(self.row_names), 1)
        for k, i in enumerate(self.saddle.rows):
            F[i] = -solution.x[self.model.nv + k]
        return F

    def _dynamics(self, q: Expr, v: Expr, tau: Expr, inputs: Sequence[Expr]) -> tuple[ClosureEquations, Solution]:
        inputs, drives, active = self._split(inputs)
        state, M, G = self.tree.equations(q, v, tau, inputs)
        rows = self.stacked(state, drives)
        return rows, self._solved(M, rows.J, G, self._sigma(rows), active, "mass")

    # ---- kernels ---------------------------------------------------------------------------------------------------

    @cached_property
    def forward_dynamics(self) -> Kernel:
        """(q, v, tau, inputs, active) -> v_dot, F: accelerations, and the force of each closure row on body a."""

        def expr(q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Any:
            _, solution = self._dynamics(q, v, tau, inputs)
            return solution.x[: self.model.nv], self._row_forces(solution)

        outputs = (
            Port("v_dot", self.model.nv, "-", "accelerations"),
            Port("F", len(self.row_names), "-", "force or moment of each closure row on body a"),
        )
        return Kernel("forward_dynamics", self.ports, outputs, expr)

    @cached_property
    def reactions(self) -> Kernel:
        """(q, v, tau, inputs, active) -> CLOSURE_reaction (6): moment and force on body a at its place, world axes.

        For a coupling it is one number: the force or moment on the following joint.
        """

        def expr(q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Any:
            rows, solution = self._dynamics(q, v, tau, inputs)
            F, at, found = self._row_forces(solution), 0, []
            for closure in self.model.closures:
                own = slice(at, at + len(closure.rows))
                found.append(closure.reaction(rows.W[:, own], F[own]))
                at = own.stop
            return found

        outputs = tuple(c.reaction_port(self.model) for c in self.model.closures)
        return Kernel("reactions", self.ports, outputs, expr)

    @cached_property
    def monitors(self) -> Kernel:
        """(q, v, tau, inputs, active) -> growth, residual: indicators that the mechanism approaches a singularity."""

        def expr(q: Expr, v: Expr, tau: Expr, *inputs: Expr) -> Any:
            _, solution = self._dynamics(q, v, tau, inputs)
            return solution.growth, solution.residual

        outputs = (Port("growth", (), "-", "pivot growth"), Port("residual", (), "-", "scaled residual of the solve"))
        return Kernel("monitors", self.ports, outputs, expr)

    @cached_property
    def residuals(self) -> Kernel:
        """(q, v, drives) -> CLOSURE_residual, CLOSURE_rate of each closure, all its rows, whether it holds or not."""

        def expr(q: Expr, v: Expr, *drives: Expr) -> Any:
            state = self.tree.state(q, v)
            each = imposed_equations(self.model, state, drives)
            return [value for e in each for value in (e.residual, e.rate)]

        outputs = [
            Port(f"{c.name}_{what}", len(c.rows), "-", f"{unit}; rows {', '.join(c.rows)}")
            for c in self.model.closures
            for what, unit in (("residual", "m or rad"), ("rate", "m/s or rad/s"))
        ]
        return Kernel("residuals", (*self.tree.state_ports, *self.drive_ports), tuple(outputs), expr)

    @cached_property
    def capture(self) -> Kernel:
        """(q, v, drives, active) -> v_plus, P: the jump of the speeds when closures take hold, momentum conserved.

        [[M, J'], [J, 0]] [v_plus; -P] = [M v; 0], solved for the change of v. P [N s, N m s] is the impulse of each
        row on body a. Kinetic energy is lost, never gained: v_plus is the nearest speed in the metric of M.
        """

        def expr(q: Expr, v: Expr, *inputs: Expr) -> Any:
            solution = self._velocity_change(q, v, inputs, "mass")
            return v + solution.x[: self.model.nv], self._row_forces(solution)

        outputs = (
            Port("v_plus", self.model.nv, "-", "speeds after"),
            Port("P", len(self.row_names), "-", "impulse of each closure row on body a"),
        )
        return Kernel("capture", (*self.tree.state_ports, *self.closure_ports), outputs, expr)

    def _velocity_change(self, q: Expr, v: Expr, inputs: Sequence[Expr], weight: Weight) -> Solution:
        _, drives, active = self._split(inputs)
        state = self.tree.state(q, v)
        rows = self.stacked(state, drives)
        M = state.mass_matrix() if weight == "mass" else ca.SX(ca.DM.eye(self.model.nv))
        return self._solved(M, rows.J, ca.SX(self.model.nv, 1), -rows.rate, active, weight)

    def velocity_projection(self, weight: Weight = "mass") -> Kernel:
        """(q, v, drives, active) -> v_projected: the nearest speeds on the closures, in the metric of M or plainly."""

        def expr(q: Expr, v: Expr, *inputs: Expr) -> Any:
            return v + self._velocity_change(q, v, inputs, weight).x[: self.model.nv]

        output = Port("v_projected", self.model.nv, "-", "speeds that meet the closures")
        return Kernel("velocity_projection", (*self.tree.state_ports, *self.closure_ports), (output,), expr)

    def position_projection(self, weight: Weight = "plain", iterations: int = 1) -> Kernel:
        """(q, drives, active) -> q_projected, shift: Newton steps of least length, in the metric of M or plainly.

        `shift` is the largest change in the last step [rad, m]; the remaining error is about its square.
        """
        if iterations < 1:
            raise ModelError(f"loops of {self.model.name!r}: iterations are {iterations}, at least 1 is wanted")

        def expr(q: Expr, *inputs: Expr) -> Any:
            _, drives, active = self._split(inputs)
            dv: Expr = ca.SX(self.model.nv, 1)
            for _ in range(iterations):
                state = self.tree.state(q, ca.SX(self.model.nv, 1))
                rows = self.stacked(state, drives)
                M = state.mass_matrix() if weight == "mass" else ca.SX(ca.DM.eye(self.model.nv))
                dv = self._solved(M, rows.J, ca.SX(self.model.nv, 1), -rows.residual, active, weight).x
                dv = dv[: self.model.nv]
                q = moved_slightly(self.model, q, dv)
            return q, ca.mmax(ca.fabs(dv))

        outputs = (
            Port("q_projected", self.model.nq, "-", "coordinates that meet the closures"),
            Port("shift", (), "-", "largest change of the last step"),
        )
        return Kernel("position_projection", (self.tree.state_ports[0], *self.closure_ports), outputs, expr)
