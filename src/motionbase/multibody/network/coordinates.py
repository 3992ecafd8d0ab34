"""One coordinate of a joint as seen from its nodes: value, rate, and the wrenches of a unit force on it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.multibody.network.constraints import MARKER_SIZE, Frame, frame, offset
from motionbase.multibody.network.hinges import Hinge
from motionbase.multibody.network.joints import NetworkJoint, turn
from motionbase.multibody.network.nodes import Place
from motionbase.multibody.network.parts import Equations, Moment
from motionbase.spatial import skew
from motionbase.spatial.rotations import Expr


class CoordinateState(NamedTuple):
    """A coordinate at one moment.

    Attributes:
        value, rate: [rad] or [m], and a second; joints with a quaternion have rates alone, about and along child axes
        wrenches: (force, moment) on parent and child for a unit force on the coordinate
        local: wrenches are in the bodies' axes
    """

    value: Expr
    rate: Expr
    wrenches: list[tuple[Expr, Expr]]
    local: bool = False

    def pushed(self, force: Expr, rows: Expr) -> Equations:
        """Equations of a part that pushes the coordinate with a force and has these rows."""
        return Equations([(force * f, force * m) for f, m in self.wrenches], rows, self.local)


@final
@dataclass(frozen=True, eq=False)
class Coordinate:
    """Coordinate k of a joint of turns and slides, or speed k of a ball joint or a body that flies."""

    joint: NetworkJoint
    k: int

    def __post_init__(self) -> None:
        if self.joint.type == "axes":
            raise ModelError(
                f"joint {self.joint.joint.name!r}: in the network engine, coordinates of such turns and slides are "
                "known to springs, dampers, motors, friction and stops of the joint alone; use the tree engine"
            )

    @property
    def kind(self) -> Hashable:
        """What its expressions depend on besides the markers."""
        axes = None if self.joint.axes is None else tuple(self.joint.axes.ravel().tolist())
        return self.joint.type, self.k, tuple(n is None for n in self.joint.nodes), axes

    @property
    def linear(self) -> bool:
        """Whether parts on it are; see `AbstractPart.linear`."""
        return self.joint.type == "revolute"

    def seen(self, at: Moment, before: Expr | None = None) -> CoordinateState:
        """By a part whose first numbers are the markers; without `before` the value of an angle is not asked for."""
        near = ca.SX(0) if before is None else before
        if not self.linear:
            return self.at(at.places, at.numbers, near)
        hinge = Hinge.of(at)
        return CoordinateState(hinge.angle(near), hinge.rate, hinge.moments(), local=True)

    def at(self, places: Sequence[Place], markers: Expr, before: Expr) -> CoordinateState:
        """`markers` are the numbers of both, `before` is the value near which an angle is sought."""
        A, B = _frames(places, markers)
        if self.joint.type in ("spherical", "free"):
            axis = B.R[:, self.k % 3]
            return _about(axis, ca.SX(0), places) if self.k < 3 else _along(axis, ca.SX(0), B, places)
        plain = {"revolute": "turn", "prismatic": "slide", "cylindrical": ("turn", "slide")[self.k]}
        kind = plain.get(self.joint.type)
        if kind == "turn":
            return _about(A.R[:, 2], turn(A, B, before), places)
        if kind == "slide":
            return _along(A.R[:, 2], offset(B, A)[2], B, places)
        return self._by_differentiation(places, markers, before)

    def _by_differentiation(self, places: Sequence[Place], markers: Expr, before: Expr) -> CoordinateState:
        """Rate and wrenches from the gradient of the value: a force on q does the work of that gradient."""
        xi = ca.SX.sym("xi", 12)
        moved = [
            Place(p.x + xi[6 * k : 6 * k + 3], p.R + skew(xi[6 * k + 3 : 6 * k + 6]) @ p.R, p.v, p.omega)
            for k, p in enumerate(places)
        ]
        near = ca.SX.zeros(3)
        near[self.k] = before
        value = self.joint.coordinates(*_frames(moved, markers), near)[self.k]
        value, gradient = ca.substitute([value, ca.gradient(value, xi)], [xi], [ca.SX.zeros(12)])
        velocity = ca.vertcat(*(part for p in places for part in (p.v, p.omega)))
        wrenches = [(gradient[6 * k : 6 * k + 3], gradient[6 * k + 3 : 6 * k + 6]) for k in range(2)]
        return CoordinateState(value, ca.dot(gradient, velocity), wrenches)


def _frames(places: Sequence[Place], markers: Expr) -> tuple[Frame, Frame]:
    return frame(places[0], markers[:MARKER_SIZE]), frame(places[1], markers[MARKER_SIZE : 2 * MARKER_SIZE])


def _about(axis: Expr, value: Expr, places: Sequence[Place]) -> CoordinateState:
    """Turning about an axis: where the joint holds, it is that of both bodies."""
    nothing = ca.SX(3, 1)
    rate = ca.dot(axis, places[1].omega - places[0].omega)
    return CoordinateState(value, rate, [(nothing, -axis), (nothing, axis)])


def _along(axis: Expr, value: Expr, B: Frame, places: Sequence[Place]) -> CoordinateState:
    """Sliding along an axis; the force acts at B on both."""
    v_a, v_b = (p.v + ca.cross(p.omega, B.p - p.x) for p in places)
    forces = zip(places, (-axis, axis), strict=True)
    wrenches = [(force, ca.cross(B.p - p.x, force)) for p, force in forces]
    return CoordinateState(value, ca.dot(axis, v_b - v_a), wrenches)
