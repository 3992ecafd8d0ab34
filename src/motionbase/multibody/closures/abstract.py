"""What every closure tells the formulations: residual, its rate, Jacobian and acceleration bias.

Most closures hold a place on body a against a place on body b, and share one form: the constraint forces are
W lambda, a wrench on a (its opposite on b), so that with V the velocity and A the acceleration of the places,

    rate = W' (V_a - V_b) = J v,    J = W' (J_a - J_b),    J v_dot + bias = W' (A_a - A_b) + (rest of W).

Quiocho, Huynh & Crues, equations 24, 25, 29 and 30.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name, checked_vector
from motionbase.multibody.elements.abstract import Wrench
from motionbase.multibody.joints.axes import unit
from motionbase.multibody.lookup import Point, Vector, check_place, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import PointState, TreeState


@final
@dataclass(frozen=True)
class Relation:
    """A closure's own geometry at one moment, in the axes of the two places it was asked with.

    Attributes:
        residual: (n,) zero where the closure is met [m] or [rad]
        W: (6, n) wrench on body a at its place for a unit of each row's force
        bias: (n,) what the rows' acceleration has beside W' (A_a - A_b)
    """

    residual: Expr
    W: Expr
    bias: Expr


@final
@dataclass(frozen=True)
class ClosureEquations:
    """The rows of a closure: J v_dot + bias = second rate of the residual (equation 28 with sigma = -bias).

    Attributes:
        residual: (n,) Delta X_C [m, rad]
        rate: (n,) Delta X_dot_C [m/s, rad/s]
        J: (n, nv)
        bias: (n,) [m/s^2, rad/s^2]
        W: (6, n) wrench on body a at its place, in world axes, for a unit of each row's force; zero where the rows
            push within joints
    """

    residual: Expr
    rate: Expr
    J: Expr
    bias: Expr
    W: Expr


class AbstractClosure(ABC):
    """Rows that the motion must meet beside the joints."""

    name: str
    switchable: bool

    @property
    @abstractmethod
    def rows(self) -> tuple[str, ...]:
        """Names of the rows."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Unit of each row's residual: "m", "rad" or, where the model decides, "rad or m"."""

    @abstractmethod
    def check(self, model: Model) -> None:
        """Raise ModelError where the model lacks what the closure names."""

    @abstractmethod
    def equations(self, state: TreeState) -> ClosureEquations:
        """Residual, rate, Jacobian and bias in a tree."""

    @abstractmethod
    def reaction_port(self, model: Model) -> Port:
        """What `reaction` gives, under the name NAME_reaction."""

    @abstractmethod
    def reaction(self, W: Expr, F: Expr) -> Expr:
        """The rows' forces F (n,) together, with W of the equations."""

    @abstractmethod
    def wrenches(self, W: Expr, F: Expr) -> tuple[Wrench, ...]:
        """What the rows' forces do to bodies; none where they push within joints."""


class AbstractPlaceClosure(AbstractClosure):
    """A place on body a held against a place on body b; either may be the ground."""

    body_a: str
    point_a: Point
    body_b: str
    point_b: Point

    @abstractmethod
    def relation(self, a: PointState, b: PointState) -> Relation:
        """The geometry of the two places, both seen in the same axes."""

    def check(self, model: Model) -> None:
        """Both places are there."""
        check_place(f"closure {self.name!r}", model, self.body_a, self.point_a)
        check_place(f"closure {self.name!r}", model, self.body_b, self.point_b)

    def equations(self, state: TreeState) -> ClosureEquations:
        """Residual, rate, Jacobian and bias in a tree."""
        place = state.point(self.body_b, self.point_b)
        a, b = state.point(self.body_a, self.point_a).in_axes_of(place), place.in_axes_of(place)
        own = self.relation(a, b)
        rate = own.W.T @ (a.velocity - b.velocity)
        bias = own.W.T @ (a.acceleration - b.acceleration) + own.bias
        W = ca.vertcat(place.R @ own.W[:3, :], place.R @ own.W[3:, :])
        return ClosureEquations(own.residual, rate, ca.sparsify(own.W.T @ (a.J - b.J)), bias, W)

    def reaction_port(self, model: Model) -> Port:
        """Moment and force on body a."""
        return Port(f"{self.name}_reaction", 6, "-", f"moment [N m] and force [N] on {self.body_a}")

    def reaction(self, W: Expr, F: Expr) -> Expr:
        """(6,) moment and force on body a at its place, world axes."""
        return W @ F

    def wrenches(self, W: Expr, F: Expr) -> tuple[Wrench, ...]:
        """On body a, and the opposite on body b."""
        own = W @ F
        return Wrench(self.body_a, self.point_a, own), Wrench(self.body_b, self.point_b, -own)


def check_ends(closure: AbstractPlaceClosure) -> str:
    """What every closure checks of itself; returns how messages name it."""
    check_name("closure", closure.name)
    owner = f"closure {closure.name!r}"
    for what in ("point_a", "point_b"):
        object.__setattr__(closure, what, checked_point(owner, what, getattr(closure, what)))
    if closure.body_a == closure.body_b:
        raise ModelError(f"{owner}: both places are on {closure.body_a!r}; it must hold two bodies together")
    return owner


def checked_axis(owner: str, what: str, axis: Vector) -> Vector:
    """A direction scaled to length one."""
    return unit(checked_vector(owner, what, axis), f"{owner}: {what}")


def normals(axis: Vector) -> tuple[Expr, Expr]:
    """Two unit vectors normal to an axis and to each other; along the frame's axes where the axis is one of them."""
    a = np.asarray(axis)
    helper = np.eye(3)[(int(np.argmax(np.abs(a))) + 1) % 3]
    first = helper - (helper @ a) * a
    first /= np.linalg.norm(first)
    return ca.DM(first), ca.DM(np.cross(a, first))
