"""Contacts of a sphere with its wheels: their positions and parameters, one row per wheel."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, q
from motionbase.errors import PlatformError
from motionbase.plant.sphere.ripple import HARMONICS, Ripple
from motionbase.platform.atlas.analysis import rest_normals
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.jacobians import contact
from motionbase.spatial.rotations import Expr

HERTZ_PEAK = 1.5  # peak over mean pressure of an elliptical pressure distribution


class Pressure(NamedTuple):
    """Pressure on a contact patch [Pa]."""

    mean: float
    peak: float


def contact_pressure(N: float, area: float) -> Pressure:
    """Pressure of a normal force [N] on an area [m^2]; the peak is that of Hertz's distribution, 3/2 of the mean."""
    return Pressure(N / area, HERTZ_PEAK * N / area)


class Contact(Struct):
    """Constants of one wheel's contact."""

    outward: Expr = q("-", 3, "unit vector from the sphere's centre")
    at_rest: Expr = q("N", text="normal force with the centre in its place")
    stiffness: Expr = q("N/m", text="along the normal")
    damping: Expr = q("N s/m", text="along the normal")


AnyContact = TypeVar("AnyContact", bound=Contact)


class Passive(Contact):
    """Constants of a passive wheel's contact."""

    rolling: Expr = q("-", text="resistance over normal force")


class Driven(Contact):
    """Constants of a driven wheel's contact, its motor and its rollers."""

    roller: Expr = q("-", 3, "unit vector along the axis of the roller that touches")
    about: Expr = q("-", 3, "moment about the sphere's centre of a unit force along the roller, 1 m from there")
    arm: Expr = q(
        "m", text="moment about the axle of a unit force along the roller; also its speed at unit wheel speed"
    )
    cosine: Expr = q("-", text="of the roller angle")
    patch_radius: Expr = q("m", text="of a disc as large as the contact")
    friction: Expr = q("-", text="coefficient between roller and sphere")
    gear: Expr = q("-", text="turns of the motor for one of the wheel")
    torque_max: Expr = q("N m", text="of the motor, at its own shaft")
    per_speed: Expr = q("s/rad", text="part of the motor's largest speed that 1 rad/s of the wheel is")
    count: Expr = q("-", text="of rollers")
    reach: Expr = q("m", HARMONICS, "coefficients of the reach's waves, see `Ripple`")
    roll: Expr = q("m", HARMONICS, "of the rolling radius's")
    lever: Expr = q("m", HARMONICS, "of the lever's")


@final
@dataclass(frozen=True, eq=False)
class Contacts:
    """Positions and parameters of all contacts; driven wheels first, then ring by ring. Directions are in W.

    The contact points are fixed on the wheels, since the sphere's centre moves by fractions of a millimetre only.
    `ripple`: whether the outlines of the rollers are modelled.
    """

    atlas: Atlas
    ripple: bool = True

    def __post_init__(self) -> None:
        owner = f"platform {self.atlas.name!r}"
        if not self.atlas.rings:
            raise PlatformError(f"{owner}: rings are none, the dynamics need at least one ring of passive wheels")
        for k, wheel in enumerate(self.atlas.wheels):
            if wheel.axle_inertia == 0:
                raise PlatformError(
                    f"{owner}: wheel {k + 1} has inertia 0 and rotor_inertia 0, the dynamics need one above 0"
                )

    @cached_property
    def outward(self) -> Array:
        """(n + passive, 3) unit vectors from the sphere's centre to the contacts."""
        return np.concatenate([self.atlas.contacts, *(ring.contacts for ring in self.atlas.rings)])

    @cached_property
    def roller(self) -> Array:
        """(n, 3) unit vectors along the axes of the rollers that touch."""
        at = [contact(ca.DM(w.azimuth), ca.DM(w.elevation), ca.DM(w.roller_angle)) for w in self.atlas.wheels]
        return np.array([np.array(a.roller).ravel() for a in at])

    @cached_property
    def arm(self) -> Array:
        """(n,) moment about the axle of a unit force along the roller [m]; also its speed at unit wheel speed."""
        return np.array([w.radius * math.cos(w.roller_angle) for w in self.atlas.wheels])

    def _each(self, name: str) -> Array:
        """(n + passive,) an attribute that wheels and rings share."""
        rings = [getattr(ring, name) for ring in self.atlas.rings for _ in range(ring.count)]
        return np.array([*(getattr(w, name) for w in self.atlas.wheels), *rings])

    @cached_property
    def stiffness(self) -> Array:
        """(n + passive,) stiffness along the normals [N/m]."""
        return self._each("stiffness")

    @cached_property
    def damping(self) -> Array:
        """(n + passive,) damping along the normals [N s/m]."""
        return self._each("damping")

    @cached_property
    def rolling(self) -> Array:
        """(passive,) rolling resistance over normal force."""
        return np.array([ring.rolling for ring in self.atlas.rings for _ in range(ring.count)])

    @cached_property
    def patch_radius(self) -> Array:
        """(n,) radius of a disc with the area of the contact [m]."""
        return np.array([math.sqrt(w.contact_area / math.pi) for w in self.atlas.wheels])

    @cached_property
    def at_rest(self) -> Array:
        """(n + passive,) normal forces with the centre at its nominal position [N], in balance with the weight.

        If the driven wheels cannot carry the weight, they start without load, and the centre moves to its equilibrium.
        """
        driven = rest_normals(self.atlas)
        rings = [ring.preload for ring in self.atlas.rings for _ in range(ring.count)]
        return np.array([*(np.zeros(len(self.atlas.wheels)) if driven is None else driven), *rings])

    @cached_property
    def ring_of(self) -> list[int]:
        """(passive,) index of the ring of each passive wheel."""
        return [k for k, ring in enumerate(self.atlas.rings) for _ in range(ring.count)]

    @cached_property
    def ripples(self) -> list[Ripple]:
        """(n,) ripples of the driven wheels."""
        R = self.atlas.sphere.radius
        return [Ripple.of(w, R) if self.ripple else Ripple.none(w) for w in self.atlas.wheels]

    @cached_property
    def driven(self) -> Driven:
        """(n,) rows of constants of the driven wheels."""
        wheels, n = self.atlas.wheels, len(self.atlas.wheels)
        named = {name: [getattr(w, name) for w in wheels] for name in ("friction", "gear", "torque_max")}
        waves = {name: [getattr(r, name) for r in self.ripples] for name in ("count", "reach", "roll", "lever")}
        return _rows(
            Driven, outward=self.outward[:n], at_rest=self.at_rest[:n], stiffness=self.stiffness[:n],
            damping=self.damping[:n], roller=self.roller, arm=self.arm, patch_radius=self.patch_radius,
            about=np.cross(self.outward[:n], self.roller), cosine=[math.cos(w.roller_angle) for w in wheels],
            per_speed=[1 / w.speed_limit for w in wheels], **named, **waves,
        )  # fmt: skip

    @cached_property
    def passive(self) -> Passive:
        """(passive,) rows of constants of the passive wheels."""
        n = len(self.atlas.wheels)
        return _rows(
            Passive, outward=self.outward[n:], at_rest=self.at_rest[n:], stiffness=self.stiffness[n:],
            damping=self.damping[n:], rolling=self.rolling,
        )  # fmt: skip


def _rows(kind: type[AnyContact], **columns: Any) -> AnyContact:
    """Constants of contacts, one row each."""
    numbers = np.column_stack([columns[port.name] for port in kind.layout.ports])
    return kind.of(ca.SX(ca.DM(numbers)), len(numbers))
