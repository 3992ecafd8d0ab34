"""The latch that keeps the first fault until it is reset, what it forbids, and which legs it closes."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.control.faults import Fault
from motionbase.control.states import Request, State, is_one_of
from motionbase.control.watchdogs import first_of, timer

RESETTABLE = (State.OFF, State.DOWN, State.HELD)
LATCHED = 10
LATCH = Port(
    "latch", LATCHED, "SI, mixed", "first fault, blocked, shut off, time of low supply [s], legs that are closed"
)


def is_heard(state: ca.SX, reset: ca.SX) -> ca.SX:
    """Whether a reset counts, by the state one tick ago: under way it would hide what the monitors have found."""
    return ca.logic_and(ca.ne(reset, 0), is_one_of(state, RESETTABLE))


FRESH = Kernel(
    "fresh",
    (Port("started"), Port("state", (), "-", "one tick ago"), Port("reset")),
    (Port("fresh", (), "-", "1 in the first tick, and when a fault is reset at rest"),),
    lambda started, state, reset: ca.logic_or(ca.eq(started, 0), is_heard(state, reset)),
)


def _latched(
    p_min: ca.SX, supply_time: ca.SX, dt: ca.SX, latch: ca.SX, state: ca.SX, quiet: ca.SX, request: ca.SX, estop: ca.SX,
    reset: ca.SX, p_supply: ca.SX, lines_lost: ca.SX, converged: ca.SX, expired: ca.SX, codes: ca.SX, blocks: ca.SX,
    shuts: ca.SX,
) -> tuple[ca.SX, ...]:  # fmt: skip
    driven = ca.eq(quiet, 0)
    enough = p_supply >= p_min  # false for NaN
    low = timer(latch[3], ca.logic_and(driven, ca.logic_not(enough)), dt)
    aborting = ca.eq(state, State.ABORT)
    active = {
        Fault.ESTOP: ca.ne(estop, 0),
        Fault.SUPPLY: low > supply_time,
        Fault.PRESSURE: ca.logic_and(ca.ne(lines_lost, 0), driven),
        Fault.KINEMATICS: ca.logic_and(ca.eq(converged, 0), driven),
        Fault.TIMEOUT: ca.logic_and(ca.ne(expired, 0), ca.logic_and(driven, ca.logic_not(aborting))),
        Fault.OPERATOR_ABORT: ca.logic_and(ca.eq(request, Request.ABORT), driven),
    }
    now = first_of(active)
    for k in range(6):
        code = codes[k]
        now = ca.if_else(ca.logic_and(code > 0, ca.logic_or(ca.eq(now, 0), code < now)), code, now)
    kept = ca.if_else(is_heard(state, reset), 0.0, latch)  # a fault that is still there is latched again at once
    fault = ca.if_else(ca.eq(kept[0], 0), now, kept[0])
    blocked = ca.logic_or(kept[1], ca.logic_or(ca.sum1(blocks) > 0, active[Fault.SUPPLY]))
    shut = ca.logic_or(kept[2], ca.logic_or(ca.sum1(shuts) > 0, active[Fault.SUPPLY]))
    closes = ca.logic_or(kept[4:], blocks)
    stop = ca.logic_or(ca.ne(fault, 0), ca.ne(estop, 0))
    state_next = ca.vertcat(fault, blocked, shut, low, closes)
    return state_next, fault, stop, ca.logic_not(blocked), closes


FAULT_LATCH = Kernel(
    "fault_latch",
    inputs=(
        Port("p_min", (), "Pa", "least supply pressure"),
        Port("supply_time", (), "s", "for how long it may be lower"),
        Port("dt", (), "s"),
        LATCH,
        Port("state", (), "-", "one tick ago"),
        Port("quiet", (), "-", "one tick ago"),
        Port("request", (), "-"),
        Port("estop", (), "-", "1 while the emergency stop acts"),
        Port("reset", (), "-", "1 to clear the fault; heard in off, down and held"),
        Port("p_supply", (), "Pa"),
        Port("lines_lost", (), "-", "1 if the pressure of supply or return could not be true for too long"),
        Port("converged", (), "-", "of the forward kinematics"),
        Port("expired", (), "-", "1 if the state lasts too long"),
        Port("codes", 6, "-"),
        Port("blocks", 6, "-"),
        Port("shuts", 6, "-"),
    ),
    outputs=(
        Port("latch_next", LATCHED, "SI, mixed"),
        Port("fault", (), "-", "the first one"),
        Port("stop", (), "-"),
        Port("movable", (), "-"),
        Port("closes", 6, "-", "1 for legs whose own fault forbids going down: their valves are closed"),
    ),
    expr=_latched,
    description="keeps the first fault until it is reset",
)
