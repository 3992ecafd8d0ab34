"""Monitors: of every leg, of the supply and of the states; and the latch that keeps the first fault.

A measurement that cannot be true is replaced by the last one that could, so that no NaN reaches a valve; the fault is
reported all the same.
"""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.control.faults import BLOCKING, SHUTTING, Fault
from motionbase.control.fields import Field
from motionbase.control.states import Request, State

THRESHOLDS = (
    Field("jump_max", 1, "m/s", "largest believable rate between two measured lengths", 5.0),
    Field("range_margin", 1, "m", "how far beyond the hard ends a measured length is believed", 0.01),
    Field("pressure_max", 1, "Pa", "largest believable pressure"),
    Field("tracking_max", 1, "m", "largest error of a leg's length", 0.05),
    Field("tracking_time", 1, "s", "for how long it may be exceeded", 0.1),
    Field("speed_max", 1, "m/s", "largest measured rate of a leg"),
    Field("speed_time", 1, "s", "for how long it may be exceeded", 0.01),
    Field("mismatch_max", 1, "-", "largest difference of measured spool and command", 0.3),
    Field("mismatch_time", 1, "s", "for how long it may be exceeded", 0.03),
    Field("contact", 1, "m", "distance from a hard end that counts as contact", 0.002),
)
LEG_WATCH = Port(
    "watch", 8, "SI, mixed", "believed l, l_dot, l_ddot, p_cap, p_rod; times of tracking, speed and mismatch [s]"
)
WATCHED = 8
RESETTABLE = (State.OFF, State.DOWN, State.HELD)


def _any_of(codes: dict[Fault, ca.SX], which: frozenset[Fault]) -> ca.SX:
    found = ca.SX(0)
    for fault, active in codes.items():
        if fault in which:
            found = ca.logic_or(found, active)
    return found


def _first_of(codes: dict[Fault, ca.SX]) -> ca.SX:
    first = ca.SX(0)
    for fault in sorted(codes, reverse=True):
        first = ca.if_else(codes[fault], fault.value, first)
    return first


