"""How evenly the wheels turn the sphere: singular values of the force Jacobian and their directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.spatial.equals import ALIKE, runs, settled


@final
@dataclass(frozen=True, eq=False)
class Conditioning:
    """Evenness of a layout; a condition number of 1 is isotropic.

    Attributes:
        singular_values: (3,) largest first: moment for wheel torques of norm 1, along the directions
        directions: (3, 3) unit vectors in W, one per row, in the same order: easiest first, hardest last; for equal
            values any axis in their span qualifies, and an orthogonal basis represents them
        condition: largest over smallest
        manipulability: their product, sqrt(det(J J'))
    """

    singular_values: Array
    directions: Array
    condition: float
    manipulability: float

    @property
    def easiest(self) -> Array:
        """(k, 3) the easiest axis, or a basis of equally easy ones."""
        return np.asarray(self.directions[runs(-self.singular_values)[0]])

    @property
    def hardest(self) -> Array:
        """(k, 3) the hardest axis, or a basis of equally hard ones."""
        return np.asarray(self.directions[runs(-self.singular_values)[-1]])


def singular_axes(J_tau: Array) -> tuple[Array, Array]:
    """(3,) singular values, largest first, and (3, 3) their axes, one per row; for equal values chosen by `settled`."""
    U, sigma, _ = np.linalg.svd(J_tau)
    return sigma, (U @ settled(U, runs(-sigma, ALIKE * float(sigma[0])))).T


def conditioning(J_tau: Array) -> Conditioning:
    """The conditioning of a (3, n) force Jacobian."""
    sigma, directions = singular_axes(J_tau)
    return Conditioning(sigma, directions, float(sigma[0] / sigma[2]), float(np.prod(sigma)))
