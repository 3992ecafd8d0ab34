"""The Space Shuttle arm with flexible booms and gearboxes, tuned to published natural frequencies.

A boom is a uniform tube between two housings. Its published moment of inertia is larger than that of a uniform rod of
its mass, so part of the mass is at the ends; mass, centre of mass and moments of the undeformed boom are those of
`manipulators.SRMS`. We found no published stiffnesses: `scripts/tune_srms.py` computes those stored here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.body import ZERO, Body
from motionbase.multibody.elements import JointSpring
from motionbase.multibody.flexible import beam
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, Link
from motionbase.multibody.models.manipulators import MOUNT, ORBITER, SOURCE, SRMS


@final
@dataclass(frozen=True)
class Stiffness:
    """The tuned parameters.

    Attributes:
        EI: bending stiffness of both booms, equal in both planes [N m^2]
        yaw: stiffness of the shoulder yaw gearbox [N m/rad]
        pitch: stiffness of the shoulder pitch gearbox [N m/rad]; elbow and wrist scale with their torques
    """

    EI: float
    yaw: float
    pitch: float


TUNED = Stiffness(EI=1.325e6, yaw=2.274e6, pitch=4.371e5)  # scripts/tune_srms.py
GJ_PER_EI = 1 / 1.3  # a thin tube of an isotropic material with Poisson's ratio 0.3
TORQUES = {"shoulder": 1570.0, "elbow": 1074.0, "wrist": 470.0}  # published limits of the joints [N m]
BOOM_LENGTHS = {link.body: after.at[0] for link, after in zip(SRMS, SRMS[1:], strict=False) if "boom" in link.body}


@final
@dataclass(frozen=True)
class Published:
    """Natural frequencies [Hz] of one pose from finite elements: the first two, and the first with a free orbiter."""

    unloaded: tuple[float, float]
    unloaded_free: float
    loaded: tuple[float, float]
    loaded_free: float


FREQUENCIES_SOURCE = "Smithsonian transcription NASM.2014.0025, page 12; payload mass and poses are not legible in it"
FREQUENCIES = {
    "folded": Published((0.709, 0.881), 0.712, (0.043, 0.057), 0.047),
    "bent": Published((0.373, 0.477), 0.373, (0.045, 0.052), 0.047),
    "straight": Published((0.346, 0.461), 0.355, (0.027, 0.033), 0.044),
}


def _pose(**degrees: float) -> dict[str, float]:
    return {joint: math.radians(angle) for joint, angle in degrees.items()}


# Ours: the round angles that fit best without an infinitely stiff yaw gearbox. The yaw angle matters only on a free
# orbiter.
POSES: dict[str, dict[str, float]] = {
    "folded": _pose(shoulder_yaw=0.0, shoulder_pitch=70.0, elbow_pitch=-140.0, wrist_pitch=-90.0),
    "bent": _pose(shoulder_yaw=0.0, shoulder_pitch=22.5, elbow_pitch=-45.0, wrist_pitch=0.0),
    "straight": _pose(shoulder_yaw=90.0, shoulder_pitch=0.0, elbow_pitch=0.0, wrist_pitch=0.0),
}


def flexible_arm(
    pose: str = "bent",
    stiffness: Stiffness = TUNED,
    *,
    orbiter: bool = False,
    payload: float = 0.0,
    bending: int = 2,
    torsion: int = 1,
) -> Model:
    """The arm with its brakes on: motors are locked, gearboxes are springs at rest in the pose.

    Args:
        pose: a name of POSES
        orbiter: on a free-flying orbiter instead of on the ground
        payload: point mass at the grapple point [kg]
        bending, torsion: number of modes of each boom, in each plane and in twist
    """
    if pose not in POSES:
        raise ModelError(f"SRMS: no pose {pose!r}; poses: {', '.join(POSES)}")
    bodies, joints, parent = [], [], GROUND
    if orbiter:
        bodies.append(ORBITER)
        joints.append(Joint("flight", GROUND, ORBITER.name, Free()))
        parent = ORBITER.name
    for n, link in enumerate(SRMS):
        motion = revolute(link.motion) if isinstance(link.motion, tuple) else link.motion
        place = (MOUNT if orbiter else link.at) if n == 0 else "joint" if parent.endswith("_end") else link.at
        if link.body in BOOM_LENGTHS:
            root, boom, end = _boom(link, stiffness.EI, SRMS[n + 1 :], bending, torsion)
            bodies += [root, boom, end]
            joints.append(Joint(link.joint, parent, root.name, motion, place))
            joints.append(Joint(f"{boom.name}_root_weld", root.name, boom.name, fixed(), "boom"))
            joints.append(Joint(f"{boom.name}_end_weld", boom.name, end.name, fixed(), "tip"))
            parent = end.name
        else:
            bodies.append(Body(link.body, link.mass, link.com, link.inertia, link.points))
            joints.append(Joint(link.joint, parent, link.body, motion, place))
            parent = link.body
    if payload:
        bodies.append(Body("payload", payload))
        joints.append(Joint("grapple", parent, "payload", fixed(), "grapple"))
    gears = tuple(
        JointSpring(f"{name}_gear", name, k, POSES[pose].get(name, 0.0))
        for name, k in gear_stiffness(stiffness).items()
    )
    return Model("srms_flexible", tuple(bodies), tuple(joints), ZERO, gears)


def gear_stiffness(stiffness: Stiffness) -> Mapping[str, float]:
    """Gearbox stiffness by joint [N m/rad]."""
    elbow, wrist = (stiffness.pitch * TORQUES[part] / TORQUES["shoulder"] for part in ("elbow", "wrist"))
    return {
        "shoulder_yaw": stiffness.yaw,
        "shoulder_pitch": stiffness.pitch,
        "elbow_pitch": elbow,
        "wrist_pitch": wrist,
        "wrist_yaw": wrist,
        "wrist_roll": wrist,
    }


def _boom(link: Link, EI: float, carried: Sequence[Link], bending: int, torsion: int) -> tuple[Body, Body, Body]:
    """Housing at the root, tube, housing at the end; the tube lies half-way between the axes of its two joints.

    Every part has the link's radius of gyration about x, and half of that moment about y and z, like rings. The
    housings take the mass required by the moment about z, and the excess of the moment about y.
    """
    length, (xx, yy, zz), z = BOOM_LENGTHS[link.body], link.inertia, link.com[2]
    housing = 3 * (zz - xx / 2 - link.mass * length**2 / 12) / length**2
    tube = link.mass - 2 * housing
    ring = xx / link.mass  # squared radius of gyration [m^2]
    J = (ring * housing, ring * housing / 2 + (yy - zz) / 2, ring * housing / 2)
    j = ring * tube / length
    mass, moment = _straight(carried)
    modes = beam(
        length, tube / length, EI_y=EI, EI_z=EI, GJ=GJ_PER_EI * EI, bending=(bending, bending), torsion=torsion,
        inertia_per_length=(j, j / 2, j / 2), loading=housing + mass, loading_inertia=(moment, moment, moment),
    )  # fmt: skip
    root = Body(f"{link.body}_root", housing, (0.0, 0.0, z), J, {"boom": (0.0, 0.0, z)})
    return root, Body(link.body, modes=modes), Body(f"{link.body}_end", housing, ZERO, J, {"joint": (0.0, 0.0, z)})


def _straight(links: Sequence[Link]) -> tuple[float, float]:
    """Mass [kg] and moment of inertia [kg m^2] about the first joint, across it, of links in a straight line."""
    places = np.cumsum([0.0, *(link.at[0] for link in links[1:])])
    moment = sum(k.mass * (x + k.com[0]) ** 2 + k.inertia[1] for k, x in zip(links, places, strict=True))
    return sum(k.mass for k in links), float(moment)


def srms_flexible() -> Model:
    """On the ground, without gravity, bent, brakes on."""
    return flexible_arm("bent")


EXAMPLES = (
    Example(
        "srms_flexible",
        "Space Shuttle arm with flexible booms and gearboxes, brakes on",
        f"arm: {SOURCE}; frequencies: {FREQUENCIES_SOURCE}",
        srms_flexible,
        (
            "centres of mass at mid-length, moments of inertia about them, products of inertia left out",
            "stiffness of booms and gearboxes tuned to six published frequencies, in poses chosen for the best fit",
            "both booms are equally stiff uniform tubes with the mass that a uniform rod lacks at their ends",
            "gearboxes of elbow and wrist are to that of the shoulder pitch as the published torques are",
            "no damping, motors stand still",
        ),
        illustrative=True,
        q0=POSES["bent"],
        v0={"shoulder_yaw": 0.02, "shoulder_pitch": 0.02},
    ),
)
