"""Two points stay together and two axes parallel: a hinge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.multibody.closures.abstract import AbstractPlaceClosure, Relation, check_ends, checked_axis
from motionbase.multibody.closures.axis import parallel
from motionbase.multibody.closures.point import together
from motionbase.multibody.joints.named import Z
from motionbase.multibody.lookup import ZERO, Point, Vector

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import PointState


@final
@dataclass(frozen=True)
class RevoluteClosure(AbstractPlaceClosure):
    """A point closure and an axis closure at the same places; five rows. In a planar loop three are redundant.

    Attributes:
        body_a, point_a, body_b, point_b: the places
        axis_a, axis_b: of the hinge, in the frames at the points
        switchable: has an input NAME_active: 1 holds, 0 lets go
    """

    name: str
    body_a: str
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    axis_a: Vector = Z
    axis_b: Vector = Z
    switchable: bool = False

    def __post_init__(self) -> None:
        owner = check_ends(self)
        for what in ("axis_a", "axis_b"):
            object.__setattr__(self, what, checked_axis(owner, what, getattr(self, what)))

    @property
    def rows(self) -> tuple[str, ...]:
        """Axes at point b, then tilts."""
        return ("x", "y", "z", "tilt_1", "tilt_2")

    @property
    def units(self) -> tuple[str, ...]:
        """Lengths, then angles."""
        return ("m", "m", "m", "rad", "rad")

    def relation(self, a: PointState, b: PointState) -> Relation:
        """Both together."""
        point, axis = together(a, b), parallel(a, self.axis_a, b, self.axis_b)
        return Relation(
            ca.vertcat(point.residual, axis.residual),
            ca.horzcat(point.W, axis.W),
            ca.vertcat(point.bias, axis.bias),
        )
