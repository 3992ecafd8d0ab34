"""The Unimation PUMA 560 with its motors and, by choice, friction: the robot with the best known public parameters.

Numbers are the consensus of Corke & Armstrong-Helouvry ("A search for consensus among model parameters reported for the
PUMA 560 robot", 1994; "A meta-study of PUMA 560 dynamics", 1995), read in the Robotics Toolbox for Python 1.5.0 (MIT).
Joint angles and frames are those of its standard Denavit-Hartenberg table, the pedestal included.
"""

import math
from dataclasses import dataclass, replace
from typing import final

from motionbase.multibody.body import ZERO, Body, Vector
from motionbase.multibody.elements import Motor, Stiction
from motionbase.multibody.joint import IDENTITY, Joint
from motionbase.multibody.joints import revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example

SOURCE = "Corke & Armstrong-Helouvry 1994 and 1995, read in the Robotics Toolbox for Python 1.5.0"


@final
@dataclass(frozen=True)
class Axis:
    """A link with its motor; mass properties in the frame at the link's far end.

    Attributes:
        d, a: Denavit-Hartenberg offsets [m]
        twist: of the far end about x, in quarter turns
        mass, com, inertia: [kg], [m], principal moments about the centre of mass [kg m^2]
        rotor: inertia of the motor [kg m^2]
        ratio: of its gear, negative where it reverses
        viscous: at the motor [N m s/rad]
        coulomb: at the motor, in both directions [N m]
    """

    d: float
    a: float
    twist: int
    mass: float
    com: Vector
    inertia: Vector
    rotor: float
    ratio: float
    viscous: float
    coulomb: tuple[float, float]

    def turned(self, v: Vector) -> Vector:
        """A vector of the far end in the joint's axes."""
        x, y, z = v
        return (x, -self.twist * z, self.twist * y) if self.twist else v


# The published moments of link 3 (0.066, 0.086, 0.0125) are those of no body: the first and last are raised by HALF of
# what they lack together. They are felt only when link 3 turns about axis 1, about which link 1 has as much less: mass
# matrix and forces are the published ones in every pose.
HALF = (0.086 - 0.066 - 0.0125) / 2
LINK1 = 0.35 - HALF  # about axis 1; the rest of link 1's inertia, its mass and its place are felt by no motion

AXES = (
    Axis(0.67183, 0, 1, 1.0, ZERO, (LINK1, LINK1, LINK1), 200e-6, -62.6111, 1.48e-3, (0.395, 0.435)),
    Axis(0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539), 200e-6, 107.815, 0.817e-3, (0.126, 0.071)),
    Axis(0.15005, 0.0203, -1, 4.8, (-0.0203, -0.0141, 0.070), (0.066 + HALF, 0.086, 0.0125 + HALF),
         200e-6, -53.7063, 1.38e-3, (0.132, 0.105)),
    Axis(0.4318, 0, 1, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3), 33e-6, 76.0364, 71.2e-6, (11.2e-3, 16.9e-3)),
    Axis(0, 0, -1, 0.34, ZERO, (0.3e-3, 0.4e-3, 0.3e-3), 33e-6, 71.923, 82.6e-6, (9.26e-3, 14.5e-3)),
    Axis(0, 0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3), 33e-6, 76.686, 36.7e-6, (3.96e-3, 10.5e-3)),
)  # fmt: skip
JOINTS = tuple(f"j{k}" for k in range(1, len(AXES) + 1))

# Poses of the toolbox [rad]: upright, stretched out, and that of a table-top task.
READY = (0.0, math.pi / 2, -math.pi / 2, 0.0, 0.0, 0.0)
STRETCHED = (0.0, 0.0, -math.pi / 2, 0.0, 0.0, 0.0)
NOMINAL = (0.0, math.pi / 4, -math.pi, 0.0, math.pi / 4, 0.0)

# Illustrative, since no source gives them: static over Coulomb friction, speed of the Stribeck curve [rad/s],
# deflection at the Coulomb level [rad], time by which the bristle's damping leads its stiffness [s].
STATIC, STRIBECK, DEFLECTION, LEAD = 1.2, 0.02, 1e-3, 5e-3


def puma560() -> Model:
    """Arm and rotors, without friction; inputs `m1_torque` to `m6_torque` act at the motors' shafts [N m]."""
    bodies, joints, motors = [], [], []
    parent, place, orientation = GROUND, ZERO, IDENTITY
    for k, axis in enumerate(AXES, start=1):
        end, (x, y, z), (xx, yy, zz) = (axis.a, 0.0, axis.d), axis.turned(axis.com), axis.inertia
        com, inertia = (end[0] + x, y, end[2] + z), (xx, zz, yy) if axis.twist else axis.inertia
        bodies.append(Body(f"link{k}", axis.mass, com, inertia, {"end": end}))
        joints.append(Joint(JOINTS[k - 1], parent, f"link{k}", revolute(), place, orientation))
        motors.append(Motor(f"m{k}", JOINTS[k - 1], axis.ratio, axis.rotor))
        y_axis, z_axis = axis.turned((0.0, 1.0, 0.0)), axis.turned((0.0, 0.0, 1.0))
        parent, place = f"link{k}", end
        orientation = ((1.0, 0.0, 0.0), (0.0, y_axis[1], z_axis[1]), (0.0, y_axis[2], z_axis[2]))
    return Model("puma560", tuple(bodies), tuple(joints), (0.0, 0.0, -9.81), tuple(motors))


def viscous_friction(axis: Axis) -> float:
    """At the joint [N m s/rad]: the gear counts twice."""
    return axis.viscous * axis.ratio**2


def coulomb_friction(axis: Axis) -> float:
    """At the joint [N m], the mean of both directions."""
    return sum(axis.coulomb) / 2 * abs(axis.ratio)


def puma560_friction() -> Model:
    """The same with friction that sticks in every joint."""
    rub = []
    for joint, axis in zip(JOINTS, AXES, strict=True):
        coulomb = coulomb_friction(axis)
        bristle = coulomb / DEFLECTION, LEAD * coulomb / DEFLECTION, viscous_friction(axis)
        rub.append(Stiction(f"{joint}_friction", joint, coulomb, STATIC * coulomb, STRIBECK, *bristle))
    plain = puma560()
    return replace(plain, name="puma560_friction", elements=(*plain.elements, *rub))


START = dict(zip(JOINTS, NOMINAL, strict=True))
ASSUMED = (
    "link 1: mass and moments across its axis, which no motion feels",
    "link 3: its published moments break the triangle inequality; repaired so that the equations of motion are those "
    "published",
)
EXAMPLES = (
    Example(
        "puma560",
        "PUMA 560 with motors and gears, falling freely from its nominal pose",
        SOURCE,
        puma560,
        ASSUMED,
        q0=START,
    ),
    Example(
        "puma560_friction",
        "PUMA 560 with friction that sticks, falling from its nominal pose",
        f"{SOURCE}; bristle and Stribeck curve: ours",
        puma560_friction,
        (
            *ASSUMED,
            "Coulomb friction is the mean of the published values of both directions",
            "stiffness and damping of the bristle, static friction and Stribeck speed are illustrative",
        ),
        illustrative=True,
        q0=START,
        engines=("network",),
    ),
)
