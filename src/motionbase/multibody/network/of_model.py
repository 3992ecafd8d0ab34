"""From a model to a network: bodies become nodes, joints and closures constraints, elements parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.driven import Driven
from motionbase.multibody.elements import (
    AbstractDynamicElement,
    AbstractElement,
    AbstractNetworkElement,
    Beam,
    JointDamper,
    JointSpring,
    Motor,
    Stiction,
)
from motionbase.multibody.lookup import joint_speed
from motionbase.multibody.model import Model
from motionbase.multibody.network.assembly import Assembly
from motionbase.multibody.network.axes import AxesJoint
from motionbase.multibody.network.beams import BeamForce
from motionbase.multibody.network.closures import Surroundings, closure_part
from motionbase.multibody.network.constraints import KINDS, Constraint, Marker
from motionbase.multibody.network.coordinates import Coordinate
from motionbase.multibody.network.friction import JointStiction
from motionbase.multibody.network.joints import NetworkJoint, network_joints
from motionbase.multibody.network.loads import BodyForce, CoordinateForce, ElementForce, input_names
from motionbase.multibody.network.modal import ModalBody
from motionbase.multibody.network.parts import AbstractPart
from motionbase.multibody.network.rotors import ReflectedInertia
from motionbase.multibody.network.sites import Sites

TAU = "tau"


@final
@dataclass(frozen=True, eq=False)
class ModelNetwork:
    """A model as a network.

    Attributes:
        driven: inputs, those that drives give and those that are left
        joints: one for each body
    """

    model: Model
    assembly: Assembly
    driven: Driven
    joints: tuple[NetworkJoint, ...]

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs of a step: as the tree's forward dynamics has them, and the time instead of those that drives give."""
        return self.driven.left


def network_of(
    model: Model, q0: Array, dropped: Sequence[str] = (), ground_node: bool = False, massless: Sequence[str] = (),
    v0: Array | None = None,
) -> ModelNetwork:  # fmt: skip
    """A node for every body.

    Args:
        massless: bodies whose mass is left out: their nodes have six equations less
        q0: coordinates near which angles are counted
        v0: speeds of the start; zero if None
        dropped: rows of closures that follow from others, CLOSURE.ROW
        ground_node: the ground is a node of its own, held by a weld, as in programs that count so: 12 more equations
    """
    sites = Sites(model, ground_node, massless)
    speeds = np.zeros(model.nv) if v0 is None else v0
    parts: list[AbstractPart] = []
    if ground_node:
        still = Marker(np.zeros(3), np.eye(3))
        parts.append(Constraint("clamp", KINDS["weld"], (None, sites.ground), still, still))
    joints = network_joints(sites)
    driven = Driven.of(model)
    parts += [c for c in (joint.constraint() for joint in joints) if c is not None]
    around = Surroundings(model, joints, sites, q0, dropped)
    parts += [part for part in (closure_part(closure, around) for closure in model.closures) if part is not None]
    parts += _loads(around, speeds)
    parts += _modal_bodies(sites, q0, speeds)  # last, when it is known which of their points are nodes
    inputs = tuple(name for port in driven.ports for name in input_names(port))
    gravity = np.asarray(model.gravity, dtype=np.float64)
    made = [e.exchange(around) for e in model.elements if isinstance(e, AbstractNetworkElement)]
    exchanges = tuple(exchange for exchange in made if exchange is not None)
    return ModelNetwork(model, Assembly(tuple(sites.nodes), tuple(parts), gravity, inputs, exchanges), driven, joints)


# ---- forces --------------------------------------------------------------------------------------------------------


def _modal_bodies(sites: Sites, q0: Array, v0: Array) -> list[AbstractPart]:
    found: list[AbstractPart] = []
    model = sites.model
    for n, body in enumerate(model.bodies):
        if body.modes is not None:
            points, at_q, at_v = sites.points_of(body.name), model.q_slices[n][1], model.v_slices[n][1]
            tau = tuple(f"{TAU}[{k}]" for k in range(at_v.start, at_v.stop))
            nodes, gravity = (n, *points.values()), np.asarray(model.gravity, dtype=np.float64)
            found.append(ModalBody(body, nodes, tuple(points), gravity, tau, q0[at_q], v0[at_v]))
    return found


