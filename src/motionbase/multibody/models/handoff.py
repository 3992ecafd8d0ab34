"""Handoff of a payload from the Shuttle's arm to the Station's, with the Shuttle docked: two arms on one base.

Orbiter and station fly freely as one; the payload flies separately, and each arm holds it by a weld that is switched
while a model runs. With both welds closed the arms, the payload and the base are one closed chain (Quiocho, Huynh &
Crues name this case). The arms are those of `manipulators`; everything else has round numbers of ours.
"""

import math

from motionbase.multibody.body import ZERO, Body
from motionbase.multibody.closures import WeldClosure
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.manipulator import Arm, Limits
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, Link
from motionbase.multibody.models.manipulators import ASSUMED, MOUNT, ORBITER, SOURCE, SRMS, SSRMS

# Axes of the orbiter are those of the Shuttle arm's table: x along the outstretched arm, and pitch lifts it towards -z.
DOCKING = (13.0, 0.0, -4.0)  # position of the station's frame in the orbiter's [m]
STATION = Body("station", 180_000.0, (0.0, 0.0, -10.0), (2.0e7, 1.5e7, 2.5e7), {"ssrms_base": (4.0, 6.0, -5.0)})
PAYLOAD = Body(
    "payload",
    14_500.0,
    ZERO,
    (3.5e4, 6.0e4, 6.0e4),
    {"srms_fixture": (-2.0, 0.0, 0.0), "ssrms_fixture": (2.0, 0.0, 0.0)},
)
FACING = ((-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))  # the Station's arm comes from the other end

SRMS_JOINTS = tuple(f"srms_{link.joint}" for link in SRMS[1:])
SSRMS_JOINTS = tuple(f"ssrms_{link.joint}" for link in SSRMS[1:])
# limits from the same collection as the arms; those of the wrist are given once and used for all three joints
SRMS_LIMITS = Limits(
    (-3.096, 0.0, -2.751, -2.032, -2.032, -7.714),
    (3.096, 2.485, 0.0, 2.032, 2.032, 7.714),
    (0.040, 0.040, 0.056, 0.083, 0.083, 0.083),
)
SSRMS_LIMITS = Limits((-1.5 * math.pi,) * 7, (1.5 * math.pi,) * 7, (math.radians(4.0),) * 7)
# [N m]
SRMS_TORQUES = (1570.0, 1570.0, 1074.0, 470.0, 470.0, 470.0)
SSRMS_TORQUES = (2332.0,) * 7

# Both arms hold the payload; computed by inverse kinematics for round angles of the Shuttle's arm, with all digits.
HELD = dict(
    zip(
        (*SRMS_JOINTS, *SSRMS_JOINTS),
        (0.35, 0.95, -1.25, 0.25, 0.3, 0.0, -1.924266293819309, -0.6555045874979336, -0.38726546774604503,
         1.726883947769897, 1.190154124922065, -0.2870332768797513, 0.9263341775315516),
        strict=True,
    )
)  # fmt: skip
PAYLOAD_POSE = (
    20.895748059000233, 3.2839790488885505, -2.470760249557835,
    0.9473546009864925, 0.0006248698025168792, -0.02498958463533913, 0.3192090070583955,
)  # fmt: skip
# The Station's arm swings its elbow while payload and base are at rest: the only motion that the loop permits. The
# swing then shakes the payload, and with it the Shuttle's arm.
SWING = dict(zip(SSRMS_JOINTS, (1.8, -0.5405, -1.4036, 0.1939, 0.3656, -1.262, 0.8942), strict=True))


def handoff() -> Model:
    """Both arms on the docked stack, the payload free, a switchable weld at the end of each arm."""
    srms, ssrms = _mounted(SRMS, "srms", "orbiter", MOUNT), _mounted(SSRMS, "ssrms", "station", "ssrms_base")
    joints = (
        Joint("flight", GROUND, "orbiter", Free()),
        Joint("docking", "orbiter", "station", fixed(), DOCKING),
        *srms[1],
        *ssrms[1],
        Joint("payload", GROUND, "payload", Free()),
    )
    welds = (
        WeldClosure("srms_grapple", "srms_end_effector", "grapple", "payload", "srms_fixture", switchable=True),
        WeldClosure(
            "ssrms_grapple", "ssrms_end_effector", "grapple", "payload", "ssrms_fixture", FACING, switchable=True
        ),
    )
    return Model("handoff", (ORBITER, STATION, *srms[0], *ssrms[0], PAYLOAD), joints, ZERO, closures=welds)


def _mounted(
    links: tuple[Link, ...], name: str, base: str, at: tuple[float, float, float] | str
) -> tuple[tuple[Body, ...], tuple[Joint, ...]]:
    """Bodies and joints of an arm, with prefixed names."""
    parents = [base, *(f"{name}_{link.body}" for link in links)]
    bodies = tuple(Body(f"{name}_{k.body}", k.mass, k.com, k.inertia, k.points) for k in links)
    joints = tuple(
        Joint(
            f"{name}_{k.joint}",
            parent,
            f"{name}_{k.body}",
            revolute(k.motion) if isinstance(k.motion, tuple) else k.motion,
            at if parent == base else k.at,
        )
        for parent, k in zip(parents, links, strict=False)
    )
    return bodies, joints


def srms_arm(model: Model) -> Arm:
    """The Shuttle's arm in a handoff model; poses are in the orbiter's frame."""
    return Arm(model, "srms_end_effector", "grapple", "orbiter", limits=SRMS_LIMITS)


def ssrms_arm(model: Model) -> Arm:
    """The Station's arm in a handoff model; poses are in the station's frame."""
    return Arm(model, "ssrms_end_effector", "grapple", "station", limits=SSRMS_LIMITS)


EXAMPLES = (
    Example(
        "handoff",
        "payload held by the Shuttle's and the Station's arm: a closed chain",
        f"arms: {SOURCE}; orbiter, station and payload: ours",
        handoff,
        (
            *ASSUMED,
            "masses, inertias and places of orbiter, station and payload are round numbers of the right size",
            "the docked stack is one rigid body, and so is each grapple",
        ),
        illustrative=True,
        q0={**HELD, "payload": PAYLOAD_POSE},
        v0=SWING,
        engines=("tree",),
    ),
)
