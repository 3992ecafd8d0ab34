"""Coordinates of one step: q = q0 (+) xi, where xi has one number for each speed.

An angle or displacement simply adds. A unit quaternion is rotated by the exponential map, Q = Q0 exp(xi), so every
stage of every method has true rotations without normalisation; xi follows from the angular velocity by the inverse of
the map's derivative (Munthe-Kaas 1998), so a method keeps its order. Implicit methods benefit too: their Jacobian has
the size of v and no redundant direction.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.model import Model
from motionbase.spatial import quaternion_product, quaternion_rotation_vector
from motionbase.spatial.rotations import Expr

# 1/12 + t^2/720 + ...: Bernoulli numbers over factorials. |xi| is the rotation of one step; at 1 rad the first
# dropped term is 1e-8, and it is of order h^10.
DEXPINV = (1 / 12, 1 / 720, 1 / 30240, 1 / 1209600)


def moved(model: Model, q: Expr, xi: Expr) -> Expr:
    """(nq,) q (+) xi; for joints with a quaternion the first three of xi are the rotation vector in the child frame."""
    parts = []
    for k, joint in enumerate(model.joints):
        (at_q, modes_q), (at_v, modes_v) = model.q_slices[k], model.v_slices[k]
        own, step = q[at_q, 0], xi[at_v, 0]
        if joint.motion.has_quaternion:
            n = joint.motion.nq - 4
            parts += [own[:n] + step[3:], turned(own[n:], step[:3])]
        else:
            parts.append(own + step)
        parts.append(q[modes_q, 0] + xi[modes_v, 0])
    return ca.vertcat(*parts)


def local_rate(model: Model, q: Expr, xi: Expr, v: Expr) -> Expr:
    """(nv,) rate of xi at q = q0 (+) xi."""
    parts = []
    for k, joint in enumerate(model.joints):
        (at_q, _), (at_v, modes_v) = model.q_slices[k], model.v_slices[k]
        if joint.motion.has_quaternion:
            rest = joint.motion.rate(q[at_q, 0], v[at_v, 0])[: joint.motion.nq - 4]
            parts += [_inverse_derivative(xi[at_v, 0][:3], v[at_v, 0][:3]), rest]
        else:
            parts.append(joint.motion.rate(q[at_q, 0], v[at_v, 0]))
        parts.append(v[modes_v, 0])
    return ca.vertcat(*parts)


def sizes(model: Model, q: Expr) -> Expr:
    """(nv,) reference magnitude for the error of each speed's integral: |q|, and 1 for a rotation."""
    parts = []
    for k, joint in enumerate(model.joints):
        at_q, modes_q = model.q_slices[k]
        own = ca.fabs(q[at_q, 0])
        parts.append(ca.vertcat(ca.SX.ones(3), own[: joint.motion.nq - 4]) if joint.motion.has_quaternion else own)
        parts.append(ca.fabs(q[modes_q, 0]))
    return ca.vertcat(*parts)


def quaternions(model: Model) -> list[slice]:
    """Slices of the unit quaternions in q."""
    pairs = zip(model.joints, model.q_slices, strict=True)
    return [slice(at.stop - 4, at.stop) for joint, (at, _) in pairs if joint.motion.has_quaternion]


def normalised(model: Model, q: Array) -> Array:
    """The coordinates q with every quaternion scaled to length one."""
    unit = q.copy()
    for at in quaternions(model):
        unit[at] /= np.linalg.norm(unit[at])
    return unit


def turned(Q: Expr, theta: Expr) -> Expr:
    """Q exp(theta); one Newton step towards length one keeps rounding from adding up over millions of steps."""
    product = quaternion_product(Q, quaternion_rotation_vector(theta))
    return product * (1.5 - 0.5 * ca.sumsqr(product))


def _inverse_derivative(theta: Expr, omega: Expr) -> Expr:
    """theta_dot for an angular velocity in the child frame: omega + theta x omega / 2 + c theta x (theta x omega)."""
    z = ca.sumsqr(theta)
    c = ca.SX(DEXPINV[-1])
    for coefficient in reversed(DEXPINV[:-1]):
        c = c * z + coefficient
    once = ca.cross(theta, omega)
    return omega + 0.5 * once + c * ca.cross(theta, once)
