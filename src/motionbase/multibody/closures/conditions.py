"""Conditions that two places meet: the rows closures are made of, for both engines.

A condition gives its residual from the two frames alone, which is what the network engine differentiates. For the tree
it also gives the wrench of each row and what the rows' acceleration has beside it; see `abstract`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol, final

import casadi as ca
import numpy as np

from motionbase.multibody.attitude import quaternion_of
from motionbase.multibody.body import Vector
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import PointState

Rotation = tuple[Vector, Vector, Vector]


class Seen(Protocol):
    """A frame of a body: where it is and how it is turned, in any axes."""

    @property
    def p(self) -> Expr: ...

    @property
    def R(self) -> Expr: ...


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


def stacked(relations: list[Relation]) -> Relation:
    """Rows of several, one after the other."""
    if len(relations) == 1:
        return relations[0]
    return Relation(
        ca.vertcat(*(r.residual for r in relations)),
        ca.horzcat(*(r.W for r in relations)),
        ca.vertcat(*(r.bias for r in relations)),
    )


class AbstractCondition(ABC):
    """Rows between a place on body a and one on body b.

    Attributes:
        slides: forces act at a's place on both bodies, because it moves along b; else the places are together
        inner: coordinates of its own that the network engine solves for
    """

    slides: ClassVar[bool] = False
    inner: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def rows(self) -> tuple[str, ...]:
        """Names of the rows."""

    @property
    @abstractmethod
    def unit(self) -> str:
        """Of the rows: "m" or "rad"."""

    @property
    def driven(self) -> bool:
        """The one row follows an input: value - input = 0."""
        return False

    @property
    def numbers(self) -> tuple[float, ...]:
        """Parameters, as `residual` takes them."""
        return ()

    @abstractmethod
    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """Rows that vanish where the condition is met; `n` are the numbers, as constants or symbols."""

    @abstractmethod
    def relation(self, a: PointState, b: PointState) -> Relation:
        """Residual, wrenches and bias of the places in motion."""

    def phi(self, a: Seen, b: Seen, n: Expr, s: Expr, u: Expr) -> Expr:
        """Rows of the network engine, with inner coordinates s and an input u."""
        rows = self.residual(a, b, n)
        return rows - u[0] if self.driven else rows

    def missed(self, residual: Expr, u: Expr) -> Expr:
        """The residual of the driven row with its input."""
        return residual - u


def dot_row(a: PointState, u: Expr, b: PointState, w: Expr, value: float = 0.0) -> Relation:
    """One row u . w = value, u fixed in a and w in b: its rate is (u x w) . (omega_a - omega_b)."""
    omega_a, omega_b = a.velocity[:3], b.velocity[:3]
    arm = ca.cross(u, w)
    arm_dot = ca.cross(ca.cross(omega_a, u), w) + ca.cross(u, ca.cross(omega_b, w))
    bias = ca.dot(arm_dot, omega_a - omega_b)
    return Relation(ca.dot(w, u) - value, ca.vertcat(arm, ca.DM.zeros(3)), bias)


def normals(axis: Vector) -> tuple[Expr, Expr]:
    """Two unit vectors normal to an axis and to each other; along the frame's axes where the axis is one of them."""
    a = np.asarray(axis)
    helper = np.eye(3)[(int(np.argmax(np.abs(a))) + 1) % 3]
    first = helper - (helper @ a) * a
    first /= np.linalg.norm(first)
    return ca.DM(first), ca.DM(np.cross(a, first))


def flat(*vectors: object) -> tuple[float, ...]:
    """Numbers of vectors and matrices, by rows."""
    return tuple(float(x) for v in vectors for x in np.ravel(np.asarray(v, dtype=np.float64)))


# ---- places --------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Together(AbstractCondition):
    """p_a - p_b = 0 seen along b's axes: rows that turn with b, so that a planar loop stays planar on a moving base.

    The rows are the world's equation turned as a whole, at every level (position, rate, acceleration); so there is no
    bias of their own and errors decay as they would in world axes.
    """

    rows = ("x", "y", "z")
    unit = "m"

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """In b's axes."""
        return b.R.T @ (a.p - b.p)

    def relation(self, a: PointState, b: PointState) -> Relation:
        """Forces along b's axes."""
        W: Expr = ca.vertcat(ca.DM.zeros(3, 3), b.R)
        return Relation(self.residual(a, b, ca.DM()), W, ca.DM.zeros(3))


@final
@dataclass(frozen=True)
class Level(AbstractCondition):
    """Place a stays in planes through place b, which move with b: e . (p_a - p_b) = 0 for each normal e.

    Attributes:
        names: of the rows, one for each plane
        planes: normals, in b's frame
        moves: the one plane moves along its normal with an input
    """

    names: tuple[str, ...]
    planes: tuple[Vector, ...]
    moves: bool = False
    unit = "m"
    slides = True

    @property
    def rows(self) -> tuple[str, ...]:
        """As given."""
        return self.names

    @property
    def driven(self) -> bool:
        """As given."""
        return self.moves

    @property
    def numbers(self) -> tuple[float, ...]:
        """The normals."""
        return flat(*self.planes)

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """How far a is along each normal."""
        own = b.R.T @ (a.p - b.p)
        return ca.vertcat(*(ca.dot(n[3 * k : 3 * k + 3], own) for k in range(len(self.planes))))

    def relation(self, a: PointState, b: PointState) -> Relation:
        """The plane turns: its second rate has the Coriolis term of a's motion relative to b."""
        omega, d = b.velocity[:3], a.p - b.p
        seen = a.velocity[3:] - b.velocity[3:] - ca.cross(omega, d)
        E = ca.horzcat(*(b.R @ ca.DM(e) for e in self.planes))
        bias = -2 * (E.T @ ca.cross(omega, seen))
        W = ca.vertcat(ca.DM.zeros(3, len(self.planes)), E)
        return Relation(self.residual(a, b, ca.DM(self.numbers)), W, bias)


