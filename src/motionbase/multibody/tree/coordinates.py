"""Moving coordinates by speeds, with unit quaternions."""

from __future__ import annotations

import casadi as ca

from motionbase.multibody.model import Model
from motionbase.spatial import unit_quaternion
from motionbase.spatial.rotations import Expr


def coordinate_rates(model: Model, q: Expr, v: Expr) -> Expr:
    """(nq,) time derivative of the coordinates."""
    rates: list[Expr] = []
    for joint, at_q, at_v in zip(model.joints, model.q_slices, model.v_slices, strict=True):
        rates += [joint.motion.rate(q[at_q[0], 0], v[at_v[0], 0]), v[at_v[1], 0]]
    return ca.vertcat(*rates)


def unit_coordinates(model: Model, q: Expr) -> Expr:
    """(nq,) the coordinates with every quaternion scaled to length one."""
    parts: list[Expr] = []
    for joint, (at_joint, at_modes) in zip(model.joints, model.q_slices, strict=True):
        own = q[at_joint, 0]
        if joint.motion.has_quaternion:
            n = joint.motion.nq - 4
            own = ca.vertcat(own[:n], unit_quaternion(own[n:]))
        parts += [own, q[at_modes, 0]]
    return ca.vertcat(*parts)


def moved_slightly(model: Model, q: Expr, dv: Expr) -> Expr:
    """(nq,) coordinates after a small motion dv (speeds times time); exact to first order."""
    return unit_coordinates(model, q + coordinate_rates(model, q, dv))


def speed_rows(model: Model) -> tuple[str, ...]:
    """(nv,) names of the speeds' rows in errors of linear systems: JOINT[k]."""
    pairs = zip(model.joints, model.v_slices, strict=True)
    return tuple(f"{joint.name}[{k}]" for joint, at in pairs for k in range(at[1].stop - at[0].start))
