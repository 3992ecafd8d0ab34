"""The six-axis robot of the benchmarks with its servos and, by choice, friction; its numbers are of no real machine."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from motionbase.multibody.elements import AbstractElement, JointDamper, JointSpring, Stiction
from motionbase.multibody.model import Model
from motionbase.multibody.models.benchmarks import SOURCE, robot6
from motionbase.multibody.models.example import Example

KP = (4e4, 4e4, 2e4, 1e3, 800.0, 100.0)  # [N m/rad]
KD = (400.0, 400.0, 200.0, 10.0, 8.0, 1.0)  # [N m s/rad]
Q_REF = (0.3, 0.2, -0.3, 0.4, -0.4, 0.5)  # [rad]
TAU_C = (60.0, 60.0, 40.0, 8.0, 5.0, 3.0)  # [N m]
STATIC = 1.5  # stiction over Coulomb friction
STRIBECK = 0.01  # [rad/s]
SIGMA0 = 1e5  # [N m/rad]

Elements = tuple[AbstractElement, ...]


def servos(joints: Sequence[str], kp: Sequence[float], kd: Sequence[float], q_ref: Sequence[float]) -> Elements:
    """A spring towards `q_ref` [rad] and a damper for every joint: `kp` [N m/rad], `kd` [N m s/rad]."""
    springs = (JointSpring(f"kp{k}", name, *of) for k, (name, *of) in _numbered(joints, kp, q_ref))
    dampers = (JointDamper(f"kd{k}", name, c) for k, (name, c) in _numbered(joints, kd))
    return *springs, *dampers


def _numbered(joints: Sequence[str], *columns: Sequence[float]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """1, 2, ... with a joint and its numbers; columns may be longer than there are joints."""
    return enumerate(zip(joints, *(column[: len(joints)] for column in columns), strict=True), start=1)


def frictions(joints: Sequence[str], coulomb: Sequence[float]) -> Elements:
    """Friction that sticks in every joint, by its Coulomb level [N m]; all else is as above."""
    rest = STRIBECK, SIGMA0, float(np.sqrt(SIGMA0))
    return tuple(
        Stiction(f"friction{k}", name, level, STATIC * level, *rest) for k, (name, level) in _numbered(joints, coulomb)
    )


def servo_robot(friction: bool = False, axes: int = 6) -> Model:
    """Servos pull every axis towards Q_REF; `axes`: how many of the six, from the base on."""
    arm = robot6()
    names = [joint.name for joint in arm.joints[:axes]]
    elements = (*servos(names, KP, KD, Q_REF), *(frictions(names, TAU_C) if friction else ()))
    name = "robot6_friction" if friction else "robot6_servos"
    return replace(arm, name=name, bodies=arm.bodies[:axes], joints=arm.joints[:axes], elements=elements)


def driven_robot() -> Model:
    """All six axes with friction that can be scaled and no servos: a controller outside the model drives it."""
    arm = servo_robot(friction=True)
    friction = (replace(element, scaled=True) for element in arm.elements if isinstance(element, Stiction))
    return replace(arm, name="robot", elements=tuple(friction))


def with_friction() -> Model:
    """All six axes, with friction that sticks."""
    return servo_robot(friction=True)


EXAMPLES = (
    Example("robot6_servos", "six-axis robot with servos", SOURCE, servo_robot, illustrative=True, q0={"j1": -0.3}),
    Example(
        "robot6_friction",
        "six-axis robot with servos and friction that sticks",
        SOURCE,
        with_friction,
        illustrative=True,
        q0={"j1": -0.3},
        engines=("network",),
    ),
)
