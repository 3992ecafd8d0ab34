"""What the record shows of a network: joint coordinates that go on after half a turn, friction, poses of bodies."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Kernel, Port
from motionbase.multibody.lookup import joint_coordinate
from motionbase.multibody.manipulator.driven import DrivenModel
from motionbase.multibody.model import Model
from motionbase.multibody.network.friction import JointStiction
from motionbase.multibody.network.nodes import Node
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr


def axis_places(model: Model) -> tuple[list[int], list[int]]:
    """Places in q and in v of every coordinate that turns or slides, in the order of the record."""
    found = [
        joint_coordinate("record", model, joint.name, k)
        for joint in model.joints
        if not joint.motion.has_quaternion
        for k in range(joint.motion.nv)
    ]
    return [at_q for at_q, _ in found], [at_v for _, at_v in found]


def driven_axes(plant: DrivenModel) -> list[int]:
    """Places of the driven joints among the coordinates of the record."""
    at_q, _ = axis_places(plant.model)
    return [at_q.index(joint.at_q) for joint in plant.joints]


def observe(plant: DrivenModel, network: ModelNetwork) -> Kernel:
    """(q as the nodes have it, the last q, v, nodes, own unknowns and rates, scales of friction) -> what is shown."""
    model, assembly = plant.model, network.assembly
    at_q, at_v = axis_places(model)
    places = {name: k for k, name in enumerate(assembly.names[assembly.node_starts[-1] :])}
    rubbing = [
        (p, s) for p, s in zip(assembly.parts, assembly.own_starts, strict=False) if isinstance(p, JointStiction)
    ]
    scales = list(plant.friction)

    def expr(raw: Expr, before: Expr, v: Expr, nodes: Node, own: Expr, rates: Expr, active: Expr) -> Any:
        q = _unwrapped(model, raw, before)
        friction = ca.SX(model.nv, 1)
        for part, start in rubbing:
            speed = joint_coordinate(part.name, model, part.element.joint, part.element.axis)[1]
            others = ca.vertcat(*(own[places[name]] for name in part.reads))
            scale = ca.vertcat(*(active[scales.index(name)] for name in part.inputs))
            friction[speed] += part.force(ca.DM(part.numbers), own[start], rates[start], v[speed], others, scale)
        return q, q[at_q], v[at_v], friction[at_v], _poses(model, nodes)

    axes = len(at_q)
    inputs = (
        *_motion_ports(network), Port("own", assembly.own_starts[-1]), Port("rates", assembly.own_starts[-1]),
        Port("active", len(scales)),
    )  # fmt: skip
    outputs = (
        Port("q", model.nq), Port("positions", axes), Port("speeds", axes), Port("friction", axes),
        Port("poses", (len(model.bodies), 7)),
    )  # fmt: skip
    return Kernel(f"{model.name}_observe", inputs, outputs, expr)


def observe_motion(network: ModelNetwork) -> Kernel:
    """The same without friction: (q as the nodes have it, the last q, v, nodes) -> what is shown."""
    model = network.model
    at_q, at_v = axis_places(model)

    def expr(raw: Expr, before: Expr, v: Expr, nodes: Node) -> Any:
        q = _unwrapped(model, raw, before)
        return q, q[at_q], v[at_v], _poses(model, nodes)

    axes = len(at_q)
    outputs = (
        Port("q", model.nq), Port("positions", axes), Port("speeds", axes), Port("poses", (len(model.bodies), 7)),
    )  # fmt: skip
    return Kernel(f"{model.name}_observe", _motion_ports(network), outputs, expr)


def _motion_ports(network: ModelNetwork) -> tuple[Port, ...]:
    model = network.model
    nodes = Node.port("nodes", rows=len(network.assembly.bodies))
    return Port("raw", model.nq), Port("before", model.nq), Port("v", model.nv), nodes


def _unwrapped(model: Model, raw: Expr, before: Expr) -> Expr:
    """Angles go on from where they were."""
    q, (at_q, _) = ca.SX(raw), axis_places(model)
    for k, unit in zip(at_q, _units(model), strict=True):
        if unit == "rad":
            q[k] = raw[k] - 2 * np.pi * _rounded((raw[k] - before[k]) / (2 * np.pi))
    return q


def _units(model: Model) -> list[str]:
    return [unit for joint in model.joints if not joint.motion.has_quaternion for unit in joint.motion.units]


def _rounded(x: Expr) -> Expr:
    return ca.floor(x + 0.5)


def _poses(model: Model, nodes: Node) -> Expr:
    """Origins and orientations of the bodies' frames; nodes stand at the centres of mass."""
    rows = []
    for k, body in enumerate(model.bodies):
        Q = nodes.Q[k, :].T
        origin = nodes.x[k, :].T - R_quaternion(Q) @ ca.DM(body.com)
        rows.append(ca.horzcat(origin.T, Q.T))
    return ca.vertcat(*rows)
