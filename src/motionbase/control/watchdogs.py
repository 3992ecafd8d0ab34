"""Monitors of every leg.

Of a length and a rate that contradict each other one is wrong. The other legs and the rate gyros tell which
(`agreement.py`); it is not believed again before the fault is reset. A length is then replaced by the integral of the
rate, so that the base can still be stopped and lowered, and a rate by the commanded one. What else cannot be true is
replaced by the last value that could, so that no NaN reaches a valve. The fault is reported all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.control.faults import BLOCKING, SHUTTING, Fault
from motionbase.control.fields import Field

Actuation: TypeAlias = Callable[[ca.SX, ca.SX, ca.SX, ca.SX, ca.SX], tuple[ca.SX, ...]]
"""(two numbers of its model, command, quiet, valve_meas, f) -> how far valve or drive is off what it was told [-], how
fast it moves [1/s], and the two numbers after this tick."""
THRESHOLDS = (
    Field("drift_max", 1, "m", "largest difference of a measured length and the integral of its rate", 0.005),
    Field("drift_corner", 1, "rad/s", "speed at which that integral is drawn to the measured length", 1.0),
    Field("frozen_travel", 1, "m", "way of that integral in which a measured length must change at all", 1e-3),
    Field("rate_max", 1, "m/s", "largest believable rate of a leg", 5.0),
    Field("range_margin", 1, "m", "how far beyond the hard ends a measured length is believed", 0.01),
    Field("pressure_max", 1, "Pa", "largest believable pressure"),
    Field("tracking_max", 1, "m", "largest error of a leg's length", 0.05),
    Field("tracking_time", 1, "s", "for how long it may be exceeded", 0.1),
    Field("stall_travel", 1, "m", "error of a leg that hardly moves, from which on it may be seized", 0.002),
    Field("stall_speed", 1, "m/s", "rate below which a leg hardly moves, and a third of the commanded one", 0.005),
    Field("stall_force", 1, "N", "if its actuator pushes by that much more than motion and platform explain"),
    Field("stall_time", 1, "s", "for how long that may be so", 0.02),
    Field("speed_max", 1, "m/s", "largest measured rate of a leg"),
    Field("speed_time", 1, "s", "for how long it may be exceeded", 0.01),
    Field("mismatch_max", 1, "-", "largest difference of measured spool and model of the valve", 0.08),
    Field("mismatch_time", 1, "s", "for how long it may be exceeded", 0.01),
    Field("mismatch_slow", 1, "-", "largest mean of that difference while the valve stands", 0.015),
    Field("mismatch_lag", 1, "s", "and as much more for each unit of its mean rate", 0.0025),
    Field("mismatch_corner", 1, "rad/s", "speed of these means", 50.0),
    Field("contact", 1, "m", "distance from a hard end that counts as contact", 0.002),
)
STALL_PART = 0.35  # of the commanded rate: what seizes a leg may give way a little
STALL_ACCELERATION = 1.0  # [m/s^2]: a leg that gains more than that is not seized
WATCHED = 19
LEG_WATCH = Port(
    "watch", WATCHED, "SI, mixed",
    "believed l, l_dot, l_ddot, p_cap, p_rod; times of tracking, speed and mismatch [s]; integrated rate [m]; model of "
    "valve or drive, two numbers; time of standing [s]; length read [m], way of the integrated rate since it changed "
    "[m]; whether length and rate are known to be wrong; mean mismatch, mean rate of the valve; time "
    "for which pressures and force contradict each other [s]",
)  # fmt: skip


def any_of(codes: dict[Fault, ca.SX], which: frozenset[Fault]) -> ca.SX:
    """Whether one of them is active."""
    found = ca.SX(0)
    for fault, active in codes.items():
        if fault in which:
            found = ca.logic_or(found, active)
    return found


def first_of(codes: dict[Fault, ca.SX]) -> ca.SX:
    """The active one of the smallest number, 0 if none is."""
    first = ca.SX(0)
    for fault in sorted(codes, reverse=True):
        first = ca.if_else(codes[fault], fault.value, first)
    return first


class Drift(NamedTuple):
    """What judges a length and a rate that contradict each other: see THRESHOLDS and `agreement.py`."""

    most: ca.SX
    corner: ca.SX
    frozen_travel: ca.SX
    disagreement: ca.SX
    free: ca.SX
    gyros_wrong: ca.SX


class Motion(NamedTuple):
    """Length and rate that are believed, and what is remembered of them.

    Attributes:
        integrated: the rate's integral [m]; way: how far it went since the reading changed [m]
        read: the last reading within the stroke [m]
        no_length, no_rate: known to be wrong
    """

    l: ca.SX
    l_dot: ca.SX
    integrated: ca.SX
    read: ca.SX
    way: ca.SX
    no_length: ca.SX
    no_rate: ca.SX


def _motion(
    drift: Drift, rate_max: ca.SX, least: ca.SX, most: ca.SX, dt: ca.SX, watch: ca.SX, begins: ca.SX,
    l_dot_cmd: ca.SX, l: ca.SX, l_dot: ca.SX,
) -> Motion:  # fmt: skip
    """Length and integrated rate may contradict each other, or the length may not change at all."""
    goes_on, knew_length, knew_rate = ca.logic_not(begins), watch[14], watch[15]
    moves, in_range = ca.fabs(l_dot) <= rate_max, ca.logic_and(l >= least, l <= most)
    rate = ca.if_else(ca.logic_and(moves, ca.eq(knew_rate, 0)), l_dot, l_dot_cmd)
    reckoned = ca.fmin(ca.fmax(watch[8] + rate * dt, least), most)
    drawn = reckoned + drift.corner * dt * (l - reckoned)
    way = ca.if_else(ca.logic_and(ca.eq(l, watch[12]), goes_on), watch[13] + drawn - watch[8], 0.0)
    is_frozen = ca.fabs(way) > drift.frozen_travel
    apart = ca.if_else(is_frozen, way, reckoned - l)
    contradict = ca.logic_and(goes_on, ca.logic_or(is_frozen, ca.fabs(apart) > drift.most))
    rate_is_off = drift.disagreement * apart > 0.5 * drift.free * apart**2
    blames_rate = ca.logic_and(rate_is_off, ca.eq(drift.gyros_wrong, 0))
    wrong_length = ca.logic_and(contradict, ca.logic_not(blames_rate))
    wrong_rate = ca.logic_and(ca.logic_and(contradict, in_range), blames_rate)
    no_length = ca.logic_or(ca.logic_not(in_range), ca.logic_and(goes_on, ca.logic_or(knew_length, wrong_length)))
    no_rate = ca.logic_or(ca.logic_not(moves), ca.logic_and(goes_on, ca.logic_or(knew_rate, wrong_rate)))
    return Motion(
        ca.if_else(no_length, reckoned, l),
        ca.if_else(no_rate, l_dot_cmd, l_dot),
        ca.if_else(no_length, reckoned, ca.if_else(ca.logic_or(begins, no_rate), l, drawn)),
        ca.if_else(in_range, l, watch[12]),
        way,
        no_length,
        no_rate,
    )


def _oil(
    areas: tuple[float, float], f_max: ca.SX, longest: ca.SX, dt: ca.SX, before: ca.SX, compared: ca.SX, oil: ca.SX,
    f: ca.SX, f_needed: ca.SX,
) -> tuple[ca.SX, ca.SX, ca.SX]:  # fmt: skip
    """Pressures against the force at the rod, from which friction is far below f_max.

    Returns the pressures that are believed, for how long they have contradicted the force [s], and their force [N].
    """
    A_cap, A_rod = areas
    f_oil = A_cap * oil[0] - A_rod * oil[1]
    differ = ca.logic_and(ca.fabs(f_oil - f) > f_max, ca.ne(f, 0))  # what nobody measures reads 0
    quarrel = timer(before, ca.logic_and(differ, compared), dt)
    nearer = ca.fabs(f - f_needed) < ca.fabs(f_oil - f_needed)
    replaced = ca.logic_and(quarrel > longest, nearer)
    return ca.vertcat(ca.if_else(replaced, (f + A_rod * oil[1]) / A_cap, oil[0]), oil[1]), quarrel, f_oil


def leg_watchdog(actuation: Actuation, areas: tuple[float, float] | None, hard_min: float, hard_max: float) -> Kernel:
    """The monitor of one leg; areas are those of its piston [m^2], cap and rod side, if it has any."""

    def expr(
        drift_max: ca.SX, drift_corner: ca.SX, frozen_travel: ca.SX, rate_max: ca.SX, range_margin: ca.SX,
        pressure_max: ca.SX, tracking_max: ca.SX, tracking_time: ca.SX, stall_travel: ca.SX, stall_speed: ca.SX,
        stall_force: ca.SX, stall_time: ca.SX, speed_max: ca.SX, speed_time: ca.SX, mismatch_max: ca.SX,
        mismatch_time: ca.SX, mismatch_slow: ca.SX, mismatch_lag: ca.SX, mismatch_corner: ca.SX, contact: ca.SX,
        dt: ca.SX, watch: ca.SX, fresh: ca.SX, quiet: ca.SX, driven: ca.SX, disagreement: ca.SX, free: ca.SX,
        gyros_wrong: ca.SX, l_cmd: ca.SX, l_dot_cmd: ca.SX, valve_cmd: ca.SX, l: ca.SX, l_dot: ca.SX, l_ddot: ca.SX,
        p_cap: ca.SX, p_rod: ca.SX, valve_meas: ca.SX, f: ca.SX, f_needed: ca.SX,
        f_beyond: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        begins, driving = ca.ne(fresh, 0), ca.eq(quiet, 0)
        least, most = hard_min - range_margin, hard_max + range_margin
        drift = Drift(drift_max, drift_corner, frozen_travel, disagreement, free, gyros_wrong)
        motion = _motion(drift, rate_max, least, most, dt, watch, begins, l_dot_cmd, l, l_dot)
        accelerates = ca.fabs(l_ddot) < ca.inf  # comparisons with a NaN are false
        pressures = ca.logic_and(_believable(p_cap, pressure_max), _believable(p_rod, pressure_max))
        oil = ca.if_else(pressures, ca.vertcat(p_cap, p_rod), watch[3:5])
        free_of_ends = ca.logic_and(motion.l > hard_min + contact, motion.l < hard_max - contact)
        quarrel, pushing = ca.SX(0), ca.if_else(ca.ne(f, 0), f, f_needed)  # a drive that tells no force pushes nothing
        if areas is not None:
            compared = ca.logic_and(driving, free_of_ends)  # a hard end pushes too
            oil, quarrel, pushing = _oil(areas, stall_force, mismatch_time, dt, watch[18], compared, oil, f, f_needed)
        believed = ca.vertcat(motion.l, motion.l_dot, ca.if_else(accelerates, l_ddot, watch[2]), oil)

        # the valve, or the drive, as it should be; how far it is off may grow with how fast it moves
        off, speed, place_next, rate_next = actuation(watch[9:11], valve_cmd, quiet, valve_meas, f)
        share = mismatch_corner * dt
        mean = watch[16] + share * (ca.if_else(ca.fabs(off) < ca.inf, off, 0.0) - watch[16])
        activity = watch[17] + share * (ca.fabs(speed) - watch[17])
        allowed = mismatch_lag * activity
        obeys = ca.logic_and(ca.fabs(off) <= mismatch_max + allowed, ca.fabs(mean) <= mismatch_slow + allowed)

        # a leg that stays behind though its actuator pushes it is seized, if the platform does not feel that push; one
        # that is too heavy gains speed
        behind = l_cmd - believed[0]
        side = ca.if_else(behind >= 0, 1.0, -1.0)
        slow_enough = ca.fabs(believed[1]) < stall_speed + STALL_PART * ca.fabs(l_dot_cmd)
        stays = ca.logic_and(slow_enough, side * believed[2] < STALL_ACCELERATION)
        lost_push = side * (pushing - f_needed) - ca.fmax(side * f_beyond, 0.0)
        pushed = ca.logic_and(ca.fabs(behind) > stall_travel, lost_push > stall_force)

        tracks = ca.fabs(l_cmd - believed[0]) <= tracking_max
        slow = ca.fabs(believed[1]) <= speed_max
        lost = timer(watch[5], ca.logic_and(driving, ca.logic_not(tracks)), dt)
        fast = timer(watch[6], ca.logic_not(slow), dt)
        apart = timer(watch[7], ca.logic_not(obeys), dt)
        stalled = timer(watch[11], ca.logic_and(driving, ca.logic_and(stays, pushed)), dt)
        at_lower = ca.logic_and(ca.ne(driven, 0), believed[0] <= hard_min + contact)
        at_upper = ca.logic_and(driving, believed[0] >= hard_max - contact)
        blind = ca.logic_and(motion.no_length, motion.no_rate)
        doubted = ca.logic_or(ca.logic_or(motion.no_length, motion.no_rate), ca.logic_not(accelerates))
        codes = {
            Fault.MEASUREMENT: ca.logic_and(doubted, ca.logic_not(blind)),
            Fault.VALVE: apart > mismatch_time,
            Fault.LEG_VELOCITY: fast > speed_time,
            Fault.TRACKING: ca.logic_or(lost > tracking_time, stalled > stall_time),
            Fault.PRESSURE: ca.logic_or(ca.logic_not(pressures), quarrel > mismatch_time),
            Fault.LIMIT_CONTACT: ca.logic_or(at_lower, at_upper),
            Fault.BLIND: blind,
        }
        state = ca.vertcat(
            believed, lost, fast, apart, motion.integrated, place_next, rate_next, stalled,
            motion.read, motion.way, motion.no_length, motion.no_rate,
            ca.if_else(begins, 0.0, ca.vertcat(mean, activity)), quarrel,
        )  # fmt: skip
        return state, first_of(codes), any_of(codes, BLOCKING), any_of(codes, SHUTTING)

    return Kernel(
        "leg_watchdog",
        inputs=(
            *(Port(t.name, (), t.unit, t.description) for t in THRESHOLDS),
            Port("dt", (), "s"),
            LEG_WATCH,
            Port("fresh", (), "-", "1 in the first tick and when a fault is reset: there is nothing to compare with"),
            Port("quiet", (), "-", "1 while the valves stay closed"),
            Port("driven", (), "-", "1 while the operational limits hold; else a leg may rest on its lower end"),
            Port("disagreement", (), "m", "integral of what the leg's rate is off those of the others and the gyros"),
            Port("free", (), "-", "part of an error of the leg's rate that shows there"),
            Port("gyros_wrong", (), "-", "1 if the gyros are not asked any more"),
            Port("l_cmd", (), "m", "commanded one tick ago"),
            Port("l_dot_cmd", (), "m/s", "commanded one tick ago"),
            Port("valve_cmd", (), "-", "commanded one tick ago"),
            Port("l", (), "m"),
            Port("l_dot", (), "m/s"),
            Port("l_ddot", (), "m/s^2"),
            Port("p_cap", (), "Pa"),
            Port("p_rod", (), "Pa"),
            Port("valve_meas", (), "-"),
            Port("f", (), "N", "measured force of the actuator"),
            Port("f_needed", (), "N", "what weight and inertia asked of it one tick ago"),
            Port("f_beyond", (), "N", "what the platform felt of it beyond that"),
        ),
        outputs=(
            Port("watch_next", WATCHED, "SI, mixed"),
            Port("code", (), "-", "fault that this leg shows now"),
            Port("blocks", (), "-", "1 if it forbids going down"),
            Port("shuts", (), "-", "1 if the valve must be shut off"),
        ),
        expr=expr,
        description="monitors one leg and replaces what cannot be true",
    )


RATE_OF = Kernel(
    "rate_of",
    (LEG_WATCH,),
    (Port("l_dot", (), "m/s"), Port("apart", (), "m"), Port("doubted", (), "-")),
    lambda watch: (watch[1], watch[8] - watch[0], ca.logic_or(watch[14], watch[15])),
    "believed rate of a leg, what its integral is off the length, and whether one of the two is known to be wrong",
)


def _believable(p: ca.SX, p_max: ca.SX) -> ca.SX:
    return ca.logic_and(p > -1e6, p < p_max)  # a sensor of absolute or gauge pressure may read a little below zero


def timer(before: ca.SX, wrong: ca.SX, dt: ca.SX) -> ca.SX:
    """For how long something has been wrong [s]."""
    return ca.if_else(wrong, ca.fmin(before + dt, 1e3), 0.0)
