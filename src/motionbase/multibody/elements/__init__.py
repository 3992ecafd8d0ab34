"""Elements: springs, beams, stops, friction, motors, contact, orbits: data from which the engines compute forces."""

from motionbase.multibody.elements.abstract import (
    AbstractDynamicElement,
    AbstractElement,
    AbstractNetworkElement,
    AbstractStateElement,
    Load,
    OwnState,
    Wrench,
)
from motionbase.multibody.elements.beam import Beam
from motionbase.multibody.elements.contact_law import ContactLaw
from motionbase.multibody.elements.custom import Custom
from motionbase.multibody.elements.frame_spring import FrameSpring
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
from motionbase.multibody.elements.stiction import Stiction

__all__ = [
    "AbstractDynamicElement",
    "AbstractElement",
    "AbstractNetworkElement",
    "AbstractStateElement",
    "Beam",
    "ContactLaw",
    "Custom",
    "FrameSpring",
    "GravityGradient",
    "JointDamper",
    "JointFriction",
    "JointLimit",
    "JointSpring",
    "Load",
    "Motor",
    "OwnState",
    "PlaneContact",
    "PointForce",
    "PointSpring",
    "SphereContact",
    "Stiction",
    "Wrench",
]
