"""Participation of joints and bodies in a mode."""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.arrays import Array, Complex
from motionbase.multibody.model import Model
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.momentum import body_momentum
from motionbase.spatial.rotations import Expr


def joint_shares(model: Model, M: Array, shapes: Complex) -> dict[str, Array]:
    """(modes,) by moving joint, and by "BODY.modes": energy of its motion alone, as a fraction of the sum."""
    found: dict[str, Array] = {}
    for joint, body, (turns, bends) in zip(model.joints, model.bodies, model.v_slices, strict=True):
        for name, at in ((joint.name, turns), (f"{body.name}.modes", bends)):
            if at.stop > at.start:
                own = shapes[at]
                found[name] = np.einsum("ki,kl,li->i", own.conj(), M[at, at], own).real
    total = np.sum(list(found.values()), axis=0)
    return {name: share / total for name, share in found.items()}


def body_shares(tree: Tree, q: Array, shapes: Complex) -> dict[str, Array]:
    """(modes,) by body: its kinetic energy as a fraction of that of all bodies; rotors of motors are not counted."""
    model = tree.model
    at, v = ca.SX.sym("q", model.nq), ca.SX.sym("v", model.nv)
    state, energies = tree.state(at, v), []
    for n, own in enumerate(state.motions):
        inertia = state.inertias[n]
        energy: Expr = ca.dot(own.V, body_momentum(state, n))
        if inertia.elastic.shape[0]:
            eta_dot = v[model.v_slices[n][1]]
            energy = energy + ca.dot(eta_dot, inertia.rigid_elastic.T @ own.V + inertia.elastic @ eta_dot)
        energies.append(energy)
    function = ca.Function("energies", [at, v], [ca.vertcat(*energies)])
    parts = [[np.array(function(q, part)).ravel() for part in (x.real, x.imag)] for x in shapes.T]
    sums = np.array([re + im for re, im in parts])
    shares = sums / sums.sum(axis=1, keepdims=True)
    return {body.name: shares[:, n] for n, body in enumerate(model.bodies)}
