"""The linear model of small motions about a state, with exact derivatives and closures eliminated."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.analysis.equations import (
    Equations,
    Inputs,
    Places,
    Values,
    checked_mass,
    equations_of,
    tangent_names,
)
from motionbase.multibody.analysis.linear import LinearModel
from motionbase.multibody.analysis.nullspace import Allowed, allowed
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, q_of, v_of
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops

MET = 1e-7  # [m, rad, m/s, rad/s] permitted residual of the closures


def linearise(
    model: Model | Tree | Loops,
    q: State = None,
    v: State = None,
    inputs: Inputs = None,
    outputs: Places | None = None,
) -> LinearModel:
    """A, B, C, D about a state, which need not be at rest.

    Coordinates are small motions of the joints from the state (for a quaternion: a rotation in the child's axes, which
    move with it); with closures, of an independent set of joints. Inputs are tau of each joint and those of the
    elements. Outputs are the small motion of every joint and its rate, or those listed in `outputs`.

    Args:
        q, v: coordinates and speeds, arrays or by name; neutral and zero by default
        inputs: values at the state, by name; zero, and closures hold, by default
        outputs: points by name, as body and point: NAME.x [m], NAME.vx [m/s], NAME.ax [m/s^2] and y, z, world axes
    """
    equations = equations_of(model, inputs, outputs)
    plain = equations.model
    return linear_about(equations, q_of(plain, q), v_of(plain, v))


def linear_about(equations: Equations, q: Array, v: Array) -> LinearModel:
    """`linearise` with equations that serve many states."""
    at = equations.values(q, v)
    check_closed(equations, at)
    return linear_model(equations, q, v, at, allowed(at.J))


def linear_model(equations: Equations, q: Array, v: Array, at: Values, basis: Allowed) -> LinearModel:
    """The matrices, from numbers at the state."""
    N, S = basis.N, list(basis.independent)
    n, M = N.shape[1], checked_mass(equations, N.T @ at.M @ N, basis.independent)

    def accelerations(force: Array, closure: Array) -> Array:
        """Solves M a - J' F = force, J a = closure for a."""
        particular = basis.inverse @ closure
        return np.asarray(particular + N @ np.linalg.solve(M, N.T @ (force - at.M @ particular)))

    a = accelerations(at.G, -at.bias)
    F = basis.inverse.T @ (at.M @ a - at.G)
    d = equations.derivatives(q, v, a, F)
    # speeds that keep the closures while the state is displaced by x; the independent ones stay
    follow = -basis.inverse @ d.rate_x
    follow = (follow - N @ follow[S]) @ N
    a_y = accelerations(d.balance_x @ N + d.balance_v @ follow, -(d.closure_x @ N + d.closure_v @ follow))
    a_w = accelerations(d.balance_v @ N, -d.closure_v @ N)
    a_u = accelerations(d.balance_u, np.zeros((len(at.J), d.balance_u.shape[1])))
    A = np.block([[(d.carried @ N)[S], np.eye(n)], [a_y[S], a_w[S]]])
    B = np.vstack([np.zeros((n, a_u.shape[1])), a_u[S]])
    if equations.places:
        C = np.hstack([d.place_x @ N + d.place_v @ follow + d.place_a @ a_y, d.place_v @ N + d.place_a @ a_w])
        D = d.place_a @ a_u
    else:
        C = np.block([[N, np.zeros_like(N)], [follow, N]])
        D = np.zeros((len(C), B.shape[1]))
    names = tangent_names(equations.model)
    states = tuple(names[k] for k in S)
    return LinearModel(
        A, B, C, D,
        (*states, *(f"{s}_dot" for s in states)), _input_names(equations), _output_names(equations), M, N,
    )  # fmt: skip


def check_closed(equations: Equations, at: Values) -> None:
    """Check that the state meets the closures."""
    for what, miss in (("coordinates miss", at.residual), ("speeds break", at.rate)):
        if (largest := float(np.abs(miss).max(initial=0.0))) > MET:
            names = [f"{c.name}.{row}" for c in equations.held for row in c.rows]
            raise ModelError(
                f"model {equations.model.name!r}: the {what} closure {names[int(np.argmax(np.abs(miss)))]} by "
                f"{largest:.3g}; take those that equilibrium() or a projection finds"
            )


def _input_names(equations: Equations) -> tuple[str, ...]:
    found = [f"tau.{name}" for name in tangent_names(equations.model)]
    for port in equations.ports[1:]:
        places = port.places()
        found += [port.name] if len(places) == 1 else [f"{port.name}.{k + 1}" for k in range(len(places))]
    return tuple(found)


def _output_names(equations: Equations) -> tuple[str, ...]:
    if equations.places:
        return tuple(f"{name}.{kind}{axis}" for name in equations.places for kind in ("", "v", "a") for axis in "xyz")
    names = tangent_names(equations.model)
    return (*names, *(f"{name}_dot" for name in names))
