"""Parts of a hexapod as data: stroke, payload, leg parts, limits of motion; each is checked when it is created."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, PlatformError
from motionbase.multibody.body import Vector, checked_inertia, checked_vector, numbers_of, shown, tensor_of
from motionbase.record.axes import DOFS

Six = tuple[float, float, float, float, float, float]


def checked_number(owner: str, what: str, value: object, unit: str, *, above_zero: bool = True) -> float:
    """A finite number, above zero or at least not negative."""
    number = None if isinstance(value, bool) else numbers_of(value)
    if number is None or number.shape != () or not np.isfinite(number) or number < 0 or (above_zero and number == 0):
        bound = "above 0" if above_zero else "0 or above"
        raise PlatformError(f"{owner}: {what} is {shown(value)} {unit}, a finite number {bound} is wanted")
    return float(number)


def checked_point(owner: str, what: str, value: object) -> Vector:
    """A point or direction: three finite numbers."""
    try:
        return checked_vector(owner, what, value)
    except ModelError as e:
        raise PlatformError(str(e)) from None


def checked_six(owner: str, what: str, value: object) -> Six:
    """Six finite numbers above zero, one for each degree of freedom."""
    array = numbers_of(value)
    if array is None or array.shape != (6,) or not np.all(np.isfinite(array)) or not np.all(array > 0):
        raise PlatformError(
            f"{owner}: {what} is {shown(value)}, six finite numbers above 0 are wanted ({', '.join(DOFS)})"
        )
    a, b, c, d, e, f = (float(x) for x in array)
    return a, b, c, d, e, f


@final
@dataclass(frozen=True)
class Stroke:
    """Range of the leg lengths, from joint to joint [m].

    Attributes:
        l_min, l_max: operational range
        hard_min, hard_max: lengths at which the piston meets the end of its buffer
        cushion: length over which each end of the hard range is cushioned
    """

    l_min: float
    l_max: float
    hard_min: float
    hard_max: float
    cushion: float

    def __post_init__(self) -> None:
        for name in ("l_min", "l_max", "hard_min", "hard_max"):
            object.__setattr__(self, name, checked_number("stroke", name, getattr(self, name), "m"))
        cushion = checked_number("stroke", "cushion", self.cushion, "m", above_zero=False)
        object.__setattr__(self, "cushion", cushion)
        if not self.hard_min <= self.l_min < self.l_max <= self.hard_max:
            raise PlatformError(
                f"stroke: l_min {self.l_min:g} m must be below l_max {self.l_max:g} m, and both between hard_min "
                f"{self.hard_min:g} m and hard_max {self.hard_max:g} m"
            )
        if 2 * self.cushion > self.hard_max - self.hard_min:
            raise PlatformError(
                f"stroke: cushion is {self.cushion:g} m, longer than half of the {self.hard_max - self.hard_min:g} m "
                "between the hard ends; it must be shorter"
            )

    @property
    def length(self) -> float:
        """Operational stroke [m]."""
        return self.l_max - self.l_min

    @property
    def hard_length(self) -> float:
        """Stroke between the hard ends [m]."""
        return self.hard_max - self.hard_min


@final
@dataclass(frozen=True)
class Payload:
    """The load on the legs, including the moving platform.

    Attributes:
        mass: [kg]
        com: (3,) centre of mass in P [m]
        inertia: xx, yy, zz, xy, xz, yz about the centre of mass, in the axes of P [kg m^2]
    """

    mass: float
    com: Vector
    inertia: Six

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", checked_number("payload", "mass", self.mass, "kg"))
        object.__setattr__(self, "com", checked_point("payload", "com", self.com))
        array = numbers_of(self.inertia)
        if array is None or array.shape != (6,):
            raise PlatformError(
                f"payload: inertia is {shown(self.inertia)}, six numbers are wanted (xx, yy, zz, xy, xz, yz)"
            )
        try:
            checked_inertia("payload", array)
        except ModelError as e:
            raise PlatformError(str(e)) from None
        object.__setattr__(self, "inertia", tuple(float(x) for x in array))

    @property
    def inertia_matrix(self) -> Array:
        """(3, 3) about the centre of mass [kg m^2]."""
        return tensor_of(self.inertia)


@final
@dataclass(frozen=True)
class LegPart:
    """Cylinder or rod, symmetric about the leg's axis.

    Attributes:
        mass: [kg]
        com: distance of the centre of mass from the part's own joint [m]: from the base joint for the cylinder,
            from the platform joint, back along the leg, for the rod
        inertia_lateral, inertia_axial: about the centre of mass [kg m^2]
    """

    mass: float
    com: float
    inertia_lateral: float
    inertia_axial: float

    def __post_init__(self) -> None:
        for name, unit in (("mass", "kg"), ("com", "m"), ("inertia_lateral", "kg m^2"), ("inertia_axial", "kg m^2")):
            number = checked_number("leg part", name, getattr(self, name), unit, above_zero=False)
            object.__setattr__(self, name, number)
        if self.inertia_axial > 2 * self.inertia_lateral:
            raise PlatformError(
                f"leg part: inertia_axial {self.inertia_axial:g} is more than twice inertia_lateral "
                f"{self.inertia_lateral:g} kg m^2; no body has that"
            )
        if self.mass == 0 and self.inertia_lateral > 0:
            raise PlatformError("leg part: without mass there can be no inertia")


@final
@dataclass(frozen=True)
class MotionLimits:
    """The largest motion that may be commanded; each is a magnitude.

    Attributes:
        position: (6,) surge to yaw, from neutral [m, rad]
        velocity: (6,) [m/s, rad/s]
        acceleration: (6,) [m/s^2, rad/s^2]
        leg_velocity: [m/s]
        leg_acceleration: [m/s^2]
        leg_braking: deceleration to count on when stopping before the end of the stroke [m/s^2]
    """

    position: Six
    velocity: Six
    acceleration: Six
    leg_velocity: float
    leg_acceleration: float
    leg_braking: float

    def __post_init__(self) -> None:
        for name in ("position", "velocity", "acceleration"):
            object.__setattr__(self, name, checked_six("limits", name, getattr(self, name)))
        for name, unit in (("leg_velocity", "m/s"), ("leg_acceleration", "m/s^2"), ("leg_braking", "m/s^2")):
            object.__setattr__(self, name, checked_number("limits", name, getattr(self, name), unit))
