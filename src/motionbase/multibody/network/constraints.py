"""Constraints between two markers, as rows phi = 0; forces, velocities and derivatives follow by differentiation.

Each kind is a function of the frames A (of a joint's parent, or of body a of a closure) and B (of its child, or of body
b). Rows are written in B's axes. A row's multiplier is the force or moment on A along the row's increase, the opposite
on B: with virtual work, phi_x' lambda (equation 4, with the other sign).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.closures.conditions import sine_of_turn
from motionbase.multibody.network.hinges import hinge_equations
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.spatial import skew
from motionbase.spatial.rotations import Expr


class Frame(NamedTuple):
    """A marker in world axes."""

    p: Expr
    R: Expr


class Marker(NamedTuple):
    """A frame fixed to a node: its place relative to the node [m] and its orientation, both in the node's axes."""

    r: Array
    C: Array

    @property
    def numbers(self) -> Array:
        """(12,) place, then the matrix row by row."""
        return np.concatenate([self.r, np.ravel(self.C)])


MARKER_SIZE = 12


def frame(place: Place, numbers: Expr) -> Frame:
    """A marker of a node in the world; three numbers for one with the node's axes."""
    if numbers.shape[0] == 3:
        return Frame(place.x + place.R @ numbers, place.R)
    C = ca.reshape(numbers[3:MARKER_SIZE], 3, 3).T
    return Frame(place.x + place.R @ numbers[:3], place.R @ C)


# ---- rows ----------------------------------------------------------------------------------------------------------


def offset(A: Frame, B: Frame) -> Expr:
    """(3,) A's origin in B's axes."""
    return B.R.T @ (A.p - B.p)


def tilts(A: Frame, B: Frame) -> Expr:
    """(2,) A's z axis along B's x and y: zero where the z axes are parallel."""
    return ca.vertcat(ca.dot(B.R[:, 0], A.R[:, 2]), ca.dot(B.R[:, 1], A.R[:, 2]))


def turns(A: Frame, B: Frame) -> Expr:
    """(3,) sine of the angle from B to A times its axis, in B's axes."""
    return sine_of_turn(B.R.T @ A.R)


@final
@dataclass(frozen=True)
class Kind:
    """A kind of constraint.

    Attributes:
        name: of the kind
        rows: names of its rows
        units: of its rows, "m" or "rad"
        phi: (A, B, extra numbers, inner coordinates, inputs) -> rows
        extra: how many further numbers it takes
        inner: names of coordinates of its own, unknowns that make its forces do no work along them
        turned: its markers have axes of their own; else those of their nodes
        local: its equations in the axes of both bodies; by differentiation of `phi` if None
    """

    name: str
    rows: tuple[str, ...]
    units: tuple[str, ...]
    phi: Callable[[Frame, Frame, Expr, Expr, Expr], Expr] = field(compare=False)
    extra: int = 0
    inner: tuple[str, ...] = ()
    turned: bool = True
    local: Callable[[Moment], Equations] | None = field(default=None, compare=False)


def _kind(
    name: str, rows: str, phi: Callable[..., Expr], extra: int = 0,
    local: Callable[[Moment], Equations] | None = None,
) -> Kind:  # fmt: skip
    names = tuple(rows.split())
    units = tuple("m" if row in ("x", "y", "z") else "rad" for row in names)
    return Kind(name, names, units, phi, extra, local=local)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        _kind("point", "x y z", lambda A, B, n, s, u: offset(A, B)),
        _kind(
            "revolute",
            "x y z tilt_x tilt_y",
            lambda A, B, n, s, u: ca.vertcat(offset(A, B), tilts(A, B)),
            local=hinge_equations,
        ),
        _kind("prismatic", "x y turn_x turn_y turn_z", lambda A, B, n, s, u: ca.vertcat(offset(A, B)[:2], turns(A, B))),
        _kind("cylindrical", "x y tilt_x tilt_y", lambda A, B, n, s, u: ca.vertcat(offset(A, B)[:2], tilts(A, B))),
        _kind("planar", "z tilt_x tilt_y", lambda A, B, n, s, u: ca.vertcat(offset(A, B)[2], tilts(A, B))),
        _kind(
            "universal",
            "x y z cross",
            lambda A, B, n, s, u: ca.vertcat(offset(A, B), ca.dot(A.R[:, 0], B.R[:, 1]) - n[0]),
            extra=1,
        ),
        _kind("weld", "x y z turn_x turn_y turn_z", lambda A, B, n, s, u: ca.vertcat(offset(A, B), turns(A, B))),
    )
}


