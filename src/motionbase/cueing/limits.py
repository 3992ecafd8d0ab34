"""A smooth stop before the ends of the workspace: of every axis, and of the legs where axes combine.

Towards an end at the distance d the velocity stays below v(d) = sqrt(knee^2 + 2 braking d) - knee. The bound on the
acceleration that keeps it so, v' = ONSET (v(d) - v) - dv/dd v, sets in gradually, so a motion that nears its end is
braked without a jolt, and stops there. Far from the ends no bound acts and the motion passes through unchanged, unless
its acceleration jumps: JERK limits the change to what the control law can follow.

Each axis has its own bounds. A leg near its end brakes the axes that drive it outwards, each in proportion to its own
part; axes at rest or on their way back are left alone. The filters continue from the motion that remains: they hold
positions and velocities, so nothing winds up, and when the demand falls the way back begins at once. What a limit has
kept from a velocity wanted is a gap that closes at ONSET, so that the two meet without a jolt.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.compile import Struct, cond, for_each, q, repeat
from motionbase.cueing.tuning import Tuning
from motionbase.platform.braking import smooth_root
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.leg_motion import Moved, legs_moved
from motionbase.spatial.rotations import euler_zyx_axes

SX = ca.SX
ONSET = 20.0  # [1/s] at which a velocity may approach that from which it can stop
PACE = 20.0  # [1/s] at which it may approach its largest
SHARE = 0.95  # of the platform's velocities and accelerations, so that the limiters of the control law never act
JERK = 40.0  # [1/s] largest jerk over the largest acceleration; the law follows frames that change by 50 / s at most
ENDING = 0.1  # [s] time constant of the last part of a stop
SWEEPS = 3  # over the legs: one is enough unless legs disagree
SLOW = 0.005  # [m/s] a leg this slow is braked softly: an axis that hardly moves it need not stop at once
DEPTH = 0.01  # [m] beyond its end, where all that drives a leg further is stopped
CLOSED = 1e-9  # [m/s, rad/s] a gap that is over
AHEAD = 1 / 30  # [s] in which an axis can be stopped for a leg; enough for ONSET and ENDING together


class Place(Struct):
    """A degree of freedom as it was commanded a tick ago."""

    x: SX = q("m, rad", text="position")
    v: SX = q("m/s, rad/s", text="velocity")
    a: SX = q("m/s^2, rad/s^2", text="acceleration")
    gap: SX = q("m/s, rad/s", text="what limits may still keep it from the velocity wanted")


def bounds(x: SX, v: SX, ends: tuple[Any, Any], v_most: Any, braking: SX) -> tuple[SX, SX]:
    """Least and most acceleration of a motion between two ends."""
    knee = braking * ENDING
    down, steep_down = smooth_root(ends[0] - x, braking, knee)
    up, steep_up = smooth_root(ends[1] - x, braking, knee)
    least = ca.fmax(ONSET * (down - v) - steep_down * v, PACE * (-v_most - v))
    most = ca.fmin(ONSET * (up - v) - steep_up * v, PACE * (v_most - v))
    return least, most


def clamped(x: SX, least: SX, most: SX) -> SX:
    """The number nearest to x between two bounds."""
    return ca.fmin(ca.fmax(x, least), most)


def limited(h: SX, platform: Hexapod, p: Tuning, before: Place, wanted: SX) -> tuple[SX, SX, SX, SX]:
    """Motion of the degrees of freedom (6, 3) within the workspace, leg lengths, whether it differs, gaps left."""
    asked = (wanted[:, 1] - before.v) / h
    gap = ca.if_else(before.gap < CLOSED, 0.0, ca.fmax(1 - ONSET * h, 0.0) * before.gap)
    kept = clamped(before.v - wanted[:, 1], -gap, gap)  # after a limit the velocity wanted is met again smoothly
    a = within_axes(h, platform, p, before, (wanted[:, 1] + kept - before.v) / h)
    first = moved_on(h, before, wanted, asked, a)
    now = legs_moved(platform, ca.horzcat(first[:, :2], a))  # that from tick to tick, which is limited
    least, most = leg_bounds(platform, p, now)
    beyond = now.legs[:, 2] - clamped(now.legs[:, 2], least, most)

    def braked() -> Any:
        ends = platform.stroke.l_min + p.margin, platform.stroke.l_max - p.margin
        deep = ca.fabs(now.legs[:, 0] - clamped(now.legs[:, 0], *ends))
        eased = a + eased_legs(now, first[3:, 0], before.v + AHEAD * a, least, most, deep)
        motion = moved_on(h, before, wanted, asked, eased)
        return motion, legs_moved(platform, motion).legs[:, 0]

    motion, l = cond(ca.norm_1(beyond) > 0, braked, lambda: (first, now.legs[:, 0]))
    short = ca.fabs(motion[:, 1] - wanted[:, 1])
    return motion, l, ca.norm_1(short) > 0, short


def within_axes(h: SX, platform: Hexapod, p: Tuning, before: Place, a: SX) -> SX:
    """(6,) accelerations within the bounds of each axis."""
    limits = platform.limits

    def axis(before: Place, a: SX, reach: SX, v_most: SX, a_most: SX, share: SX, braking: SX) -> SX:
        ends = -share * reach, share * reach
        a = clamped(a, before.a - JERK * a_most * h, before.a + JERK * a_most * h)
        return clamped(clamped(a, -a_most, a_most), *bounds(before.x, before.v, ends, v_most, ca.fmin(braking, a_most)))

    rows = np.asarray(limits.position), SHARE * np.asarray(limits.velocity), SHARE * np.asarray(limits.acceleration)
    made: SX = for_each(axis, before, a, *rows, p.travel, p.braking)
    return made


def moved_on(h: SX, before: Place, wanted: SX, asked: SX, a: SX) -> SX:
    """(6, 3) motion after a tick: as wanted, except for axes whose acceleration was changed."""

    def axis(before: Place, wanted: SX, asked: SX, a: SX) -> SX:
        v = before.v + h * a
        return ca.if_else(ca.eq(a, asked), wanted, ca.vertcat(before.x + h / 2 * (before.v + v), v, a))

    made: SX = for_each(axis, before, wanted, asked, a)
    return made


def leg_bounds(platform: Hexapod, p: Tuning, now: Moved) -> tuple[SX, SX]:
    """(6,) least and most acceleration of the legs."""
    stroke, limits = platform.stroke, platform.limits
    ends = stroke.l_min + p.margin, stroke.l_max - p.margin
    braking = ca.fmin(p.leg_braking, limits.leg_braking)
    least, most = for_each(lambda leg: bounds(leg[0], leg[1], ends, SHARE * limits.leg_velocity, braking), now.legs)
    return least, most


def eased_legs(now: Moved, angles: SX, going: SX, least: SX, most: SX, deep: SX) -> SX:
    """(6,) change of the axes' accelerations that keeps the legs' within their bounds.

    Leg by leg, what is beyond is taken from the axes that go outwards: from each a share of where it is going, in
    proportion to its part in the leg's motion. No axis is asked for more than to stop.

    Args:
        going: (6,) where the axes are going: their velocities soon
        deep: (6,) how far each leg is beyond an end
    """
    J = ca.horzcat(now.J[:, 3:], now.J[:, :3] @ euler_zyx_axes(angles))  # leg rates from those of the axes

    first = ca.SX.zeros(6)
    for k in range(LEGS):  # legs that disagree: whatever drives one beyond its end is stopped
        beyond = now.legs[k, 2] - clamped(now.legs[k, 2], least[k], most[k])
        outward = ca.fmax(J[k, :].T * going * ca.sign(beyond), 0.0)
        urgent = ca.fmin(deep[k] / DEPTH, 1.0) * ca.fmin(ca.fabs(beyond), 1.0)
        first = ca.fmax(first, outward / (outward + SLOW) * urgent / AHEAD)

    def sweep(share: SX) -> SX:
        for k in range(LEGS):
            parts = J[k, :].T * going
            l_ddot = now.legs[k, 2] - ca.dot(parts, share)
            beyond = l_ddot - clamped(l_ddot, least[k], most[k])
            free = ca.logic_and(parts * ca.sign(beyond) > 0, share < 1 / AHEAD)
            outward = ca.if_else(free, parts, 0.0)
            share = ca.fmin(share + outward * (beyond / (ca.sumsqr(outward) + SLOW**2)), 1 / AHEAD)
        return share

    made: SX = repeat(SWEEPS, sweep, first)
    return -made * going
