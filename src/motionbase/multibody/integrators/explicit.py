"""Explicit methods: semi-implicit Euler and any Runge-Kutta tableau.

A step is a program, not one kernel: the stages call one copy of the forward dynamics, so code and compile time do not
grow with their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from motionbase.compile import Body, Kernel, OldProgram, Port, Unit
from motionbase.multibody.integrators.local import moved
from motionbase.multibody.integrators.method import AbstractMethod, EmbeddedMethod
from motionbase.multibody.integrators.system import H, System
from motionbase.multibody.integrators.tableau import ButcherTableau


@final
@dataclass(frozen=True)
class SemiImplicitEuler(AbstractMethod):
    """Speeds first, then coordinates with the new speeds: order 1, one evaluation, energy stays bounded."""

    @property
    def name(self) -> str:
        """As on the command line."""
        return "euler"

    @property
    def order(self) -> int:
        """One."""
        return 1

    @property
    def source(self) -> str:
        """Also called symplectic Euler."""
        return "de Vogelaere 1956"

    def step(self, system: System) -> Unit:
        """v_next = v + h a(q, v), q_next = q (+) h v_next."""
        model = system.model

        def advance(h: Any, q: Any, v: Any, v_dot: Any) -> Any:
            v_next = v + h * v_dot
            return moved(model, q, h * system.rate(q, ca.SX(model.nv, 1), v_next)), v_next

        kernel = Kernel("advance", (*system.ports[:3], Port("v_dot", model.nv)), system.next_ports, advance)

        def body(b: Body) -> None:
            v_dot = b.local("v_dot", model.nv)
            system.accelerate(b, b["q"], b["v"], v_dot)
            b.call(kernel, h=b["h"], q=b["q"], v=b["v"], v_dot=v_dot, q_next=b["q_next"], v_next=b["v_next"])

        return OldProgram("euler_step", system.ports, system.next_ports, body)


@final
@dataclass(frozen=True)
class RungeKutta(EmbeddedMethod):
    """An explicit Runge-Kutta method in the local coordinates of each step."""

    tableau: ButcherTableau

    def _tableau(self) -> ButcherTableau:
        return self.tableau

    def step(self, system: System) -> Unit:
        """Stages that only the error needs are left out."""
        stages = max(i + 1 for i, weight in enumerate(self.tableau.b) if weight)
        return self._program(system, stages, with_error=False)

    def step_with_error(self, system: System) -> Unit:
        """All stages."""
        if self.tableau.b_hat is None:
            raise TypeError(f"{self.name} has no embedded method")
        return self._program(system, len(self.tableau.b), with_error=True)

    def _program(self, system: System, stages: int, with_error: bool) -> OldProgram:
        nv = system.model.nv
        result = _result(system, self.tableau, stages, with_error)

        def body(b: Body) -> None:
            """k = (xi_dot, v_dot) of every stage, then the weighted sum."""
            k_xi, k_v = b.local("k_xi", (stages, nv)), b.local("k_v", (stages, nv))
            q_i, v_i = b.local("q_i", system.model.nq), b.local("v_i", nv)
            b.call(system.start_rate, q=b["q"], v=b["v"], xi_dot=k_xi[0])
            system.accelerate(b, b["q"], b["v"], k_v[0])
            for i in range(1, stages):
                at = _stage(system, self.tableau, i)
                so_far = {"k_xi": k_xi[:i], "k_v": k_v[:i]}
                b.call(at, h=b["h"], q=b["q"], v=b["v"], **so_far, q_i=q_i, v_i=v_i, xi_dot=k_xi[i])
                system.accelerate(b, q_i, v_i, k_v[i])
            outputs = {p.name: b[p.name] for p in result.outputs}
            b.call(result, h=b["h"], q=b["q"], v=b["v"], k_xi=k_xi, k_v=k_v, **outputs)

        return OldProgram(f"{self.name}_step", system.ports, result.outputs, body)


def _slopes(nv: int, count: int) -> tuple[Port, Port]:
    return Port("k_xi", (count, nv), "-", "rates of the local coordinates"), Port(
        "k_v", (count, nv), "-", "of the speeds"
    )


def _stage(system: System, tableau: ButcherTableau, i: int) -> Kernel:
    """Where stage i stands, and the rate of its local coordinates."""
    model, row = system.model, ca.DM(tableau.A[i, :i]).T

    def expr(h: Any, q: Any, v: Any, k_xi: Any, k_v: Any) -> Any:
        xi, v_i = h * (row @ k_xi).T, v + h * (row @ k_v).T
        q_i = moved(model, q, xi)
        return q_i, v_i, system.rate(q_i, xi, v_i)

    inputs = (H, *system.ports[1:3], *_slopes(model.nv, i))
    outputs = (Port("q_i", model.nq), Port("v_i", model.nv), Port("xi_dot", model.nv))
    return Kernel(f"{tableau.name}_stage{i}", inputs, outputs, expr)


def _result(system: System, tableau: ButcherTableau, stages: int, with_error: bool) -> Kernel:
    """The state after the step and, if wanted, the difference of the two methods."""
    model, b = system.model, ca.DM(tableau.b[:stages]).T
    difference = b - ca.DM((tableau.b_hat or tableau.b)[:stages]).T

    def expr(h: Any, q: Any, v: Any, k_xi: Any, k_v: Any) -> Any:
        after = moved(model, q, h * (b @ k_xi).T), v + h * (b @ k_v).T
        return (*after, h * (difference @ k_xi).T, h * (difference @ k_v).T) if with_error else after

    errors = (Port("e_xi", model.nv), Port("e_v", model.nv)) if with_error else ()
    inputs = (H, *system.ports[1:3], *_slopes(model.nv, stages))
    return Kernel(f"{tableau.name}_result", inputs, (*system.next_ports, *errors), expr)
