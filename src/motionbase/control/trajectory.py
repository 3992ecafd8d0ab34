"""Base trajectory of a state: measured pose, bounded move, blend to the drive, or drive; twelve axes.

Axes 0 to 5 are the degrees of freedom, 6 to 11 additions to the leg lengths (leg generators, or their remainder after a
stop). Entering a state plans a move from the present limited trajectory, so that no change of state causes a step. For
the legs this is the part of the additions within their limits: a generator beyond the stroke does not delay a stop.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.compile import Struct, for_each, q, switch
from motionbase.control.bounds import LEAST, Limits
from motionbase.control.design import FELT_SHARE, TURN_CORNER
from motionbase.control.profiles import Plan, blended, moved, planned, quintic
from motionbase.control.quantities import SX
from motionbase.control.states import BRISK, Machine, is_one_of
from motionbase.record.states import Source, State

AXES = 12
TO_NEUTRAL = (State.RISING, State.STANDBY, State.SETTLING)
TO_DOWN = (State.LOWERING, State.ABORT)
FADING = (State.SETTLING, State.STANDBY)  # to neutral, as the limits of the legs allow


class Moves(Struct):
    """Parameters of the trajectory and of the estimates."""

    move_velocity: SX = q("-", text="of rising, settling, lowering, as a part of the limits", start=0.2)
    move_acceleration: SX = q("-", text="of rising, settling, lowering, as a part of the limits", start=0.1)
    abort_velocity: SX = q("-", text="of abort and freeze, as a part of the platform's limits", start=0.3)
    abort_acceleration: SX = q("-", text="of abort and freeze, as a part of the platform's limits", start=0.3)
    move_least: SX = q("s", text="shortest move or blend", start=LEAST)
    fade_least: SX = q("s", text="shortest fade of a generator when the drive ends", start=1.0)
    host_horizon: SX = q("s", text="longest use of a host frame", start=0.1)
    host_stop: SX = q("s", text="shortest stop after the horizon", start=0.5)
    estimator: SX = q("rad/s", text="speed of the pose estimator", start=120.0)
    felt_share: SX = q(
        "-", text="part of the legs' measured acceleration that the platform's sensors give", start=FELT_SHARE
    )
    turn_corner: SX = q("rad/s", text="filter of the angular acceleration from the rate gyros", start=TURN_CORNER)


def planned_moves(
    down: ArrayLike, moves: Moves, limits: Limits, state: SX, limited: SX, added: SX, sums: SX, drive: SX
) -> Any:
    """Plans of the twelve axes from the trajectory one tick ago, and the longest duration.

    That is: degrees of freedom within their limits, the legs' actual motion beyond these, and the generators.
    """
    resting = ca.DM(np.concatenate([np.asarray(down, dtype=np.float64), np.zeros(6)]))
    # generators continue while it settles, and fade from their demand, not from the legs' actual motion
    now = ca.if_else(is_one_of(state, FADING), limited - sums, ca.vertcat(limited[:6, :], added))
    brisk = is_one_of(state, BRISK)
    v = limits.velocity * ca.if_else(brisk, moves.abort_velocity, moves.move_velocity)
    a = limits.acceleration * ca.if_else(brisk, moves.abort_acceleration, moves.move_acceleration)
    to_neutral, to_down = is_one_of(state, TO_NEUTRAL), is_one_of(state, TO_DOWN)
    target = ca.if_else(ca.eq(state, State.ENGAGING), drive[:, 0], now[:, 0])
    target = ca.if_else(to_neutral, 0.0, ca.if_else(to_down, resting, target))
    goes = ca.logic_or(to_neutral, to_down)

    def plan_axis(now: SX, target: SX, v_max: SX, a_max: SX) -> Any:
        return planned(limits.least, v_max, a_max, now, target, goes)

    plan, durations = for_each(plan_axis, now, target, v, a)
    return plan, ca.fmax(limits.least, ca.mmax(durations))


def base_trajectory(plan: Plan, duration: SX, machine: Machine, pose: SX, drive: SX) -> tuple[SX, SX]:
    """(12, 3) motion of the axes, and the fraction of it that is the drive's."""
    tau, source = machine.time, machine.source
    part = ca.if_else(ca.eq(source, Source.BLEND), quintic(tau, duration)[0], 0.0)
    blend = ca.if_else(ca.eq(source, Source.DRIVE), 1.0, part)

    def blend_axis(plan: Plan, drive: SX) -> SX:
        return blended(duration, tau, moved(plan, duration, tau), drive)

    base = switch(
        source,
        {
            Source.MEASURED: lambda: ca.horzcat(ca.vertcat(pose, ca.SX.zeros(6)), ca.SX.zeros(AXES, 2)),
            Source.BLEND: lambda: for_each(blend_axis, plan, drive),
            Source.DRIVE: lambda: drive,
        },
        lambda: for_each(lambda plan: moved(plan, duration, tau), plan),
    )
    return base, blend