def leg_watchdog(hard_min: float, hard_max: float) -> Kernel:
    """The monitor of one leg."""

    def expr(
        jump_max: ca.SX, range_margin: ca.SX, pressure_max: ca.SX, tracking_max: ca.SX, tracking_time: ca.SX,
        speed_max: ca.SX, speed_time: ca.SX, mismatch_max: ca.SX, mismatch_time: ca.SX, contact: ca.SX, dt: ca.SX,
        watch: ca.SX, fresh: ca.SX, quiet: ca.SX, driven: ca.SX, l_cmd: ca.SX, valve_cmd: ca.SX,
        l: ca.SX, l_dot: ca.SX, l_ddot: ca.SX, p_cap: ca.SX, p_rod: ca.SX, valve_meas: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        in_range = ca.logic_and(l >= hard_min - range_margin, l <= hard_max + range_margin)
        steady = ca.logic_or(ca.ne(fresh, 0), ca.fabs(l - watch[0]) <= jump_max * dt)
        good = ca.logic_and(in_range, steady)  # comparisons with a NaN are false
        rates = ca.logic_and(ca.fabs(l_dot) < ca.inf, ca.fabs(l_ddot) < ca.inf)
        pressures = ca.logic_and(_believable(p_cap, pressure_max), _believable(p_rod, pressure_max))
        believed = ca.vertcat(
            ca.if_else(good, l, watch[0]),
            ca.if_else(rates, ca.vertcat(l_dot, l_ddot), watch[1:3]),
            ca.if_else(pressures, ca.vertcat(p_cap, p_rod), watch[3:5]),
        )
        tracks = ca.fabs(l_cmd - believed[0]) <= tracking_max
        slow = ca.fabs(believed[1]) <= speed_max
        fits = ca.fabs(valve_cmd - valve_meas) <= mismatch_max
        lost = _timer(watch[5], ca.logic_and(ca.eq(quiet, 0), ca.logic_not(tracks)), dt)
        fast = _timer(watch[6], ca.logic_not(slow), dt)
        apart = _timer(watch[7], ca.logic_not(fits), dt)
        touches = ca.logic_or(believed[0] <= hard_min + contact, believed[0] >= hard_max - contact)
        codes = {
            Fault.MEASUREMENT: ca.logic_not(ca.logic_and(good, rates)),
            Fault.VALVE: apart > mismatch_time,
            Fault.LEG_VELOCITY: fast > speed_time,
            Fault.TRACKING: lost > tracking_time,
            Fault.PRESSURE: ca.logic_not(pressures),
            Fault.LIMIT_CONTACT: ca.logic_and(ca.ne(driven, 0), touches),
        }
        state = ca.vertcat(believed, lost, fast, apart)
        return state, _first_of(codes), _any_of(codes, BLOCKING), _any_of(codes, SHUTTING)

    return Kernel(
        "leg_watchdog",
        inputs=(
            *(Port(t.name, (), t.unit, t.description) for t in THRESHOLDS),
            Port("dt", (), "s"),
            LEG_WATCH,
            Port("fresh", (), "-", "1 in the first tick and when a fault is reset: there is no length to compare with"),
            Port("quiet", (), "-", "1 while the valves stay closed"),
            Port("driven", (), "-", "1 while the operational limits hold; else a leg may rest on its lower end"),
            Port("l_cmd", (), "m", "commanded one tick ago"),
            Port("valve_cmd", (), "-", "commanded one tick ago"),
            Port("l", (), "m"),
            Port("l_dot", (), "m/s"),
            Port("l_ddot", (), "m/s^2"),
            Port("p_cap", (), "Pa"),
            Port("p_rod", (), "Pa"),
            Port("valve_meas", (), "-"),
        ),
        outputs=(
            Port("watch_next", 8, "SI, mixed"),
            Port("code", (), "-", "fault that this leg shows now"),
            Port("blocks", (), "-", "1 if it forbids going down"),
            Port("shuts", (), "-", "1 if the valve must be shut off"),
        ),
        expr=expr,
        description="monitors one leg and replaces what cannot be true",
    )


def _believable(p: ca.SX, p_max: ca.SX) -> ca.SX:
    return ca.logic_and(p > -1e6, p < p_max)  # a sensor of absolute or gauge pressure may read a little below zero


def _timer(before: ca.SX, wrong: ca.SX, dt: ca.SX) -> ca.SX:
    return ca.if_else(wrong, ca.fmin(before + dt, 1e3), 0.0)


# ---- the first fault ------------------------------------------------------------------------------------------------


def _latched(
    p_min: ca.SX, supply_time: ca.SX, dt: ca.SX, latch: ca.SX, state: ca.SX, quiet: ca.SX, request: ca.SX, estop: ca.SX,
    reset: ca.SX, p_supply: ca.SX, converged: ca.SX, expired: ca.SX, codes: ca.SX, blocks: ca.SX, shuts: ca.SX,
) -> tuple[ca.SX, ...]:  # fmt: skip
    driven = ca.eq(quiet, 0)
    enough = p_supply >= p_min  # false for NaN
    low = _timer(latch[3], ca.logic_and(driven, ca.logic_not(enough)), dt)
    aborting = ca.eq(state, State.ABORT)
    active = {
        Fault.ESTOP: ca.ne(estop, 0),
        Fault.SUPPLY: low > supply_time,
        Fault.KINEMATICS: ca.logic_and(ca.eq(converged, 0), driven),
        Fault.TIMEOUT: ca.logic_and(ca.ne(expired, 0), ca.logic_and(driven, ca.logic_not(aborting))),
        Fault.OPERATOR_ABORT: ca.logic_and(ca.eq(request, Request.ABORT), driven),
    }
    now = _first_of(active)
    for k in range(6):
        code = codes[k]
        now = ca.if_else(ca.logic_and(code > 0, ca.logic_or(ca.eq(now, 0), code < now)), code, now)
    at_rest = ca.SX(0)
    for allowed in RESETTABLE:
        at_rest = ca.logic_or(at_rest, ca.eq(state, allowed))
    cleared = ca.logic_and(ca.ne(reset, 0), at_rest)
    kept = ca.if_else(cleared, 0.0, latch[:3])  # a fault that is still there is latched again at once
    fault = ca.if_else(ca.eq(kept[0], 0), now, kept[0])
    blocked = ca.logic_or(kept[1], ca.logic_or(ca.sum1(blocks) > 0, active[Fault.SUPPLY]))
    shut = ca.logic_or(kept[2], ca.sum1(shuts) > 0)
    stop = ca.logic_or(ca.ne(fault, 0), ca.ne(estop, 0))
    return ca.vertcat(fault, blocked, shut, low), fault, stop, ca.logic_not(blocked), enough, cleared


FAULT_LATCH = Kernel(
    "fault_latch",
    inputs=(
        Port("p_min", (), "Pa", "least supply pressure"),
        Port("supply_time", (), "s", "for how long it may be lower"),
        Port("dt", (), "s"),
        Port("latch", 4, "SI, mixed", "first fault, blocked, shut off, time of low supply [s]"),
        Port("state", (), "-", "one tick ago"),
        Port("quiet", (), "-", "one tick ago"),
        Port("request", (), "-"),
        Port("estop", (), "-", "1 while the emergency stop acts"),
        Port("reset", (), "-", "1 to clear the fault; heard in off, down and held"),
        Port("p_supply", (), "Pa"),
        Port("converged", (), "-", "of the forward kinematics"),
        Port("expired", (), "-", "1 if the state lasts too long"),
        Port("codes", 6, "-"),
        Port("blocks", 6, "-"),
        Port("shuts", 6, "-"),
    ),
    outputs=(
        Port("latch_next", 4, "SI, mixed"),
        Port("fault", (), "-", "the first one"),
        Port("stop", (), "-"),
        Port("movable", (), "-"),
        Port("pressure_up", (), "-", "1 if the supply pressure is high enough"),
        Port("cleared", (), "-", "1 in the tick of a reset that was heard"),
    ),
    expr=_latched,
    description="keeps the first fault until it is reset",
)
