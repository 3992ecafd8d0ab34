"""Two points stay at a distance: a massless rod with a ball at each end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.multibody.closures.abstract import AbstractPlaceClosure, Relation, check_ends
from motionbase.multibody.lookup import ZERO, Point, checked_positive

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import PointState


@final
@dataclass(frozen=True)
class DistanceClosure(AbstractPlaceClosure):
    """|p_a - p_b| = distance; one row, whose force is that of the rod, positive when it pushes the points apart.

    Attributes:
        body_a, point_a, body_b, point_b: the places
        distance: [m], positive; for zero use a point closure
        switchable: has an input NAME_active: 1 holds, 0 lets go
    """

    name: str
    body_a: str
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    distance: float = 1.0
    switchable: bool = False

    def __post_init__(self) -> None:
        owner = check_ends(self)
        object.__setattr__(self, "distance", checked_positive(owner, "distance", self.distance, "m"))

    @property
    def rows(self) -> tuple[str, ...]:
        """One."""
        return ("length",)

    @property
    def units(self) -> tuple[str, ...]:
        """A length."""
        return ("m",)

    def relation(self, a: PointState, b: PointState) -> Relation:
        """l_ddot = u . (a_a - a_b) + |part of v_a - v_b normal to u|^2 / l."""
        d, d_dot = a.p - b.p, a.velocity[3:] - b.velocity[3:]
        l = ca.sqrt(ca.sumsqr(d))
        u = d / l
        l_dot = ca.dot(u, d_dot)
        bias = (ca.sumsqr(d_dot) - l_dot**2) / l
        return Relation(l - self.distance, ca.vertcat(ca.DM.zeros(3), u), bias)