def _loads(around: Surroundings, v0: Array) -> list[AbstractPart]:
    """tau, springs, dampers and motors of each coordinate together; every other element by itself."""
    model, sites, joints, q0 = around.model, around.sites, around.joints, around.q0
    merged = (JointSpring, JointDamper, Motor)
    on_axis: dict[int, list[AbstractElement]] = {}
    of_axes: dict[str, list[AbstractElement]] = {j.joint.name: [] for j in joints if j.type == "axes"}
    parts: list[AbstractPart] = []
    by_name = {joint.joint.name: joint for joint in joints}
    for element in model.elements:
        if getattr(element, "joint", None) in of_axes:
            _check_on_axes(element)
            of_axes[element.joint].append(element)  # type: ignore[attr-defined]
        elif isinstance(element, Stiction):
            coordinate = Coordinate(by_name[element.joint], element.axis)
            speed = v0[joint_speed(element.name, model, element.joint, element.axis)]
            parts.append(JointStiction.of(element, coordinate, float(speed)))
        elif isinstance(element, merged):
            on_axis.setdefault(joint_speed(element.name, model, element.joint, element.axis), []).append(element)
        elif isinstance(element, Beam):
            parts.append(BeamForce.of(element, sites))
        elif isinstance(element, AbstractNetworkElement):
            parts += element.parts(around)
        else:
            parts.append(ElementForce(element, sites, joints, q0))
    for n, joint in enumerate(joints):
        at_q, at_v = model.q_slices[n][0].start, model.v_slices[n][0]
        names = tuple(f"{TAU}[{k}]" for k in range(at_v.start, at_v.stop))
        if joint.type in ("spherical", "free"):
            parts.append(BodyForce(joint.joint.name, joint, names))
        if joint.type == "axes":
            own, start = tuple(of_axes[joint.joint.name]), tuple(float(x) for x in q0[model.q_slices[n][0]])
            element_inputs = {element.name: element.inputs(model) for element in own}
            parts.append(AxesJoint(joint.joint.name, joint, model, at_q, at_v.start, own, element_inputs, names, start))
            continue
        for k in range(joint.joint.motion.nv):
            here = on_axis.get(at_v.start + k, [])
            coordinate = Coordinate(joint, k)
            if joint.type not in ("spherical", "free"):
                parts.append(_coordinate_force(coordinate, here, {names[k]: 1.0}, float(q0[at_q + k])))
            elif here:
                parts.append(_coordinate_force(coordinate, here, {}))
            inertia = sum(e.ratio**2 * e.rotor_inertia for e in here if isinstance(e, Motor))
            if inertia:
                parts.append(ReflectedInertia(f"{joint.joint.name}.{k + 1}", coordinate, inertia))
    return parts


def _coordinate_force(
    coordinate: Coordinate, elements: Sequence[AbstractElement], gains: dict[str, float], start: float = 0.0
) -> CoordinateForce:
    stiffness = damping = constant = 0.0
    for element in elements:
        if isinstance(element, JointSpring):
            stiffness += element.stiffness
            constant += element.stiffness * element.rest
        elif isinstance(element, JointDamper):
            damping += element.damping
        elif isinstance(element, Motor):
            gains[f"{element.name}_torque"] = element.ratio
    name = f"{coordinate.joint.joint.name}.{coordinate.k + 1}"
    return CoordinateForce(name, coordinate, stiffness, damping, constant, gains, start)


def _check_on_axes(element: AbstractElement) -> None:
    what = "a rotor's inertia" if isinstance(element, Motor) and element.rotor_inertia else None
    if isinstance(element, AbstractDynamicElement):
        what = "an element with states of its own"
    if what:
        raise ModelError(
            f"{type(element).__name__.lower()} {element.name!r}: in the network engine {what} cannot act on a joint of "
            "such turns and slides; use several joints with bodies between them"
        )
