"""A model with a drive on every joint that a controller moves: gains, limits, and brakes that hold its weight.

Brakes are friction that sticks (`Stiction`), of a level that an input scales: 0 open, 1 closed. A closed brake stops a
moving joint within a finite time and then holds it, as a real one does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.closures import CouplingClosure
from motionbase.multibody.elements import AbstractElement, JointLimit, Motor, Stiction
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Axes
from motionbase.multibody.lookup import joint_coordinate
from motionbase.multibody.model import Model
from motionbase.multibody.models.robot import KD, KP, Q_REF
from motionbase.multibody.scene import place_of
from motionbase.multibody.tree.dynamics import Tree

FREQUENCY, RATIO = 4 * math.pi, 0.7  # of a joint under its controller, where the model names no gains [rad/s], [-]
SPEED = {"rad": 1.0, "m": 0.3}  # of set points, per second; also what a brake stops within STOP_S
STOP_S = 0.25
HOLDS = 2.0  # brake over the largest weight it may carry
DRIVE = 2.0  # largest torque of a drive over that of the brake
TRAVEL = {"rad": math.pi, "m": 1.0}  # of set points about the start, where the model has no stops
STRIBECK, BENT = 0.01, 1e-3  # of a brake: [rad/s, m/s], deflection [rad, m]


@final
@dataclass(frozen=True, eq=False)
class DrivenJoint:
    """A joint with one axis, its drive and its brake.

    Attributes:
        at_q, at_v: places in q and v
        unit: rad or m
        start: coordinate at the start; set_point: where it is told to go first
        kp, kd: gains [N m/rad, N m s/rad] or [N/m, N s/m]
        torque: largest of the drive [N m] or [N]
        speed: of its set point [rad/s] or [m/s]
        travel: bounds of its set point
    """

    name: str
    at_q: int
    at_v: int
    unit: str
    start: float
    set_point: float
    kp: float
    kd: float
    torque: float
    speed: float
    travel: tuple[float, float]


@final
@dataclass(frozen=True, eq=False)
class DrivenModel:
    """A model that can be driven.

    Attributes:
        model: with brakes
        joints: that are driven
        friction: input NAME_active of the network -> (part of friction, part of the brake): what it is at a friction
            scale s and with brakes closed by b is s times the first plus b times the second
        q0: coordinates of the start
    """

    model: Model
    joints: tuple[DrivenJoint, ...]
    friction: Mapping[str, tuple[float, float]]
    q0: Array


def driven(model: Model, q0: Array | None = None) -> DrivenModel:
    """A drive and a brake on every joint with a motor, or on all of one axis where the model has no motors."""
    start = model.neutral if q0 is None else np.asarray(q0, dtype=np.float64)
    joints = _driven_joints(model)
    M = np.array(Tree(replace(model, elements=(), closures=())).mass_matrix.function(start))
    found: list[DrivenJoint] = []
    elements: list[AbstractElement] = [_scaled(element) for element in model.elements]
    friction = {f"{e.name}_active": (1.0, 0.0) for e in elements if isinstance(e, Stiction)}
    for k, joint in enumerate(joints):
        at_q, at_v = joint_coordinate("drive", model, joint.name, 0)
        inertia, unit = float(M[at_v, at_v]), joint.motion.units[0]
        brake = HOLDS * _weight(model, joint) + inertia * SPEED[unit] / STOP_S
        element = _brake(model, joint, brake, inertia)
        elements.append(element)
        friction[f"{element.name}_active"] = (0.0, 1.0)
        gains = (KP[k], KD[k]) if model.name == "robot" else (inertia * FREQUENCY**2, 2 * RATIO * inertia * FREQUENCY)
        travel = _travel(model, joint, float(start[at_q]))
        aim = Q_REF[k] if model.name == "robot" else float(start[at_q])
        found.append(
            DrivenJoint(
                joint.name,
                at_q,
                at_v,
                unit,
                float(start[at_q]),
                min(max(aim, travel[0]), travel[1]),
                *gains,
                DRIVE * brake,
                SPEED[unit],
                travel,
            )  # fmt: skip
        )
    return DrivenModel(replace(model, elements=tuple(elements)), tuple(found), friction, start)


def _driven_joints(model: Model) -> list[Joint]:
    """In the order of the model."""
    if flexible := [body.name for body in model.bodies if body.modes is not None]:
        raise ModelError(
            f"model {model.name!r} cannot be run in real time: body {flexible[0]!r} has assumed modes, which the "
            "shapes of a run do not have; use beams"
        )
    motors = {element.joint for element in model.elements if isinstance(element, Motor)}
    loops = [c.name for c in model.closures if not isinstance(c, CouplingClosure)]
    following = {c.joint for c in model.closures if isinstance(c, CouplingClosure)}
    single = [j for j in model.joints if isinstance(j.motion, Axes) and j.motion.nv == 1 and j.name not in following]
    if motors:
        single = [joint for joint in single if joint.name in motors]
    elif loops:
        raise ModelError(
            f"model {model.name!r} cannot be run in real time: closure {loops[0]!r} closes a loop and no motor says "
            "which joint is driven; give the driven joints motors"
        )
    if not single:
        raise ModelError(
            f"model {model.name!r} cannot be run in real time: it has no joint of one axis that a drive could move"
        )
    return single


def _scaled(element: AbstractElement) -> AbstractElement:
    return replace(element, scaled=True) if isinstance(element, Stiction) else element


def _carried(model: Model, joint: Joint) -> list[tuple[int, float]]:
    """Bodies that a joint moves, and how far along the joints each one's centre of mass is at most [m]."""
    reach: dict[int, float] = {model.index[joint.child]: 0.0}
    for k, (own, parent) in enumerate(zip(model.joints, model.parents, strict=True)):
        if parent in reach:
            reach[k] = reach[parent] + float(np.linalg.norm(place_of(model, own)))
    return [(k, way + float(np.linalg.norm(model.bodies[k].com))) for k, way in reach.items()]


def _weight(model: Model, joint: Joint) -> float:
    """Largest moment or force of gravity that the joint may have to carry, in any configuration [N m] or [N]."""
    g, turns = float(np.linalg.norm(model.gravity)), joint.motion.units[0] == "rad"
    return sum(g * model.bodies[k].mass * (way if turns else 1.0) for k, way in _carried(model, joint))


def _brake(model: Model, joint: Joint, level: float, inertia: float) -> Stiction:
    taken = {part.name for part in model.parts}
    names: Sequence[str] = [f"{joint.name}_brake", *(f"{joint.name}_brake{k}" for k in range(2, len(taken) + 3))]
    name = next(name for name in names if name not in taken)
    sigma0 = level / BENT
    # it sticks no harder than it slides: friction of this level that fell with the speed would have several solutions
    # in one step (docs/network.md)
    return Stiction(name, joint.name, level, level, STRIBECK, sigma0, math.sqrt(sigma0 * inertia), scaled=True)


def _travel(model: Model, joint: Joint, start: float) -> tuple[float, float]:
    """Between the model's stops, or a usual way about the start."""
    way = TRAVEL[joint.motion.units[0]]
    stops = [e for e in model.elements if isinstance(e, JointLimit) and e.joint == joint.name]
    lower = max([e.lower for e in stops if math.isfinite(e.lower)], default=start - way)
    upper = min([e.upper for e in stops if math.isfinite(e.upper)], default=start + way)
    return min(lower, start), max(upper, start)
