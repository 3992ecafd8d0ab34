"""Linearly implicit (Rosenbrock) methods for stiff models: one exact Jacobian a step, no iteration.

The Jacobian is taken column by column: a loop calls one kernel with the derivative along a direction, made by CasADi
from the forward dynamics. All columns in one kernel would share more work, but that kernel grows with the square of the
number of joints (a million instructions for a chain of thirty).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Body, Kernel, OldProgram, Port, Unit
from motionbase.compile.linear import samples_at, solve
from motionbase.multibody.integrators.local import moved, normalised
from motionbase.multibody.integrators.method import EmbeddedMethod
from motionbase.multibody.integrators.system import H, System
from motionbase.multibody.integrators.tableau import RosenbrockTableau

SAMPLE_STEPS = (1e-5, 1e-3, 1e-1, 10.0)  # [s] for the choice of pivots


@final
@dataclass(frozen=True)
class Rosenbrock(EmbeddedMethod):
    """A Rosenbrock method in the local coordinates of each step."""

    tableau: RosenbrockTableau

    def _tableau(self) -> RosenbrockTableau:
        return self.tableau

    def step(self, system: System) -> Unit:
        """Without the error."""
        return self._program(system, with_error=False)

    def step_with_error(self, system: System) -> Unit:
        """The embedded method costs nothing."""
        return self._program(system, with_error=True)

    def _program(self, system: System, with_error: bool) -> OldProgram:
        t, model, nv = self.tableau, system.model, system.model.nv
        stages = len(t.m)
        along, stage_system, result = _along(system), _solved(system, t), _result(system, t, with_error)

        def body(b: Body) -> None:
            """The Jacobian, then a linear system for every stage."""
            held = {p.name: b[p.name] for p in system.inputs}
            state = {"q": b["q"], "v": b["v"]}
            columns, directions = b.local("columns", (2 * nv, nv)), b.constant("directions", np.eye(2 * nv))
            with b.loop(2 * nv) as j:
                b.call(along, **state, **held, d=directions[j], v_dot_d=columns[j])
            u_xi, u_v = b.local("u_xi", (stages, nv)), b.local("u_v", (stages, nv))
            f_xi, f_v = b.local("f_xi", nv), b.local("f_v", nv)
            r_xi, r_v = b.local("r_xi", nv), b.local("r_v", nv)
            q_i, v_i = b.local("q_i", model.nq), b.local("v_i", nv)
            for i in range(stages):
                so_far = {"u_xi": u_xi[:i], "u_v": u_v[:i]} if i else {}
                if i == 0:
                    b.call(system.start_rate, **state, xi_dot=f_xi)
                    system.accelerate(b, b["q"], b["v"], f_v)
                elif t.A[i].any() or t.A[i - 1].any():  # else the place is the same, and f with it
                    b.call(_place(system, t, i), **state, **so_far, q_i=q_i, v_i=v_i, xi_dot=f_xi)
                    system.accelerate(b, q_i, v_i, f_v)
                if i == 0:
                    right = {"r_xi": f_xi, "r_v": f_v}
                else:
                    b.call(_right_side(system, t, i), h=b["h"], f_xi=f_xi, f_v=f_v, **so_far, r_xi=r_xi, r_v=r_v)
                    right = {"r_xi": r_xi, "r_v": r_v}
                b.call(stage_system, h=b["h"], **state, columns=columns, **right, u_xi=u_xi[i], u_v=u_v[i])
            outputs = {p.name: b[p.name] for p in result.outputs}
            b.call(result, **state, u_xi=u_xi, u_v=u_v, **outputs)

        return OldProgram(f"{self.name}_step", system.ports, result.outputs, body)


def _along(system: System) -> Kernel:
    """Derivative of the accelerations along a direction (xi, v) of the state."""
    model, forward = system.model, system.forward
    names = [p.name for p in forward.inputs]
    ports = (*system.ports[1:], Port("d", 2 * model.nv, "-", "direction"))

    def expr(*given: Any) -> Any:
        value = {port.name: x for port, x in zip(ports, given, strict=True)}
        q, v, d = value["q"], value["v"], value["d"]
        v_dot = forward.function.call([value[name] for name in names])[0]
        dq = _at_start(ca.jtimes, system, lambda xi: moved(model, q, xi), d[: model.nv])
        return ca.jtimes(v_dot, ca.vertcat(q, v), ca.vertcat(dq, d[model.nv :]))

    return Kernel("along", ports, (Port("v_dot_d", model.nv),), expr)


def _at_start(derivative: Any, system: System, of: Any, *args: Any) -> Any:
    """A derivative with respect to the local coordinates at the start of the step, where they are zero."""
    xi = ca.SX.sym("xi", system.model.nv)
    return ca.substitute(derivative(of(xi), xi, *args), xi, ca.SX.zeros(system.model.nv))


def _solved(system: System, tableau: RosenbrockTableau) -> Kernel:
    """(I / (gamma h) - J) u = r; rows of plain coordinates have two entries, and the elimination makes use of it."""
    model, nv = system.model, system.model.nv
    ports = (H, *system.ports[1:3], Port("columns", (2 * nv, nv)), Port("r_xi", nv), Port("r_v", nv))

    def expr(h: Any, q: Any, v: Any, columns: Any, r_xi: Any, r_v: Any) -> Any:
        def rate(xi: Any) -> Any:
            return system.rate(moved(model, q, xi), xi, v)

        by_xi = _at_start(ca.jacobian, system, rate)
        by_v = ca.jacobian(rate(ca.SX.zeros(nv)), v)
        W = ca.SX.eye(2 * nv) / (tableau.gamma * h) - ca.vertcat(ca.horzcat(by_xi, by_v), columns.T)
        samples = samples_at(W, [h, q, v, columns], _sample_points(system))
        u = solve(W, ca.vertcat(r_xi, r_v), samples, names=_row_names(system)).x
        return u[:nv], u[nv:]

    return Kernel("stage_system", ports, (Port("u_xi", nv), Port("u_v", nv)), expr)


def _row_names(system: System) -> list[str]:
    return [f"{kind}{k}" for kind in ("xi", "v") for k in range(system.model.nv)]


def _sample_points(system: System) -> list[tuple[Any, ...]]:
    """Steps from small to large at two places that have nothing special about them."""
    model, along = system.model, _along(system)
    rng = np.random.default_rng(1)
    points = []
    for _ in range(2):
        q = normalised(model, model.neutral + rng.uniform(-0.4, 0.4, model.nq))
        v = rng.uniform(-0.5, 0.5, model.nv)
        held = [rng.uniform(0.1, 1.0, p.dims or 1) for p in system.inputs]
        columns = [np.array(along.function(q, v, *held, d)).ravel() for d in np.eye(2 * model.nv)]
        points += [(h, q, v, np.array(columns)) for h in SAMPLE_STEPS]
    return points


def _sums(nv: int, count: int) -> tuple[Port, Port]:
    return Port("u_xi", (count, nv)), Port("u_v", (count, nv))


def _place(system: System, tableau: RosenbrockTableau, i: int) -> Kernel:
    """Where stage i stands, and the rate of its local coordinates."""
    model, row = system.model, ca.DM(tableau.A[i, :i]).T

    def expr(q: Any, v: Any, u_xi: Any, u_v: Any) -> Any:
        xi, v_i = (row @ u_xi).T, v + (row @ u_v).T
        q_i = moved(model, q, xi)
        return q_i, v_i, system.rate(q_i, xi, v_i)

    outputs = (Port("q_i", model.nq), Port("v_i", model.nv), Port("xi_dot", model.nv))
    return Kernel(f"{tableau.name}_stage{i}", (*system.ports[1:3], *_sums(model.nv, i)), outputs, expr)


def _right_side(system: System, tableau: RosenbrockTableau, i: int) -> Kernel:
    """f + sum (c_ij / h) u_j."""
    nv, row = system.model.nv, ca.DM(tableau.C[i, :i]).T

    def expr(h: Any, f_xi: Any, f_v: Any, u_xi: Any, u_v: Any) -> Any:
        return f_xi + (row @ u_xi).T / h, f_v + (row @ u_v).T / h

    inputs = (H, Port("f_xi", nv), Port("f_v", nv), *_sums(nv, i))
    return Kernel(f"{tableau.name}_right{i}", inputs, (Port("r_xi", nv), Port("r_v", nv)), expr)


def _result(system: System, tableau: RosenbrockTableau, with_error: bool) -> Kernel:
    """The state after the step and, if wanted, the difference of the two methods."""
    model, m = system.model, ca.DM(tableau.m).T
    difference: NDArray[np.float64] = np.array(tableau.m) - np.array(tableau.m_hat)

    def expr(q: Any, v: Any, u_xi: Any, u_v: Any) -> Any:
        after = moved(model, q, (m @ u_xi).T), v + (m @ u_v).T
        d = ca.DM(difference).T
        return (*after, (d @ u_xi).T, (d @ u_v).T) if with_error else after

    errors = (Port("e_xi", model.nv), Port("e_v", model.nv)) if with_error else ()
    inputs = (*system.ports[1:3], *_sums(model.nv, len(tableau.m)))
    return Kernel(f"{tableau.name}_result", inputs, (*system.next_ports, *errors), expr)
