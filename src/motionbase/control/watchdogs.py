"""Monitors of each leg.

If a length and a rate contradict each other, one of them is wrong. The other legs and the rate gyros show which one
(`agreement.py`); it is not used again until the fault is reset. A length is then replaced by the integral of the rate,
so that the base can still be stopped and lowered, and a rate by the commanded one. Any other implausible value is
replaced by the last plausible one, so that no NaN reaches a valve. The fault is reported in every case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.control.agreement import Agreement
from motionbase.control.quantities import SX
from motionbase.record.faults import BLOCKING, SHUTTING, Fault

Actuation: TypeAlias = Callable[[SX, SX, SX, SX, SX], tuple[SX, ...]]
"""(two numbers of its model, command, quiet, valve_meas, f) -> deviation of valve or drive from its command [-], its
speed [1/s], and the two numbers after this tick."""
STALL_PART = 0.35  # of the commanded rate: a seized leg may yield slightly
STALL_ACCELERATION = 1.0  # [m/s^2]: a leg that accelerates more is not seized


class Thresholds(Struct):
    """Parameters of the monitors."""

    drift_max: SX = q("m", text="largest difference of a measured length and the integral of its rate", start=0.005)
    drift_corner: SX = q("rad/s", text="speed at which that integral is drawn to the measured length", start=1.0)
    frozen_travel: SX = q("m", text="way of that integral in which a measured length must change at all", start=1e-3)
    rate_max: SX = q("m/s", text="largest believable rate of a leg", start=5.0)
    range_margin: SX = q("m", text="how far beyond the hard ends a measured length is believed", start=0.01)
    pressure_max: SX = q("Pa", text="largest believable pressure")
    tracking_max: SX = q("m", text="largest error of a leg's length", start=0.05)
    tracking_time: SX = q("s", text="for how long it may be exceeded", start=0.1)
    stall_travel: SX = q("m", text="error of a leg that hardly moves, from which on it may be seized", start=0.002)
    stall_speed: SX = q(
        "m/s", text="rate below which a leg hardly moves, and a third of the commanded one", start=0.005
    )
    stall_force: SX = q("N", text="if its actuator pushes by that much more than motion and platform explain")
    stall_time: SX = q("s", text="for how long that may be so", start=0.02)
    speed_max: SX = q("m/s", text="largest measured rate of a leg")
    speed_time: SX = q("s", text="for how long it may be exceeded", start=0.01)
    mismatch_max: SX = q("-", text="largest difference of measured spool and model of the valve", start=0.08)
    mismatch_time: SX = q("s", text="for how long it may be exceeded", start=0.01)
    mismatch_slow: SX = q("-", text="largest mean of that difference while the valve stands", start=0.015)
    mismatch_lag: SX = q("s", text="and as much more for each unit of its mean rate", start=0.0025)
    mismatch_corner: SX = q("rad/s", text="speed of these means", start=50.0)
    contact: SX = q("m", text="distance from a hard end that counts as contact", start=0.002)


class Watch(Struct):
    """State of a leg's monitor: believed values, durations of faults, and models."""

    l: SX = q("m", text="believed length")
    l_dot: SX = q("m/s", text="believed rate")
    l_ddot: SX = q("m/s^2", text="believed acceleration")
    p_cap: SX = q("Pa", text="believed")
    p_rod: SX = q("Pa", text="believed")
    lost: SX = q("s", text="time for which it has not tracked")
    fast: SX = q("s", text="time for which it has been too fast")
    apart: SX = q("s", text="time for which valve or drive has not done as told")
    integrated: SX = q("m", text="integral of the rate")
    model: SX = q("SI, mixed", 2, "model of valve or drive, two numbers")
    stalled: SX = q("s", text="time for which it has stood though it is pushed")
    read: SX = q("m", text="last reading of the length within the stroke")
    way: SX = q("m", text="how far the integral of the rate went since the reading changed")
    no_length: SX = q("-", text="1 if the length is known to be wrong")
    no_rate: SX = q("-", text="1 if the rate is known to be wrong")
    mean: SX = q("-", text="mean mismatch of valve or drive")
    activity: SX = q("1/s", text="its mean rate")
    quarrel: SX = q("s", text="time for which pressures and force have contradicted each other")


class Reading(Struct):
    """Readings of a leg's sensors."""

    l: SX = q("m")
    l_dot: SX = q("m/s")
    l_ddot: SX = q("m/s^2")
    p_cap: SX = q("Pa")
    p_rod: SX = q("Pa")
    valve: SX = q("-")
    f: SX = q("N", text="force of the actuator")


class Told(Struct):
    """Commands to a leg one tick ago, and its expected force."""

    l: SX = q("m")
    l_dot: SX = q("m/s")
    valve: SX = q("-")
    f_needed: SX = q("N", text="what weight and inertia asked of the actuator")
    f_beyond: SX = q("N", text="what the platform felt of it beyond that")


class Found(Struct):
    """Result of a leg's monitor."""

    code: SX = q("-", text="fault that this leg shows now")
    blocks: SX = q("-", text="1 if it forbids going down")
    shuts: SX = q("-", text="1 if the valve must be shut off")


