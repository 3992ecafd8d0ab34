"""The equations of motion as numbers: force balance and closures, with exact derivatives in tangent coordinates.

    M(q) v_dot = G(q, v, u) + J(q)' F,    J(q) v_dot + bias(q, v) = 0.

A small motion x has one number for each speed: it moves q by E x, where q_dot = E(q) v, so quaternions rotate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.lookup import Point, check_place, listed
from motionbase.multibody.model import Model
from motionbase.multibody.tree.coordinates import coordinate_rates, moved_slightly
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.spatial.equals import first_largest, first_least

Inputs: TypeAlias = Mapping[str, ArrayLike] | None
Places: TypeAlias = Mapping[str, tuple[str, Point]]


class Values(NamedTuple):
    """At one state: mass matrix, force and its size before cancellation; residual, rate, Jacobian, bias of closures."""

    M: Array
    G: Array
    size: Array
    residual: Array
    rate: Array
    J: Array
    bias: Array


class Derivatives(NamedTuple):
    """Derivatives of the balance G + J' F - M v_dot, of the closures' J v_dot + bias and rate J v, and of points."""

    balance_x: Array
    balance_v: Array
    balance_u: Array
    closure_x: Array
    closure_v: Array
    rate_x: Array
    carried: Array  # x_dot = delta v + carried x
    place_x: Array  # of position, velocity, acceleration of each point
    place_v: Array
    place_a: Array


@final
@dataclass(frozen=True, eq=False)
class Equations:
    """A tree and the closures that hold.

    Attributes:
        inputs: tau, the elements' inputs, what closures follow and CLOSURE_active by name; zero, and holding, where not
            given
        places: points whose motion is wanted, by name: body and point
    """

    tree: Tree
    inputs: Inputs = None
    places: Places = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.model.nv == 0:
            raise ModelError(f"model {self.model.name!r}: no joint moves, so there is nothing to analyse")
        for name, (body, point) in self.places.items():
            check_place(f"output {name!r}", self.model, body, point, ground=False)
        followed = [port.name for c in self.model.closures for port in c.inputs]
        switches = [f"{c.name}_active" for c in self.model.closures if c.switchable]
        known = [*(p.name for p in self.ports), *followed, *switches]
        for name in self.inputs or {}:
            if name not in known:
                raise ModelError(f"model {self.model.name!r} has no input {name!r}; inputs: {listed(known)}")

    @property
    def model(self) -> Model:
        """The tree's model."""
        return self.tree.model

    @property
    def ports(self) -> tuple[Port, ...]:
        """Components of u: joint forces, then inputs of the elements."""
        return self.tree.ports[2:]

    @property
    def held(self) -> list[Any]:
        """The closures that hold."""
        given = self.inputs or {}
        return [c for c in self.model.closures if np.all(np.asarray(given.get(f"{c.name}_active", 1.0)) > 0.5)]

    @cached_property
    def u(self) -> Array:
        """All inputs in one row."""
        found = [np.zeros(0)]
        for port in self.ports:
            value = np.array((self.inputs or {}).get(port.name, np.zeros(port.array_shape)), dtype=np.float64)
            if value.shape != port.array_shape or not np.all(np.isfinite(value)):
                wanted = f"{port.array_shape} finite numbers are wanted"
                raise ModelError(f"input {port.name!r} has shape {value.shape}: {wanted}")
            found.append(value.ravel())
        return np.concatenate(found)

    @cached_property
    def _functions(self) -> tuple[ca.Function, ca.Function, ca.Function]:
        nv = self.model.nv
        q, v, a, dx = (ca.SX.sym(n, k) for n, k in (("q", self.model.nq), ("v", nv), ("a", nv), ("dx", nv)))
        inputs = [port.symbol() for port in self.ports]
        u = ca.vertcat(*(s[i, j] for s, port in zip(inputs, self.ports, strict=True) for i, j in port.places()))
        state, M, G = self.tree.equations(q, v, inputs[0], inputs[1:])
        given = self.inputs or {}

        def followed(port: Port) -> ca.SX:
            return ca.SX(ca.DM(np.asarray(given.get(port.name, 0.0), dtype=np.float64)))

        rows = [c.imposed(c.equations(state), [followed(port) for port in c.inputs]) for c in self.held]
        J = ca.vertcat(ca.SX(0, nv), *(r.J for r in rows))
        residual, missed, bias = (
            ca.vertcat(ca.SX(0, 1), *(getattr(r, n) for r in rows)) for n in ("residual", "rate", "bias")
        )
        F = ca.SX.sym("F", J.shape[0])
        size = ca.fabs(state.bias_force()) + ca.fabs(G - state.bias_force())
        values = ca.Function("values", [q, v, u], [M, G, size, residual, missed, J, bias])

        rate = coordinate_rates(self.model, q, v)
        E = ca.jacobian(rate, v)
        balance = G + J.T @ F - M @ a
        acceleration = J @ a + bias
        E_dot = ca.reshape(ca.jtimes(ca.vec(ca.densify(E)), q, rate), E.shape)
        # E x_dot = E dv + d(E v)/dq E x - E_dot x; the columns of E are orthogonal, joint by joint
        carried = ca.solve(E.T @ E, E.T @ (ca.jacobian(rate, q) @ E - E_dot)) if self._turns else ca.SX(nv, nv)
        seen = [ca.SX(0, 1)]
        for body, point in self.places.values():
            at = state.point(body, point)
            seen += [at.p, at.velocity[3:], (at.J @ a + at.acceleration)[3:]]
        place = ca.vertcat(*seen)
        outputs = [
            *(ca.jacobian(balance, q) @ E, ca.jacobian(balance, v), ca.jacobian(balance, u)),
            *(ca.jacobian(acceleration, q) @ E, ca.jacobian(bias, v), ca.jacobian(J @ v, q) @ E, carried),
            *(ca.jacobian(place, q) @ E, ca.jacobian(place, v), ca.jacobian(place, a)),
        ]
        derivatives = ca.Function("derivatives", [q, v, a, F, u], outputs, {"cse": True})
        return values, derivatives, ca.Function("moved", [q, dx], [moved_slightly(self.model, q, dx)])

    @property
    def _turns(self) -> bool:
        return any(joint.motion.has_quaternion for joint in self.model.joints)

    def values(self, q: Array, v: Array) -> Values:
        """Values at a state."""
        M, G, size, residual, rate, J, bias = (np.array(x) for x in self._functions[0](q, v, self.u))
        return Values(M, G.ravel(), size.ravel(), residual.ravel(), rate.ravel(), J, bias.ravel())

    def derivatives(self, q: Array, v: Array, v_dot: Array, F: Array) -> Derivatives:
        """Exact derivatives at a state with its accelerations and closure forces."""
        found = Derivatives(*(np.array(x) for x in self._functions[1](q, v, v_dot, F, self.u)))
        if not all(np.all(np.isfinite(x)) for x in found):
            raise ModelError(f"model {self.model.name!r}: the forces have no derivative at this state")
        return found

    def moved(self, q: Array, dx: Array) -> Array:
        """Coordinates after a small motion, with unit quaternions."""
        return np.array(self._functions[2](q, dx)).ravel()


