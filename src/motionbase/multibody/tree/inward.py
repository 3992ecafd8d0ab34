"""The recursion of the paper: one pass from the outermost body to the base builds mass matrix and generalised forces.

Each body knows only its own inertia, the bodies it carries, and its parent; branches need no special case (Quiocho,
Huynh & Crues, equations 17 to 21). The mass matrix's lower triangle is filled by moving the composite force of each
joint, and of each set of modes, towards the base.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from motionbase.multibody.model import Model
from motionbase.multibody.tree.inertias import BodyInertia
from motionbase.multibody.tree.outward import BodyMotion
from motionbase.spatial.rotations import Expr


def mass_matrix(model: Model, motions: list[BodyMotion], inertias: list[BodyInertia]) -> Expr:
    """(nv, nv) symmetric; only entries between a body and its ancestors are filled."""
    M = ca.SX(model.nv, model.nv)
    rigid = [i.rigid for i in inertias]
    rigid_elastic = [i.rigid_elastic for i in inertias]
    elastic = [i.elastic for i in inertias]
    for n in range(len(model.bodies) - 1, -1, -1):
        at_joint, at_modes = model.v_slices[n]
        own = motions[n]
        # the force at this body's origin for a unit acceleration of each of its modes, then of its joint
        columns = []
        if elastic[n].shape[0]:
            M[at_modes, at_modes] = elastic[n]
            _fill(M, at_joint, at_modes, own.S.T @ rigid_elastic[n])
            columns.append((at_modes, rigid_elastic[n]))
        if own.S.shape[1]:
            force = rigid[n].times(own.S)
            M[at_joint, at_joint] = own.S.T @ force
            columns.append((at_joint, force))
        _walk(model, motions, M, n, columns)
        parent = model.parents[n]
        if parent >= 0:
            # M*_n = M_n + r M*_s r', M*_re,n += r M*_rr,s S_s, M*_ee,n += S_s' M*_rr,s S_s
            rigid[parent] = rigid[parent] + rigid[n].moved_to_a(own.T_pb)
            if own.S_parent.shape[1]:
                carried = rigid[n].times(own.S_parent)
                rigid_elastic[parent] = rigid_elastic[parent] + own.T_pb.force_to_a(carried)
                elastic[parent] = elastic[parent] + own.S_parent.T @ carried
    return M


def _fill(M: Expr, rows: slice, columns: slice, block: Expr) -> None:
    """Store a block and its transpose."""
    if block.numel():
        M[rows, columns] = block
        M[columns, rows] = block.T


def _walk(model: Model, motions: list[BodyMotion], M: Expr, n: int, columns: list[tuple[slice, Expr]]) -> None:
    """Move forces from body n towards the base, projecting them on each ancestor's modes and joint."""
    while (parent := model.parents[n]) >= 0 and columns:
        own = motions[n]
        at_joint, at_modes = model.v_slices[parent]
        if own.S_parent.shape[1]:
            for where, force in columns:
                _fill(M, at_modes, where, own.S_parent.T @ force)
        columns = [(where, own.T_pb.force_to_a(force)) for where, force in columns]
        if motions[parent].S.shape[1]:
            for where, force in columns:
                _fill(M, at_joint, where, motions[parent].S.T @ force)
        n = parent


def generalised_force(
    model: Model,
    motions: list[BodyMotion],
    inertias: list[BodyInertia],
    *,
    base_acceleration: Expr | None = None,
    moving: bool = True,
    wrenches: Mapping[int, Expr] | None = None,
) -> Expr:
    """(nv,) generalised force independent of accelerations: -S'(I A + bias - external), outermost body first.

    Args:
        base_acceleration: (6,) acceleration of the ground; minus gravity adds the weight of all bodies
        moving: include velocity terms
        wrenches: external (moment, force) at a body's origin in its frame, by body
    """
    accelerations: list[Expr] = []
    for n, own in enumerate(motions):
        parent = model.parents[n]
        before = base_acceleration if parent < 0 else accelerations[parent]
        A = ca.DM.zeros(6) if before is None else own.T_pb.motion_to_b(before)
        accelerations.append(A + own.c if moving else A)
    forces: list[Expr] = []
    for n, inertia in enumerate(inertias):
        f = inertia.rigid.times(accelerations[n])
        if moving:
            f = f + inertia.bias_rigid
        if wrenches and n in wrenches:
            f = f - wrenches[n]
        forces.append(f)
    G: list[Expr] = [ca.SX(0, 1)] * len(motions)
    elastic: list[Expr] = []
    for n, inertia in enumerate(inertias):
        e = inertia.rigid_elastic.T @ accelerations[n] if inertia.elastic.shape[0] else ca.SX(0, 1)
        elastic.append(e + inertia.bias_elastic if moving and inertia.elastic.shape[0] else e)
    for n in range(len(motions) - 1, -1, -1):
        own, parent = motions[n], model.parents[n]
        G[n] = -ca.vertcat(own.S.T @ forces[n], elastic[n])
        if parent >= 0:
            if own.S_parent.shape[1]:
                elastic[parent] = elastic[parent] + own.S_parent.T @ forces[n]
            forces[parent] = forces[parent] + own.T_pb.force_to_a(forces[n])
    return ca.vertcat(*G)


def joint_forces(
    model: Model,
    motions: list[BodyMotion],
    inertias: list[BodyInertia],
    v_dot: Expr,
    wrenches: Mapping[int, Expr],
) -> list[Expr]:
    """(6,) by body: F_n, moment and force from the parent at the body's origin, in its frame (equations 9 and 11).

    Args:
        v_dot: (nv,) accelerations
        wrenches: external (moment, force) at a body's origin in its frame, by body
    """
    accelerations: list[Expr] = []
    weight = ca.vertcat(ca.DM.zeros(3), -ca.DM(model.gravity))
    for n, own in enumerate(motions):
        parent = model.parents[n]
        A = own.T_pb.motion_to_b(weight if parent < 0 else accelerations[parent]) + own.c
        if own.S.shape[1]:
            A = A + own.S @ v_dot[model.v_slices[n][0]]
        if own.S_parent.shape[1]:
            A = A + own.S_parent @ v_dot[model.v_slices[parent][1]]
        accelerations.append(A)
    forces: list[Expr] = []
    for n, inertia in enumerate(inertias):
        f = inertia.rigid.times(accelerations[n]) + inertia.bias_rigid
        if inertia.elastic.shape[0]:
            f = f + inertia.rigid_elastic @ v_dot[model.v_slices[n][1]]
        forces.append(f - wrenches[n] if n in wrenches else f)
    for n in range(len(motions) - 1, -1, -1):
        if (parent := model.parents[n]) >= 0:
            forces[parent] = forces[parent] + motions[n].T_pb.force_to_a(forces[n])
    return forces
