"""Contact between a sphere on one body and a plane on another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import casadi as ca

from motionbase.multibody.body import checked_vector
from motionbase.multibody.elements.contact import AbstractContact
from motionbase.multibody.elements.contact_law import Touch, relative_velocity
from motionbase.multibody.joints.axes import unit
from motionbase.multibody.lookup import ZERO, Point, Vector, checked_number

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class PlaneContact(AbstractContact):
    """A sphere about a point of body a on a plane of body b, without edges; forces are those of `ContactLaw`.

    Attributes:
        body_a, point_a: the sphere's centre
        radius: radius of the sphere [m], not negative; 0 for a point
        body_b, point_b: a point of the plane; "ground" is permitted
        normal: outward normal of body b, in the frame at point b [-]; the sphere is on this side
        stiffness: k [N/m^p]
        exponent: p [-], at least 1
        damping: c [s/m] of N = k d^p (1 + c d_dot)
        friction: mu [-]
        v_s: sliding speed at which friction reaches 0.7 of its full value [m/s]
    """

    kind: ClassVar[str] = "plane contact"

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
        self.check_ends()
        direction = unit(checked_vector(self.owner, "normal", self.normal), f"{self.owner}: normal")
        object.__setattr__(self, "normal", direction)
        checked_number(self.owner, "radius", self.radius, "m", least=0.0)

    def touch(self, state: TreeState) -> Touch:
        """Relative position of sphere and plane."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        out = b.R @ ca.DM(self.normal)
        height = ca.dot(out, a.p - b.p)
        d = self.radius - height
        place = a.p - (self.radius - 0.5 * d) * out
        velocity = relative_velocity(place, (a.p, a.velocity), (b.p, b.velocity))
        # The plane rotates with body b, and the sphere's own rotation does not change its height.
        d_dot = -ca.dot(out, a.velocity[3:] - b.velocity[3:] - ca.cross(b.velocity[:3], a.p - b.p))
        return Touch(d, d_dot, -out, place, velocity - ca.dot(out, velocity) * out)
