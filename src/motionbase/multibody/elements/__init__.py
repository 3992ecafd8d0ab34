"""Elements: springs, stops, friction, motors, contact, orbits: data that the formulations turn into forces."""

from motionbase.multibody.elements.abstract import AbstractElement, Load, Wrench
from motionbase.multibody.elements.contact_law import ContactLaw
from motionbase.multibody.elements.custom import Custom
from motionbase.multibody.elements.gravity_gradient import GravityGradient
from motionbase.multibody.elements.joint_damper import JointDamper
from motionbase.multibody.elements.joint_friction import JointFriction
from motionbase.multibody.elements.joint_limit import JointLimit
from motionbase.multibody.elements.joint_spring import JointSpring
from motionbase.multibody.elements.motor import Motor
from motionbase.multibody.elements.plane_contact import PlaneContact
from motionbase.multibody.elements.point_force import PointForce
from motionbase.multibody.elements.point_spring import PointSpring
from motionbase.multibody.elements.sphere_contact import SphereContact

__all__ = [
    "AbstractElement",
    "ContactLaw",
    "Custom",
    "GravityGradient",
    "JointDamper",
    "JointFriction",
    "JointLimit",
    "JointSpring",
    "Load",
    "Motor",
    "PlaneContact",
    "PointForce",
    "PointSpring",
    "SphereContact",
    "Wrench",
]
