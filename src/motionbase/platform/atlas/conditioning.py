"""How evenly the wheels turn the sphere: singular values of the force Jacobian and the directions that go with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Conditioning:
    """A layout's evenness; a condition number of 1 is isotropic.

    Attributes:
        singular_values: (3,) largest first: moment for wheel torques of length 1, along the directions
        directions: (3, 3) unit vectors in W, one a row, in the same order: easiest first, hardest last
        condition: largest over least
        manipulability: their product, sqrt(det(J J'))
    """

    singular_values: Array
    directions: Array
    condition: float
    manipulability: float


def conditioning(J_tau: Array) -> Conditioning:
    """Of a (3, n) force Jacobian."""
    U, sigma, _ = np.linalg.svd(J_tau)
    return Conditioning(sigma, U.T, float(sigma[0] / sigma[2]), float(np.prod(sigma)))
