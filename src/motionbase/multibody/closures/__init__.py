"""Closures: what holds bodies together beside the tree's joints; each is data that closes a loop."""

from motionbase.multibody.closures.abstract import AbstractClosure, ClosureEquations, Relation
from motionbase.multibody.closures.axis import AxisClosure
from motionbase.multibody.closures.distance import DistanceClosure
from motionbase.multibody.closures.point import PointClosure
from motionbase.multibody.closures.revolute import RevoluteClosure
from motionbase.multibody.closures.weld import WeldClosure

__all__ = [
    "AbstractClosure",
    "AxisClosure",
    "ClosureEquations",
    "DistanceClosure",
    "PointClosure",
    "Relation",
    "RevoluteClosure",
    "WeldClosure",
]
