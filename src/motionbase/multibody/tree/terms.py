"""The force terms of equation 16, one by one: M X_ddot + K X = G_j + G_nl + G_ext (Quiocho, Huynh & Crues).

Gravity and modal damping, which the paper does not write, are separate terms. All are on the right-hand side, so that
M v_dot is their plain sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import casadi as ca

from motionbase.compile import Port
from motionbase.multibody.elements import Load
from motionbase.multibody.model import Model
from motionbase.multibody.tree.forces import element_loads
from motionbase.multibody.tree.inward import generalised_force
from motionbase.multibody.tree.state import TreeState
from motionbase.spatial.rotations import Expr


class ForceTerms(NamedTuple):
    """The terms, each (nv,) [N, N m].

    Attributes:
        G_j: within joints: tau, motors, friction, springs, stops
        G_nl: of motion alone: centrifugal, gyroscopic, Coriolis
        G_g: gravity; the paper has it among the external forces
        G_ext: external: wrenches at points, springs between points, generalised forces of users
        G_el: of the modes: -K eta - D eta_dot
    """

    G_j: Expr
    G_nl: Expr
    G_g: Expr
    G_ext: Expr
    G_el: Expr


def force_terms(state: TreeState, tau: Expr, inputs: Sequence[Expr]) -> ForceTerms:
    """All terms at one instant; `inputs` are those of the elements."""
    G_j, G_ext = element_terms(state, tau, inputs)
    return ForceTerms(
        G_j, velocity_force(state), gravity_force(state), G_ext, elastic_force(state.model, state.q, state.v)
    )


def force_term_ports(nv: int) -> tuple[Port, ...]:
    """Outputs of the terms' kernel, in their order."""
    return (
        Port("G_j", nv, "-", "joint forces: tau, motors, friction, springs and stops of joints"),
        Port("G_nl", nv, "-", "nonlinear force of motion: centrifugal, gyroscopic and Coriolis terms"),
        Port("G_g", nv, "-", "gravity"),
        Port("G_ext", nv, "-", "external force: wrenches at points, springs between points, generalised forces"),
        Port("G_el", nv, "-", "elastic force of the modes, -K eta - D eta_dot"),
    )


def element_terms(state: TreeState, tau: Expr, inputs: Sequence[Expr]) -> tuple[Expr, Expr]:
    """G_j and G_ext: effect of tau and the elements within joints, and external forces."""
    G_j, G_ext = ca.SX(tau), ca.SX(state.model.nv, 1)
    for load in element_loads(state, inputs):
        G_j = G_j + Load(joint=load.joint).force(state)
        G_ext = G_ext + Load(wrenches=load.wrenches, generalised=load.generalised).force(state)
    return G_j, G_ext


def velocity_force(state: TreeState) -> Expr:
    """Velocity terms without gravity."""
    return generalised_force(state.model, state.motions, state.inertias)


def gravity_force(state: TreeState) -> Expr:
    """Weight of everything; independent of speeds."""
    weight = ca.vertcat(ca.DM.zeros(3), -ca.DM(state.model.gravity))
    return generalised_force(state.model, state.motions, state.inertias, base_acceleration=weight, moving=False)


def elastic_force(model: Model, q: Expr, v: Expr) -> Expr:
    """Stiffness and damping of the modes; zero for joints."""
    force = ca.SX(model.nv, 1)
    for k, body in enumerate(model.bodies):
        if body.modes is not None:
            (_, at_q), (_, at_v) = model.q_slices[k], model.v_slices[k]
            force[at_v] = -(ca.DM(body.modes.stiffness) @ q[at_q] + ca.DM(body.modes.damping) @ v[at_v])
    return force
