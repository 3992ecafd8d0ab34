"""Cross-sections of beams by their shape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Section:
    """A beam's cross-section.

    Attributes:
        area: [m^2]
        I_y, I_z: second moments of area about y and z [m^4]
        J: torsion constant [m^4]
        shear: part of the area that carries shear along y and z [-]
    """

    area: float
    I_y: float
    I_z: float
    J: float
    shear: float


def circle(radius: float) -> Section:
    """A full circle."""
    I = math.pi * radius**4 / 4
    return Section(math.pi * radius**2, I, I, 2 * I, 0.9)


def tube(radius: float, thickness: float) -> Section:
    """A round tube of an outer radius."""
    outer, inner = circle(radius), circle(radius - thickness)
    I = outer.I_y - inner.I_y
    return Section(outer.area - inner.area, I, I, 2 * I, 0.5)


def rectangle(width: float, height: float) -> Section:
    """A full rectangle, width along y and height along z; its torsion constant is good to half a per cent."""
    a, b = max(width, height), min(width, height)
    J = a * b**3 * (1 / 3 - 0.21 * b / a * (1 - b**4 / (12 * a**4)))  # Roark's Formulas for Stress and Strain
    return Section(width * height, width * height**3 / 12, height * width**3 / 12, J, 5 / 6)
