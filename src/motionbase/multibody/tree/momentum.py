"""Energy, momentum and centre of mass of a tree at one instant."""

from __future__ import annotations

import casadi as ca

from motionbase.multibody.tree.forces import reflected_inertia
from motionbase.multibody.tree.state import TreeState
from motionbase.spatial.rotations import Expr


def body_momentum(state: TreeState, n: int) -> Expr:
    """(6,) angular momentum about a body's origin and linear momentum, in its frame, including deformation."""
    inertia = state.inertias[n]
    momentum = inertia.rigid.times(state.motions[n].V)
    if inertia.elastic.shape[0]:
        momentum = momentum + inertia.rigid_elastic @ state.v[state.model.v_slices[n][1]]
    return momentum


def kinetic_energy(state: TreeState) -> Expr:
    """Kinetic energy of all bodies, and of the rotors relative to their housings [J]."""
    total: Expr = ca.SX(0)
    for n, own in enumerate(state.motions):
        momentum, inertia = body_momentum(state, n), state.inertias[n]
        total += 0.5 * ca.dot(own.V, momentum)
        if inertia.elastic.shape[0]:
            eta_dot = state.v[state.model.v_slices[n][1]]
            total += 0.5 * ca.dot(eta_dot, inertia.rigid_elastic.T @ own.V + inertia.elastic @ eta_dot)
    for at, rotor in reflected_inertia(state.model).items():
        total += 0.5 * rotor * state.v[at] ** 2
    return total


def potential_energy(state: TreeState) -> Expr:
    """Potential energy of gravity [J]; zero with the centre of mass at the world's origin."""
    return -ca.dot(ca.DM(state.model.gravity), first_moment(state))


def strain_energy(state: TreeState) -> Expr:
    """Energy of the modes' stiffness and of the elements that store energy (springs, stops) [J]."""
    total: Expr = ca.SX(0)
    for n, body in enumerate(state.model.bodies):
        if body.modes is not None:
            eta = state.q[state.model.q_slices[n][1]]
            total += 0.5 * ca.dot(eta, ca.DM(body.modes.stiffness) @ eta)
    for element in state.model.elements:
        total += element.energy(state)
    return total


def first_moment(state: TreeState) -> Expr:
    """(3,) sum of mass times position, in world axes [kg m]."""
    total: Expr = ca.SX(3, 1)
    for own, inertia in zip(state.motions, state.inertias, strict=True):
        total += inertia.rigid.m * own.T_Wb.p + own.T_Wb.R @ inertia.rigid.h
    return total


def total_mass(state: TreeState) -> float:
    """Mass of all bodies [kg]."""
    return float(sum(body.mass for body in state.model.bodies))


def momentum(state: TreeState) -> Expr:
    """(6,) angular momentum about the world's origin [kg m^2/s] and linear momentum [kg m/s], in world axes.

    It does not include the spin of motor rotors, of which only the reflected inertia is known.
    """
    total: Expr = ca.SX(6, 1)
    for n, own in enumerate(state.motions):
        total += own.T_Wb.force_to_a(body_momentum(state, n))
    return total
