"""The sphere of an Atlas platform and the limits of its spin, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, PlatformError, told_apart
from motionbase.multibody.body import Vector, checked_inertia, numbers_of, shown, tensor_of
from motionbase.platform.parts import Six, checked_number, checked_point

ROUNDING = 1e-9  # relative: of six printed inertias and what is computed from them


@final
@dataclass(frozen=True)
class Sphere:
    """The capsule with everything that turns in it; frame S has its origin at the geometric centre G.

    Attributes:
        radius: outer radius, on which the wheels roll [m]
        mass: [kg]
        com: (3,) centre of mass in S [m]
        inertia: xx, yy, zz, xy, xz, yz about G, in the axes of S [kg m^2]; xy, xz, yz are entries of the matrix
    """

    radius: float
    mass: float
    com: Vector
    inertia: Six

    def __post_init__(self) -> None:
        for name, unit in (("radius", "m"), ("mass", "kg")):
            object.__setattr__(self, name, checked_number("sphere", name, getattr(self, name), unit))
        object.__setattr__(self, "com", checked_point("sphere", "com", self.com))
        array = numbers_of(self.inertia)
        if array is None or array.shape != (6,) or not np.all(np.isfinite(array)):
            raise PlatformError(
                f"sphere: inertia is {shown(self.inertia)}, six finite numbers are wanted (xx, yy, zz, xy, xz, yz)"
            )
        object.__setattr__(self, "inertia", tuple(float(x) for x in array))
        self._check_inertia()

    def _check_inertia(self) -> None:
        """Check that some mass distribution inside the radius has this inertia and centre of mass."""
        moments = np.linalg.eigvalsh(self.inertia_matrix)
        if moments[0] <= ROUNDING * abs(moments[2]):
            raise PlatformError(
                f"sphere: inertia has the principal moments {', '.join(f'{m:.6g}' for m in moments)} kg m^2, "
                "it must be positive definite"
            )
        if (arm := float(np.linalg.norm(self.com))) >= self.radius:
            place, radius = told_apart(arm, self.radius)
            raise PlatformError(f"sphere: com is {place} m from the centre, it must be inside the radius of {radius} m")
        c = np.asarray(self.com)
        about_com = self.inertia_matrix - self.mass * (c @ c * np.eye(3) - np.outer(c, c))
        try:
            checked_inertia("sphere, about its centre of mass", about_com)
        except ModelError as e:
            raise PlatformError(str(e)) from None
        least = float(np.trace(self.inertia_matrix)) / (2 * self.radius**2)  # the trace is 2 * integral of r^2 dm
        if self.mass < least * (1 - ROUNDING):
            given, needed = told_apart(self.mass, least)
            raise PlatformError(
                f"sphere: mass is {given} kg, but its inertia needs at least {needed} kg inside a radius of "
                f"{self.radius:g} m"
            )

    @property
    def inertia_matrix(self) -> Array:
        """(3, 3) about G, in S [kg m^2]."""
        return tensor_of(self.inertia)


@final
@dataclass(frozen=True)
class SpinLimits:
    """The largest spin that may be commanded, about any axis.

    Attributes:
        velocity: [rad/s]
        acceleration: [rad/s^2]
    """

    velocity: float
    acceleration: float

    def __post_init__(self) -> None:
        for name, unit in (("velocity", "rad/s"), ("acceleration", "rad/s^2")):
            object.__setattr__(self, name, checked_number("limits", name, getattr(self, name), unit))
