"""Force between two surfaces that touch: Hunt & Crossley across them, Coulomb along them."""

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
    """N = k d^p (1 + c d_dot) while the penetration d is positive and N is; friction mu N, smooth through rest.

    N and its slope begin at zero, nothing pulls, and no energy is made. With v in and e v out, c v (1 + e) =
    log((1 + c v) / (1 - c e v)) whatever k, p and the masses are; e is 1 - 2 c v / 3 for small c v.
    Hunt & Crossley 1975.

    Attributes:
        stiffness: k [N/m^p], positive
        exponent: p [-], at least 1; 1.5 for elastic spheres (Hertz)
        damping: c [s/m], not negative
        friction: mu [-], not negative
        v_s: speed at which friction is 0.7 of its full value [m/s]
    """

    stiffness: float
    exponent: float
    damping: float
    friction: float
    v_s: float

    def check(self, owner: str) -> None:
        """Numbers that make a contact."""
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
        """(3,) against the slip [N]."""
        return -self.friction * N * slip / ca.sqrt(ca.sumsqr(slip) + self.v_s**2)


@final
@dataclass(frozen=True)
class Touch:
    """Two surfaces at one moment, in world axes.

    Attributes:
        d, d_dot: penetration [m] and its rate [m/s]
        normal: (3,) from a to b
        place: (3,) where the force acts [m], one place for both bodies, so that angular momentum is kept too
        slip: (3,) velocity of a's surface along b's [m/s]
    """

    d: Expr
    d_dot: Expr
    normal: Expr
    place: Expr
    slip: Expr


def contact_wrenches(
    law: ContactLaw, touch: Touch, a: tuple[str, Point, Expr], b: tuple[str, Point, Expr]
) -> tuple[Wrench, Wrench]:
    """Equal and opposite wrenches; `a` and `b` are body, point and the point's place in the world."""
    N = law.normal_force(touch.d, touch.d_dot)
    force = -N * touch.normal
    if law.friction:
        force += law.friction_force(N, touch.slip)

    def at(end: tuple[str, Point, Expr], force: Expr) -> Wrench:
        body, point, p = end
        return Wrench(body, point, ca.vertcat(ca.cross(touch.place - p, force), force))

    return at(a, force), at(b, -force)


def relative_velocity(place: Expr, a: tuple[Expr, Expr], b: tuple[Expr, Expr]) -> Expr:
    """(3,) of body a's material over body b's at a place [m/s]; an end is the point's place and its (6,) velocity."""
    at = [V[3:] + ca.cross(V[:3], place - p) for p, V in (a, b)]
    return at[0] - at[1]
