"""Monitors of every leg.

A length that cannot be true is replaced by the measured rate, integrated, so that the base can still be stopped and
lowered; what else cannot be true by the last value that could, so that no NaN reaches a valve. The fault is reported
all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.control.faults import BLOCKING, SHUTTING, Fault
from motionbase.control.fields import Field

Valve: TypeAlias = Callable[[ca.SX, ca.SX, ca.SX], tuple[ca.SX, ca.SX]]
"""Reading of a valve that works, and its rate, after a tick: from those before, and the command."""
THRESHOLDS = (
    Field("drift_max", 1, "m", "largest difference of a measured length and the integral of its rate", 0.005),
    Field("drift_corner", 1, "rad/s", "speed at which that integral is drawn to the measured length", 1.0),
    Field("rate_max", 1, "m/s", "largest believable rate of a leg", 5.0),
    Field("range_margin", 1, "m", "how far beyond the hard ends a measured length is believed", 0.01),
    Field("pressure_max", 1, "Pa", "largest believable pressure"),
    Field("tracking_max", 1, "m", "largest error of a leg's length", 0.05),
    Field("tracking_time", 1, "s", "for how long it may be exceeded", 0.1),
    Field("stall_speed", 1, "m/s", "a leg slower than that stands; its command moves at twice as much", 0.02),
    Field("stall_travel", 1, "m", "way that the command of a standing leg may go", 0.015),
    Field("speed_max", 1, "m/s", "largest measured rate of a leg"),
    Field("speed_time", 1, "s", "for how long it may be exceeded", 0.01),
    Field("mismatch_max", 1, "-", "largest difference of measured spool and model of the valve", 0.08),
    Field("mismatch_time", 1, "s", "for how long it may be exceeded", 0.01),
    Field("contact", 1, "m", "distance from a hard end that counts as contact", 0.002),
)
WATCHED = 12
LEG_WATCH = Port(
    "watch", WATCHED, "SI, mixed",
    "believed l, l_dot, l_ddot, p_cap, p_rod; times of tracking, speed and mismatch [s]; integrated rate [m]; "
    "spool of the model and its rate; way of the command while the leg stands [m]",
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


def leg_watchdog(valve: Valve, hard_min: float, hard_max: float) -> Kernel:
    """The monitor of one leg."""

    def expr(
        drift_max: ca.SX, drift_corner: ca.SX, rate_max: ca.SX, range_margin: ca.SX, pressure_max: ca.SX,
        tracking_max: ca.SX, tracking_time: ca.SX, stall_speed: ca.SX, stall_travel: ca.SX, speed_max: ca.SX,
        speed_time: ca.SX, mismatch_max: ca.SX, mismatch_time: ca.SX, contact: ca.SX, dt: ca.SX, watch: ca.SX,
        fresh: ca.SX, quiet: ca.SX, driven: ca.SX, l_cmd: ca.SX, l_dot_cmd: ca.SX, valve_cmd: ca.SX,
        l: ca.SX, l_dot: ca.SX, l_ddot: ca.SX, p_cap: ca.SX, p_rod: ca.SX, valve_meas: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        begins, driving = ca.ne(fresh, 0), ca.eq(quiet, 0)
        rates = ca.logic_and(ca.fabs(l_dot) <= rate_max, ca.fabs(l_ddot) < ca.inf)  # comparisons with a NaN are false
        pressures = ca.logic_and(_believable(p_cap, pressure_max), _believable(p_rod, pressure_max))

        # length and integrated rate: of two that contradict each other the one nearer to the command is believed
        least, most = hard_min - range_margin, hard_max + range_margin
        reckoned = ca.fmin(ca.fmax(watch[8] + ca.if_else(rates, l_dot, 0.0) * dt, least), most)
        in_range = ca.logic_and(l >= least, l <= most)
        fits = ca.logic_or(begins, ca.fabs(l - reckoned) <= drift_max)
        nearer = ca.fabs(l - l_cmd) < ca.fabs(reckoned - l_cmd)
        good = ca.logic_and(in_range, fits)
        usable = ca.logic_and(in_range, ca.logic_or(fits, nearer))
        drawn = ca.if_else(begins, l, reckoned + drift_corner * dt * (l - reckoned))
        believed = ca.vertcat(
            ca.if_else(usable, l, reckoned),
            ca.if_else(rates, ca.vertcat(l_dot, l_ddot), watch[1:3]),
            ca.if_else(pressures, ca.vertcat(p_cap, p_rod), watch[3:5]),
        )

        # the valve as it should be, and a leg that stands while its command moves
        spool, spool_rate = valve(watch[9], watch[10], valve_cmd)
        obeys = ca.fabs(spool - valve_meas) <= mismatch_max
        stands = ca.logic_and(ca.fabs(believed[1]) < stall_speed, ca.fabs(l_dot_cmd) > 2 * stall_speed)
        stalled = ca.if_else(ca.logic_and(driving, stands), watch[11] + ca.fabs(l_dot_cmd) * dt, 0.0)

        tracks = ca.fabs(l_cmd - believed[0]) <= tracking_max
        slow = ca.fabs(believed[1]) <= speed_max
        lost = timer(watch[5], ca.logic_and(driving, ca.logic_not(tracks)), dt)
        fast = timer(watch[6], ca.logic_not(slow), dt)
        apart = timer(watch[7], ca.logic_not(obeys), dt)
        at_lower = ca.logic_and(ca.ne(driven, 0), believed[0] <= hard_min + contact)
        at_upper = ca.logic_and(driving, believed[0] >= hard_max - contact)
        blind = ca.logic_not(ca.logic_or(usable, rates))
        codes = {
            Fault.MEASUREMENT: ca.logic_not(ca.logic_or(ca.logic_and(good, rates), blind)),
            Fault.VALVE: apart > mismatch_time,
            Fault.LEG_VELOCITY: fast > speed_time,
            Fault.TRACKING: ca.logic_or(lost > tracking_time, stalled > stall_travel),
            Fault.PRESSURE: ca.logic_not(pressures),
            Fault.LIMIT_CONTACT: ca.logic_or(at_lower, at_upper),
            Fault.BLIND: blind,
        }
        state = ca.vertcat(believed, lost, fast, apart, ca.if_else(usable, drawn, reckoned), spool, spool_rate, stalled)
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
            Port("l_cmd", (), "m", "commanded one tick ago"),
            Port("l_dot_cmd", (), "m/s", "commanded one tick ago"),
            Port("valve_cmd", (), "-", "commanded one tick ago"),
            Port("l", (), "m"),
            Port("l_dot", (), "m/s"),
            Port("l_ddot", (), "m/s^2"),
            Port("p_cap", (), "Pa"),
            Port("p_rod", (), "Pa"),
            Port("valve_meas", (), "-"),
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


def _believable(p: ca.SX, p_max: ca.SX) -> ca.SX:
    return ca.logic_and(p > -1e6, p < p_max)  # a sensor of absolute or gauge pressure may read a little below zero


def timer(before: ca.SX, wrong: ca.SX, dt: ca.SX) -> ca.SX:
    """For how long something has been wrong [s]."""
    return ca.if_else(wrong, ca.fmin(before + dt, 1e3), 0.0)
