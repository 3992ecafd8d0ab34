"""Joints: the permitted motion between a parent and a child, from any list of turns and slides to a free body."""

from motionbase.multibody.joints.abstract import AbstractMotion, JointMotion
from motionbase.multibody.joints.axes import Axes, Slide, Turn
from motionbase.multibody.joints.free import Free
from motionbase.multibody.joints.named import (
    cylindrical,
    fixed,
    planar,
    prismatic,
    revolute,
    universal,
)
from motionbase.multibody.joints.spherical import Spherical

__all__ = [
    "AbstractMotion",
    "Axes",
    "Free",
    "JointMotion",
    "Slide",
    "Spherical",
    "Turn",
    "cylindrical",
    "fixed",
    "planar",
    "prismatic",
    "revolute",
    "universal",
]
