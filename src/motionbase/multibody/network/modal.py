"""Flexible bodies by assumed modes: momentum of the floating frame and of the modes, and points that they carry.

With eta the modal amplitudes, u = (omega, v, eta_dot) in the axes of the frame, and T(u, eta) the kinetic energy that
the tree engine has too, Hamilton's equations are

    p = dT/du,    p_eta_dot = dT/d_eta - K eta - D eta_dot + forces on the modes,

with the rates of spin and momentum, in world axes, in the balance of the frame's node. Geometric stiffness is in T by
the shortening of a bent body. A point that something is attached to is a node of its own; six rows hold it where the
deformed body has it, and their force pushes frame and modes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.linear import solve
from motionbase.multibody.body import Body
from motionbase.multibody.flexible.modes import Modes
from motionbase.multibody.network.constraints import KINDS, Frame, pushed
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own, stacked
from motionbase.multibody.tree.inertias import body_inertia
from motionbase.multibody.tree.outward import point_motion
from motionbase.spatial.rotations import Expr

WELD = KINDS["weld"]


@final
@dataclass(frozen=True, eq=False)
class ModalBody(AbstractPart):
    """A flexible body of a model.

    Attributes:
        nodes: the floating frame's, then those of the points
        points: names of the points that are nodes
        gravity: (3,) [m/s^2]
        tau: names of the inputs that push the modes
        eta, eta_dot: (n,) amplitudes and rates of the start
    """

    body: Body
    nodes: tuple[int | None, ...]
    points: tuple[str, ...]
    gravity: Array
    tau: tuple[str, ...]
    eta: Array
    eta_dot: Array

    @property
    def name(self) -> str:  # type: ignore[override]
        """The body's."""
        return self.body.name

    @property
    def modes(self) -> Modes:
        """The body's."""
        assert self.body.modes is not None
        return self.body.modes

    @property
    def kind(self) -> Hashable:
        """Its modes are folded in."""
        return "modal body", id(self.modes), self.points

    @property
    def numbers(self) -> Array:
        """Gravity."""
        return self.gravity

    @property
    def inputs(self) -> tuple[str, ...]:
        """Forces on the modes."""
        return self.tau

    @property
    def own(self) -> tuple[Own, ...]:
        """Amplitudes, momenta of the modes, spin and momentum of the whole, then a multiplier for each held row."""
        n = self.modes.n
        return (Own.MODE,) * n + (Own.DIFFERENTIAL,) * (n + 6) + (Own.HOLONOMIC,) * (6 * len(self.points))

    @property
    def row_names(self) -> tuple[str, ...]:
        """Of the balance of each mode, of the momenta, and of the rows that hold points."""
        modes = range(1, self.modes.n + 1)
        return (
            *(f"{self.name}.mode{k}.force" for k in modes),
            *(f"{self.name}.mode{k}.momentum" for k in modes),
            *(f"{self.name}.{what}.{axis}" for what in ("spin", "momentum") for axis in "xyz"),
            *(f"{self.name}.{point}.{row}" for point in self.points for row in WELD.rows),
        )

    def own_start(self) -> Sequence[float]:
        """Amplitudes; momenta follow."""
        return (*self.eta, *(0.0,) * (len(self.own) - len(self.eta)))

    def own_dot_start(self) -> Sequence[float]:
        """Rates of the amplitudes."""
        return (*self.eta_dot, *(0.0,) * (len(self.own) - len(self.eta)))

    # ---- equations -------------------------------------------------------------------------------------------------

    def equations(self, at: Moment) -> Equations:
        """Hamilton's equations and the held points."""
        return self._equations(at, self.law.values(self._motion(at)))

    def derivatives(self, at: Moment, moved: Moment, by: Sequence[Expr]) -> list[Expr]:
        """By the chain rule through what `law` tells, which depends on few numbers: far shorter."""
        w, law = self._motion(at), self.law
        values = ca.SX.sym("values", law.value.shape[0])
        column, motion = stacked(moved, self._equations(moved, values)), self._motion(moved)
        slope = ca.jacobian(column, values) @ law.slopes(w)
        found = [ca.jacobian(column, d) + slope @ ca.jacobian(motion, d) for d in by]
        return list(ca.substitute(found, [values], [law.values(w)]))

    @cached_property
    def law(self) -> ModalLaw:
        """Momenta and forces of the modes, and where the points are."""
        return ModalLaw.of(self.body, self.points)

    def _motion(self, at: Moment) -> Expr:
        """(6 + 2 n,) velocities of the frame in its own axes, amplitudes, rates."""
        n = self.modes.n
        return ca.vertcat(_velocity(at.places[0]), at.own[:n], at.own_dot[:n])

    def _equations(self, at: Moment, values: Expr) -> Equations:
        """With what the law tells."""
        n, place, g = self.modes.n, at.places[0], at.numbers
        eta, p_eta, spin, momentum, multipliers = _split(at.own, n)
        eta_dot, p_eta_dot, spin_dot, momentum_dot, _ = _split(at.own_dot, n)
        has, points = self.law.read(values)
        elastic = ca.DM(self.modes.stiffness) @ eta + ca.DM(self.modes.damping) @ eta_dot
        on_modes = has.by_eta - elastic + has.first_by_eta.T @ (place.R.T @ g) + at.inputs
        force = self.modes.mass * g - momentum_dot
        moment = ca.cross(place.R @ has.first, g) - spin_dot - ca.cross(place.v, momentum)
        held, wrenches = [], []
        for k, (point, node) in enumerate(zip(points, at.places[1:], strict=True)):
            carrier = point.place(place)
            weld = pushed([carrier, node], multipliers[6 * k : 6 * k + 6], ca.SX(0, 1), _held)
            push, turn = weld.wrenches[0]
            on_modes += point.S.T @ ca.vertcat(carrier.R.T @ turn, carrier.R.T @ push)
            force += push
            moment += turn + ca.cross(carrier.x - place.x, push)
            wrenches.append(weld.wrenches[1])
            held.append(weld.phi)
        momenta = place.R @ has.p[:3] - spin, place.R @ has.p[3:] - momentum
        rows = ca.vertcat(p_eta_dot - on_modes, has.p_eta - p_eta, *momenta, *held)
        return Equations([(force, moment), *wrenches], rows)

    # ---- what is known of a state ----------------------------------------------------------------------------------

    def phi(self, places: Sequence[Place], numbers: Expr, eta: Expr, inputs: Expr) -> Expr:
        """Where the deformed body has its points, seen from their nodes; six rows for each."""
        _, points = self.law.read(self.law.values(ca.vertcat(ca.SX.zeros(6), eta, ca.SX.zeros(eta.shape))))
        rows = [_held([p.place(places[0]), node], ca.SX(0, 1)) for p, node in zip(points, places[1:], strict=True)]
        return ca.vertcat(ca.SX(0, 1), *rows)

    def rates(self, place: Place, own: Expr) -> Expr:
        """(n,) rates of the amplitudes, from the momenta of the modes."""
        eta, p_eta, *_ = _split(own, self.modes.n)
        u = _velocity(place)
        M = body_inertia(self.body, u, eta, ca.SX.zeros(eta.shape))
        right = p_eta - M.rigid_elastic.T @ u
        return solve(ca.SX(M.elastic), right, [self.modes.modal_mass], symmetric=True).x


