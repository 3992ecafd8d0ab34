"""Following plans in a tick: the newest one in its time, without a jump from plan to plan, to the washout or back.

A plan says where its trajectory begins and with which accelerations it goes on, so the demanded motion is its integral
in closed form: nothing drifts, and a plan ends where the planner thinks. Whenever another trajectory is followed from
some tick on, a quintic takes the difference to zero, with its first two derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Struct, cond, for_each, q
from motionbase.compile.struct import MIXED
from motionbase.cueing.predictive.horizon import PERIOD, PLAN_LENGTH, PLAN_NODES, PLAN_STEPS, PLAN_TIMES
from motionbase.platform.hexapod import Hexapod
from motionbase.spatial.bridge import PEAK_FROM_POSITION, PEAK_FROM_VELOCITY, Bridge, bridged

SX = ca.SX
NO_PLAN = -1.0  # as the tick of a plan
LASTS = PLAN_LENGTH - 0.1  # [s] after which a plan is left for the washout
SOON = 0.05  # [s] bridge from plan to plan
FALL = 0.4  # [s] bridge to the washout, and back to a plan
GENTLE = 0.1  # of an axis' largest acceleration, of a bridge
NEAR = (0.1, 0.3)  # m, rad and m/s, rad/s: a plan that begins farther from where the platform is demanded is no answer
MOST = 1.2  # times the largest acceleration of an axis: more is no plan


class Axis(Struct):
    """Of a degree of freedom."""

    x: SX = q(MIXED, text="position where it begins")
    v: SX = q(MIXED, text="velocity there")
    a: SX = q(MIXED, PLAN_NODES, "acceleration there and at the nodes, linear between them")


class Planned(Struct):
    """Demanded motion from a tick on."""

    tick: SX = q("-", text="of the cueing, where it begins; below 0 there is none", start=NO_PLAN)
    axes: Axis = q(of=Axis, rows=6, text="the degrees of freedom")


PLAN = Planned.port("plan", "newest answer of the planner")


class Following(Struct):
    """What a tick keeps."""

    tick: SX = q("-", text="ticks since the start")
    seen: SX = q("-", text="tick of the newest plan that was looked at", start=NO_PLAN)
    plan: Planned = q(of=Planned, text="in use")
    coming: Planned = q(of=Planned, text="that begins soon")
    follows: SX = q("-", text="1 while a plan is followed")
    bridges: Bridge = q(of=Bridge, rows=6, text="from the trajectory before")
    bridge_age: SX = q("s")
    before: SX = q(MIXED, (6, 2), "position and velocity demanded a tick ago")
    late: SX = q("-", text="plans that did not come in time, since the first one came")


class Standing(Struct):
    """What the planner needs to know."""

    tick: SX = q("-", text="where a plan is to begin")
    motion: SX = q(MIXED, (3, 6), "position, velocity, acceleration of the degrees of freedom there")
    demand: SX = q(MIXED, 6, "specific force and angular rate of the vehicle at the head, now")


class Followed(NamedTuple):
    """After a tick."""

    state: Following
    motion: SX  # (6, 3)
    ahead: SX  # (6, 3) where a plan that is asked for now is to begin


def planned_motion(plan: Planned, tau: SX) -> SX:
    """(6, 3) motion at a time after the beginning [s]."""

    def axis(one: Axis) -> SX:
        x, v, a = one.x, one.v, one.a[0]
        for k, step in enumerate(PLAN_STEPS):
            h = ca.fmin(ca.fmax(tau - PLAN_TIMES[k], 0.0), step)
            slope = (one.a[k + 1] - one.a[k]) / step
            x, v = x + h * (v + h * (one.a[k] / 2 + h * slope / 6)), v + h * (one.a[k] + h * slope / 2)
            a = a + h * slope
        return ca.vertcat(x, v, a)

    made: SX = for_each(axis, plan.axes)
    return made


def bridges_at(bridges: Bridge, age: SX) -> SX:
    """(6, 3) what is left of them."""
    made: SX = for_each(lambda one: bridged(one, age), bridges)
    return made


def is_sound(platform: Hexapod, plan: Planned, now: SX, dt: float) -> SX:
    """Whether an answer is a plan at all; false for NaN."""
    most = MOST * np.asarray(platform.limits.acceleration)
    a = for_each(lambda one, most: ca.sum1(ca.fabs(one.a) <= most), plan.axes, most)
    start = ca.vertcat(plan.axes.x, plan.axes.v)
    of_now = ca.fabs(plan.tick - now) * dt < LASTS
    counted = ca.logic_and(plan.tick >= 0, ca.eq(plan.tick, ca.floor(plan.tick)))
    fits = ca.logic_and(ca.eq(ca.sum1(a), 6 * PLAN_NODES), ca.eq(ca.sum1(ca.fabs(start) < 1e3), 12))
    return ca.logic_and(ca.logic_and(of_now, counted), fits)


def gentle(gap: SX, a_max: SX) -> SX:
    """(6,) duration of bridges whose accelerations stay about that small [s]; a late plan starts from another state."""
    e, v = ca.fabs(gap[:, 0]), ca.fabs(gap[:, 1])
    return ca.fmax(ca.sqrt(PEAK_FROM_POSITION * e / a_max), PEAK_FROM_VELOCITY * v / a_max)


def missing(age: SX) -> SX:
    """Number of plans that should have begun after one of this age [s]; half a period is granted."""
    return ca.fmax(ca.floor(age / PERIOD - 0.5 + 1e-6), 0.0)


def follow(platform: Hexapod, dt: float, x: Following, plan: Planned, washed: SX) -> Followed:
    """The motion demanded in this tick; `washed` (6, 3) is that of the washout."""
    now = x.tick + 1
    new = ca.logic_and(plan.tick > x.seen, is_sound(platform, plan, now, dt))
    coming = chosen(new, plan, x.coming)
    due = ca.logic_and(coming.tick > x.plan.tick, coming.tick <= now)
    begins = ca.logic_and(due, is_near(coming, (now - coming.tick) * dt, x.before, dt))
    used = chosen(begins, coming, x.plan)

    age = (now - used.tick) * dt
    lasts = ca.logic_and(used.tick >= 0, age < LASTS)
    follows = ca.logic_or(begins, ca.logic_and(ca.ne(x.follows, 0), lasts))
    changes = ca.logic_or(begins, ca.ne(follows, x.follows))
    base = cond(follows, lambda: planned_motion(used, age), lambda: washed)

    def bridge() -> tuple[Bridge, SX]:
        """From what this tick would have been otherwise."""
        old = cond(x.follows, lambda: planned_motion(x.plan, (now - x.plan.tick) * dt), lambda: washed)
        gap = old + bridges_at(x.bridges, x.bridge_age + dt) - base
        both = ca.logic_and(follows, ca.ne(x.follows, 0))
        T = ca.fmax(ca.if_else(both, SOON, FALL), x.bridges.T[0] - x.bridge_age - dt)
        T = ca.fmax(T, ca.mmax(gentle(gap, ca.SX(GENTLE * np.asarray(platform.limits.acceleration)))))
        return Bridge.of_columns(e=gap[:, 0], e_dot=gap[:, 1], e_ddot=gap[:, 2], T=ca.repmat(T, 6, 1)), ca.SX(0)

    bridges, bridge_age = cond(changes, bridge, lambda: (x.bridges, x.bridge_age + dt))
    motion = base + bridges_at(bridges, bridge_age)

    absent = missing(age) - missing(age - dt)
    late = x.late + ca.if_else(ca.logic_and(used.tick >= 0, ca.logic_not(begins)), absent, 0.0)
    state = Following(
        tick=now, seen=ca.if_else(new, plan.tick, x.seen), plan=used, coming=coming, follows=follows, bridges=bridges,
        bridge_age=bridge_age, before=motion[:, :2], late=late,
    )  # fmt: skip
    return Followed(state, motion, ahead(dt, state, motion))


def chosen(flag: SX, yes: Planned, no: Planned) -> Planned:
    """One of two plans."""
    return Planned.of(ca.if_else(flag, yes.column, no.column))


def is_near(plan: Planned, age: SX, before: SX, dt: float) -> SX:
    """Whether a plan is where the demand is."""
    motion = planned_motion(plan, age)
    gap = ca.fabs(ca.horzcat(motion[:, 0] - dt * motion[:, 1], motion[:, 1]) - before)
    return ca.logic_and(ca.mmax(gap[:, 0]) < NEAR[0], ca.mmax(gap[:, 1]) < NEAR[1])


def lead(dt: float) -> int:
    """Ticks from asking for a plan to its beginning."""
    return round(PERIOD / dt)


def ahead(dt: float, x: Following, motion: SX) -> SX:
    """(6, 3) the motion `lead` ticks later, unless an unknown plan comes between."""
    later, after = x.tick + lead(dt), lead(dt) * dt
    soon = ca.logic_and(x.coming.tick > x.plan.tick, x.coming.tick > x.tick)
    plan = chosen(soon, x.coming, x.plan)

    def along() -> SX:
        """A plan that comes has no bridge of its own: it begins where this one is."""
        rest = ca.if_else(soon, ca.SX.zeros(6, 3), bridges_at(x.bridges, x.bridge_age + after))
        return planned_motion(plan, (later - plan.tick) * dt) + rest

    def onward() -> SX:
        p, v, a = motion[:, 0], motion[:, 1], motion[:, 2]
        return ca.horzcat(p + after * (v + after / 2 * a), v + after * a, a)

    made: SX = cond(ca.ne(x.follows, 0), along, onward)
    return made


def no_plan() -> Array:
    """Value of the port `plan` before there is any."""
    return Planned.layout.vector()
