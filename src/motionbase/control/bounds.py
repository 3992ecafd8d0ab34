"""Limits in use in a state: those that people may have tuned, or the platform's own where a motion must end."""

from __future__ import annotations

from typing import TypeAlias

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Kernel, Port
from motionbase.control.fields import MIXED
from motionbase.control.geometry import leg_ratios
from motionbase.control.states import State, is_one_of
from motionbase.control.trajectory import AXES, BRISK
from motionbase.platform.hexapod import Hexapod

Array: TypeAlias = NDArray[np.float64]
DRIVEN = (State.ENGAGING, State.DRIVE, State.SETTLING)  # here the operational limits hold
WIDE = 1e3  # [m, rad] no limit of position: the way from down to neutral is outside the operational range
LEG_SHARE = 0.9  # of the legs' acceleration that one axis may use to follow a jump
LEAST = 0.5  # [s] shortest move, stop or blend


def chase_of(platform: Hexapod) -> Array:
    """(6,) acceleration with which a jump of each degree of freedom is followed, as the legs allow it at neutral."""
    limits = platform.limits
    return np.minimum(limits.acceleration, LEG_SHARE * limits.leg_acceleration / leg_ratios(platform))


IS_DRIVEN = Kernel(
    "is_driven",
    (Port("state"),),
    (Port("driven"),),
    lambda state: is_one_of(state, DRIVEN),
    "whether the operational limits hold",
)
TUNED = (
    Port("dof_position", 6, MIXED),
    Port("dof_velocity", 6, MIXED),
    Port("dof_acceleration", 6, MIXED),
    Port("dof_chase", 6, MIXED),
    Port("leg_velocity", 6, "m/s"),
    Port("leg_acceleration", 6, "m/s^2"),
    Port("l_min", (), "m"),
    Port("l_low", (), "m"),
    Port("move_least", (), "s"),
)


def bounds(platform: Hexapod) -> Kernel:
    """Limits of the twelve axes; abort, stopping and freeze have the platform's, so that no tuning weakens a stop."""
    limits = platform.limits
    v_own = ca.DM([*limits.velocity, *[limits.leg_velocity] * 6])
    a_own = ca.DM([*limits.acceleration, *[limits.leg_acceleration] * 6])
    chase_own = ca.DM(chase_of(platform))

    def expr(
        dof_position: ca.SX, dof_velocity: ca.SX, dof_acceleration: ca.SX, dof_chase: ca.SX, leg_velocity: ca.SX,
        leg_acceleration: ca.SX, l_min: ca.SX, l_low: ca.SX, move_least: ca.SX, state: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        driven, brisk = is_one_of(state, DRIVEN), is_one_of(state, BRISK)
        position = ca.if_else(driven, dof_position, WIDE)
        return (
            -position,
            position,
            ca.if_else(driven, l_min, l_low),
            ca.if_else(brisk, v_own, ca.vertcat(dof_velocity, leg_velocity)),
            ca.if_else(brisk, a_own, ca.vertcat(dof_acceleration, leg_acceleration)),
            ca.if_else(brisk, chase_own, ca.fmin(dof_chase, dof_acceleration)),
            ca.if_else(brisk, LEAST, move_least),
        )

    return Kernel(
        "bounds",
        inputs=(*TUNED, Port("state", (), "-")),
        outputs=(
            Port("x_min", 6, MIXED),
            Port("x_max", 6, MIXED),
            Port("l_least", (), "m"),
            Port("velocity", AXES, MIXED),
            Port("acceleration", AXES, MIXED),
            Port("chase", 6, MIXED, "at most the acceleration"),
            Port("least", (), "s", "shortest move, stop or blend"),
        ),
        expr=expr,
        description="limits in a state",
    )
