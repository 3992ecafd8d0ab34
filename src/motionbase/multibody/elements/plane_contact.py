"""Contact between a sphere on one body and a plane on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca

from motionbase.errors import ModelError
from motionbase.multibody.body import check_name, checked_vector
from motionbase.multibody.elements.abstract import AbstractElement, Load
from motionbase.multibody.elements.contact_law import ContactLaw, Touch, contact_wrenches, relative_velocity
from motionbase.multibody.joints.axes import unit
from motionbase.multibody.lookup import ZERO, Point, Vector, check_place, checked_number, checked_point
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class PlaneContact(AbstractElement):
    """A sphere about a point of body a on a plane of body b, without edges; forces are those of `ContactLaw`.

    Attributes:
        body_a, point_a: the sphere's centre
        radius: of the sphere [m], not negative; 0 for a point
        body_b, point_b: the plane goes through this point; "ground" is a body too
        normal: out of body b, in the frame at point b [-]; the sphere belongs on this side
        stiffness: k [N/m^p]
        exponent: p [-], at least 1
        damping: c [s/m] of N = k d^p (1 + c d_dot)
        friction: mu [-]
        v_s: speed of slip at which friction is 0.7 of its full value [m/s]
    """

    name: str
    body_a: str
    stiffness: float
    radius: float = 0.0
    point_a: Point = ZERO
    body_b: str = "ground"
    point_b: Point = ZERO
    normal: Vector = (0.0, 0.0, 1.0)
    exponent: float = 1.5
    damping: float = 0.0
    friction: float = 0.0
    v_s: float = 1e-3

    def __post_init__(self) -> None:
        check_name("plane contact", self.name)
        owner = f"plane contact {self.name!r}"
        for what in ("point_a", "point_b"):
            object.__setattr__(self, what, checked_point(owner, what, getattr(self, what)))
        direction = unit(checked_vector(owner, "normal", self.normal), f"{owner}: normal")
        object.__setattr__(self, "normal", direction)
        checked_number(owner, "radius", self.radius, "m", least=0.0)
        if self.body_a == self.body_b:
            raise ModelError(f"{owner}: sphere and plane are on {self.body_a!r}; they must be on two bodies")
        self.law.check(owner)

    @property
    def law(self) -> ContactLaw:
        """The force's law."""
        return ContactLaw(self.stiffness, self.exponent, self.damping, self.friction, self.v_s)

    def check(self, model: Model) -> None:
        """Both places are there."""
        check_place(f"plane contact {self.name!r}", model, self.body_a, self.point_a)
        check_place(f"plane contact {self.name!r}", model, self.body_b, self.point_b)

    def touch(self, state: TreeState) -> Touch:
        """Where sphere and plane are."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        out = b.R @ ca.DM(self.normal)
        height = ca.dot(out, a.p - b.p)
        d = self.radius - height
        place = a.p - (self.radius - 0.5 * d) * out
        velocity = relative_velocity(place, (a.p, a.velocity), (b.p, b.velocity))
        # The plane turns with body b, and the sphere's own turning does not change its height.
        d_dot = -ca.dot(out, a.velocity[3:] - b.velocity[3:] - ca.cross(b.velocity[:3], a.p - b.p))
        return Touch(d, d_dot, -out, place, velocity - ca.dot(out, velocity) * out)

    def normal_force(self, state: TreeState) -> Expr:
        """N [N], for outputs."""
        touch = self.touch(state)
        return self.law.normal_force(touch.d, touch.d_dot)

    def load(self, state: TreeState, inputs: Sequence[Expr]) -> Load:
        """Out of the plane, and against slip."""
        a = self.body_a, self.point_a, state.point(self.body_a, self.point_a).p
        b = self.body_b, self.point_b, state.point(self.body_b, self.point_b).p
        return Load(wrenches=contact_wrenches(self.law, self.touch(state), a, b))

    def energy(self, state: TreeState) -> Expr:
        """Of the elastic part."""
        return self.law.energy(self.touch(state).d)
