"""Motion of arms: kinematics of a tip, resolved rates, paths, inverse kinematics and joint servos."""

from motionbase.multibody.manipulator.arm import Arm, Limits
from motionbase.multibody.manipulator.drive import Driven
from motionbase.multibody.manipulator.follow import Followed, follow
from motionbase.multibody.manipulator.inverse import Reached, inverse_kinematics
from motionbase.multibody.manipulator.paths import JointPath, LinePath
from motionbase.multibody.manipulator.resolved_rate import ResolvedRate
from motionbase.multibody.manipulator.servo import ComputedTorque, JointServo, seen_inertia
from motionbase.multibody.manipulator.timing import Timing, quickest

__all__ = [
    "Arm",
    "ComputedTorque",
    "Driven",
    "Followed",
    "JointPath",
    "JointServo",
    "Limits",
    "LinePath",
    "Reached",
    "ResolvedRate",
    "Timing",
    "follow",
    "inverse_kinematics",
    "quickest",
    "seen_inertia",
]
