"""Two axes stay parallel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.multibody.closures.abstract import AbstractPlaceClosure, Relation, check_ends, checked_axis, normals
from motionbase.multibody.joints.named import Z
from motionbase.multibody.lookup import ZERO, Point, Vector

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import PointState


def parallel(a: PointState, axis_a: Vector, b: PointState, axis_b: Vector) -> Relation:
    """The axis of a is normal to two normals e of the axis of b: e . a = 0, so rate = (a x e) . (omega_a - omega_b)."""
    direction = a.R @ ca.DM(axis_a)
    omega_a, omega_b = a.velocity[:3], b.velocity[:3]
    residual, columns, bias = [], [], []
    for normal in normals(axis_b):
        e = b.R @ normal
        arm = ca.cross(direction, e)
        arm_dot = ca.cross(ca.cross(omega_a, direction), e) + ca.cross(direction, ca.cross(omega_b, e))
        residual.append(ca.dot(e, direction))
        columns.append(ca.vertcat(arm, ca.DM.zeros(3)))
        bias.append(ca.dot(arm_dot, omega_a - omega_b))
    return Relation(ca.vertcat(*residual), ca.horzcat(*columns), ca.vertcat(*bias))


@final
@dataclass(frozen=True)
class AxisClosure(AbstractPlaceClosure):
    """An axis of body a stays parallel to an axis of body b (opposite ones count as parallel too); two rows.

    Attributes:
        axis_a, axis_b: in the frames at the points (the bodies' axes, turned by bending where a body is flexible)
        switchable: has an input NAME_active: 1 holds, 0 lets go
    """

    name: str
    body_a: str
    axis_a: Vector = Z
    body_b: str = "ground"
    axis_b: Vector = Z
    point_a: Point = ZERO
    point_b: Point = ZERO
    switchable: bool = False

    def __post_init__(self) -> None:
        owner = check_ends(self)
        for what in ("axis_a", "axis_b"):
            object.__setattr__(self, what, checked_axis(owner, what, getattr(self, what)))

    @property
    def rows(self) -> tuple[str, ...]:
        """Tilts about two normals of the axis."""
        return ("tilt_1", "tilt_2")

    @property
    def units(self) -> tuple[str, ...]:
        """Angles (sines of them)."""
        return ("rad",) * 2

    def relation(self, a: PointState, b: PointState) -> Relation:
        """The axes are parallel."""
        return parallel(a, self.axis_a, b, self.axis_b)