class Now(NamedTuple):
    """Common to all legs: period [s], and flags of the base.

    Attributes:
        fresh: 1 in the first tick and when a fault is reset: there are no previous values to compare with
        quiet: 1 while the valves stay closed
        driven: 1 while the operational limits apply; else a leg may rest on its lower end
    """

    dt: SX
    fresh: SX
    quiet: SX
    driven: SX


class LegKind(NamedTuple):
    """Data of a leg for its monitor: hard ends [m], and piston areas [m^2] of cap and rod side, if any."""

    actuation: Actuation
    areas: tuple[float, float] | None
    hard_min: float
    hard_max: float


def any_of(codes: dict[Fault, SX], which: frozenset[Fault]) -> SX:
    """Whether any of these faults is active."""
    found = ca.SX(0)
    for fault, active in codes.items():
        if fault in which:
            found = ca.logic_or(found, active)
    return found


def first_of(codes: dict[Fault, SX]) -> SX:
    """The active fault with the smallest number, 0 if there is none."""
    first = ca.SX(0)
    for fault in sorted(codes, reverse=True):
        first = ca.if_else(codes[fault], fault.value, first)
    return first


def timer(before: SX, wrong: SX, dt: SX) -> SX:
    """Duration of a fault so far [s]."""
    return ca.if_else(wrong, ca.fmin(before + dt, 1e3), 0.0)


class Motion(NamedTuple):
    """Believed length and rate, and their stored values, as in `Watch`."""

    l: SX
    l_dot: SX
    integrated: SX
    read: SX
    way: SX
    no_length: SX
    no_rate: SX


def _motion(
    kind: LegKind, limits: Thresholds, now: Now, watch: Watch, doubt: Agreement, told: Told, read: Reading
) -> Motion:
    """Detects contradictions of length and integrated rate, and a length that does not change at all."""
    l, l_dot, begins = read.l, read.l_dot, ca.ne(now.fresh, 0)
    goes_on = ca.logic_not(begins)
    least, most = kind.hard_min - limits.range_margin, kind.hard_max + limits.range_margin
    moves, in_range = ca.fabs(l_dot) <= limits.rate_max, ca.logic_and(l >= least, l <= most)
    rate = ca.if_else(ca.logic_and(moves, ca.eq(watch.no_rate, 0)), l_dot, told.l_dot)
    reckoned = ca.fmin(ca.fmax(watch.integrated + rate * now.dt, least), most)
    drawn = reckoned + limits.drift_corner * now.dt * (l - reckoned)
    way = ca.if_else(ca.logic_and(ca.eq(l, watch.read), goes_on), watch.way + drawn - watch.integrated, 0.0)
    is_frozen = ca.fabs(way) > limits.frozen_travel
    apart = ca.if_else(is_frozen, way, reckoned - l)
    contradict = ca.logic_and(goes_on, ca.logic_or(is_frozen, ca.fabs(apart) > limits.drift_max))
    rate_is_off = doubt.gathered * apart > 0.5 * doubt.free * apart**2
    blames_rate = ca.logic_and(rate_is_off, ca.eq(doubt.gyros_wrong, 0))
    wrong_length = ca.logic_and(contradict, ca.logic_not(blames_rate))
    wrong_rate = ca.logic_and(ca.logic_and(contradict, in_range), blames_rate)
    no_length = ca.logic_or(ca.logic_not(in_range), ca.logic_and(goes_on, ca.logic_or(watch.no_length, wrong_length)))
    no_rate = ca.logic_or(ca.logic_not(moves), ca.logic_and(goes_on, ca.logic_or(watch.no_rate, wrong_rate)))
    return Motion(
        ca.if_else(no_length, reckoned, l),
        ca.if_else(no_rate, told.l_dot, l_dot),
        ca.if_else(no_length, reckoned, ca.if_else(ca.logic_or(begins, no_rate), l, drawn)),
        ca.if_else(in_range, l, watch.read),
        way,
        no_length,
        no_rate,
    )


class Oil(NamedTuple):
    """Believed pressures, duration of their contradiction to the force [s], and the actuator's push [N]."""

    p_cap: SX
    p_rod: SX
    quarrel: SX
    push: SX


def _oil(limits: Thresholds, kind: LegKind, now: Now, watch: Watch, told: Told, read: Reading, good: SX, l: SX) -> Oil:
    """Compares pressures with the force at the rod; friction is far below stall_force."""
    p_cap, p_rod = ca.if_else(good, read.p_cap, watch.p_cap), ca.if_else(good, read.p_rod, watch.p_rod)
    if kind.areas is None:  # a drive that reports no force counts as not pushing
        return Oil(p_cap, p_rod, ca.SX(0), ca.if_else(ca.ne(read.f, 0), read.f, told.f_needed))
    A_cap, A_rod = kind.areas
    push = A_cap * p_cap - A_rod * p_rod
    differ = ca.logic_and(ca.fabs(push - read.f) > limits.stall_force, ca.ne(read.f, 0))  # 0: not measured
    off_ends = ca.logic_and(l > kind.hard_min + limits.contact, l < kind.hard_max - limits.contact)
    compared = ca.logic_and(ca.eq(now.quiet, 0), off_ends)  # a hard end pushes too
    quarrel = timer(watch.quarrel, ca.logic_and(differ, compared), now.dt)
    nearer = ca.fabs(read.f - told.f_needed) < ca.fabs(push - told.f_needed)
    replaced = ca.logic_and(quarrel > limits.mismatch_time, nearer)
    return Oil(ca.if_else(replaced, (read.f + A_rod * p_rod) / A_cap, p_cap), p_rod, quarrel, push)


