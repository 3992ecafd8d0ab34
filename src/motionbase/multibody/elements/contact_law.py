"""Force between two surfaces in contact: Hunt & Crossley along the normal, Coulomb friction along the surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.multibody.elements.abstract import Wrench
from motionbase.multibody.lookup import Point, checked_number, checked_positive
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class ContactLaw:
    """N = k d^p (1 + c d_dot) while the penetration d and N are positive; friction mu N, smooth through zero speed.

    N and its slope start at zero, there is no adhesion, and no energy is created. With impact speed v and rebound e v,
    c v (1 + e) = log((1 + c v) / (1 - c e v)) for any k, p and masses; e is 1 - 2 c v / 3 for small c v.
    Hunt & Crossley 1975.

    Attributes:
        stiffness: k [N/m^p], positive
        exponent: p [-], at least 1; 1.5 for elastic spheres (Hertz)
        damping: c [s/m], not negative
        friction: mu [-], not negative
        v_s: speed at which friction reaches 0.7 of its full value [m/s]
    """

    stiffness: float
    exponent: float
    damping: float
    friction: float
    v_s: float

    def check(self, owner: str) -> None:
        """Check the values."""
        checked_positive(owner, "stiffness", self.stiffness, "N/m^p")
        checked_number(owner, "exponent", self.exponent, "", least=1.0)
        checked_number(owner, "damping", self.damping, "s/m", least=0.0)
        checked_number(owner, "friction", self.friction, "", least=0.0)
        checked_positive(owner, "v_s", self.v_s, "m/s")

    def normal_force(self, d: Expr, d_dot: Expr) -> Expr:
        """N [N], not negative."""
        elastic = self.stiffness * ca.fmax(d, 0) ** self.exponent
        return elastic * ca.fmax(1 + self.damping * d_dot, 0)

    def energy(self, d: Expr) -> Expr:
        """k d^(p + 1) / (p + 1) [J]."""
        return self.stiffness / (self.exponent + 1) * ca.fmax(d, 0) ** (self.exponent + 1)

    def friction_force(self, N: Expr, slip: Expr) -> Expr:
        """(3,) friction force against the slip [N]."""
        return -self.friction * N * slip / ca.sqrt(ca.sumsqr(slip) + self.v_s**2)


@final
@dataclass(frozen=True)
class Touch:
    """Two surfaces at one instant, in world axes.

    Attributes:
        d, d_dot: penetration [m] and its rate [m/s]
        normal: (3,) from a to b
        place: (3,) point of application [m], the same for both bodies, so that angular momentum is conserved
        slip: (3,) velocity of a's surface relative to b's [m/s]
    """

    d: Expr
    d_dot: Expr
    normal: Expr
    place: Expr
    slip: Expr


def contact_wrenches(
    law: ContactLaw, touch: Touch, a: tuple[str, Point, Expr], b: tuple[str, Point, Expr]
) -> tuple[Wrench, Wrench]:
    """Equal and opposite wrenches; `a` and `b` are body, point and the point's position in the world."""
    N = law.normal_force(touch.d, touch.d_dot)
    force = -N * touch.normal
    if law.friction:
        force += law.friction_force(N, touch.slip)

    def at(end: tuple[str, Point, Expr], force: Expr) -> Wrench:
        body, point, p = end
        return Wrench(body, point, ca.vertcat(ca.cross(touch.place - p, force), force))

    return at(a, force), at(b, -force)


def relative_velocity(place: Expr, a: tuple[Expr, Expr], b: tuple[Expr, Expr]) -> Expr:
    """(3,) velocity of body a's material relative to b's at a place [m/s]; an end: point position and (6,) velocity."""
    at = [V[3:] + ca.cross(V[:3], place - p) for p, V in (a, b)]
    return at[0] - at[1]
