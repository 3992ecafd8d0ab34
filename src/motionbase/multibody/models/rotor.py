"""An articulated rotor with its swashplate: four blades of five beams each, 759 equations in the network engine.

Made up like the published model of a Puma's rotor in redundant coordinates, which has about 763: blades on flap, lag
and pitch hinges with pitch links, a swashplate on a slider with three control rods. The numbers are illustrative, of no
real machine, and there is no aerodynamics.
"""

from __future__ import annotations

import math

import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.beams.chain import beam_chain
from motionbase.multibody.beams.line import straight
from motionbase.multibody.beams.profile import Profile
from motionbase.multibody.body import GROUND, Body, Vector
from motionbase.multibody.closures import AbstractClosure, CouplingClosure, DistanceClosure
from motionbase.multibody.elements import AbstractElement, JointDamper
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute, universal
from motionbase.multibody.model import Model
from motionbase.multibody.models.example import X, Y, Z

OMEGA = 28.0  # [rad/s]
HINGES = 0.29  # [m] from the axis to the hinges
HINGE_MASS, HINGE_INERTIA = 8.0, (0.05, 0.05, 0.05)  # [kg], [kg m^2]
BLADE = Profile((4e7, 8e6, 8e6, 8e4, 9e4, 2e6), 9.0, (0.10, 0.01, 0.09))
LENGTH = 7.0  # [m] of a blade from its pitch hinge
HORN, LINK = 0.3, 0.4  # [m] from the pitch axis to the pitch link, and its length
ROD, RODS_AT = 0.5, 0.25  # [m] length of the control rods, and their distance from the axis
LAG_DAMPING = 7000.0  # [N m s/rad]


def articulated_rotor(blades: int = 4, beams: int = 5) -> Model:
    """`beams` of three nodes a blade; 71 + blades (52 + 24 beams) equations."""
    bodies = [
        Body("hub", 60.0, inertia=(4.0, 4.0, 6.0)),
        Body("slider", 10.0, inertia=(0.2, 0.2, 0.3)),
        Body("swashplate", 15.0, inertia=(0.5, 0.5, 0.9)),
        Body("rotating", 15.0, inertia=(0.5, 0.5, 0.9)),
    ]
    joints = [
        Joint("shaft", GROUND, "hub", revolute(Z)),
        Joint("slider", GROUND, "slider", prismatic(Z), (0.0, 0.0, -LINK)),
        Joint("tilt", "slider", "swashplate", universal(X, Y)),
        Joint("bearing", "swashplate", "rotating", revolute(Z)),
    ]
    closures: list[AbstractClosure] = [CouplingClosure("scissors", "bearing", "shaft")]
    elements: list[AbstractElement] = []
    for k in range(3):
        x, y, _ = _turned(math.tau * k / 3, (RODS_AT, 0.0, 0.0))
        rod = DistanceClosure(f"rod{k + 1}", "swashplate", (x, y, 0.0), GROUND, (x, y, -LINK - ROD), distance=ROD)
        closures.append(rod)
    for k in range(blades):
        own, angle = f"b{k + 1}", math.tau * k / blades
        line = straight((0.0, 0.0, 0.0), (LENGTH, 0.0, 0.0), 2 * beams + 1)
        chain = beam_chain(own, line, BLADE, nodes=3, root=revolute(X), parent=f"{own}_lag", damping=1e-4)
        bodies += [Body(f"{own}_{hinge}", HINGE_MASS, inertia=HINGE_INERTIA) for hinge in ("flap", "lag")]
        bodies += chain.bodies
        axes = [_turned(angle, axis) for axis in (X, Y, Z)]
        at = _turned(angle, (HINGES, 0.0, 0.0))
        joints += [
            Joint(f"{own}_flap", "hub", f"{own}_flap", revolute(Y), at, np.transpose(axes).tolist()),
            Joint(f"{own}_lag", f"{own}_flap", f"{own}_lag", revolute(Z)),
            *chain.joints,
        ]
        horn = _turned(angle, (HINGES, HORN, 0.0))
        closures.append(DistanceClosure(f"{own}_link", chain.root, (0.0, HORN, 0.0), "rotating", horn, distance=LINK))
        elements += [JointDamper(f"{own}_damper", f"{own}_lag", LAG_DAMPING), *chain.beams]
    return Model("articulated_rotor", tuple(bodies), tuple(joints), elements=tuple(elements), closures=tuple(closures))


def turning(model: Model, omega: float = OMEGA) -> Array:
    """Speeds with which hub and rotating swashplate turn, and the blades with them."""
    v = np.zeros(model.nv)
    for joint, (at, _) in zip(model.joints, model.v_slices, strict=True):
        if joint.name in ("shaft", "bearing"):
            v[at] = omega
    return v


def _turned(angle: float, v: Vector) -> Vector:
    """About z."""
    c, s = math.cos(angle), math.sin(angle)
    return c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]
