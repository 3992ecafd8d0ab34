"""Limits in use in a state: those that users may have tuned, or the platform's own if a motion must end."""

from __future__ import annotations

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, q
from motionbase.compile.struct import MIXED
from motionbase.control.geometry import leg_ratios
from motionbase.control.quantities import SX
from motionbase.control.states import BRISK, DRIVEN, is_one_of
from motionbase.platform.hexapod import Hexapod

WIDE = 1e3  # [m, rad] no position limit: the way from down to neutral is outside the operational range
LEG_SHARE = 0.9  # fraction of the legs' acceleration that one axis may use to follow a jump
LEAST = 0.5  # [s] shortest move, stop or blend


class Allowed(Struct):
    """Parameters that limit the motion."""

    dof_position: SX = q("m, rad", 6, "limits of the degrees of freedom, from neutral")
    dof_velocity: SX = q("m/s, rad/s", 6, "limits of the degrees of freedom")
    dof_acceleration: SX = q("m/s^2, rad/s^2", 6, "limits of the degrees of freedom")
    dof_chase: SX = q("m/s^2, rad/s^2", 6, "acceleration with which a jump of the demand is followed")
    leg_velocity: SX = q("m/s", 6, "limits of the legs")
    leg_acceleration: SX = q("m/s^2", 6, "limits of the legs")
    jerk_time: SX = q(
        "s", text="time for an acceleration to rise to its limit, degrees of freedom and legs", start=0.04
    )
    leg_braking: SX = q("m/s^2", text="deceleration available before the end of the stroke")
    l_min: SX = q("m", text="shortest leg in drive")
    l_max: SX = q("m", text="longest leg")
    l_low: SX = q("m", text="shortest leg outside drive")
    p_min: SX = q("Pa", text="least supply pressure")
    supply_time: SX = q("s", text="time for which it may be lower or implausible", start=0.1)


class Limits(Struct):
    """Limits in use: of the degrees of freedom, then of the legs."""

    position: SX = q(MIXED, 6, "to both sides of neutral")
    l_least: SX = q("m", text="shortest leg")
    velocity: SX = q(MIXED, 12)
    acceleration: SX = q(MIXED, 12)
    chase: SX = q(MIXED, 6, "at most the acceleration")
    least: SX = q("s", text="shortest move, stop or blend")


def chase_of(platform: Hexapod) -> Array:
    """(6,) acceleration with which a jump of each degree of freedom is followed, from the legs' limits at neutral."""
    limits = platform.limits
    return np.minimum(limits.acceleration, LEG_SHARE * limits.leg_acceleration / leg_ratios(platform))


def limits_in(platform: Hexapod, allowed: Allowed, move_least: SX, state: SX) -> Limits:
    """Limits in a state; abort, stopping and freeze use the platform's own, so that tuning cannot weaken a stop."""
    own = platform.limits
    v_own = ca.DM([*own.velocity, *[own.leg_velocity] * 6])
    a_own = ca.DM([*own.acceleration, *[own.leg_acceleration] * 6])
    driven, brisk = is_one_of(state, DRIVEN), is_one_of(state, BRISK)
    return Limits(
        position=ca.if_else(driven, allowed.dof_position, WIDE),
        l_least=ca.if_else(driven, allowed.l_min, allowed.l_low),
        velocity=ca.if_else(brisk, v_own, ca.vertcat(allowed.dof_velocity, allowed.leg_velocity)),
        acceleration=ca.if_else(brisk, a_own, ca.vertcat(allowed.dof_acceleration, allowed.leg_acceleration)),
        chase=ca.if_else(brisk, ca.DM(chase_of(platform)), ca.fmin(allowed.dof_chase, allowed.dof_acceleration)),
        least=ca.if_else(brisk, LEAST, move_least),
    )
