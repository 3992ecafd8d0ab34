"""Limits of position, velocity, acceleration and jerk of one axis, in discrete time and without wind-up.

The limiter follows its target. It passes a target through unchanged as long as no limit is reached; otherwise it chases
the target as fast as the limits allow. Its state is the motion of its output and the target's last acceleration, so
nothing can wind up: a target that returns inside the limits is followed at once. Each leg and each degree of freedom
has its own limiter: a leg at its end does not scale the motion of the others.

Limits of position, velocity and acceleration are kept exactly. The jerk limit serves comfort and the oil spring, which
rings after a step of acceleration: it yields if one of the others would be exceeded.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca

from motionbase.compile import Port, Program, Struct, cond, q
from motionbase.compile.struct import MIXED
from motionbase.control.quantities import SX, Flag, Motions, Six
from motionbase.platform.braking import braking_velocity, smooth_root

CHASE = 0.5  # of acceleration and jerk, for braking in a chase: leaves enough for a moving target
FOLLOW = 4.0  # times the jerk of a chase, up to which a target is followed: fast tones are still smooth
KEEPS_UP, TOO_FAST = 1.05, 1.25  # acceleration of a target over that of the chase: below, above
NOTICE, FORGET = 0.01, 1.0  # [s] in which a target that is too fast is detected, and forgotten
CATCH = 0.25  # of the jerk, which may remain when the target is met: the next tick uses twice as much
SETTLE_TICKS = 6.0  # time constant of the velocity in a chase with a small error
SHORT = 1e-3  # of the range of an axis: differences below it are those of smoothing, and no operator need know


class Limiter(Struct):
    """State of a limiter."""

    x: SX = q(MIXED, text="position of the output")
    v: SX = q(MIXED, text="its velocity")
    a: SX = q(MIXED, text="its acceleration")
    a_target: SX = q(MIXED, text="acceleration of the target")
    haste: SX = q("-", text="accelerations of targets of late, over that of the chase")


class Bounds(NamedTuple):
    """Limits of one axis; a_chase is for a target out of reach, a_brake is relied on before an end."""

    x_min: SX
    x_max: SX
    v_max: SX
    a_max: SX
    a_chase: SX
    a_brake: SX


def _chase(
    dt: SX, x: SX, v: SX, r: SX, r_dot: SX, r_ddot: SX, r_ddot_before: SX, x_min: SX,
    x_max: SX, v_max: SX, a_chase: SX, j_chase: SX,
) -> SX:  # fmt: skip
    """Acceleration that meets the target: along the velocity from which it can still be met without overshoot."""
    # the target one tick ago, when the output was at x; its velocity as a difference quotient, like v
    rise = r_ddot - r_ddot_before
    gap = r - x - r_dot * dt + (r_ddot / 2 - rise / 6) * dt**2
    r_dot = r_dot - (3 / 2 * r_ddot - 7 / 6 * rise) * dt
    a, jerk = CHASE * a_chase, CHASE * j_chase
    knee = a**2 / (2 * jerk)  # d = v^2 / 2a + v a / 2j: braking with a bounded jerk
    nearing, slope = smooth_root(gap, a, knee)
    aimed = ca.fmin(ca.fmax(r_dot + nearing, -v_max), v_max)
    along = ca.if_else(ca.eq(aimed, r_dot + nearing), r_ddot_before - slope * (v - r_dot), 0.0)
    # an end is approached in the same way, long before full braking would be needed
    most, steep_up = smooth_root(ca.fmax(x_max - x, 0.0), a, knee)
    least, steep_down = smooth_root(ca.fmin(x_min - x, 0.0), a, knee)
    wanted = ca.fmin(ca.fmax(aimed, least), most)
    along = ca.if_else(aimed > most, -steep_up * v, ca.if_else(aimed < least, -steep_down * v, along))
    onto, _ = smooth_root(wanted - v, jerk, jerk * SETTLE_TICKS * dt)
    return ca.fmin(ca.fmax(along + onto, -a_chase), a_chase)


class Aim(NamedTuple):
    """The target in this tick, and the motion that reaches it at its end.

    Attributes:
        r, r_dot, r_ddot: the target within the limits of position; at rest unless it is `inside`
        near: whether it is within reach now and in the next tick
        v, a: velocity and acceleration that reach it
        haste: recent acceleration of targets, over that of the chase
    """

    r: SX
    r_dot: SX
    r_ddot: SX
    inside: SX
    near: SX
    v: SX
    a: SX
    haste: SX


def _aim(dt: SX, jerk_time: SX, bounds: Bounds, before: Limiter, target: SX) -> Aim:
    x_min, x_max, _, a_max, a_chase, _ = bounds
    x, v, a = before.x, before.v, before.a
    known = ca.SX(1)  # a NaN is ignored: stay
    for k in range(3):
        known = ca.logic_and(known, ca.fabs(target[k]) < ca.inf)
    r = ca.if_else(known, ca.fmin(ca.fmax(target[0], x_min), x_max), x)
    inside = ca.logic_and(known, ca.eq(r, target[0]))
    r_dot = ca.if_else(inside, target[1], 0.0)
    r_ddot = ca.if_else(inside, ca.fmin(ca.fmax(target[2], -a_max), a_max), 0.0)
    v_follow = (r - x) / dt
    a_follow = (v_follow - v) / dt
    v_target = r_dot - (r_ddot / 2 - (r_ddot - before.a_target) / 6) * dt
    jump, jump_chase = FOLLOW * a_max * dt / jerk_time, a_chase * dt / jerk_time
    up, down = ca.fmax(v_follow, 0.0), ca.fmax(-v_follow, 0.0)
    a_soft, room_up, room_down = CHASE * a_chase, ca.fmax(x_max - x, 0.0), ca.fmax(x - x_min, 0.0)
    gentle = ca.logic_and(  # d >= v^2 / 2a + v a / 2j on both sides: the ends are not close yet
        up * (up + a_soft * jerk_time) <= 2 * a_soft * room_up,
        down * (down + a_soft * jerk_time) <= 2 * a_soft * room_down,
    )
    near = ca.logic_and(
        ca.logic_and(ca.fabs(a_follow - a) <= jump, gentle),
        ca.logic_and(
            ca.fabs(a_follow - before.a_target) <= jump / 2, ca.fabs(v_follow - v_target) <= CATCH * jump_chase * dt
        ),
    )
    seen = ca.if_else(inside, ca.fmin(ca.fabs(target[2]) / a_chase, 2.0), 0.0) - before.haste
    haste = before.haste + seen * ca.if_else(seen > 0, dt / NOTICE, dt / FORGET)
    return Aim(r, r_dot, r_ddot, inside, near, v_follow, a_follow, haste)


def _is_free(dt: SX, bounds: Bounds, before: Limiter, aim: Aim) -> SX:
    """Whether nothing must be limited, so that the target itself is the output."""
    x, v = before.x, before.v
    up, down = ca.fmax(aim.v, 0.0), ca.fmax(-aim.v, 0.0)
    # half of the braking distance: v^2 / 2a + v dt / 2, and a margin for whole ticks
    far = ca.logic_and(
        up * (up + bounds.a_brake * dt) <= bounds.a_brake * ca.fmax(bounds.x_max - x, 0.0),
        down * (down + bounds.a_brake * dt) <= bounds.a_brake * ca.fmax(x - bounds.x_min, 0.0),
    )
    most = bounds.a_max * dt
    slow = ca.logic_and(ca.fabs(aim.v) <= bounds.v_max, ca.logic_and(aim.v <= v + most, aim.v >= v - most))
    return ca.logic_and(ca.logic_and(aim.inside, aim.near), ca.logic_and(far, slow))


def _held_back(dt: SX, jerk_time: SX, bounds: Bounds, before: Limiter, target: SX, aim: Aim) -> Any:
    """The output within all limits, as close to the target as they allow."""
    x_min, x_max, v_max, a_max, a_chase, a_brake = bounds
    x, v, a = before.x, before.v, before.a
    j_follow, j_chase = FOLLOW * a_max / jerk_time, a_chase / jerk_time

    # a target that can be followed is met at its velocity, one that is too fast as if at rest: it is never overshot
    share = ca.fmin(ca.fmax((TOO_FAST - aim.haste) / (TOO_FAST - KEEPS_UP), 0.0), 1.0)
    rise = share * ca.fmin(ca.fmax(aim.r_ddot - before.a_target, -j_follow * dt), j_follow * dt)
    moving = share * aim.r_dot, share * aim.r_ddot, share * before.a_target
    a_wanted = _chase(dt, x, v, aim.r, *moving, x_min, x_max, v_max, a_chase, j_chase)
    a_wanted = ca.fmin(ca.fmax(a_wanted, a + rise - j_chase * dt), a + rise + j_chase * dt)
    wanted = ca.if_else(aim.near, aim.v, v + a_wanted * dt)

    # limits, in increasing priority
    v_next = ca.fmin(ca.fmax(wanted, -v_max), v_max)
    v_next = ca.fmin(v_next, braking_velocity(ca.fmax(x_max - x, 0.0), a_brake, dt))
    v_next = ca.fmax(v_next, -braking_velocity(ca.fmax(x - x_min, 0.0), a_brake, dt))
    v_next = ca.fmin(ca.fmax(v_next, v - a_max * dt), v + a_max * dt)

    follows = ca.logic_and(ca.logic_and(aim.inside, aim.near), ca.eq(v_next, wanted))
    x_next = x + v_next * dt
    x_next = ca.fmin(ca.fmax(x_next, ca.fmin(x_min, x)), ca.fmax(x_max, x))  # against rounding; x itself may be outside
    x_next = ca.if_else(follows, aim.r, x_next)
    motion = ca.vertcat(x_next, v_next, (v_next - v) / dt)
    after = before.replace(x=motion[0], v=motion[1], a=motion[2], a_target=aim.r_ddot, haste=aim.haste)
    return after, ca.if_else(follows, target, motion), ca.logic_not(follows)


def limited(dt: SX, jerk_time: SX, *given: Any, quick: bool = True) -> Any:
    """The limiter after a tick, its motion, and whether it differs from the target; `quick`: skip if not limited."""
    bounds, before, target = Bounds(*given[:6]), given[6], given[7]
    aim = _aim(dt, jerk_time, bounds, before, target)
    if not quick:
        return _held_back(dt, jerk_time, bounds, before, target, aim)
    return cond(
        _is_free(dt, bounds, before, aim),
        lambda: (before.replace(x=aim.r, v=aim.v, a=aim.a, a_target=aim.r_ddot, haste=aim.haste), target, 0),
        lambda: _held_back(dt, jerk_time, bounds, before, target, aim),
    )


LIMITED = Program(
    "limited",
    (
        Port("dt", (), "s"),
        Port("jerk_time", (), "s", "in which a chase's acceleration rises; a target is followed up to 4 times as fast"),
        *(Port(name, (), MIXED) for name in Bounds._fields),
        Limiter.port("before", "one tick ago"),
        Port("target", 3, MIXED, "position, velocity, acceleration"),
    ),
    (
        Limiter.port("after", "for the next tick"),
        Port("motion", 3, MIXED, "position, velocity, acceleration within the limits"),
        Port("acts", (), "-", "1 while the output is not the target"),
    ),
    limited,
    "limits one axis, and is quick where it need not",
)


def falls_short(motion: SX, target: SX, span: SX) -> Flag:
    """1 if a limiter's output is noticeably away from its target, or the target is NaN; `span`: range of the axis."""
    return ca.logic_not(ca.fabs(motion[0] - target[0]) <= SHORT * span)


def demand_within(dof_velocity: Six, dof_position: Six, motion: Motions) -> Flag:
    """1 if positions and velocities of a demand are within the limits; 0 for NaN."""
    inside = ca.logic_and(ca.fabs(motion[:, 0]) <= dof_position, ca.fabs(motion[:, 1]) <= dof_velocity)
    return ca.eq(ca.sum1(inside), 6)
