"""A spring-damper, or any law of length and rate, between two points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.compile.authored import run_law
from motionbase.compile.guarded import norm, safe_divide
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench, expression_of
from motionbase.multibody.lookup import ZERO, Point, check_place, checked_number, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState

Law = Callable[[Expr, Expr], Expr]  # (length [m], its rate [m/s]) -> tension [N]


@final
@dataclass(frozen=True)
class PointSpring(AbstractElement):
    """tension = stiffness (l - length) + damping l_dot along the line between the points; zero if they coincide.

    A `law` replaces this formula: a negative tension pushes (a compliant contact between two spheres is a law that is
    -k (r - l) - c s(l) (-l_dot) below l = r, and zero above).

    Attributes:
        body_a, point_a, body_b, point_b: the ends; "ground" is permitted
        stiffness: [N/m]
        damping: [N s/m], not negative
        length: length of the relaxed spring [m], not negative
        law: (length, rate) -> tension [N]
    """

    name: str
    body_a: str
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    stiffness: float = 0.0
    damping: float = 0.0
    length: float = 0.0
    law: Law | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name("point spring", self.name)
        owner = f"point spring {self.name!r}"
        object.__setattr__(self, "point_a", checked_point(owner, "point_a", self.point_a))
        object.__setattr__(self, "point_b", checked_point(owner, "point_b", self.point_b))
        checked_number(owner, "stiffness", self.stiffness, "N/m")
        checked_number(owner, "damping", self.damping, "N s/m", least=0.0)
        checked_number(owner, "length", self.length, "m", least=0.0)
        if self.law is not None and (self.stiffness or self.damping or self.length):
            raise ModelError(f"{owner}: a law replaces stiffness, damping and length; give one or the other")
        if self.body_a == self.body_b:
            raise ModelError(f"{owner}: both ends are on {self.body_a!r}, it would do nothing")

    def check(self, model: Model) -> None:
        """Check that both ends exist."""
        check_place(f"point spring {self.name!r}", model, self.body_a, self.point_a)
        check_place(f"point spring {self.name!r}", model, self.body_b, self.point_b)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Tension that pulls the ends together."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        d = b.p - a.p
        l = norm(d)
        u = safe_divide(d, l)
        rate = ca.dot(u, b.velocity[3:] - a.velocity[3:])
        tension: Expr = self.stiffness * (l - self.length) + self.damping * rate
        if self.law is not None:
            owner = f"point spring {self.name!r}: the law"
            tension = expression_of(owner, run_law(owner, self.law, "length [m] and rate [m/s]", l, rate))
        pull = ca.vertcat(ca.DM.zeros(3), tension * u)
        return Load(wrenches=(Wrench(self.body_a, self.point_a, pull), Wrench(self.body_b, self.point_b, -pull)))

    def energy(self, state: TreeState) -> Expr:
        """k (l - length)^2 / 2; zero with a law, whose energy is not known."""
        if self.law is not None:
            return ca.SX(0)
        d = state.point(self.body_b, self.point_b).p - state.point(self.body_a, self.point_a).p
        return 0.5 * self.stiffness * (norm(d) - self.length) ** 2
