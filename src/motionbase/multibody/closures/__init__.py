"""Closures: what holds bodies together beside the tree's joints; each is data that closes a loop."""

from motionbase.multibody.closures.abstract import AbstractClosure, AbstractPlaceClosure, ClosureEquations, Relation
from motionbase.multibody.closures.axis import AxisClosure
from motionbase.multibody.closures.coupling import CouplingClosure
from motionbase.multibody.closures.distance import DistanceClosure
from motionbase.multibody.closures.point import PointClosure
from motionbase.multibody.closures.revolute import RevoluteClosure
from motionbase.multibody.closures.weld import WeldClosure

__all__ = [
    "AbstractClosure",
    "AbstractPlaceClosure",
    "AxisClosure",
    "ClosureEquations",
    "CouplingClosure",
    "DistanceClosure",
    "PointClosure",
    "Relation",
    "RevoluteClosure",
    "WeldClosure",
]
