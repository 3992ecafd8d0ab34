"""Explicit methods: semi-implicit Euler and any Runge-Kutta tableau.

A step is a program, not one kernel: the stages call one copy of the forward dynamics, so code size and compile time do
not grow with their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from motionbase.compile import Program
from motionbase.multibody.integrators.local import moved
from motionbase.multibody.integrators.method import AbstractMethod, EmbeddedMethod, mix
from motionbase.multibody.integrators.system import System
from motionbase.multibody.integrators.tableau import ButcherTableau
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class SemiImplicitEuler(AbstractMethod):
    """Speeds first, then coordinates with the new speeds: order 1, one evaluation, energy stays bounded."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        return "euler"

    @property
    def order(self) -> int:
        """Order 1."""
        return 1

    @property
    def source(self) -> str:
        """Also called symplectic Euler."""
        return "de Vogelaere 1956"

    def step(self, system: System) -> Program:
        """v_next = v + h a(q, v), q_next = q (+) h v_next."""

        def euler(h: Expr, q: Expr, v: Expr, *held: Expr) -> Any:
            v_next = v + h * system.acceleration(q, v, *held)
            return moved(system.model, q, h * system.rate(q, v_next)), v_next

        return Program("euler_step", system.ports, system.next_ports, euler)


@final
@dataclass(frozen=True)
class RungeKutta(EmbeddedMethod):
    """An explicit Runge-Kutta method in the local coordinates of each step."""

    tableau: ButcherTableau

    def _tableau(self) -> ButcherTableau:
        return self.tableau

    def step(self, system: System) -> Program:
        """A step without the stages that only the error needs."""
        stages = max(i + 1 for i, weight in enumerate(self.tableau.b) if weight)
        return self._program(system, stages, with_error=False)

    def step_with_error(self, system: System) -> Program:
        """A step with all stages."""
        if self.tableau.b_hat is None:
            raise TypeError(f"{self.name} has no embedded method")
        return self._program(system, len(self.tableau.b), with_error=True)

    def _program(self, system: System, stages: int, with_error: bool) -> Program:
        t = self.tableau
        difference = [b - b_hat for b, b_hat in zip(t.b, t.b_hat or t.b, strict=True)]

        def step(h: Expr, q: Expr, v: Expr, *held: Expr) -> Any:
            """The slope of every stage, then the weighted sum."""
            k: list[Expr] = []
            for row in t.A[:stages]:
                k.append(system.slope(q, v, held, h * mix(row, k)))
            after = system.after(q, v, h * mix(t.b, k))
            return (*after, *system.halves(h * mix(difference, k))) if with_error else after

        outputs = system.next_ports + (system.error_ports if with_error else ())
        return Program(f"{self.name}_step", system.ports, outputs, step)
