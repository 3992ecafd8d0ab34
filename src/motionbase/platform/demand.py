"""Leg lengths and rates for a demand in degrees of freedom, for many instants at once."""

from __future__ import annotations

from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, compile
from motionbase.platform.forward import L
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import L_DOT, POSITION
from motionbase.platform.legs import legs_at
from motionbase.spatial.rotations import Expr, quaternion_euler_zyx

RATES = Port("dof_dot", 6, "m/s, rad/s", "rates of the degrees of freedom")


def legs_of_dof(platform: Hexapod) -> Kernel:
    """Degrees of freedom and their rates -> leg lengths, leg rates; the inverse kinematics of `Kinematics`."""
    neutral = ca.DM(np.asarray(platform.p_neutral))

    def expr(dof: Expr, dof_dot: Expr) -> Any:
        l = legs_at(platform, neutral + dof[:3], quaternion_euler_zyx(dof[3:])).l
        return l, ca.jtimes(l, dof, dof_dot)

    return Kernel("hexapod_legs_of_dof", (POSITION, RATES), (L, L_DOT), expr)


@final
class LegDemand:
    """The kernel, compiled for this machine."""

    def __init__(self, platform: Hexapod) -> None:
        self._compiled = compile(legs_of_dof(platform))

    def __call__(self, dof: Array, dof_dot: Array) -> tuple[Array, Array]:
        """(n, 6) leg lengths [m] and rates [m/s] for (n, 6) degrees of freedom and their rates."""
        found = self._compiled.map(dof=np.ascontiguousarray(dof), dof_dot=np.ascontiguousarray(dof_dot))
        return found["l"], found["l_dot"]
