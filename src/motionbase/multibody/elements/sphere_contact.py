"""Contact between two spheres, one on each of two bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.compile.guarded import norm, safe_divide
from motionbase.errors import ModelError
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.elements.contact_law import ContactLaw, Touch, contact_wrenches, relative_velocity
from motionbase.multibody.lookup import ZERO, Point, check_place, checked_number, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class SphereContact(AbstractElement):
    """A sphere about a point of body a pushes one about a point of body b; forces are those of `ContactLaw`.

    Attributes:
        body_a, point_a, body_b, point_b: the centres; "ground" is a body too
        radius_a, radius_b: [m], not negative and not both zero
        stiffness: k [N/m^p]
        exponent: p [-], at least 1
        damping: c [s/m] of N = k d^p (1 + c d_dot)
        friction: mu [-]
        v_s: speed of slip at which friction is 0.7 of its full value [m/s]
    """

    name: str
    body_a: str
    radius_a: float
    stiffness: float
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    radius_b: float = 0.0
    exponent: float = 1.5
    damping: float = 0.0
    friction: float = 0.0
    v_s: float = 1e-3

    def __post_init__(self) -> None:
        check_name("sphere contact", self.name)
        owner = f"sphere contact {self.name!r}"
        for what in ("point_a", "point_b"):
            object.__setattr__(self, what, checked_point(owner, what, getattr(self, what)))
        for what in ("radius_a", "radius_b"):
            checked_number(owner, what, getattr(self, what), "m", least=0.0)
        if self.radius_a + self.radius_b == 0.0:
            raise ModelError(f"{owner}: both radii are 0, points never touch")
        if self.body_a == self.body_b:
            raise ModelError(f"{owner}: both spheres are on {self.body_a!r}; they must be on two bodies")
        self.law.check(owner)

    @property
    def law(self) -> ContactLaw:
        """The force's law."""
        return ContactLaw(self.stiffness, self.exponent, self.damping, self.friction, self.v_s)

    def check(self, model: Model) -> None:
        """Both centres are there."""
        check_place(f"sphere contact {self.name!r}", model, self.body_a, self.point_a)
        check_place(f"sphere contact {self.name!r}", model, self.body_b, self.point_b)

    def touch(self, state: TreeState) -> Touch:
        """Where the spheres are; spheres with one centre have no direction, and do not push."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        l = norm(b.p - a.p)
        u = safe_divide(b.p - a.p, l)
        d = self.radius_a + self.radius_b - l
        place = a.p + (self.radius_a - 0.5 * d) * u
        velocity = relative_velocity(place, (a.p, a.velocity), (b.p, b.velocity))
        d_dot = ca.dot(u, a.velocity[3:] - b.velocity[3:])
        return Touch(d, d_dot, u, place, velocity - ca.dot(u, velocity) * u)

    def normal_force(self, state: TreeState) -> Expr:
        """N [N], for outputs."""
        touch = self.touch(state)
        return self.law.normal_force(touch.d, touch.d_dot)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Apart, and against slip."""
        a = self.body_a, self.point_a, state.point(self.body_a, self.point_a).p
        b = self.body_b, self.point_b, state.point(self.body_b, self.point_b).p
        return Load(wrenches=contact_wrenches(self.law, self.touch(state), a, b))

    def energy(self, state: TreeState) -> Expr:
        """Of the elastic part."""
        return self.law.energy(self.touch(state).d)
