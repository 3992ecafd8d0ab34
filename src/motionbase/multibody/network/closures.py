"""Closures of a model as parts of its network: conditions between two bodies, and coupled coordinates."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.closures import (
    AbstractClosure,
    AbstractPlaceClosure,
    CouplingClosure,
    ImposedSpeedClosure,
)
from motionbase.multibody.closures.conditions import AbstractCondition
from motionbase.multibody.lookup import Point, joint_coordinate
from motionbase.multibody.model import Model
from motionbase.multibody.network.constraints import MARKER_SIZE, Constraint, Frame, Kind, Marker
from motionbase.multibody.network.coordinates import Coordinate
from motionbase.multibody.network.joints import NetworkJoint
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment, Own
from motionbase.multibody.network.sites import Sites
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class Surroundings:
    """What a closure is placed in.

    Attributes:
        joints: of the network, one for each body
        sites: where points of bodies are
        q0: coordinates of the start
        dropped: rows of closures that follow from others, CLOSURE.ROW
    """

    model: Model
    joints: Sequence[NetworkJoint]
    sites: Sites
    q0: Array
    dropped: Sequence[str]


def closure_part(closure: AbstractClosure, around: Surroundings) -> AbstractPart | None:
    """The part of a closure; none where every row of it follows from others."""
    missing = tuple(k for k, row in enumerate(closure.rows) if f"{closure.name}.{row}" in around.dropped)
    if len(missing) == len(closure.rows):
        return None
    if isinstance(closure, AbstractPlaceClosure):
        return _between_places(closure, around, missing)
    if isinstance(closure, CouplingClosure):
        return _coupling(closure, around)
    raise ModelError(
        f"closure {closure.name!r} is {type(closure).__name__}, which the network engine does not know; "
        "use the tree engine"
    )


# ---- conditions between two bodies ---------------------------------------------------------------------------------


def _between_places(closure: AbstractPlaceClosure, around: Surroundings, missing: tuple[int, ...]) -> Constraint:
    """A is the place on body a, B that on body b, whose axes the rows have."""

    def end(body: str, point: Point) -> tuple[int | None, Marker]:
        site = around.sites.at(body, point)
        return site.node, Marker(site.r, np.eye(3))

    (node_a, a), (node_b, b) = end(closure.body_a, closure.point_a), end(closure.body_b, closure.point_b)
    conditions = closure.network_conditions
    numbers = tuple(x for condition in conditions for x in condition.numbers)
    inputs = [port.name for port in closure.inputs]
    return Constraint(
        closure.name,
        kind_of(tuple(_shape(condition) for condition in conditions)),
        (node_a, node_b),
        a,
        b,
        numbers,
        missing,
        drive=(inputs[0], inputs[-1]) if inputs else None,
        on_speed=isinstance(closure, ImposedSpeedClosure),
        switch=f"{closure.name}_active" if closure.switchable else None,
    )


@final
@dataclass(frozen=True)
class _Shape:
    """A condition but for its numbers, which are parameters: closures of one shape share their code."""

    name: str
    rows: tuple[str, ...]
    driven: bool
    numbers: int
    of: AbstractCondition

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shape) and self._key == other._key

    @property
    def _key(self) -> Hashable:
        return self.name, self.rows, self.driven, self.numbers


def _shape(of: AbstractCondition) -> _Shape:
    return _Shape(type(of).__name__, of.rows, of.driven, len(of.numbers), of)


@cache
def kind_of(shapes: tuple[_Shape, ...]) -> Kind:
    """The kind of constraint that these conditions are together."""

    def phi(A: Frame, B: Frame, n: Expr, s: Expr, u: Expr) -> Expr:
        rows, at = [], 0
        for shape in shapes:
            rows.append(shape.of.phi(A, B, n[at : at + shape.numbers], s, u))
            at += shape.numbers
        return ca.vertcat(*rows)

    return Kind(
        " and ".join(f"{shape.name}{' driven' * shape.driven}" for shape in shapes),
        tuple(row for shape in shapes for row in shape.rows),
        tuple(shape.of.unit for shape in shapes for _ in shape.rows),
        phi,
        sum(shape.numbers for shape in shapes),
        tuple(name for shape in shapes for name in shape.of.inner),
        turned=False,
    )


# ---- coordinates that follow each other ----------------------------------------------------------------------------


def _coupling(closure: CouplingClosure, around: Surroundings) -> Coupled:
    model, owner = around.model, f"closure {closure.name!r}"
    names = [joint.name for joint in model.joints]
    found, start = [], []
    for name, axis in ((closure.joint, closure.axis), (closure.follows, closure.follows_axis)):
        start.append(float(around.q0[joint_coordinate(owner, model, name, axis)[0]]))
        found.append(Coordinate(around.joints[names.index(name)], axis))
    switch = f"{closure.name}_active" if closure.switchable else None
    return Coupled(closure.name, found[0], found[1], closure.ratio, closure.offset, (start[0], start[1]), switch)


@final
@dataclass(frozen=True, eq=False)
class Coupled(AbstractPart):
    """q of one coordinate = ratio times that of another, plus offset: a gear, a belt.

    The multiplier acts on the one that follows, and -ratio of it on the one that leads: together they do no work.

    Attributes:
        own_coordinate, leads: which coordinates
        start: of both, near which angles are counted
        switch: name of an input, 1 holds and 0 lets go; None holds for ever
    """

    name: str
    own_coordinate: Coordinate
    leads: Coordinate
    ratio: float
    offset: float
    start: tuple[float, float]
    switch: str | None = None

    indifferent: ClassVar[bool] = True

    @property
    def nodes(self) -> tuple[int | None, ...]:  # type: ignore[override]
        """Parent and child of both joints."""
        return *self.own_coordinate.joint.nodes, *self.leads.joint.nodes

    @property
    def kind(self) -> Hashable:
        """The coordinates' kinds."""
        return "coupled", self.own_coordinate.kind, self.leads.kind, self.switch is None

    @property
    def numbers(self) -> Array:
        """All four markers, ratio, offset."""
        joints = self.own_coordinate.joint, self.leads.joint
        return np.concatenate([*(m.numbers for j in joints for m in (j.a, j.b)), [self.ratio, self.offset]])

    @property
    def own(self) -> tuple[Own, ...]:
        """The force."""
        return (Own.HOLONOMIC if self.switch is None else Own.SWITCHED,)

    @property
    def row_names(self) -> tuple[str, ...]:
        """One."""
        return (f"{self.name}.coupling",)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The switch."""
        return () if self.switch is None else (self.switch,)

    @property
    def kept(self) -> tuple[float, ...]:
        """Both coordinates, so that angles go on after half a turn."""
        return self.start

    def equations(self, at: Moment) -> Equations:
        """The row, and its force on both joints."""
        ratio, offset = at.numbers[4 * MARKER_SIZE], at.numbers[4 * MARKER_SIZE + 1]
        follows = self.own_coordinate.at(at.places[:2], at.numbers[: 2 * MARKER_SIZE], at.kept[0])
        leads = self.leads.at(at.places[2:], at.numbers[2 * MARKER_SIZE : 4 * MARKER_SIZE], at.kept[1])
        row, force = follows.value - ratio * leads.value - offset, at.own[0]
        if self.switch is not None:
            row = ca.if_else(at.inputs[0] > 0.5, row, force)
        wrenches = [(force * f, force * m) for f, m in follows.wrenches]
        wrenches += [(-ratio * force * f, -ratio * force * m) for f, m in leads.wrenches]
        return Equations(wrenches, row)

    def keep(self, at: Moment) -> Expr:
        """Where the coordinates are now."""
        follows = self.own_coordinate.at(at.places[:2], at.numbers[: 2 * MARKER_SIZE], at.kept[0])
        leads = self.leads.at(at.places[2:], at.numbers[2 * MARKER_SIZE : 4 * MARKER_SIZE], at.kept[1])
        return ca.vertcat(follows.value, leads.value)
