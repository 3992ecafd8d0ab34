"""Closures that let a point slide: in a line, in a plane, and the joints made with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.multibody.closures.abstract import AbstractJoined, check_axes
from motionbase.multibody.closures.conditions import AbstractCondition, Aligned, Level, Parallel, normals
from motionbase.multibody.joint import IDENTITY, checked_rotation
from motionbase.multibody.joints.named import Z
from motionbase.multibody.lookup import Vector


def in_line(axis: Vector) -> Level:
    """In the planes of two normals of an axis."""
    first, second = (tuple(float(x) for x in e.full().ravel()) for e in normals(axis))
    return Level(("normal_1", "normal_2"), (first, second))  # type: ignore[arg-type]


def in_plane(normal: Vector) -> Level:
    """In one plane."""
    return Level(("normal",), (normal,))


@final
@dataclass(frozen=True)
class InLineClosure(AbstractJoined):
    """Point a stays on a line through point b that moves with body b; two rows along normals of the line.

    Attributes:
        axis: of the line, in the frame at point b
    """

    axis: Vector = Z

    def __post_init__(self) -> None:
        check_axes(self, "axis")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """On the line."""
        return (in_line(self.axis),)


@final
@dataclass(frozen=True)
class InPlaneClosure(AbstractJoined):
    """Point a stays in a plane through point b that moves with body b; one row.

    Attributes:
        normal: of the plane, in the frame at point b
    """

    normal: Vector = Z

    def __post_init__(self) -> None:
        check_axes(self, "normal")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """In the plane."""
        return (in_plane(self.normal),)


@final
@dataclass(frozen=True)
class CylindricalClosure(AbstractJoined):
    """Point a stays on the axis of b, and an axis of a parallel to it; four rows: it turns and slides.

    Attributes:
        axis_a, axis_b: in the frames at the points
    """

    axis_a: Vector = Z
    axis_b: Vector = Z

    def __post_init__(self) -> None:
        check_axes(self, "axis_a", "axis_b")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """On the line, axes parallel."""
        return in_line(self.axis_b), Parallel(self.axis_a, self.axis_b)


@final
@dataclass(frozen=True)
class PrismaticClosure(AbstractJoined):
    """Point a slides along an axis of b, and its frame does not turn; five rows.

    Attributes:
        axis: of the slide, in the frame at point b
        orientation: (3, 3) R_ba: frame a in the frame at point b when the closure is met
    """

    axis: Vector = Z
    orientation: tuple[Vector, Vector, Vector] = IDENTITY

    def __post_init__(self) -> None:
        owner = check_axes(self, "axis")
        object.__setattr__(self, "orientation", checked_rotation(owner, self.orientation))

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """On the line, no rotation."""
        return in_line(self.axis), Aligned(self.orientation)


@final
@dataclass(frozen=True)
class PlanarClosure(AbstractJoined):
    """Point a stays in a plane of b, and a normal of a parallel to the plane's; three rows.

    Attributes:
        normal_a, normal_b: in the frames at the points
    """

    normal_a: Vector = Z
    normal_b: Vector = Z

    def __post_init__(self) -> None:
        check_axes(self, "normal_a", "normal_b")

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """In the plane, normals parallel."""
        return in_plane(self.normal_b), Parallel(self.normal_a, self.normal_b)
