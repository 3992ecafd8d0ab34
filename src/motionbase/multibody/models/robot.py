"""The six-axis robot of the benchmarks with its servos and, by choice, friction; its numbers are of no real machine."""

from dataclasses import replace

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


def servo_robot(friction: bool = False, axes: int = 6) -> Model:
    """Servos pull every axis towards Q_REF; `axes`: how many of the six, from the base on."""
    arm = robot6()
    elements: list[AbstractElement] = []
    for k, joint in enumerate(arm.joints[:axes]):
        elements.append(JointSpring(f"kp{k + 1}", joint.name, KP[k], Q_REF[k]))
        elements.append(JointDamper(f"kd{k + 1}", joint.name, KD[k]))
        if friction:
            levels = TAU_C[k], STATIC * TAU_C[k], STRIBECK, SIGMA0, float(np.sqrt(SIGMA0))
            elements.append(Stiction(f"friction{k + 1}", joint.name, *levels))
    name = "robot6_friction" if friction else "robot6_servos"
    return replace(arm, name=name, bodies=arm.bodies[:axes], joints=arm.joints[:axes], elements=tuple(elements))


def driven_robot() -> Model:
    """All six axes with friction that can be scaled and no servos: a controller outside the model drives it."""
    arm = servo_robot(friction=True)
    friction = (replace(element, scaled=True) for element in arm.elements if isinstance(element, Stiction))
    return replace(arm, name="robot", elements=tuple(friction))


def with_friction() -> Model:
    """All six axes, with friction that sticks: for the network engine alone, so it is not among the examples."""
    return servo_robot(friction=True)


EXAMPLES = (
    Example("robot6_servos", "six-axis robot with servos", SOURCE, servo_robot, illustrative=True, q0={"j1": -0.3}),
)
