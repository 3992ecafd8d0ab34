"""Interface of closures for the formulations: residual, its rate, Jacobian and acceleration bias.

Most closures hold a place on body a against a place on body b, and share one form: the constraint forces are
W lambda, a wrench on a (its opposite on b), so that with V the velocity and A the acceleration of the places,

    rate = W' (V_a - V_b) = J v,    J = W' (J_a - J_b),    J v_dot + bias = W' (A_a - A_b) + (rest of W).

Where a slides along b, V_b and A_b are those of the point of b at which a is. The conditions in `conditions` and
`shafts` give W and the rest of it.

Quiocho, Huynh & Crues, equations 24, 25, 29 and 30.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name, checked_vector
from motionbase.multibody.closures.conditions import AbstractCondition, Relation, stacked
from motionbase.multibody.elements.abstract import Wrench
from motionbase.multibody.joints.axes import unit
from motionbase.multibody.lookup import GROUND, ZERO, Point, Vector, check_place, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import PointState, TreeState


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
        arm: (3,) from body b's place to where the opposite wrench acts on it, in world axes [m]
    """

    residual: Expr
    rate: Expr
    J: Expr
    bias: Expr
    W: Expr
    arm: Expr = field(default_factory=lambda: ca.DM.zeros(3))


class AbstractClosure(ABC):
    """Rows that the motion must meet in addition to the joints."""

    name: str
    switchable: bool

    @property
    @abstractmethod
    def rows(self) -> tuple[str, ...]:
        """Names of the rows."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """Unit of each row's residual: "m", "rad" or, if it depends on the model, "rad or m"."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Inputs that move the closure: a value, its rate and its second rate; none for one that only holds."""
        return ()

    @abstractmethod
    def check(self, model: Model) -> None:
        """Raise ModelError if the model lacks something that the closure names."""

    @abstractmethod
    def equations(self, state: TreeState) -> ClosureEquations:
        """Residual, rate, Jacobian and bias in a tree."""

    def imposed(self, own: ClosureEquations, inputs: Sequence[Expr]) -> ClosureEquations:
        """The same equations with the closure's inputs."""
        return own

    @abstractmethod
    def reaction_port(self, model: Model) -> Port:
        """Port of the result of `reaction`, named NAME_reaction."""

    @abstractmethod
    def reaction(self, W: Expr, F: Expr) -> Expr:
        """Combination of the rows' forces F (n,), with W of the equations."""

    @abstractmethod
    def wrenches(self, own: ClosureEquations, F: Expr) -> tuple[Wrench, ...]:
        """What the rows' forces F (n,) do to bodies; none where they push within joints."""


class AbstractPlaceClosure(AbstractClosure):
    """A place on body a held against a place on body b; either may be the ground."""

    body_a: str
    point_a: Point
    body_b: str
    point_b: Point

    @property
    @abstractmethod
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """What is held."""

    @property
    def network_conditions(self) -> tuple[AbstractCondition, ...]:
        """What the network engine holds: the same, where a closure has no other form for it."""
        return self.conditions

    @property
    def rows(self) -> tuple[str, ...]:
        """Those of the conditions."""
        return tuple(row for condition in self.conditions for row in condition.rows)

    @property
    def units(self) -> tuple[str, ...]:
        """Those of the conditions."""
        return tuple(condition.unit for condition in self.conditions for _ in condition.rows)

    def relation(self, a: PointState, b: PointState) -> Relation:
        """The geometry of the two places, both seen in the same axes."""
        return stacked([condition.relation(a, b) for condition in self.conditions])

    def check(self, model: Model) -> None:
        """Check that both places exist."""
        check_place(f"closure {self.name!r}", model, self.body_a, self.point_a)
        check_place(f"closure {self.name!r}", model, self.body_b, self.point_b)

    def equations(self, state: TreeState) -> ClosureEquations:
        """Residual, rate, Jacobian and bias in a tree."""
        place = state.point(self.body_b, self.point_b)
        a, b = state.point(self.body_a, self.point_a).in_axes_of(place), place.in_axes_of(place)
        own = self.relation(a, b)
        arm: Expr = ca.DM.zeros(3)
        if any(condition.slides for condition in self.conditions):
            arm, b = place.R @ a.p, b.carried_to(a.p)
        rate = own.W.T @ (a.velocity - b.velocity)
        bias = own.W.T @ (a.acceleration - b.acceleration) + own.bias
        W = ca.vertcat(place.R @ own.W[:3, :], place.R @ own.W[3:, :])
        return ClosureEquations(own.residual, rate, ca.sparsify(own.W.T @ (a.J - b.J)), bias, W, arm)

    def reaction_port(self, model: Model) -> Port:
        """Moment and force on body a."""
        return Port(f"{self.name}_reaction", 6, "-", f"moment [N m] and force [N] on {self.body_a}")

    def reaction(self, W: Expr, F: Expr) -> Expr:
        """(6,) moment and force on body a at its place, world axes."""
        return W @ F

    def wrenches(self, own: ClosureEquations, F: Expr) -> tuple[Wrench, ...]:
        """On body a, and the opposite on body b."""
        on_a = own.W @ F
        moment, force = on_a[:3], on_a[3:]
        on_b = ca.vertcat(moment + ca.cross(own.arm, force), force)
        return Wrench(self.body_a, self.point_a, on_a), Wrench(self.body_b, self.point_b, -on_b)


@dataclass(frozen=True)
class AbstractJoined(AbstractPlaceClosure):
    """A place closure with the fields that nearly all have, in this order, before its own.

    Attributes:
        body_a, point_a, body_b, point_b: the places; a point is a name or coordinates in the body's frame [m]. With the
            ground as body b the equations are shortest
        switchable: has an input NAME_active: 1 holds, 0 lets go
    """

    name: str
    body_a: str
    point_a: Point = ZERO
    body_b: str = GROUND
    point_b: Point = ZERO
    switchable: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_ends(self)


def check_ends(closure: AbstractPlaceClosure) -> str:
    """Checks that all closures share; returns the name for messages."""
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


def check_axes(closure: AbstractPlaceClosure, *axes: str) -> str:
    """`check_ends`, and the axes of these names are scaled to length one."""
    owner = check_ends(closure)
    for what in axes:
        object.__setattr__(closure, what, checked_axis(owner, what, getattr(closure, what)))
    return owner


def imposed_equations(model: Model, state: TreeState, drives: Sequence[Expr]) -> list[ClosureEquations]:
    """Of every closure of a model, with what they follow: values of all their inputs in the model's order."""
    given, found = list(drives), []
    for closure in model.closures:
        count = len(closure.inputs)
        own = closure.equations(state)
        found.append(closure.imposed(own, given[:count]) if count else own)
        given = given[count:]
    return found
