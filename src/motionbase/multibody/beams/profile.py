"""What a beam is made of at any place along it: stiffness and mass of a slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.body import Vector, checked_vector
from motionbase.multibody.elements.beam import Six
from motionbase.multibody.flexible.shapes import Section
from motionbase.multibody.lookup import checked_positive


@final
@dataclass(frozen=True)
class Profile:
    """A uniform beam's section.

    Attributes:
        stiffness: (6,) EA, GA_y, GA_z [N], GJ, EI_y, EI_z [N m^2], or (6, 6)
        mass: per length [kg/m]
        inertia: moments of inertia of a slice per length about x, y, z [kg m]; all above zero, since nodes turn
    """

    stiffness: Six | tuple[Six, ...]
    mass: float
    inertia: Vector

    def __post_init__(self) -> None:
        checked_positive("profile", "mass", self.mass, "kg/m")
        inertia = checked_vector("profile", "inertia", self.inertia)
        if min(inertia) <= 0.0:
            raise ModelError(f"profile: inertia is {list(inertia)} kg m, all three must be positive")
        object.__setattr__(self, "inertia", inertia)

    @classmethod
    def of(cls, section: Section, E: float, G: float, rho: float) -> Profile:
        """A section of one material: Young's and shear modulus [Pa], density [kg/m^3]."""
        for name, value, unit in (("E", E, "Pa"), ("G", G, "Pa"), ("rho", rho, "kg/m^3")):
            checked_positive("profile", name, value, unit)
        shear = G * section.area * section.shear
        stiffness = (E * section.area, shear, shear, G * section.J, E * section.I_y, E * section.I_z)
        inertia = rho * np.array([section.I_y + section.I_z, section.I_y, section.I_z])
        return cls(stiffness, rho * section.area, (float(inertia[0]), float(inertia[1]), float(inertia[2])))
