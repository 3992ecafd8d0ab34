"""Coordinates and speeds of a model's joints from the nodes of its network, and how far its constraints are open."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.multibody.closures import CouplingClosure
from motionbase.multibody.lookup import joint_coordinate
from motionbase.multibody.network.axes import AxesJoint, speeds_of
from motionbase.multibody.network.constraints import MARKER_SIZE, Constraint, Frame, frame
from motionbase.multibody.network.coordinates import Coordinate
from motionbase.multibody.network.joints import NetworkJoint
from motionbase.multibody.network.modal import ModalBody
from motionbase.multibody.network.nodes import Node, Place
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.multibody.network.parts import GROUND_PLACE, AbstractPart, Own
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr


def joint_motion(network: ModelNetwork) -> Kernel:
    """(nodes, own if joints or closures have coordinates there) -> (q, v): angles from -pi to pi; see `unwrapped`."""
    model = network.model
    found = {part.joint.joint.name: start for part, start in _with_starts(network) if isinstance(part, AxesJoint)}
    modal = {part.nodes[0]: (part, start) for part, start in _with_starts(network) if isinstance(part, ModalBody)}

    def expr(nodes: Any, *own: Expr) -> Any:
        places = places_of(nodes)
        q, v = [], []
        for joint in network.joints:
            at = [_place(places, n) for n in joint.nodes]
            if joint.type == "axes":
                start = found[joint.joint.name] + 6  # after the multipliers
                own_q = own[0][start : start + joint.joint.motion.nq]
                own_v = speeds_of(joint, own_q, _relative(*_frames(joint, at)[1:], at))
            else:
                own_q, own_v = _motion(joint, at)
            q.append(own_q)
            v.append(own_v)
            if joint.nodes[1] in modal:
                part, start = modal[joint.nodes[1]]
                of_body = own[0][start : start + len(part.own)]
                q.append(of_body[: part.modes.n])
                v.append(part.rates(at[1], of_body))
        return ca.vertcat(*q), ca.vertcat(*v)

    outputs = Port("q", model.nq, "-", "coordinates"), Port("v", model.nv, "-", "speeds")
    nodes = Node.port("nodes", "nodes at the end of a step", rows=len(network.assembly.bodies))
    return Kernel(f"{model.name}_joints", (nodes, *_own_port(network)), outputs, expr)


def _with_starts(network: ModelNetwork) -> list[tuple[AbstractPart, int]]:
    """Parts, and where their own unknowns begin."""
    return list(zip(network.assembly.parts, network.assembly.own_starts, strict=False))


def _own_port(network: ModelNetwork) -> tuple[Port, ...]:
    """Own unknowns of the parts, where coordinates are among them."""
    if not {Own.COORDINATE, Own.MODE} & set(network.assembly.kinds):
        return ()
    return (Port("own", len(network.assembly.kinds), "-", "own unknowns of the parts"),)


def violation(network: ModelNetwork) -> Kernel:
    """(nodes, own as of `joint_motion`) -> largest miss of any constraint that holds positions for ever [m, rad]."""

    def expr(nodes: Any, *own: Expr) -> Any:
        places = places_of(nodes)
        misses: list[Expr] = [ca.SX(0)]
        for part, start in _with_starts(network):
            if (
                isinstance(part, Constraint | AxesJoint | ModalBody)
                and part.acceleration is None
                and Own.HOLONOMIC in part.own
            ):
                at = [_place(places, n) for n in part.nodes]
                inner = [start + k for k, kind in enumerate(part.own) if kind in (Own.COORDINATE, Own.MODE)]
                s = own[0][inner] if inner else ca.SX(0, 1)
                misses.append(ca.mmax(ca.fabs(part.phi(at, ca.DM(part.numbers), s, ca.SX(0, 1)))))
        return ca.mmax(ca.vertcat(*misses))

    nodes = Node.port("nodes", "nodes at the end of a step", rows=len(network.assembly.bodies))
    miss = Port("miss", (), "-", "largest miss of a constraint [m, rad]")
    return Kernel(f"{network.model.name}_violation", (nodes, *_own_port(network)), (miss,), expr)


def coupling_miss(network: ModelNetwork, q: Array) -> float:
    """Largest miss of any coupling that holds for ever, over samples of the coordinates [rad, m]."""
    worst, model = 0.0, network.model
    for closure in model.closures:
        if isinstance(closure, CouplingClosure) and not closure.switchable:
            ends = (closure.joint, closure.axis), (closure.follows, closure.follows_axis)
            own, lead = (q[:, joint_coordinate(closure.name, model, *end)[0]] for end in ends)
            worst = max(worst, float(np.abs(own - closure.ratio * lead - closure.offset).max()))
    return worst


def places_of(nodes: Node) -> list[Place]:
    """Nodes as elements see them."""
    found = []
    for n in range(nodes.x.shape[0]):
        R = R_quaternion(nodes.Q[n, :].T)
        found.append(Place(nodes.x[n, :].T, R, nodes.v[n, :].T, nodes.omega[n, :].T))
    return found


def _place(places: list[Place], n: int | None) -> Place:
    return GROUND_PLACE if n is None else places[n]


def _frames(joint: NetworkJoint, places: list[Place]) -> tuple[ca.DM, Frame, Frame]:
    """Numbers of the markers, and both in the world."""
    markers = ca.DM(np.concatenate([joint.a.numbers, joint.b.numbers]))
    return markers, frame(places[0], markers[:MARKER_SIZE]), frame(places[1], markers[MARKER_SIZE:])


def _relative(A: Frame, B: Frame, places: list[Place]) -> Expr:
    """(6,) velocity of the child relative to the parent, angular first, at its marker and in its axes."""
    a, b = places
    v_a, v_b = (p.v + ca.cross(p.omega, B.p - p.x) for p in (a, b))
    return ca.vertcat(B.R.T @ (b.omega - a.omega), B.R.T @ (v_b - v_a))


def _motion(joint: NetworkJoint, places: list[Place]) -> tuple[Expr, Expr]:
    markers, A, B = _frames(joint, places)
    q = joint.coordinates(A, B, ca.SX.zeros(3))
    if joint.type not in ("spherical", "free"):
        rates = [Coordinate(joint, k).at(places, markers, ca.SX(0)).rate for k in range(joint.joint.motion.nv)]
        return q, ca.vertcat(*rates) if rates else ca.SX(0, 1)
    return q, _relative(A, B, places)[: joint.joint.motion.nv]


def unwrapped(network: ModelNetwork, t: Array, q: Array, v: Array, q0: Array) -> Array:
    """Coordinates with angles that go on after half a turn, from those at the start.

    An angle is counted on by its speeds, so that samples may be far apart; quaternions keep their sign.
    """
    found, model = q.copy(), network.model
    found[0] = q0
    for n, joint in enumerate(network.joints):
        at_q, at_v = model.q_slices[n][0], model.v_slices[n][0]
        if joint.joint.motion.has_quaternion:
            part = found[:, at_q.stop - 4 : at_q.stop]
            signs = np.sign(np.sum(part[1:] * part[:-1], axis=1))
            part[1:] *= np.cumprod(np.where(signs < 0, -1.0, 1.0))[:, None]
            continue
        for k, unit in enumerate(joint.joint.motion.units):
            if unit == "rad":
                rate = v[:, at_v.start + k]
                expected = q0[at_q.start + k] + np.concatenate(
                    [[0.0], np.cumsum(0.5 * np.diff(t) * (rate[1:] + rate[:-1]))]
                )
                column = found[:, at_q.start + k]
                offset = np.concatenate([[0.0], np.diff(column - expected)])
                column -= 2 * np.pi * np.cumsum(np.round(offset / (2 * np.pi)))
    return found