def _held(places: Sequence[Place], _: Expr) -> Expr:
    """(6,) rows of a weld between the deformed body and a point's node."""
    (A, B), nothing = (Frame(p.x, p.R) for p in places), ca.SX(0, 1)
    return WELD.phi(A, B, nothing, nothing, nothing)


# ---- the law of a body's motion ------------------------------------------------------------------------------------


class Kinetic(NamedTuple):
    """A flexible body's momenta and what its kinetic energy and weight do to the modes; in the axes of its frame.

    Attributes:
        p: (6,) spin about the frame's origin, momentum
        p_eta: (n,) momenta of the modes
        by_eta: (n,) derivative of the kinetic energy by the amplitudes
        first: (3,) mass times the place of its centre
        first_by_eta: (3, n) derivative of that
    """

    p: Expr
    p_eta: Expr
    by_eta: Expr
    first: Expr
    first_by_eta: Expr


class Point(NamedTuple):
    """A point of the deformed body, in its floating frame.

    Attributes:
        p, R: position and orientation
        S: (6, n) rotation, then displacement, for unit rates of the amplitudes, in the point's own axes
    """

    p: Expr
    R: Expr
    S: Expr

    def place(self, frame: Place) -> Place:
        """In the world; nobody asks for its velocity."""
        return Place(frame.x + frame.R @ self.p, frame.R @ self.R, ca.SX(3, 1), ca.SX(3, 1))