def watch_leg(
    kind: LegKind, limits: Thresholds, now: Now, watch: Watch, doubt: Agreement, told: Told, read: Reading
) -> tuple[Watch, Found]:
    """Monitor one leg and replace implausible values."""
    dt, driving = now.dt, ca.eq(now.quiet, 0)
    motion = _motion(kind, limits, now, watch, doubt, told, read)
    accelerates = ca.fabs(read.l_ddot) < ca.inf  # comparisons with a NaN are false
    l_ddot = ca.if_else(accelerates, read.l_ddot, watch.l_ddot)
    pressures = ca.logic_and(*(_believable(p, limits.pressure_max) for p in (read.p_cap, read.p_rod)))
    oil = _oil(limits, kind, now, watch, told, read, pressures, motion.l)

    # the expected state of valve or drive; the permitted deviation may grow with its speed
    off, speed, place, rate = kind.actuation(watch.model, told.valve, now.quiet, read.valve, read.f)
    share = limits.mismatch_corner * dt
    mean = watch.mean + share * (ca.if_else(ca.fabs(off) < ca.inf, off, 0.0) - watch.mean)
    activity = watch.activity + share * (ca.fabs(speed) - watch.activity)
    spare = limits.mismatch_lag * activity
    obeys = ca.logic_and(ca.fabs(off) <= limits.mismatch_max + spare, ca.fabs(mean) <= limits.mismatch_slow + spare)

    # a leg that lags although its actuator pushes is seized, if the platform does not feel that push; one that is too
    # heavy gains speed
    behind = told.l - motion.l
    side = ca.if_else(behind >= 0, 1.0, -1.0)
    slow_enough = ca.fabs(motion.l_dot) < limits.stall_speed + STALL_PART * ca.fabs(told.l_dot)
    stays = ca.logic_and(slow_enough, side * l_ddot < STALL_ACCELERATION)
    lost_push = side * (oil.push - told.f_needed) - ca.fmax(side * told.f_beyond, 0.0)
    pushed = ca.logic_and(ca.fabs(behind) > limits.stall_travel, lost_push > limits.stall_force)

    tracks, slow = ca.fabs(behind) <= limits.tracking_max, ca.fabs(motion.l_dot) <= limits.speed_max
    lost = timer(watch.lost, ca.logic_and(driving, ca.logic_not(tracks)), dt)
    fast = timer(watch.fast, ca.logic_not(slow), dt)
    apart = timer(watch.apart, ca.logic_not(obeys), dt)
    stalled = timer(watch.stalled, ca.logic_and(driving, ca.logic_and(stays, pushed)), dt)
    at_lower = ca.logic_and(ca.ne(now.driven, 0), motion.l <= kind.hard_min + limits.contact)
    at_upper = ca.logic_and(driving, motion.l >= kind.hard_max - limits.contact)
    blind = ca.logic_and(motion.no_length, motion.no_rate)
    doubted = ca.logic_or(ca.logic_or(motion.no_length, motion.no_rate), ca.logic_not(accelerates))
    codes = {
        Fault.MEASUREMENT: ca.logic_and(doubted, ca.logic_not(blind)),
        Fault.VALVE: apart > limits.mismatch_time,
        Fault.LEG_VELOCITY: fast > limits.speed_time,
        Fault.TRACKING: ca.logic_or(lost > limits.tracking_time, stalled > limits.stall_time),
        Fault.PRESSURE: ca.logic_or(ca.logic_not(pressures), oil.quarrel > limits.mismatch_time),
        Fault.LIMIT_CONTACT: ca.logic_or(at_lower, at_upper),
        Fault.BLIND: blind,
    }
    means = ca.if_else(ca.ne(now.fresh, 0), 0.0, ca.vertcat(mean, activity))
    after = Watch(
        **motion._asdict(), l_ddot=l_ddot, p_cap=oil.p_cap, p_rod=oil.p_rod, quarrel=oil.quarrel, lost=lost, fast=fast,
        apart=apart, stalled=stalled, model=ca.vertcat(place, rate), mean=means[0], activity=means[1],
    )  # fmt: skip
    return after, Found(code=first_of(codes), blocks=any_of(codes, BLOCKING), shuts=any_of(codes, SHUTTING))


def _believable(p: SX, p_max: SX) -> SX:
    return ca.logic_and(p > -1e6, p < p_max)  # a sensor of absolute or gauge pressure may read slightly below zero
