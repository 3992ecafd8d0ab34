"""Two frames stay together: a grapple."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.multibody.attitude import quaternion_of
from motionbase.multibody.closures.abstract import AbstractPlaceClosure, Relation, check_ends
from motionbase.multibody.closures.point import together
from motionbase.multibody.joint import IDENTITY, checked_rotation
from motionbase.multibody.lookup import ZERO, Point, Vector

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import PointState


@final
@dataclass(frozen=True)
class WeldClosure(AbstractPlaceClosure):
    """The frame at point a stays with the frame at point b, turned by `orientation`; six rows in the axes at point b.

    The turning error is 2 sin(angle / 2) times its axis, the short way round: twice the vector part of the quaternion
    with w >= 0. It is the angle for small ones, vanishes where the frames agree and nowhere else, and is largest at 180
    degrees. Its rate is taken as omega_a - omega_b (equation 30), which is exact where the closure is met.

    Attributes:
        body_a, point_a, body_b, point_b: the places
        orientation: (3, 3) R_ba: frame a in the frame at point b when the closure is met
        switchable: has an input NAME_active: 1 holds, 0 lets go
    """

    name: str
    body_a: str
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    orientation: tuple[Vector, Vector, Vector] = IDENTITY
    switchable: bool = False

    def __post_init__(self) -> None:
        owner = check_ends(self)
        object.__setattr__(self, "orientation", checked_rotation(owner, self.orientation))

    @property
    def rows(self) -> tuple[str, ...]:
        """Axes at point b, then rotations about them."""
        return ("x", "y", "z", "turn_x", "turn_y", "turn_z")

    @property
    def units(self) -> tuple[str, ...]:
        """Lengths, then angles."""
        return ("m",) * 3 + ("rad",) * 3

    def relation(self, a: PointState, b: PointState) -> Relation:
        """Point together, and no rotation left between the frames."""
        point = together(a, b)
        R = b.R.T @ a.R @ ca.DM(self.orientation).T  # of a relative to where it should be, in b's axes
        turned = 2 * quaternion_of(R)[1:]
        W = ca.horzcat(point.W, ca.vertcat(b.R, ca.DM.zeros(3, 3)))
        return Relation(ca.vertcat(point.residual, turned), W, ca.DM.zeros(6))
