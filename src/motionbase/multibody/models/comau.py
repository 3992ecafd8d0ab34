"""A six-axis robot with the lengths of a COMAU Smart NJ 110-3.0, rigid, with friction, or with arms that deform.

Lengths are public; masses, inertias, sections, servos and friction are illustrative. Upper arm and forearm are uniform
tubes, so that arms of geometrically exact beams have the same mass properties as rigid ones.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Literal, final

import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.beams import Profile, beam_chain, straight
from motionbase.multibody.body import ZERO, Body, Vector
from motionbase.multibody.elements import AbstractElement
from motionbase.multibody.flexible.shapes import Section, tube
from motionbase.multibody.joint import IDENTITY, Joint, checked_rotation
from motionbase.multibody.joints import revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, X, Y, Z
from motionbase.multibody.models.robot import frictions, servos

Arm = Literal["upper", "fore"]
SOURCE = "lengths: COMAU SMART-5 NJ-110-3.0 as in motion-lab (MIT); masses, sections, servos, friction: ours"
A1, A2, A3, D1, D4, D6 = 0.350, 1.160, 0.250, 0.830, 1.4922, 0.210  # published [m]

# Aluminium tubes [Pa], [kg/m^3]; outer radius and wall [m]
E, G, RHO = 70e9, 26e9, 2700.0
SECTIONS: dict[Arm, Section] = {"upper": tube(0.16, 0.02), "fore": tube(0.09, 0.008)}
LENGTHS: dict[Arm, float] = {"upper": A2, "fore": D4}
PROFILES = {name: Profile.of(section, E, G, RHO) for name, section in SECTIONS.items()}

JOINTS = ("j1", "j2", "j3", "j4", "j5", "j6")

# Base column, elbow, wrist and flange: mass [kg], centre of mass [m], principal moments [kg m^2]
RIGID: dict[str, tuple[float, Vector, Vector]] = {
    "column": (350.0, (0.12, 0.0, 0.45), (25.0, 28.0, 20.0)),
    "elbow": (140.0, (-0.05, 0.0, 0.12), (4.0, 4.5, 4.0)),
    "wrist": (25.0, (0.04, 0.0, 0.0), (0.15, 0.15, 0.15)),
    "flange": (20.0, (0.12, 0.0, 0.0), (0.20, 0.25, 0.25)),
}
KP = (2e5, 2e5, 1e5, 1e3, 1e3, 200.0)  # [N m/rad]
KD = (1e4, 1e4, 5e3, 30.0, 30.0, 6.0)  # [N m s/rad]
Q_REF = (0.3, 0.2, -0.3, 0.4, -0.4, 0.5)  # [rad]
TAU_C = (150.0, 150.0, 100.0, 20.0, 8.0, 4.0)  # [N m]


def comau(friction: bool = False, flexible: Collection[Arm] = (), beams: int = 1) -> Model:
    """Servos pull every axis towards Q_REF; at zero the upper arm is upright and the forearm level.

    Args:
        friction: that sticks, in every joint; for the network engine
        flexible: arms made of geometrically exact beams of three nodes each
        beams: in each of them
    """
    if unknown := sorted(set(flexible) - set(LENGTHS)):
        raise ModelError(f"comau: no arm {unknown[0]!r}; arms: {', '.join(LENGTHS)}")
    if not isinstance(beams, int) or isinstance(beams, bool) or beams < 1:
        raise ModelError(f"comau: beams is {beams!r}, a whole number from 1 is wanted")
    robot = _Parts()
    robot.add("j1", "column", ZERO, Z)
    robot.add_arm("j2", "upper", (A1, 0.0, D1), Y, Z, beams if "upper" in flexible else 0)
    robot.add("j3", "elbow", "tip", Y)
    robot.add_arm("j4", "fore", (0.0, 0.0, A3), X, X, beams if "fore" in flexible else 0)
    robot.add("j5", "wrist", "tip", Y)
    robot.add("j6", "flange", ZERO, X)
    drives = (*servos(JOINTS, KP, KD, Q_REF), *(frictions(JOINTS, TAU_C) if friction else ()))
    name = "comau" + ("_flexible" if flexible else "") + ("_friction" if friction else "")
    return Model(name, tuple(robot.bodies), tuple(robot.joints), (0.0, 0.0, -9.81), (*robot.beams, *drives))


@final
@dataclass
class _Parts:
    """A chain that grows: what is there, the last body and its axes at zero."""

    bodies: list[Body] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    beams: list[AbstractElement] = field(default_factory=list)
    last: str = GROUND
    axes: tuple[Vector, Vector, Vector] = IDENTITY

    def add(
        self, joint: str, body: str, at: Vector | str, axis: Vector, points: dict[str, Vector] | None = None
    ) -> None:
        """A rigid body on the last one; its frame is aligned with the world at zero."""
        mass, com, inertia = RIGID[body]
        self._carried(joint, Body(body, mass, com, inertia, points or {}), at, axis)

    def add_arm(self, joint: str, name: Arm, at: Vector, axis: Vector, along: Vector, beams: int) -> None:
        """A tube from a place in the last body along a direction, of so many beams, or rigid."""
        L = LENGTHS[name]
        end = (L * along[0], L * along[1], L * along[2])
        if not beams:
            self._carried(joint, _tube(name, end), at, axis)
            return
        far = (at[0] + end[0], at[1] + end[1], at[2] + end[2])
        line = straight(at, far, 2 * beams + 1, up=Y)
        R = line.axes[0]
        x, y, z = (float(part) for part in R.T @ np.array(axis))
        chain = beam_chain(name, line, PROFILES[name], nodes=3, parent=self.last, root=revolute((x, y, z)))
        self.bodies += [*chain.bodies[:-1], replace(chain.bodies[-1], points={"tip": ZERO})]
        self.joints += [replace(chain.joints[0], name=joint), *chain.joints[1:]]
        self.beams += chain.beams
        self.last, self.axes = chain.tip, checked_rotation(name, R)

    def _carried(self, joint: str, body: Body, at: Vector | str, axis: Vector) -> None:
        self.bodies.append(body)
        aligned = checked_rotation(joint, np.array(self.axes).T)
        self.joints.append(Joint(joint, self.last, body.name, revolute(axis), at, aligned))
        self.last, self.axes = body.name, IDENTITY


def _tube(name: Arm, end: Vector) -> Body:
    """A rigid arm: a uniform tube, with the mass properties that its beams have."""
    L, section = LENGTHS[name], SECTIONS[name]
    mass = RHO * section.area * L
    across, axial = mass * L**2 / 12 + RHO * section.I_y * L, 2 * RHO * section.I_y * L
    xx, yy, zz = (axial if part else across for part in end)
    return Body(name, mass, (end[0] / 2, end[1] / 2, end[2] / 2), (xx, yy, zz), {"tip": end})


def comau_friction() -> Model:
    """With friction."""
    return comau(friction=True)


def comau_flexible() -> Model:
    """Both arms deform."""
    return comau(flexible=("upper", "fore"))


ASSUMED = (
    "masses, inertias, tubes and servos are round numbers of the right size",
    "the sixth axis begins at the wrist's centre",
)
RUBS = "levels, Stribeck speed, stiffness and damping of friction are illustrative"
EXAMPLES = (
    Example("comau", "six-axis robot of a COMAU's lengths with servos", SOURCE, comau, ASSUMED, True, {"j1": -0.3}),
    Example(
        "comau_friction",
        "the same robot with friction that sticks in every joint",
        SOURCE,
        comau_friction,
        (*ASSUMED, RUBS),
        illustrative=True,
        q0={"j1": -0.3},
        engines=("network",),
    ),
    Example(
        "comau_flexible",
        "the same robot with upper arm and forearm as geometrically exact beams",
        SOURCE,
        comau_flexible,
        ASSUMED,
        illustrative=True,
        q0={"j1": -0.3},
    ),
)
