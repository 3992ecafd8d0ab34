"""Geometric stiffness: loads along a bent body stiffen or soften its bending.

A bent beam pulls in its outer parts, by a displacement of second order in the modal amplitudes. The equations include
it directly: displacement fields whose amplitudes zeta = eta' amounts eta / 2 follow from eta. Inertia, gravity and
loads then do the work on zeta that geometric stiffness represents, -K_g eta with
K_g = sum of centrifugal_ab (S^2)_ab + accelerated_a a_a, S = skew(omega), a the acceleration of the frame less gravity.
The body stays a set of moving particles, so its mass matrix is positive definite, and momentum and energy are
conserved, at any amplitude. (Forces -K_g eta alone do not conserve energy, and need accelerations that are not known
yet; a mass matrix truncated after the second order is not positive definite.)
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.flexible.modes import Modes
from motionbase.spatial.rotations import Expr


def all_amplitudes(modes: Modes, eta: Expr, stiffening: bool) -> tuple[Modes, Expr, Expr]:
    """The modes with their fields, all amplitudes (n + s,), and their derivative (n + s, n) with respect to eta."""
    if not stiffening or modes.bow is None:
        return modes, eta, ca.DM.eye(modes.n)
    slopes = ca.vertcat(*((_matrix(a) @ eta).T for a in modes.bow.amounts))
    return modes.bow.modes, ca.vertcat(eta, 0.5 * slopes @ eta), ca.vertcat(ca.SX.eye(modes.n), slopes)


def rates_of_rates(modes: Modes, eta_dot: Expr) -> Expr:
    """(n + s,) second derivative of all amplitudes for constant eta_dot."""
    assert modes.bow is not None
    further = [ca.dot(eta_dot, _matrix(a) @ eta_dot) for a in modes.bow.amounts]
    return ca.vertcat(ca.SX(modes.n, 1), *further)


def geometric_stiffness(modes: Modes, omega: Expr, acceleration: Expr) -> Expr:
    """(n, n) K_g of a body with angular velocity omega whose frame accelerates, minus gravity; both in its frame."""
    K = ca.SX(modes.n, modes.n)
    SS = omega @ omega.T - ca.dot(omega, omega) * ca.DM.eye(3)
    for a in range(3):
        K += _matrix(modes.accelerated[a]) * acceleration[a]
        for b in range(3):
            K += _matrix(modes.centrifugal[a, b]) * SS[a, b]
    return K


def _matrix(values: Array) -> ca.DM:
    """The matrix without zeros, so that they vanish from the expressions."""
    return ca.sparsify(ca.DM(values), 1e-14 * float(np.abs(values).max()))
