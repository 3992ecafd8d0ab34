"""A body's own inertia: mass matrix and the forces of its motion, rigid or flexible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.multibody.body import Body
from motionbase.multibody.flexible.modes import Modes
from motionbase.multibody.tree.stiffening import second_order
from motionbase.spatial import RigidInertia, cross_force, skew
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class BodyInertia:
    """M u_dot + bias = forces, with u = (V, eta_dot): blocks of M, and the bias of motion without acceleration.

    Attributes:
        rigid: M_rr as ten numbers
        rigid_elastic: (6, n) M_re
        elastic: (n, n) M_ee
        bias_rigid: (6,)
        bias_elastic: (n,) without stiffness and damping
    """

    rigid: RigidInertia
    rigid_elastic: Expr
    elastic: Expr
    bias_rigid: Expr
    bias_elastic: Expr


def body_inertia(
    body: Body, V: Expr, eta: Expr, eta_dot: Expr, coriolis_of_modes: bool = True, stiffening: bool = True
) -> BodyInertia:
    """The inertia of a body that moves with V and deforms with eta."""
    if body.modes is None:
        rigid = RigidInertia.of(body.mass, ca.DM(body.com), ca.DM(body.inertia))
        bias: Expr = cross_force(V, rigid.times(V)) if body.mass else ca.DM.zeros(6)
        return BodyInertia(rigid, ca.DM.zeros(6, 0), ca.DM.zeros(0, 0), bias, ca.DM.zeros(0, 1))
    return _flexible(body.modes, V, eta, eta_dot, coriolis_of_modes, stiffening)


def _blocks(modes: Modes, eta: Expr, stiffening: bool) -> tuple[Expr, Expr, Expr]:
    """First moment h (3,), moment of inertia J (3, 3) and coupling (6, n) of frame and modes, at deformation eta."""
    n = modes.n
    h = ca.DM(modes.first) + ca.DM(modes.shape_mass) @ eta
    J: Expr = ca.SX(ca.DM(modes.second))
    for j in range(n):
        J += ca.DM(modes.inertia_first[j]) * eta[j]
        for k in range(n):
            if modes.inertia_second[j, k].any():
                J += ca.DM(modes.inertia_second[j, k]) * (eta[j] * eta[k])
    columns = []
    for k in range(n):
        column = ca.SX(ca.DM(modes.shape_moment[:, k]))
        for j in range(n):
            column += ca.DM(modes.shape_cross[j, k]) * eta[j]
        columns.append(column)
    rotation, translation = ca.horzcat(*columns), ca.DM(modes.shape_mass)
    added = second_order(modes, eta) if stiffening else None
    if added is not None:
        h, J = h + added.first, J + added.second
        rotation, translation = rotation + added.shape_moment, translation + added.shape_mass
    return h, J, ca.vertcat(rotation, translation)


def _flexible(
    modes: Modes, V: Expr, eta: Expr, eta_dot: Expr, coriolis_of_modes: bool, stiffening: bool
) -> BodyInertia:
    """Lagrange's equations in the body frame (Boltzmann-Hamel): with u = (omega, v, eta_dot) and p = M(eta) u,

    moment = d/dt p_omega + omega x p_omega + v x p_v, force = d/dt p_v + omega x p_v,
    modal force = d/dt p_eta - d/d_eta (u' M u / 2). Exact in eta, so energy is conserved.
    """
    n = modes.n
    x, x_dot, u = ca.SX.sym("x", n), ca.SX.sym("x_dot", n), ca.SX.sym("u", 6)
    h, J, rigid_elastic = _blocks(modes, x, stiffening)
    rigid = RigidInertia(modes.mass, h, J)
    elastic = ca.DM(modes.modal_mass)
    p_rigid = rigid.times(u) + rigid_elastic @ x_dot
    p_elastic = rigid_elastic.T @ u + elastic @ x_dot
    energy = 0.5 * (ca.dot(u, p_rigid) + ca.dot(x_dot, p_elastic))
    bias_rigid = ca.jtimes(p_rigid, x, x_dot) + cross_force(u, p_rigid)
    bias_elastic = ca.jtimes(p_elastic, x, x_dot) - ca.gradient(energy, x)
    if not coriolis_of_modes:  # the authors of the formulation neglect 2 omega x phi eta_dot
        dropped = _coriolis(modes, u[:3], x, x_dot)
        bias_rigid -= dropped[:6]
        bias_elastic -= dropped[6:]
    outputs = [h, J, rigid_elastic, bias_rigid, bias_elastic]
    at = [ca.densify(ca.SX(value)) for value in (eta, eta_dot, V)]  # structural zeros cannot be put in
    h, J, rigid_elastic, bias_rigid, bias_elastic = ca.substitute(outputs, [x, x_dot, u], at)
    return BodyInertia(RigidInertia(modes.mass, h, J), rigid_elastic, elastic, bias_rigid, bias_elastic)


def _coriolis(modes: Modes, omega: Expr, eta: Expr, eta_dot: Expr) -> Expr:
    """Generalised force of the acceleration 2 omega x phi eta_dot: (moment, force, modal)."""
    moment = ca.SX(3, 1)
    modal = []
    for k in range(modes.n):
        # integral of (r + phi eta) x (omega x phi_k) dm, from r' phi_k and the transposed outer products
        J_k = ca.SX(ca.DM(modes.inertia_first[k]))
        for j in range(modes.n):
            J_k += ca.DM(modes.inertia_second[j, k] + modes.inertia_second[k, j]) * eta[j]
        c_k = ca.SX(ca.DM(modes.shape_moment[:, k]))
        for j in range(modes.n):
            c_k += ca.DM(modes.shape_cross[j, k]) * eta[j]
        # 2 r x (omega x phi) = J_k omega + omega x (r x phi): symmetric part plus half the commutator
        moment += (J_k @ omega - skew(c_k) @ omega) * eta_dot[k]
        modal.append(
            2 * ca.dot(omega, sum((ca.DM(modes.shape_cross[j, k]) * eta_dot[j] for j in range(modes.n)), ca.SX(3, 1)))
        )
    force = 2 * ca.cross(omega, ca.DM(modes.shape_mass) @ eta_dot)
    return ca.vertcat(moment, force, *modal)