def checked_mass(equations: Equations, M: Array, independent: tuple[int, ...]) -> Array:
    """The mass matrix of the independent coordinates; raises `ModelError` unless it is positive definite."""
    d = np.diag(M)
    scale = 1 / np.sqrt(np.where(d > 0, d, 1.0))
    least, X = np.linalg.eigh(M * np.outer(scale, scale)) if len(M) else (np.ones(1), np.eye(1))
    if least[0] <= 1e-14:
        k = first_largest(np.linalg.norm(X[:, least <= 1e-14], axis=1)) if d.min() > 0 else first_least(d)
        name = tangent_names(equations.model)[independent[k]]
        raise ModelError(f"model {equations.model.name!r}: the motion {name!r} has no inertia at this place")
    return M


def tree_of(model: Model | Tree | Loops) -> Tree:
    """The tree of a model; a Tree itself, or that of a Loops."""
    if isinstance(model, Model):
        return Tree(model)
    if not isinstance(model, Tree | Loops):
        raise ModelError(f"analysis: the model is {type(model).__name__}, a Model, Tree or Loops is wanted")
    return model.tree if isinstance(model, Loops) else model


def equations_of(model: Model | Tree | Loops, inputs: Inputs = None, places: Places | None = None) -> Equations:
    """Equations of a model; closures hold exactly, without the corrections and the row selection of a Loops."""
    return Equations(tree_of(model), inputs, places or {})


def tangent_names(model: Model) -> tuple[str, ...]:
    """One for each of a small motion: "elbow", "hinge.1"; "base.rx" ... "base.z" for a free body, in its axes."""
    found: list[str] = []
    for joint, body in zip(model.joints, model.bodies, strict=True):
        nv = joint.motion.nv
        if joint.motion.has_quaternion:
            found += [f"{joint.name}.{part}" for part in ("rx", "ry", "rz", "x", "y", "z")[:nv]]
        else:
            found += [joint.name] if nv == 1 else [f"{joint.name}.{k + 1}" for k in range(nv)]
        found += [f"{body.name}.mode{k + 1}" for k in range(body.n_modes)]
    return tuple(found)
