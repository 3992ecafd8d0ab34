"""Closures that leave rotations: axes that stay parallel or crossed, hinges, and the ideal gimbal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, final

from motionbase.errors import ModelError
from motionbase.multibody.body import shown
from motionbase.multibody.closures.abstract import AbstractJoined, AbstractPlaceClosure, check_axes, check_ends
from motionbase.multibody.closures.conditions import AbstractCondition, Aligned, Crossed, Parallel, Together
from motionbase.multibody.closures.shafts import GimbalAngles, NoTwist
from motionbase.multibody.joint import IDENTITY, checked_rotation
from motionbase.multibody.joints.named import X, Y, Z
from motionbase.multibody.lookup import ZERO, Point, Vector, checked_number


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
        check_axes(self, "axis_a", "axis_b")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """The axes are parallel."""
        return (Parallel(self.axis_a, self.axis_b),)


@final
@dataclass(frozen=True)
class RevoluteClosure(AbstractJoined):
    """A hinge: a point closure and an axis closure at the same places; five rows. In a planar loop three are redundant.

    Attributes:
        axis_a, axis_b: of the hinge, in the frames at the points
    """

    axis_a: Vector = Z
    axis_b: Vector = Z

    def __post_init__(self) -> None:
        check_axes(self, "axis_a", "axis_b")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """Points together, axes parallel."""
        return Together(), Parallel(self.axis_a, self.axis_b)


@final
@dataclass(frozen=True)
class UniversalClosure(AbstractJoined):
    """A Cardan joint: the points stay together, and an axis of a at an angle to one of b; four rows.

    Attributes:
        axis_a, axis_b: of the cross, in the frames at the points
        angle: between them [rad], not 0 or a half turn
    """

    axis_a: Vector = Y
    axis_b: Vector = X
    angle: float = math.pi / 2

    def __post_init__(self) -> None:
        owner = check_axes(self, "axis_a", "axis_b")
        angle = checked_number(owner, "angle", self.angle, "rad")
        if abs(math.sin(angle)) < 1e-3 or not 0.0 < angle < math.pi:
            raise ModelError(
                f"{owner}: angle is {angle:g} rad, it must lie between 0 and pi; for parallel axes use a revolute one"
            )

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """Points together, axes crossed."""
        cosine = 0.0 if self.angle == math.pi / 2 else math.cos(self.angle)
        return Together(), Crossed(self.axis_a, self.axis_b, cosine)


@final
@dataclass(frozen=True)
class OrientationClosure(AbstractJoined):
    """The frame at point a keeps its orientation in the frame at point b; three rows, and the points are free.

    Attributes:
        orientation: (3, 3) R_ba: frame a in the frame at point b when the closure is met
    """

    orientation: tuple[Vector, Vector, Vector] = IDENTITY

    def __post_init__(self) -> None:
        object.__setattr__(self, "orientation", checked_rotation(check_ends(self), self.orientation))

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """No rotation is left."""
        return (Aligned(self.orientation),)


@final
@dataclass(frozen=True)
class GimbalClosure(AbstractJoined):
    """An ideal gimbal (a constant-velocity joint): shaft a may tilt against shaft b in any direction, and not twist.

    It holds no point: add a point closure where the shafts meet. Both shafts turn at the same speed at any tilt, and
    the moment it carries is along the bisector of the two.

    Attributes:
        axis: of shaft b, in the frame at point b
        orientation: (3, 3) R_ba: frame a in the frame at point b without tilt
        form: "compact" has one row; "angles" has the two angles of the tilt as unknowns and five rows in the network
            engine (Masarati et al., equations 6 to 12), and in the tree engine the same one
    """

    axis: Vector = Z
    orientation: tuple[Vector, Vector, Vector] = IDENTITY
    form: Literal["compact", "angles"] = "compact"

    def __post_init__(self) -> None:
        owner = check_axes(self, "axis")
        object.__setattr__(self, "orientation", checked_rotation(owner, self.orientation))
        if self.form not in ("compact", "angles"):
            raise ModelError(f"{owner}: form is {shown(self.form)}, it must be 'compact' or 'angles'")
        if self.form == "angles" and self.switchable:
            raise ModelError(f"{owner}: with form 'angles' it cannot be switched; use form 'compact'")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """No twist."""
        return (NoTwist(self.axis, self.orientation),)

    @property
    def network_conditions(self) -> tuple[AbstractCondition, ...]:
        """In the form that was chosen."""
        return (GimbalAngles(self.axis, self.orientation),) if self.form == "angles" else self.conditions
