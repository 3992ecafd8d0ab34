"""Contact between two spheres, one on each of two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, final

import casadi as ca

from motionbase.compile.guarded import norm, safe_divide
from motionbase.errors import ModelError
from motionbase.multibody.elements.contact import AbstractContact
from motionbase.multibody.elements.contact_law import Touch, relative_velocity
from motionbase.multibody.lookup import ZERO, Point, checked_number

if TYPE_CHECKING:
    from motionbase.multibody.tree.state import TreeState


@final
@dataclass(frozen=True)
class SphereContact(AbstractContact):
    """A sphere about a point of body a against one about a point of body b; forces are those of `ContactLaw`.

    Attributes:
        body_a, point_a, body_b, point_b: the centres; "ground" is permitted
        radius_a, radius_b: [m], not negative and not both zero
        stiffness: k [N/m^p]
        exponent: p [-], at least 1
        damping: c [s/m] of N = k d^p (1 + c d_dot)
        friction: mu [-]
        v_s: sliding speed at which friction reaches 0.7 of its full value [m/s]
    """

    kind: ClassVar[str] = "sphere contact"

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
        self.check_ends()
        for what in ("radius_a", "radius_b"):
            checked_number(self.owner, what, getattr(self, what), "m", least=0.0)
        if self.radius_a + self.radius_b == 0.0:
            raise ModelError(f"{self.owner}: both radii are 0, points never touch")

    def touch(self, state: TreeState) -> Touch:
        """Relative position of the spheres; with coincident centres there is no direction and no force."""
        a, b = state.point(self.body_a, self.point_a), state.point(self.body_b, self.point_b)
        l = norm(b.p - a.p)
        u = safe_divide(b.p - a.p, l)
        d = self.radius_a + self.radius_b - l
        place = a.p + (self.radius_a - 0.5 * d) * u
        velocity = relative_velocity(place, (a.p, a.velocity), (b.p, b.velocity))
        d_dot = ca.dot(u, a.velocity[3:] - b.velocity[3:])
        return Touch(d, d_dot, u, place, velocity - ca.dot(u, velocity) * u)