@final
@dataclass(frozen=True)
class Apart(AbstractCondition):
    """|p_a - p_b| = distance."""

    distance: float
    rows = ("length",)
    unit = "m"

    @property
    def numbers(self) -> tuple[float, ...]:
        """The distance [m]."""
        return (self.distance,)

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """Too far is positive."""
        return ca.sqrt(ca.sumsqr(a.p - b.p)) - n[0]

    def relation(self, a: PointState, b: PointState) -> Relation:
        """l_ddot = u . (a_a - a_b) + |part of v_a - v_b normal to u|^2 / l."""
        d, d_dot = a.p - b.p, a.velocity[3:] - b.velocity[3:]
        l = ca.sqrt(ca.sumsqr(d))
        u = d / l
        l_dot = ca.dot(u, d_dot)
        bias = (ca.sumsqr(d_dot) - l_dot**2) / l
        return Relation(l - self.distance, ca.vertcat(ca.DM.zeros(3), u), bias)


# ---- directions ----------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Parallel(AbstractCondition):
    """An axis of a is normal to two normals of an axis of b; opposite axes count as parallel too."""

    axis_a: Vector
    axis_b: Vector
    rows = ("tilt_1", "tilt_2")
    unit = "rad"

    @property
    def numbers(self) -> tuple[float, ...]:
        """a's axis, normals of b's."""
        return flat(self.axis_a, *normals(self.axis_b))

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """Sines of the tilt."""
        axis = a.R @ n[:3]
        return ca.vertcat(ca.dot(b.R @ n[3:6], axis), ca.dot(b.R @ n[6:9], axis))

    def relation(self, a: PointState, b: PointState) -> Relation:
        """A row for each normal."""
        axis = a.R @ ca.DM(self.axis_a)
        return stacked([dot_row(a, axis, b, b.R @ normal) for normal in normals(self.axis_b)])


@final
@dataclass(frozen=True)
class Crossed(AbstractCondition):
    """An axis of a stays at an angle to one of b.

    Attributes:
        cosine: of the angle
    """

    axis_a: Vector
    axis_b: Vector
    cosine: float
    rows = ("cross",)
    unit = "rad"

    @property
    def numbers(self) -> tuple[float, ...]:
        """Both axes, and the cosine."""
        return flat(self.axis_a, self.axis_b, self.cosine)

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """Cosine too large is positive."""
        return ca.dot(b.R @ n[3:6], a.R @ n[:3]) - n[6]

    def relation(self, a: PointState, b: PointState) -> Relation:
        """One product."""
        return dot_row(a, a.R @ ca.DM(self.axis_a), b, b.R @ ca.DM(self.axis_b), self.cosine)


@final
@dataclass(frozen=True)
class Aligned(AbstractCondition):
    """Frame a is turned by `orientation` in frame b, and no more.

    The error is 2 sin(angle / 2) times its axis, the short way round: twice the vector part of the quaternion with
    w >= 0. It is the angle for small ones, vanishes where the frames agree and nowhere else, and is largest at 180
    degrees. Its rate is taken as omega_a - omega_b (equation 30), which is exact where the condition is met. The
    network engine, which starts where it is met, takes sin(angle) times the axis, without a choice of cases.
    """

    orientation: Rotation
    rows = ("turn_x", "turn_y", "turn_z")
    unit = "rad"

    @property
    def numbers(self) -> tuple[float, ...]:
        """The matrix, row by row."""
        return flat(self.orientation)

    def _left(self, a: Seen, b: Seen, orientation: Expr) -> Expr:
        """(3, 3) of a relative to where it should be, in b's axes."""
        return b.R.T @ a.R @ orientation.T

    def residual(self, a: Seen, b: Seen, n: Expr) -> Expr:
        """In b's axes."""
        return 2 * quaternion_of(self._left(a, b, ca.reshape(n, 3, 3).T))[1:]

    def phi(self, a: Seen, b: Seen, n: Expr, s: Expr, u: Expr) -> Expr:
        """In b's axes."""
        return sine_of_turn(self._left(a, b, ca.reshape(n, 3, 3).T))

    def relation(self, a: PointState, b: PointState) -> Relation:
        """Moments along b's axes."""
        turned = 2 * quaternion_of(self._left(a, b, ca.DM(self.orientation)))[1:]
        return Relation(turned, ca.vertcat(b.R, ca.DM.zeros(3, 3)), ca.DM.zeros(3))


def sine_of_turn(R: Expr) -> Expr:
    """(3,) sine of a rotation's angle times its axis."""
    return 0.5 * ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1])
