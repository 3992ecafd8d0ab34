"""Closures of points: together, at a distance, or as frames that are one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.multibody.closures.abstract import AbstractJoined, check_ends
from motionbase.multibody.closures.conditions import AbstractCondition, Aligned, Apart, Together
from motionbase.multibody.joint import IDENTITY, checked_rotation
from motionbase.multibody.lookup import Vector, checked_positive


@final
@dataclass(frozen=True)
class PointClosure(AbstractJoined):
    """A point of body a stays at a point of body b, a ball joint; rows x, y, z in the axes at point b."""

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """The points are together."""
        return (Together(),)


@final
@dataclass(frozen=True)
class WeldClosure(AbstractJoined):
    """The frame at point a stays with the frame at point b, turned by `orientation`; six rows in the axes at point b.

    Attributes:
        orientation: (3, 3) R_ba: frame a in the frame at point b when the closure is met
    """

    orientation: tuple[Vector, Vector, Vector] = IDENTITY

    def __post_init__(self) -> None:
        owner = check_ends(self)
        object.__setattr__(self, "orientation", checked_rotation(owner, self.orientation))

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """The points are together, and no rotation is left between the frames."""
        return Together(), Aligned(self.orientation)


@final
@dataclass(frozen=True)
class DistanceClosure(AbstractJoined):
    """|p_a - p_b| = distance, a massless rod with a ball at each end; its force is positive when it pushes them apart.

    Attributes:
        distance: [m], positive; for zero use a point closure
    """

    distance: float = 1.0

    def __post_init__(self) -> None:
        owner = check_ends(self)
        object.__setattr__(self, "distance", checked_positive(owner, "distance", self.distance, "m"))

    @property
    def conditions(self) -> tuple[AbstractCondition, ...]:
        """One row."""
        return (Apart(self.distance),)
