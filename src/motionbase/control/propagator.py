"""Host trajectory from 40 to 80 Hz up to the rate of the control law, without a step when a frame arrives.

A frame contains position, velocity and acceleration; until the next one the trajectory is its parabola. The difference
between a new frame and the trajectory so far is absorbed by a quintic that takes position, velocity and acceleration of
the difference to zero. Frames of constant acceleration have no difference and are followed exactly. When frames stop,
the trajectory leaves the parabola at a horizon and stops with bounded jerk; a later frame is met by a longer bridge.
"""

from __future__ import annotations

from typing import Annotated, Any

import casadi as ca

from motionbase.compile import Struct, cond, for_each, q
from motionbase.control.bounds import Allowed
from motionbase.control.profiles import PEAK_ACCELERATION, PEAK_STOP, PEAK_VELOCITY, stop
from motionbase.control.quantities import SX, Flag, Frame, Motion, Number, Seconds, Some
from motionbase.spatial.bridge import PEAK_FROM_VELOCITY, Bridge, bridged

PLAUSIBLE = 10.0  # times the limits: a frame beyond is an error, not a demand
LONGEST_PERIOD = 0.1  # [s] a longer interval is a pause, not a period


class Clock(Struct):
    """Timing of the host's frames."""

    fresh: SX = q("-", text="1 when a believable frame arrives")
    count: SX = q("-", text="number of the frame in use")
    age: SX = q("s", text="since its arrival")
    elapsed: SX = q("s", text="age that the frame before has now")
    period: SX = q("s", text="smoothed time between frames")
    refused: SX = q("-", text="1 when a frame arrives that holds a NaN or is far beyond the limits")


def host_clock(
    dt: Seconds, allowed: Allowed, count_held: Number, age: Seconds, period: Seconds, host_count: Number,
    host_frame: Frame,
) -> Clock:  # fmt: skip
    """Detect frames and measure their age and period."""
    bounds = PLAUSIBLE * ca.horzcat(allowed.dof_position, allowed.dof_velocity, allowed.dof_acceleration).T
    believable = ca.eq(ca.sum1(ca.sum2(ca.fabs(host_frame) <= bounds)), 18)  # false for NaN
    finite = ca.logic_and(believable, ca.fabs(host_count) < ca.inf)
    new = ca.ne(host_count, count_held)
    fresh = ca.logic_and(new, finite)
    elapsed = age + dt
    known = ca.logic_and(fresh, elapsed < LONGEST_PERIOD)
    return Clock(
        fresh=fresh,
        count=ca.if_else(ca.fabs(host_count) < ca.inf, host_count, count_held),
        age=ca.if_else(fresh, 0.0, elapsed),
        elapsed=elapsed,
        period=ca.if_else(known, 0.75 * period + 0.25 * elapsed, period),
        refused=ca.logic_and(new, ca.logic_not(finite)),
    )


# ---- one degree of freedom -----------------------------------------------------------------------------------------


def _predicted(horizon: SX, least: SX, a_max: SX, frame: SX, tau: SX) -> SX:
    """The frame's parabola up to the horizon, then a stop."""
    p, v, a = frame[0], frame[1], frame[2]
    t = ca.fmin(tau, horizon)
    v_t = v + a * t
    halt = stop(v_t, a, ca.fmax(tau - horizon, 0.0), ca.fmax(least, PEAK_STOP * ca.fabs(v_t) / a_max))
    return ca.vertcat(p + v * t + a * t**2 / 2 + halt[0], halt[1], halt[2])


def propagate(
    horizon: Seconds, least: Seconds, v_max: Some, a_max: Some, held: Motion, bridge: Bridge, fresh: Flag,
    elapsed: Seconds, period: Seconds, frame: Motion,
) -> tuple[Annotated[Motion, "held_next"], Bridge, Annotated[Motion, "motion"]]:  # fmt: skip
    """Host trajectory of one degree of freedom: the frame in use and its bridge after the tick, and the motion."""
    came = ca.ne(fresh, 0)
    predicted = _predicted(horizon, least, a_max, held, elapsed)
    old = predicted + bridged(bridge, elapsed)
    e, v = ca.fabs(predicted[0] - frame[0]), ca.fabs(predicted[1] - frame[1])
    T = ca.fmax(ca.fmax(period, bridge.T - elapsed), PEAK_VELOCITY * e / v_max)  # a bridge in progress keeps its end
    T = ca.fmax(T, ca.fmax(ca.sqrt(PEAK_ACCELERATION * e / a_max), PEAK_FROM_VELOCITY * v / a_max))
    # at the arrival of a frame the new trajectory equals the old one by construction
    new = ca.vertcat(old - frame, T)
    return ca.if_else(came, frame, held), Bridge.of(ca.if_else(came, new, bridge.column)), old


def propagated(
    followed: SX, horizon: SX, least: SX, allowed: Allowed, held: SX, bridge: Bridge, clock: Clock, host_frame: SX
) -> Any:
    """All six: frames in use, bridges, motion. If the host is not followed, frames are kept and the motion is zero."""

    def axis(held: SX, bridge: Bridge, frame: SX, v_max: SX, a_max: SX) -> Any:
        now = clock.fresh, clock.elapsed, clock.period
        *kept, motion = propagate(horizon, least, v_max, a_max, held, bridge, *now, frame)
        return *kept, ca.if_else(ca.ne(followed, 0), motion, 0.0)

    return cond(
        ca.logic_or(ca.ne(followed, 0), ca.ne(clock.fresh, 0)),
        lambda: for_each(axis, held, bridge, host_frame.T, allowed.dof_velocity, allowed.dof_acceleration),
        lambda: (held, bridge, ca.SX.zeros(6, 3)),
    )
