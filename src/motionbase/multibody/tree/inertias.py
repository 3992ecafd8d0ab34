"""A body's own inertia: mass matrix and the forces of its motion, rigid or flexible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.body import Body
from motionbase.multibody.flexible.modes import Modes
from motionbase.multibody.tree.stiffening import all_amplitudes, rates_of_rates
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
    """The inertia of a body that moves with V and has the deformation eta."""
    if body.modes is None:
        rigid = RigidInertia.of(body.mass, ca.DM(body.com), ca.DM(body.inertia))
        bias: Expr = cross_force(V, rigid.times(V)) if body.mass else ca.DM.zeros(6)
        return BodyInertia(rigid, ca.DM.zeros(6, 0), ca.DM.zeros(0, 0), bias, ca.DM.zeros(0, 1))
    return _flexible(body.modes, V, eta, eta_dot, coriolis_of_modes, stiffening)


def _blocks(modes: Modes, eta: Expr) -> tuple[Expr, Expr, Expr]:
    """First moment h (3,), moment of inertia J (3, 3) and coupling (3, n) of rotation and modes, at deformation eta."""
    h = ca.DM(modes.first) + ca.DM(modes.shape_mass) @ eta
    J = ca.SX(3, 3)
    for a in range(3):
        for b in range(a, 3):
            linear, quadratic = modes.inertia_first[:, a, b], modes.inertia_second[:, :, a, b]
            J[a, b] = modes.second[a, b] + _sparse(linear).T @ eta + ca.dot(eta, _halved(quadratic) @ eta)
            J[b, a] = J[a, b]
    turned = ca.vertcat(*((_sparse(modes.shape_cross[:, :, a]).T @ eta).T for a in range(3)))
    return h, J, ca.DM(modes.shape_moment) + turned


def _sparse(values: Array) -> ca.DM:
    """The matrix without zeros (rounding of the largest entry), so that they vanish from the expressions."""
    return ca.sparsify(ca.DM(values), 1e-15 * float(np.abs(values).max(initial=0.0)))


def _halved(values: Array) -> ca.DM:
    """The lower triangle of a quadratic form, with the same values."""
    return _sparse(np.tril(values + values.T, -1) + np.diag(np.diag(values)))


def _flexible(
    modes: Modes, V: Expr, eta: Expr, eta_dot: Expr, coriolis_of_modes: bool, stiffening: bool
) -> BodyInertia:
    """The body with all its fields, constrained to the motions that the amplitudes permit (stiffening.py)."""
    whole, x, by_eta = all_amplitudes(modes, eta, stiffening)
    full = _unconstrained(whole, V, x, by_eta @ eta_dot, coriolis_of_modes)
    if whole is modes:
        return full
    # rates of the fields' amplitudes are by_eta eta_dot, their accelerations by_eta eta_ddot + further
    further = rates_of_rates(modes, eta_dot)
    return BodyInertia(
        full.rigid,
        full.rigid_elastic @ by_eta,
        by_eta.T @ full.elastic @ by_eta,
        full.bias_rigid + full.rigid_elastic @ further,
        by_eta.T @ (full.bias_elastic + full.elastic @ further),
    )


def _unconstrained(modes: Modes, V: Expr, eta: Expr, eta_dot: Expr, coriolis_of_modes: bool) -> BodyInertia:
    """Lagrange's equations in the body frame (Boltzmann-Hamel): with u = (omega, v, eta_dot) and p = M(eta) u,

    moment = d/dt p_omega + omega x p_omega + v x p_v, force = d/dt p_v + omega x p_v,
    modal force = d/dt p_eta - d/d_eta (u' M u / 2). Exact in eta, so energy is conserved.
    """
    n = modes.n
    x, x_dot, u = ca.SX.sym("x", n), ca.SX.sym("x_dot", n), ca.SX.sym("u", 6)
    h, J, coupling = _blocks(modes, x)
    rigid = RigidInertia(modes.mass, h, J)
    rigid_elastic: Expr = ca.vertcat(coupling, _sparse(modes.shape_mass))
    elastic = _sparse(modes.modal_mass)
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
    at = [ca.densify(ca.SX(value)) for value in (eta, eta_dot, V)]  # structural zeros cannot be substituted
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
