"""The Shuttle's and the Station's arm, and poses as numbers, shared by the tests of manipulators."""

from typing import Any

import casadi as ca
import numpy as np

from motionbase.multibody.manipulator import Arm, Limits
from motionbase.multibody.models.manipulators import srms, ssrms
from tests.multibody.mechanisms import Array, numbers

TIP = "end_effector", "grapple"
BENT = np.array([0.3, 0.6, -1.2, 0.4, 0.3, -0.2])  # of the Shuttle's arm, far from every singular place


def shuttle(limits: Limits | None = None) -> Arm:
    return Arm(srms(), *TIP, limits=limits)


def station(limits: Limits | None = None) -> Arm:
    return Arm(ssrms(), *TIP, limits=limits)


def pose(arm: Arm, q: Array) -> tuple[Array, Array]:
    p, Q = arm.pose.function(q)
    return numbers(p), numbers(Q)


def value(x: Any) -> Array:
    """Numbers of an expression without symbols."""
    return numbers(ca.evalf(ca.SX(x)))
