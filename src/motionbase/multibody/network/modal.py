"""Flexible bodies by assumed modes: momentum of the floating frame and of the modes, and points that they carry.

With eta the modal amplitudes, u = (omega, v, eta_dot) in the axes of the frame, and T(u, eta) the kinetic energy that
the tree engine has too, Hamilton's equations are

    p = dT/du,    p_eta_dot = dT/d_eta - K eta - D eta_dot + forces on the modes,

with the rates of the momenta p_v and p_omega, in world axes, in the balance of the frame's node. Geometric stiffness is
in T by the shortening of a bent body. A point that something is attached to is a node of its own; six rows hold it where
the deformed body has it, and the force on the modes follows from their derivatives.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.linear import solve
from motionbase.multibody.body import Body
from motionbase.multibody.flexible.modes import Modes
from motionbase.multibody.network.constraints import Frame, offset, pushed, turns
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.multibody.tree.inertias import body_inertia
from motionbase.multibody.tree.outward import point_motion
from motionbase.spatial.rotations import Expr

ROWS = ("x", "y", "z", "turn_x", "turn_y", "turn_z")


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
            *(f"{self.name}.{point}.{row}" for point in self.points for row in ROWS),
        )

    def own_start(self) -> Sequence[float]:
        """Amplitudes; momenta follow."""
        return (*self.eta, *(0.0,) * (len(self.own) - len(self.eta)))

    def own_dot_start(self) -> Sequence[float]:
        """Rates of the amplitudes."""
        return (*self.eta_dot, *(0.0,) * (len(self.own) - len(self.eta)))

    def phi(self, places: Sequence[Place], numbers: Expr, eta: Expr, inputs: Expr) -> Expr:
        """Where the deformed body has its points, seen from their nodes; six rows for each."""
        at, rows = places[0], []
        for point, place in zip(self.points, places[1:], strict=True):
            T = point_motion(self.modes, point, eta, ca.SX.zeros(eta.shape)).T
            held = Frame(at.x + at.R @ T.p, at.R @ T.R)
            rows += [offset(held, Frame(place.x, place.R)), turns(held, Frame(place.x, place.R))]
        return ca.vertcat(*rows) if rows else ca.SX(0, 1)

    def equations(self, at: Moment) -> Equations:
        """Hamilton's equations and the held points."""
        n, place, g = self.modes.n, at.places[0], at.numbers
        eta, p_eta, spin, momentum, force = _split(at.own, n)
        eta_dot, p_eta_dot, spin_dot, momentum_dot, _ = _split(at.own_dot, n)
        has = kinetic(self.body, place, eta, eta_dot)
        weight = place.R @ has.first, has.first_by_eta.T @ (place.R.T @ g)
        held = pushed(at.places, force, eta, lambda places, eta: self.phi(places, at.numbers, eta, at.inputs))
        elastic = ca.DM(self.modes.stiffness) @ eta + ca.DM(self.modes.damping) @ eta_dot
        on_modes = has.by_eta - elastic + weight[1] + at.inputs + held.inner
        on_frame = self.modes.mass * g - momentum_dot
        moment = ca.cross(weight[0], g) - spin_dot - ca.cross(place.v, momentum)
        wrenches = [(held.wrenches[0][0] + on_frame, held.wrenches[0][1] + moment), *held.wrenches[1:]]
        rows = ca.vertcat(
            p_eta_dot - on_modes, has.p_eta - p_eta, place.R @ has.p[:3] - spin, place.R @ has.p[3:] - momentum
        )
        return Equations(wrenches, ca.vertcat(rows, held.phi))

    def rates(self, place: Place, own: Expr) -> Expr:
        """(n,) rates of the amplitudes, from the momenta of the modes."""
        eta, p_eta, *_ = _split(own, self.modes.n)
        inertia = body_inertia(self.body, _velocity(place), eta, ca.SX.zeros(eta.shape))
        return solve(ca.SX(inertia.elastic), p_eta - inertia.rigid_elastic.T @ _velocity(place), [self.modes.modal_mass], symmetric=True).x


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


def kinetic(body: Body, place: Place, eta: Expr, eta_dot: Expr) -> Kinetic:
    """By differentiation of the energy u' M(eta) u / 2, with the blocks of M that the tree engine uses."""
    n = body.n_modes
    u, x, x_dot = ca.SX.sym("u", 6), ca.SX.sym("x", n), ca.SX.sym("x_dot", n)
    M = body_inertia(body, u, x, x_dot)
    p, p_eta = M.rigid.times(u) + M.rigid_elastic @ x_dot, M.rigid_elastic.T @ u + M.elastic @ x_dot
    energy = 0.5 * (ca.dot(u, p) + ca.dot(x_dot, p_eta))
    found = [ca.SX(e) for e in (p, p_eta, ca.gradient(energy, x), M.rigid.h, ca.jacobian(M.rigid.h, x))]
    at = [ca.densify(ca.SX(value)) for value in (_velocity(place), eta, eta_dot)]
    return Kinetic(*ca.substitute(found, [u, x, x_dot], at))


def _velocity(place: Place) -> Expr:
    """(6,) angular velocity and velocity of a node in its own axes."""
    return ca.vertcat(place.R.T @ place.omega, place.R.T @ place.v)


def _split(own: Expr, n: int) -> list[Expr]:
    """Amplitudes, momenta of the modes, spin, momentum, multipliers."""
    ends = np.cumsum([0, n, n, 3, 3]).tolist()
    return [own[a:b] for a, b in zip(ends, [*ends[1:], own.shape[0]], strict=True)]