@final
@dataclass(frozen=True, eq=False)
class Constraint(AbstractPart):
    """A kind of constraint between two markers.

    Attributes:
        of: the kind
        nodes: A's and B's
        a, b: the markers
        extra: further numbers of the kind
        dropped: rows that follow from others and are left out
        drive: input that its one row follows, and that which is its second rate
        on_speed: the row holds the rate of phi at the drive, not phi
        switch: name of an input, 1 holds and 0 lets go; None holds for ever
    """

    name: str
    of: Kind
    nodes: tuple[int | None, ...]
    a: Marker
    b: Marker
    extra: tuple[float, ...] = ()
    dropped: tuple[int, ...] = ()
    drive: tuple[str, str] | None = None
    on_speed: bool = False
    switch: str | None = None

    indifferent: ClassVar[bool] = True

    @property
    def kind(self) -> Hashable:
        """The kind, and what is folded into its code."""
        ground = tuple(n is None for n in self.nodes)
        return "constraint", self.of, ground, self.dropped, self.drive is None, self.on_speed, self.switch is None

    @property
    def linear(self) -> bool:
        """Where the kind has equations in the bodies' axes."""
        return self.of.local is not None

    @property
    def numbers(self) -> Array:
        """Both markers, then the kind's own."""
        markers = [marker.numbers if self.of.turned else marker.r for marker in (self.a, self.b)]
        return np.concatenate([*markers, np.asarray(self.extra, dtype=np.float64)])

    @property
    def held(self) -> tuple[int, ...]:
        """Rows that are there."""
        return tuple(k for k in range(len(self.of.rows)) if k not in self.dropped)

    @property
    def own(self) -> tuple[Own, ...]:
        """A multiplier for each row, then the inner coordinates."""
        kind = Own.SPEED if self.on_speed else Own.HOLONOMIC if self.switch is None else Own.SWITCHED
        return (kind,) * len(self.held) + (Own.COORDINATE,) * len(self.of.inner)

    @property
    def row_names(self) -> tuple[str, ...]:
        """NAME.ROW, then NAME.COORDINATE."""
        return tuple(f"{self.name}.{row}" for row in (*(self.of.rows[k] for k in self.held), *self.of.inner))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The drive, then the switch."""
        return (*(() if self.drive is None else self.drive[:1]), *(() if self.switch is None else (self.switch,)))

    @property
    def acceleration(self) -> str | None:
        """Second rate of the drive."""
        return None if self.drive is None else self.drive[1]

    def phi(self, places: Sequence[Place], numbers: Expr, inner: Expr, inputs: Expr) -> Expr:
        """The rows that are held."""
        size = MARKER_SIZE if self.of.turned else 3
        A, B = (frame(p, numbers[k * size : (k + 1) * size]) for k, p in enumerate(places))
        rows = ca.SX(self.of.phi(A, B, numbers[2 * size :], inner, inputs))
        return rows[list(self.held)]

    def equations(self, at: Moment) -> Equations:
        """Forces phi_x' lambda, phi = 0 (or its rate at the drive), and for inner coordinates phi_s' lambda = 0."""
        if self.of.local is not None:
            return self.of.local(at)
        force, inner = at.own[: len(self.held)], at.own[len(self.held) :]
        found = pushed(at.places, force, inner, lambda places, s: self.phi(places, at.numbers, s, at.inputs))
        rows = found.rate - at.inputs[0] if self.on_speed else found.phi
        if self.switch is not None:
            rows = ca.if_else(at.inputs[-1] > 0.5, rows, force)
        return Equations(found.wrenches, ca.vertcat(rows, found.inner))


class Pushed(NamedTuple):
    """Rows and the forces of their multipliers, by virtual work.

    Attributes:
        phi: the rows
        rate: their rate by the nodes' velocities
        wrenches: (force, moment) on each node, phi_x' lambda
        inner: (m,) phi_s' lambda
    """

    phi: Expr
    rate: Expr
    wrenches: list[tuple[Expr, Expr]]
    inner: Expr


def pushed(places: Sequence[Place], force: Expr, inner: Expr, rows: Callable[[Sequence[Place], Expr], Expr]) -> Pushed:
    """`rows` of places and inner coordinates, differentiated where they are."""
    xi, s = ca.SX.sym("xi", 6 * len(places)), ca.SX.sym("s", inner.numel())
    inner = ca.vec(inner)  # of one number, CasADi takes an empty slice along a row
    moved = [
        Place(p.x + xi[6 * k : 6 * k + 3], p.R + skew(xi[6 * k + 3 : 6 * k + 6]) @ p.R, p.v, p.omega)
        for k, p in enumerate(places)
    ]
    phi = rows(moved, s)
    velocity = ca.vertcat(*(part for p in places for part in (p.v, p.omega)))
    found = [phi, ca.jtimes(phi, xi, velocity), ca.jtimes(phi, ca.vertcat(xi, s), force, True)]
    phi, rate, push = ca.substitute(found, [xi, s], [ca.SX.zeros(xi.shape), inner])
    wrenches = [(push[6 * k : 6 * k + 3], push[6 * k + 3 : 6 * k + 6]) for k in range(len(places))]
    return Pushed(phi, rate, wrenches, push[6 * len(places) :])
