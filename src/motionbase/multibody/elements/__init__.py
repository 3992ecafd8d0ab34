"""Elements: springs, dampers, stops, friction, motors and forces; data that the formulations turn into forces."""

from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench
from motionbase.multibody.elements.custom import Custom
from motionbase.multibody.elements.joint_damper import JointDamper
from motionbase.multibody.elements.joint_friction import JointFriction
from motionbase.multibody.elements.joint_limit import JointLimit
from motionbase.multibody.elements.joint_spring import JointSpring
from motionbase.multibody.elements.motor import Motor
from motionbase.multibody.elements.point_force import PointForce
from motionbase.multibody.elements.point_spring import PointSpring

__all__ = [
    "AbstractElement",
    "Custom",
    "JointDamper",
    "JointFriction",
    "JointLimit",
    "JointSpring",
    "Load",
    "Motor",
    "PointForce",
    "PointSpring",
    "Wrench",
]
