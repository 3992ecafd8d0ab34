"""Two shafts joined by an ideal gimbal, by one Cardan joint, or by the gimbal built from ordinary joints.

The driven shaft turns about z; the other has a fixed bearing tilted about y, and a flywheel at its end.
"""

from __future__ import annotations

import math
from typing import Literal

from motionbase.multibody.body import Body
from motionbase.multibody.closures import (
    AbstractClosure,
    AxisClosure,
    CouplingClosure,
    GimbalClosure,
    UniversalClosure,
)
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import revolute
from motionbase.multibody.lookup import Point
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.models.example import Example, X, Y, Z

SHAFT, FLYWHEEL = 0.02, 0.5  # inertia about the axes [kg m^2]
LENGTH = 0.4  # of the driven shaft, from its bearing to the joint [m]
LIGHT = 1e-6  # [kg, kg m^2] of the bodies within an assembled gimbal
INNER = ("fork_a", "fork_b")  # these bodies; the network engine may leave their mass out

Coupling = Literal["compact", "angles", "assembly", "cardan"]


def gimbal_rig(tilt_deg: float = 20.0, coupling: Coupling = "compact") -> Model:
    """Both shafts on bearings; the joint between them is a closure.

    Args:
        tilt_deg: between the shafts [degrees]
        coupling: "compact" or "angles", the gimbal in one row or with its angles; "assembly", the gimbal of two light
            bodies with joints; "cardan", one Cardan joint, which does not keep the speed
    """
    tilt = math.radians(tilt_deg)
    c, s = math.cos(tilt), math.sin(tilt)
    tilted = ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    bodies = [
        Body("driver", 1.0, (0.0, 0.0, LENGTH / 2), (SHAFT, SHAFT, SHAFT), {"end": (0.0, 0.0, LENGTH)}),
        Body("driven", 5.0, (0.0, 0.0, 0.3), (FLYWHEEL / 2, FLYWHEEL / 2, FLYWHEEL)),
    ]
    joints = [
        Joint("j_driver", GROUND, "driver", revolute(Z)),
        Joint("j_driven", GROUND, "driven", revolute(Z), (0.0, 0.0, LENGTH), tilted),
    ]
    closures: tuple[AbstractClosure, ...]
    if coupling == "assembly":
        more, held = assembled_gimbal("driver", "end", "driven")
        bodies, joints, closures = [*bodies, *more[0]], [*joints, *more[1]], held
    elif coupling == "cardan":
        closures = (UniversalClosure("joint", "driven", (0, 0, 0), "driver", "end", axis_a=Y, axis_b=X),)
    else:
        closures = (GimbalClosure("joint", "driven", (0, 0, 0), "driver", "end", form=coupling),)
    return Model("gimbal_rig", tuple(bodies), tuple(joints), (0.0, 0.0, 0.0), closures=closures)


def assembled_gimbal(
    shaft_a: str, end_a: Point, shaft_b: str
) -> tuple[tuple[list[Body], list[Joint]], tuple[AbstractClosure, ...]]:
    """An ideal gimbal from ordinary joints: two light bodies and 13 rows, which with 12 for massless nodes are 25.

    R = exp(theta e2) exp(phi e1) exp(theta e2): a fork turns by theta about y of each shaft (5 rows each), the forks'
    x axes are one (2 rows), and both angles are the same (1 row): the Cardan joints take half the tilt each.
    """
    inertia = (LIGHT, LIGHT, LIGHT)
    bodies = [Body(name, LIGHT, (0.0, 0.0, 0.0), inertia) for name in INNER]
    joints = [
        Joint("theta_a", shaft_a, INNER[0], revolute(Y), end_a),
        Joint("theta_b", shaft_b, INNER[1], revolute(Y)),
    ]
    closures = (
        AxisClosure("cross", INNER[1], X, INNER[0], X),
        CouplingClosure("halves", "theta_b", "theta_a", ratio=-1.0),
    )
    return (bodies, joints), closures


EXAMPLES = (
    Example(
        "gimbal_rig",
        "two shafts at 20 degrees joined by an ideal gimbal, the second with a flywheel",
        "a test rig of this project with round numbers; the joint: Masarati et al., equations 6 to 12",
        gimbal_rig,
        illustrative=True,
        v0={"j_driver": 20.0},
    ),
)
