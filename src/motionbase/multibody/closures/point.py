"""Two points stay together: a ball joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.multibody.closures.abstract import AbstractPlaceClosure, Relation, check_ends
from motionbase.multibody.lookup import ZERO, Point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import PointState


def together(a: PointState, b: PointState) -> Relation:
    """p_a - p_b = 0 seen along b's axes: rows that turn with b, so that a planar loop stays planar on a moving base.

    The rows are the world's equation turned as a whole, at every level (position, rate, acceleration); so there is no
    bias of their own and errors decay as they would in world axes.
    """
    W: Expr = ca.vertcat(ca.DM.zeros(3, 3), b.R)
    return Relation(b.R.T @ (a.p - b.p), W, ca.DM.zeros(3))


@final
@dataclass(frozen=True)
class PointClosure(AbstractPlaceClosure):
    """A point of body a stays at a point of body b; rows x, y, z in the axes at point b.

    Attributes:
        body_a, point_a, body_b, point_b: a point is a name or coordinates in the body's frame [m]; with the ground as
            body b the equations are shortest
        switchable: has an input NAME_active: 1 holds, 0 lets go
    """

    name: str
    body_a: str
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    switchable: bool = False

    def __post_init__(self) -> None:
        check_ends(self)

    @property
    def rows(self) -> tuple[str, ...]:
        """Axes at point b."""
        return ("x", "y", "z")

    @property
    def units(self) -> tuple[str, ...]:
        """Lengths."""
        return ("m",) * 3

    def relation(self, a: PointState, b: PointState) -> Relation:
        """The points are together."""
        return together(a, b)