@final
@dataclass(frozen=True)
class ModalLaw:
    """`Kinetic` and the points as one column, and its derivative, by (omega, v, eta, eta_dot).

    Momenta are derivatives of the energy u' M(eta) u / 2, whose blocks and points are those of the tree engine.

    Attributes:
        n, points: numbers of modes and of points
    """

    n: int
    points: int
    at: Expr
    value: Expr
    slope: Expr

    @classmethod
    def of(cls, body: Body, points: Sequence[str]) -> ModalLaw:
        """By differentiation."""
        n = body.n_modes
        u, x, x_dot = ca.SX.sym("u", 6), ca.SX.sym("x", n), ca.SX.sym("x_dot", n)
        M = body_inertia(body, u, x, x_dot)
        p, p_eta = M.rigid.times(u) + M.rigid_elastic @ x_dot, M.rigid_elastic.T @ u + M.elastic @ x_dot
        energy = 0.5 * (ca.dot(u, p) + ca.dot(x_dot, p_eta))
        (curvature, by_eta), at = ca.hessian(energy, x), ca.vertcat(u, x, x_dot)
        slope = ca.jacobian(ca.vertcat(p, p_eta), at)
        by_x = slope[:, 6 : 6 + n]  # second derivatives of the energy are symmetric
        slope = ca.vertcat(slope, ca.horzcat(by_x[:6, :].T, curvature, by_x[6:, :].T))
        told = [M.rigid.h, ca.jacobian(M.rigid.h, x)]
        for point in points:
            assert body.modes is not None
            moved = point_motion(body.modes, point, x, x_dot)
            told += [moved.T.p, moved.T.R, moved.S]
        more = ca.vertcat(*(ca.vec(ca.densify(ca.SX(part))) for part in told))
        value = ca.densify(ca.vertcat(p, p_eta, by_eta, more))
        return cls(n, len(points), at, value, ca.vertcat(slope, ca.jacobian(more, at)))

    def read(self, column: Expr) -> tuple[Kinetic, list[Point]]:
        """What the column tells."""
        n = self.n
        shapes = [(6, 1), (n, 1), (n, 1), (3, 1), (3, n), *[(3, 1), (3, 3), (6, n)] * self.points]
        parts = ca.vertsplit(column, np.cumsum([0, *(rows * columns for rows, columns in shapes)]).tolist())
        found = [ca.reshape(part, *shape) for part, shape in zip(parts, shapes, strict=True)]
        return Kinetic(*found[:5]), [Point(*found[k : k + 3]) for k in range(5, len(found), 3)]

    def values(self, at: Expr) -> Expr:
        """The column there."""
        return ca.substitute(self.value, self.at, ca.densify(at))

    def slopes(self, at: Expr) -> Expr:
        """Its derivative there."""
        return ca.substitute(self.slope, self.at, ca.densify(at))


def _velocity(place: Place) -> Expr:
    """(6,) angular velocity and velocity of a node in its own axes."""
    return ca.vertcat(place.R.T @ place.omega, place.R.T @ place.v)


def _split(own: Expr, n: int) -> list[Expr]:
    """Amplitudes, momenta of the modes, spin, momentum, multipliers."""
    ends = [*np.cumsum([0, n, n, 3, 3]).tolist(), own.shape[0]]
    return [own[a:b] for a, b in zip(ends, ends[1:], strict=False)]
