"""From the base outwards: position and motion of every body, and its acceleration if all speeds were constant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca

from motionbase.compile.guarded import norm, one_minus_cos_over_x2, sinc
from motionbase.multibody.flexible.modes import Modes
from motionbase.multibody.model import Model
from motionbase.multibody.tree.stiffening import all_amplitudes
from motionbase.spatial import R_quaternion, Transform, cross_motion, quaternion_rotation_vector, skew
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True)
class BodyMotion:
    """One body at one instant; spatial vectors at its origin, in its frame.

    Attributes:
        T_pb: body to its parent's body frame
        T_Wb: body to world
        S: (6, nv) subspace of its joint
        S_parent: (6, n) motion of this body per modal rate of the parent
        V: (6,) velocity relative to the world
        c: (6,) V_dot besides the parent's acceleration, S v_dot and S_parent eta_ddot
    """

    T_pb: Transform
    T_Wb: Transform
    S: Expr
    S_parent: Expr
    V: Expr
    c: Expr


@final
@dataclass(frozen=True)
class PointMotion:
    """A point of a deforming body, relative to the body frame; spatial vectors in the point's own frame."""

    T: Transform
    S: Expr
    velocity: Expr
    bias: Expr


def _right_jacobian(theta: Expr) -> Expr:
    """omega (in the rotated frame) = J theta_dot for a rotation vector theta (Chirikjian & Kyatkin, SO(3))."""
    t = norm(theta)
    S = skew(theta)
    # (t - sin t) / t^3 = (1 - sinc t) / t^2, with the same guarded forms as elsewhere
    third = ca.if_else(t < 1e-2, 1 / 6 - t**2 / 120 + t**4 / 5040, (1 - sinc(t)) / ca.if_else(t < 1e-2, 1, t**2))
    return ca.DM.eye(3) - one_minus_cos_over_x2(t) * S + third * (S @ S)


def point_motion(modes: Modes, name: str, eta: Expr, eta_dot: Expr, stiffening: bool = True) -> PointMotion:
    """A point's frame under modal deformation: moved by its shape, rotated by its slope as a rotation vector.

    With `stiffening`, bending also pulls it in, so that loads there have the effect of geometric stiffness.
    """
    n = modes.n
    x, x_dot = ca.SX.sym("x", n), ca.SX.sym("x_dot", n)
    slope = ca.DM(modes.points[name].slope)
    whole, amplitudes, by_eta = all_amplitudes(modes, x, stiffening)
    point = whole.points[name]
    position, shape = ca.DM(point.position) + ca.DM(point.shape) @ amplitudes, ca.DM(point.shape) @ by_eta
    if point.slope.any():
        theta = slope @ x
        R = R_quaternion(quaternion_rotation_vector(theta))
        S = ca.vertcat(_right_jacobian(theta) @ slope, R.T @ shape)
    else:
        R = ca.SX(ca.DM.eye(3))
        S = ca.SX(ca.vertcat(slope, shape))
    bias = ca.jtimes(S @ x_dot, x, x_dot)
    at = [ca.densify(ca.SX(eta)), ca.densify(ca.SX(eta_dot))]  # structural zeros cannot be substituted
    position, R, S, bias = ca.substitute([ca.SX(position), R, S, bias], [x, x_dot], at)
    return PointMotion(Transform(R, position), S, S @ eta_dot, bias)


def outward(model: Model, q: Expr, v: Expr, stiffening: bool = True) -> list[BodyMotion]:
    """Motions of all bodies, parents first."""
    still = BodyMotion(
        Transform(ca.DM.eye(3), ca.DM.zeros(3)),
        Transform(ca.DM.eye(3), ca.DM.zeros(3)),
        ca.DM.zeros(6, 0),
        ca.DM.zeros(6, 0),
        ca.DM.zeros(6),
        ca.DM.zeros(6),
    )
    found: list[BodyMotion] = []
    for k, joint in enumerate(model.joints):
        parent = model.parents[k]
        base = still if parent < 0 else found[parent]
        R_pj = ca.DM(joint.orientation)
        modes = None if parent < 0 else model.bodies[parent].modes
        moves = joint.motion.motion(q[model.q_slices[k][0]], v[model.v_slices[k][0]])
        if modes is not None and isinstance(joint.position, str):
            eta, eta_dot = q[model.q_slices[parent][1]], v[model.v_slices[parent][1]]
            at = point_motion(modes, joint.position, eta, eta_dot, stiffening)
            T_jc = Transform(R_pj, ca.DM.zeros(3)) @ moves.T  # from the point's frame to the child
            V_at = at.T.motion_to_b(base.V) + at.velocity
            c_at = at.bias + cross_motion(V_at, at.velocity)
            T_pb, S_parent = at.T @ T_jc, T_jc.motion_to_b(at.S)
            carried, c_carried = T_jc.motion_to_b(V_at), T_jc.motion_to_b(c_at)
        else:
            position = joint.position
            if isinstance(position, str):
                position = model.bodies[parent].points[position]
            T_pb = Transform(R_pj, ca.DM(position)) @ moves.T
            S_parent = ca.DM.zeros(6, 0 if modes is None else modes.n)
            carried, c_carried = T_pb.motion_to_b(base.V), ca.DM.zeros(6)
        V = carried + moves.velocity
        c = c_carried + moves.bias + cross_motion(V, moves.velocity)
        found.append(BodyMotion(T_pb, base.T_Wb @ T_pb, moves.S, S_parent, V, c))
    return found
