"""The arms of the Space Shuttle (SRMS) and of the Space Station (SSRMS).

Masses, offsets and moments of inertia are those of Nguyen & Hughes 1994 as transcribed in the TraceableRobotModels
collection. The transcription puts every centre of mass at the joint, which is impossible: for every boom the moment is
between m l^2 / 12 and m l^2 / 4, that of a rod with heavy ends about its own centre of mass. So the centres of mass are
assumed at mid-length and the moments about them. Products of inertia are left out, because their sign convention is
not stated; those of the booms are below 3 % of the largest moment, that of the end effector of the SRMS is a quarter.
"""

from motionbase.multibody.body import ZERO, Body
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, fixed
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, Link, X, Y, Z, chain

SOURCE = "Nguyen & Hughes 1994, as transcribed in TraceableRobotModels (vyas-shubham)"
ASSUMED = (
    "centres of mass at mid-length, moments of inertia about them",
    "products of inertia left out",
    "rigid booms, no joint friction or gears",
)

SRMS = (
    Link("mount", "base", (0, 0, 0), fixed(), 63.24, (0, 0, -0.2586), (3.664, 3.803, 0.686)),
    Link("shoulder_yaw", "shoulder", (0, 0, -0.5172), Z, 32.12, (0, 0, -0.1524), (1.115, 1.417, 0.595)),
    Link("shoulder_pitch", "upper_boom", (0, 0, -0.3048), Y, 139.35, (3.1885, 0, -0.0762), (3.225, 998.63, 997.18)),
    Link("elbow_pitch", "lower_boom", (6.377, 0, -0.1524), Y, 87.42, (3.53, 0, -0.0762), (1.59, 632.9, 632.51)),
    Link("wrist_pitch", "wrist", (7.06, 0, -0.1524), Y, 8.48, (0.2286, 0, 0), (0.0893, 0.402, 0.402)),
    Link("wrist_yaw", "wrist_roll_housing", (0.4572, 0, 0), Z, 45.94, (0.381, 0, 0), (0.408, 4.68, 4.68)),
    Link("wrist_roll", "end_effector", (0.762, 0, 0), X, 45.21, (0.3302, 0, 0), (1.903, 3.816, 2.823),
         {"grapple": (0.6604, 0, 0)}),
)  # fmt: skip

SSRMS = (
    Link("mount", "base", (0, 0, 0), fixed(), 243.66, (0.67945, 0, 0), (9.336, 44.413, 44.413)),
    Link("shoulder_roll", "shoulder1", (1.3589, 0, 0), X, 105.98, (0, 0, 0.3513), (12.19, 12.13, 3.061)),
    Link("shoulder_yaw", "shoulder2", (0, 0, 0.7026), Z, 105.98, (0, -0.2846, 0), (8.088, 3.061, 8.446)),
    Link("shoulder_pitch", "boom1", (0, -0.5692, 0), Y, 314.88, (3.555, -0.2375, 0), (15.41, 2094.71, 2103.19)),
    Link("elbow_pitch", "boom2", (7.11, -0.475, 0), Y, 279.2, (3.555, 0, 0), (9.522, 1966.28, 1966.28)),
    Link("wrist_pitch", "wrist1", (7.11, 0, 0), Y, 105.98, (0, -0.2846, 0), (8.305, 3.061, 8.0386)),
    Link("wrist_yaw", "wrist2", (0, -0.5692, 0), Z, 105.98, (0, 0, -0.3513), (12.13, 12.13, 3.061)),
    Link("wrist_roll", "end_effector", (0, 0, -0.7026), X, 243.66, (0.67945, 0, 0), (9.336, 44.41, 44.41),
         {"grapple": (1.3589, 0, 0)}),
)  # fmt: skip

# Unpublished: round numbers of the right size, so that base and payload both move.
ORBITER = Body("orbiter", 95_000.0, ZERO, (1.2e6, 9.5e6, 1.0e7))
PAYLOAD = Body("payload", 14_500.0, (2.0, 0.0, 0.0), (3.5e4, 6.0e4, 6.0e4))
MOUNT = (8.0, -2.5, 1.5)  # position of the arm in the orbiter's frame [m]


def srms() -> Model:
    """Six joints, on the ground and without gravity."""
    return chain("srms", SRMS)


def ssrms() -> Model:
    """Seven joints, on the ground and without gravity."""
    return chain("ssrms", SSRMS)


def srms_on_orbiter(payload: bool = True) -> Model:
    """The arm on a free-flying orbiter, with or without a payload held rigidly at the grapple point."""
    arm = chain("arm", SRMS)
    fly = Joint("flight", GROUND, "orbiter", Free())
    mounted = Joint("mount", "orbiter", "base", fixed(), MOUNT)
    bodies, joints = (ORBITER, *arm.bodies), (fly, mounted, *arm.joints[1:])
    if payload:
        bodies = (*bodies, PAYLOAD)
        joints = (*joints, Joint("grapple", "end_effector", "payload", fixed(), "grapple"))
    return Model("srms_on_orbiter", bodies, joints, ZERO)


EXAMPLES = (
    Example(
        "srms",
        "Space Shuttle arm, six joints, fixed base, no gravity",
        SOURCE,
        srms,
        ASSUMED,
        q0={"shoulder_pitch": 0.6, "elbow_pitch": -1.2, "wrist_pitch": 0.4},
        v0={"shoulder_yaw": 0.04, "shoulder_pitch": -0.02, "elbow_pitch": 0.05},
    ),
    Example(
        "ssrms",
        "Space Station arm, seven joints, fixed base, no gravity",
        SOURCE,
        ssrms,
        ASSUMED,
        q0={"shoulder_pitch": 0.6, "elbow_pitch": -1.2, "wrist_pitch": 0.4},
        v0={"shoulder_roll": 0.05, "shoulder_pitch": -0.03, "elbow_pitch": 0.06},
    ),
    Example(
        "srms_on_orbiter",
        "Space Shuttle arm with a payload on an orbiter that flies freely",
        f"arm: {SOURCE}; orbiter and payload: ours",
        srms_on_orbiter,
        (*ASSUMED, "masses, inertias and mounting point of orbiter and payload are round numbers of the right size"),
        illustrative=True,
        q0={"shoulder_pitch": 0.6, "elbow_pitch": -1.2, "wrist_pitch": 0.4},
        v0={"flight.wz": 0.01, "shoulder_yaw": 0.02, "shoulder_pitch": -0.02, "elbow_pitch": 0.04},
    ),
)
