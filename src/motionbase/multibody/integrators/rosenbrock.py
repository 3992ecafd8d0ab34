"""Linearly implicit (Rosenbrock) methods for stiff models: one exact Jacobian and one factorization per step.

The Jacobian is computed column by column: an iteration of a loop is the derivative along one direction, made by CasADi
from the forward dynamics; whatever does not depend on the direction is computed once. All columns in one expression
would grow with the square of the number of joints (a million instructions for a chain of thirty).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Program, for_each
from motionbase.compile.linear import Factorization, factorize, samples_at
from motionbase.multibody.integrators.local import moved, normalised
from motionbase.multibody.integrators.method import EmbeddedMethod, mix
from motionbase.multibody.integrators.system import System
from motionbase.multibody.integrators.tableau import RosenbrockTableau
from motionbase.spatial.rotations import Expr

SAMPLE_STEPS = (1e-5, 1e-3, 1e-1, 10.0)  # [s] for the choice of pivots


@final
@dataclass(frozen=True)
class Rosenbrock(EmbeddedMethod):
    """A Rosenbrock method in the local coordinates of each step."""

    tableau: RosenbrockTableau

    def _tableau(self) -> RosenbrockTableau:
        return self.tableau

    def step(self, system: System) -> Program:
        """A step without the error."""
        return self._program(system, with_error=False)

    def step_with_error(self, system: System) -> Program:
        """A step with the error; the embedded method costs nothing."""
        return self._program(system, with_error=True)

    def _program(self, system: System, with_error: bool) -> Program:
        t, nv = self.tableau, system.model.nv
        along, difference = _along(system), [m - m_hat for m, m_hat in zip(t.m, t.m_hat, strict=True)]

        def step(h: Expr, q: Expr, v: Expr, *held: Expr) -> Any:
            """The Jacobian and its factors, then a linear system for every stage."""
            columns = for_each(lambda d: along(q, v, *held, d), np.eye(2 * nv))
            factors = _factors(system, t.gamma, h, q, v, columns)
            u: list[Expr] = []
            for i, (a, c) in enumerate(zip(t.A, t.C, strict=True)):
                if i == 0 or a.any() or t.A[i - 1].any():  # else the state is the same, and so is f
                    f = system.slope(q, v, held, mix(a, u))
                u.append(factors.solve(f + mix(c, u) / h).x)
            after = system.after(q, v, mix(t.m, u))
            return (*after, *system.halves(mix(difference, u))) if with_error else after

        outputs = system.next_ports + (system.error_ports if with_error else ())
        return Program(f"{self.name}_step", system.ports, outputs, step)


def _along(system: System) -> ca.Function:
    """(q, v, inputs ..., d) -> derivative of the accelerations along a direction d = (xi, v) of the state."""
    nv, state = system.model.nv, [port.symbol() for port in system.ports[1:]]
    value = {port.name: symbol for port, symbol in zip(system.ports[1:], state, strict=True)}
    q, v, d = value["q"], value["v"], ca.SX.sym("d", 2 * nv)
    v_dot = system.forward.function.call([value[port.name] for port in system.forward.inputs])[0]
    dq = _at_start(ca.jtimes, system, lambda xi: moved(system.model, q, xi), d[:nv])
    return ca.Function("along", [*state, d], [ca.jtimes(v_dot, ca.vertcat(q, v), ca.vertcat(dq, d[nv:]))])


def _at_start(derivative: Any, system: System, of: Any, *args: Any) -> Any:
    """A derivative with respect to the local coordinates at the start of the step, where they are zero."""
    xi = ca.SX.sym("xi", system.model.nv)
    return ca.substitute(derivative(of(xi), xi, *args), xi, ca.SX.zeros(system.model.nv))


def _factors(system: System, gamma: float, h: Expr, q: Expr, v: Expr, columns: Expr) -> Factorization:
    """Factors of I / (gamma h) - J; rows of plain coordinates have two entries, which the elimination exploits."""
    nv = system.model.nv

    def rate(xi: Expr) -> Expr:
        return system.rate(moved(system.model, q, xi), v, xi)

    by_xi, by_v = _at_start(ca.jacobian, system, rate), ca.jacobian(rate(ca.SX.zeros(nv)), v)
    W = ca.SX.eye(2 * nv) / (gamma * h) - ca.vertcat(ca.horzcat(by_xi, by_v), columns.T)
    samples = samples_at(W, [h, q, v, columns], _sample_points(system))
    return factorize(W, samples, names=_row_names(system))


def _row_names(system: System) -> list[str]:
    return [f"{kind}{k}" for kind in ("xi", "v") for k in range(system.model.nv)]


def _sample_points(system: System) -> list[tuple[Any, ...]]:
    """Steps from small to large at two generic states."""
    model, along = system.model, _along(system)
    rng = np.random.default_rng(1)
    points = []
    for _ in range(2):
        q = normalised(model, model.neutral + rng.uniform(-0.4, 0.4, model.nq))
        v = rng.uniform(-0.5, 0.5, model.nv)
        held = [rng.uniform(0.1, 1.0, p.dims or 1) for p in system.inputs]
        columns = [np.array(along(q, v, *held, d)).ravel() for d in np.eye(2 * model.nv)]
        points += [(h, q, v, np.array(columns)) for h in SAMPLE_STEPS]
    return points
