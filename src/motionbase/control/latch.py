"""The latch that holds the first fault until it is reset, what the fault forbids, and which legs it closes."""

from __future__ import annotations

from typing import Annotated

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.control.quantities import SX, Flag, Number, Pascals, Seconds
from motionbase.control.states import is_one_of
from motionbase.control.watchdogs import Found, first_of, timer
from motionbase.record.faults import Fault
from motionbase.record.states import Request, State

RESETTABLE = (State.OFF, State.DOWN, State.HELD)


class Latch(Struct):
    """The first fault, and what it forbids until it is reset."""

    fault: SX = q("-", text="the first one, a number of `Fault`")
    blocked: SX = q("-", text="1 if going down is forbidden")
    shut: SX = q("-", text="1 if the hardware must shut the valves off")
    low: SX = q("s", text="for how long the supply has been low")
    closed: SX = q("-", 6, "1 for legs whose own fault forbids going down: their valves are closed")


def is_heard(state: SX, reset: SX) -> SX:
    """Whether a reset counts, by the state one tick ago: during motion it would hide the monitors' findings."""
    return ca.logic_and(ca.ne(reset, 0), is_one_of(state, RESETTABLE))


def is_fresh(started: SX, state: SX, reset: SX) -> SX:
    """1 in the first tick, and when a fault is reset at rest: there are no previous values to compare with."""
    return ca.logic_or(ca.eq(started, 0), is_heard(state, reset))


def stop_and_movable(latch: Latch, estop: Flag) -> tuple[Annotated[Flag, "stop"], Annotated[Flag, "movable"]]:
    """The latch's inputs to the state machine."""
    return ca.logic_or(ca.ne(latch.fault, 0), ca.ne(estop, 0)), ca.logic_not(latch.blocked)


def latched(
    p_min: Pascals, supply_time: Seconds, dt: Seconds, latch: Latch, state: Number, quiet: Flag, request: Number,
    estop: Flag, reset: Flag, p_supply: Pascals, lines_lost: Flag, converged: Flag, expired: Flag, found: Found,
) -> Latch:  # fmt: skip
    """The latch after a tick; state and quiet are those of the previous tick, `found` has a row for each leg."""
    driven = ca.eq(quiet, 0)
    enough = p_supply >= p_min  # false for NaN
    low = timer(latch.low, ca.logic_and(driven, ca.logic_not(enough)), dt)
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
        code = found.code[k]
        now = ca.if_else(ca.logic_and(code > 0, ca.logic_or(ca.eq(now, 0), code < now)), code, now)
    kept = Latch.of(ca.if_else(is_heard(state, reset), 0.0, latch.column))  # a remaining fault is latched again
    no_supply = active[Fault.SUPPLY]
    return Latch(
        fault=ca.if_else(ca.eq(kept.fault, 0), now, kept.fault),
        blocked=ca.logic_or(kept.blocked, ca.logic_or(ca.sum1(found.blocks) > 0, no_supply)),
        shut=ca.logic_or(kept.shut, ca.logic_or(ca.sum1(found.shuts) > 0, no_supply)),
        low=low,
        closed=ca.logic_or(kept.closed, found.blocks),
    )
