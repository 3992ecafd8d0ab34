"""Wheels of an Atlas platform as data: those that drive the sphere, and rings of passive ones that support it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.multibody.body import numbers_of, shown
from motionbase.platform.parts import checked_number

PROFILES = ("elliptical", "barrel", "cylindrical")
ROLLER_LIMIT = math.radians(89.0)  # there the contact force is 57 times the force along the rim


def checked_angle(owner: str, what: str, value: object, limit: float, why: str = "") -> float:
    """A finite angle [rad] within +-limit; messages give degrees."""
    number = None if isinstance(value, bool) else numbers_of(value)
    if number is None or number.shape != () or not np.isfinite(number):
        raise PlatformError(f"{owner}: {what} is {shown(value)} rad, a finite number is wanted")
    angle = float(number)
    if abs(angle) > limit * (1 + 1e-12):  # allows for rounding of degrees
        raise PlatformError(
            f"{owner}: {what} is {math.degrees(angle):.6g} degrees, it must be between {-math.degrees(limit):g} and "
            f"{math.degrees(limit):g}{why}"
        )
    return angle


def checked_count(owner: str, what: str, value: object, least: int) -> int:
    """A whole number, at least `least`."""
    if type(value) is not int or value < least:
        raise PlatformError(f"{owner}: {what} is {shown(value)}, a whole number of at least {least} is wanted")
    return value


@final
@dataclass(frozen=True)
class Rollers:
    """Free rollers around a driven wheel.

    Attributes:
        count: number of rollers around the wheel
        profile: outline along the roller: elliptical, barrel or cylindrical
        length: length along the roller's axis [m]
        radius: radius at its middle [m]
    """

    count: int
    profile: str
    length: float
    radius: float

    def __post_init__(self) -> None:
        checked_count("rollers", "count", self.count, 3)
        if self.profile not in PROFILES:
            raise PlatformError(f"rollers: profile is {shown(self.profile)}, one of {', '.join(PROFILES)} is wanted")
        for name in ("length", "radius"):
            object.__setattr__(self, name, checked_number("rollers", name, getattr(self, name), "m"))


@final
@dataclass(frozen=True)
class DrivenWheel:
    """A driven Mecanum or omni wheel outside the sphere, in a plane with the sphere's centre; its rim moves level.

    The roller at the contact transmits only a force along its own axis. With a roller angle of 0 that axis lies in the
    wheel's plane, along the rim: an omni wheel, which drives along the rim and lets the sphere pass sideways.
    At 90 degrees it is parallel to the axle: the rollers turn with the wheel, and nothing drives the sphere.

    Attributes:
        azimuth: azimuth of the contact, counter-clockwise about z from x [rad]
        elevation: elevation of the contact above the sphere's equator [rad]; negative below
        roller_angle: angle of the roller's axis at the contact to the plane of the wheel [rad]
        radius: radius of the wheel [m]
        inertia: inertia of the wheel about its axle [kg m^2]
        rotor_inertia: inertia of the motor's rotor about its own axis [kg m^2]
        gear: revolutions of the motor per revolution of the wheel
        torque_max, speed_max: limits of the motor, at its own shaft [N m], [rad/s]
        friction: friction coefficient between roller and sphere, the smallest to rely on
        contact_area: contact area of roller and sphere [m^2]
        stiffness, damping: of contact and suspension along the normal [N/m], [N s/m]
        creep: sliding speed along the roller per newton transmitted, without slip [m/(N s)]
        rollers: the rollers around the wheel
    """

    azimuth: float
    elevation: float
    roller_angle: float
    radius: float
    inertia: float
    rotor_inertia: float
    gear: float
    torque_max: float
    speed_max: float
    friction: float
    contact_area: float
    stiffness: float
    damping: float
    creep: float
    rollers: Rollers

    def __post_init__(self) -> None:
        owner = "wheels"
        why = ", for at 90 the axes of the rollers are parallel to the axle and drive nothing"
        angles = ("azimuth", 4 * math.pi, ""), ("elevation", math.pi / 2, ""), ("roller_angle", ROLLER_LIMIT, why)
        for name, limit, reason in angles:
            object.__setattr__(self, name, checked_angle(owner, name, getattr(self, name), limit, reason))
        for name, unit in (
            ("radius", "m"), ("gear", "-"), ("torque_max", "N m"), ("speed_max", "rad/s"), ("friction", "-"),
            ("contact_area", "m^2"), ("stiffness", "N/m"),
        ):  # fmt: skip
            object.__setattr__(self, name, checked_number(owner, name, getattr(self, name), unit))
        for name, unit in (
            ("inertia", "kg m^2"), ("rotor_inertia", "kg m^2"), ("damping", "N s/m"), ("creep", "m/(N s)"),
        ):  # fmt: skip
            object.__setattr__(self, name, checked_number(owner, name, getattr(self, name), unit, above_zero=False))
        if not isinstance(self.rollers, Rollers):
            raise PlatformError(f"{owner}: rollers are {shown(self.rollers)}, a Rollers is wanted")

    @property
    def axle_inertia(self) -> float:
        """Wheel and geared rotor about the axle [kg m^2]."""
        return self.inertia + self.rotor_inertia * self.gear**2

    @property
    def torque_limit(self) -> float:
        """Torque limit of the motor, at the axle [N m]; the gear is assumed lossless."""
        return self.torque_max * self.gear

    @property
    def speed_limit(self) -> float:
        """Speed limit of the motor, at the axle [rad/s]."""
        return self.speed_max / self.gear

    @property
    def coverage(self) -> float:
        """Fraction of the rim covered by one row of rollers; from 1 on, some roller always touches."""
        chord = min(self.rollers.length * math.cos(self.roller_angle) / (2 * self.radius), 1.0)
        return self.rollers.count * math.asin(chord) / math.pi


@final
@dataclass(frozen=True)
class PassiveRing:
    """Equally spaced passive wheels that press on the sphere and let it turn: normal force and rolling resistance.

    The static analysis assumes that they have no friction.

    Attributes:
        count: number of wheels
        elevation: elevation of the contacts above the equator [rad]
        azimuth: azimuth of the first contact [rad]
        radius: radius of the wheels [m]
        preload: normal force of each wheel on the sphere at rest [N]
        stiffness, damping: of contact and suspension of each wheel along the normal [N/m], [N s/m]
        rolling: resistance against the sphere's surface over the normal force
    """

    count: int
    elevation: float
    azimuth: float
    radius: float
    preload: float
    stiffness: float
    damping: float
    rolling: float

    def __post_init__(self) -> None:
        checked_count("rings", "count", self.count, 3)
        for name, limit in (("elevation", math.pi / 2), ("azimuth", 4 * math.pi)):
            object.__setattr__(self, name, checked_angle("rings", name, getattr(self, name), limit))
        for name, unit in (("radius", "m"), ("stiffness", "N/m")):
            object.__setattr__(self, name, checked_number("rings", name, getattr(self, name), unit))
        for name, unit in (("preload", "N"), ("damping", "N s/m"), ("rolling", "-")):
            number = checked_number("rings", name, getattr(self, name), unit, above_zero=False)
            object.__setattr__(self, name, number)

    @property
    def contacts(self) -> Array:
        """(count, 3) unit vectors from the sphere's centre to the contacts."""
        phi = self.azimuth + 2 * math.pi / self.count * np.arange(self.count)
        level = math.cos(self.elevation)
        up = np.full(self.count, math.sin(self.elevation))
        return np.stack([level * np.cos(phi), level * np.sin(phi), up], axis=1)
