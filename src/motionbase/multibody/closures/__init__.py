"""Closures: connections of bodies in addition to the tree's joints; each is data that closes a loop."""

from motionbase.multibody.closures.abstract import AbstractClosure, AbstractPlaceClosure, ClosureEquations
from motionbase.multibody.closures.conditions import Relation
from motionbase.multibody.closures.coupling import CouplingClosure
from motionbase.multibody.closures.imposed import ImposedAngleClosure, ImposedPositionClosure, ImposedSpeedClosure
from motionbase.multibody.closures.points import DistanceClosure, PointClosure, WeldClosure
from motionbase.multibody.closures.sliding import (
    CylindricalClosure,
    InLineClosure,
    InPlaneClosure,
    PlanarClosure,
    PrismaticClosure,
)
from motionbase.multibody.closures.turning import (
    AxisClosure,
    GimbalClosure,
    OrientationClosure,
    RevoluteClosure,
    UniversalClosure,
)

__all__ = [
    "AbstractClosure",
    "AbstractPlaceClosure",
    "AxisClosure",
    "ClosureEquations",
    "CouplingClosure",
    "CylindricalClosure",
    "DistanceClosure",
    "GimbalClosure",
    "ImposedAngleClosure",
    "ImposedPositionClosure",
    "ImposedSpeedClosure",
    "InLineClosure",
    "InPlaneClosure",
    "OrientationClosure",
    "PlanarClosure",
    "PointClosure",
    "PrismaticClosure",
    "Relation",
    "RevoluteClosure",
    "UniversalClosure",
    "WeldClosure",
]
