"""Geometric stiffness: what loads along a bent body do to its bending.

A beam that bends draws in its outer parts by the second-order displacement w = eta' shortening eta / 2. Taken into the
body's momentum to second order in eta, w gives the modal equations -K_g eta with K_g = sum of centrifugal_ab (S^2)_ab
+ accelerated_a a_a, S = skew(omega) and a the acceleration of the frame less gravity (the actual one: its unknown part
stands in the mass matrix), and it gives the frame the reactions that belong to that. Momentum and energy are conserved,
as they would not be with a force on the modal equations alone. (Wallrapp & Schwertassek 1991 call this the geometric
stiffening of a flexible body; loads carried at points come in through the points' own shortening.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.multibody.flexible.modes import ModalPoint, Modes
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class SecondOrder:
    """What the second-order displacement w adds to a body's integrals.

    Attributes:
        first: (3,) integral of w dm
        second: (3, 3) to the moment of inertia
        shape_mass: (3, n) integral of dw/d_eta dm
        shape_moment: (3, n) integral of r x dw/d_eta dm
    """

    first: Expr
    second: Expr
    shape_mass: Expr
    shape_moment: Expr


def second_order(modes: Modes, eta: Expr) -> SecondOrder | None:
    """From the geometric stiffness matrices; None where there are none."""
    if not modes.centrifugal.any() and not modes.accelerated.any():
        return None
    shape_mass = ca.vertcat(*((_matrix(modes.accelerated[a]) @ eta).T for a in range(3)))
    rows = [[(_matrix(modes.centrifugal[a, b]) @ eta).T for b in range(3)] for a in range(3)]  # of w_a r_b
    shape_moment = ca.vertcat(rows[2][1] - rows[1][2], rows[0][2] - rows[2][0], rows[1][0] - rows[0][1])
    P = 0.5 * ca.vertcat(*(ca.horzcat(*(row @ eta for row in line)) for line in rows))
    second = 2 * ca.trace(P) * ca.DM.eye(3) - P - P.T
    return SecondOrder(0.5 * shape_mass @ eta, second, shape_mass, shape_moment)


def point_shortening(point: ModalPoint, eta: Expr) -> Expr | None:
    """(3, n) derivative of a point's second-order displacement, which is half of it times eta; None for none."""
    if point.shortening is None or not point.shortening.any():
        return None
    return ca.vertcat(*((_matrix(point.shortening[a]) @ eta).T for a in range(3)))


def geometric_stiffness(modes: Modes, omega: Expr, acceleration: Expr) -> Expr:
    """(n, n) K_g of a body that turns with omega and whose frame accelerates, gravity taken off; both in its frame."""
    K = ca.SX(modes.n, modes.n)
    SS = omega @ omega.T - ca.dot(omega, omega) * ca.DM.eye(3)
    for a in range(3):
        K += _matrix(modes.accelerated[a]) * acceleration[a]
        for b in range(3):
            K += _matrix(modes.centrifugal[a, b]) * SS[a, b]
    return K


def _matrix(values: NDArray[np.float64]) -> ca.DM:
    """Without its zeros, so that they leave no trace."""
    return ca.sparsify(ca.DM(values))
