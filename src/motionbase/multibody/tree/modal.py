"""Small motions about a state: the modes' own stiffness and damping, and the tangent of all forces."""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.model import Model
from motionbase.spatial.rotations import Expr


def modal_matrices(model: Model) -> tuple[Array, Array]:
    """(nv, nv) stiffness and damping of all modes; zero for joints (K of equation 16)."""
    K, C = np.zeros((model.nv, model.nv)), np.zeros((model.nv, model.nv))
    for body, (_, at) in zip(model.bodies, model.v_slices, strict=True):
        if body.modes is not None:
            K[at, at], C[at, at] = body.modes.stiffness, body.modes.damping
    return K, C


def tangent(model: Model, G: Expr, q: Expr, v: Expr) -> tuple[Expr, Expr]:
    """(nv, nv) C and K of M x_ddot + C x_dot + K x = 0, for small x on top of a motion with G(q, v) = 0.

    A small x moves q by rate(q, x): quaternions rotate, modal amplitudes and plain coordinates add.
    """
    parts = []
    for k, joint in enumerate(model.joints):
        (at_q, _), (at_v, modes) = model.q_slices[k], model.v_slices[k]
        parts += [joint.motion.rate(q[at_q, 0], v[at_v, 0]), v[modes, 0]]
    moved = ca.jacobian(ca.vertcat(*parts), v)
    return -ca.jacobian(G, v), -ca.jacobian(G, q) @ moved
