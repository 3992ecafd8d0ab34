"""Rotations, transforms and inertias: pure functions over CasADi expressions or numbers.

Spatial vectors are angular first: a motion is (omega, v), a force is (moment, force), both at one point in one frame.
"""

from motionbase.spatial.inertia import RigidInertia
from motionbase.spatial.rotations import (
    R_axis_angle,
    R_euler_zyx,
    R_quaternion,
    euler_zyx,
    quaternion_axis_angle,
    quaternion_euler_zyx,
    quaternion_product,
    quaternion_rate,
    quaternion_rotation_vector,
    rotation_vector,
    skew,
    unit_quaternion,
)
from motionbase.spatial.transforms import Transform, cross_force, cross_motion

__all__ = [
    "RigidInertia",
    "R_axis_angle",
    "R_euler_zyx",
    "R_quaternion",
    "Transform",
    "cross_force",
    "cross_motion",
    "euler_zyx",
    "quaternion_axis_angle",
    "quaternion_euler_zyx",
    "quaternion_product",
    "quaternion_rate",
    "quaternion_rotation_vector",
    "rotation_vector",
    "skew",
    "unit_quaternion",
]
