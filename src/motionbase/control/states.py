"""The state machine as a kernel, from the table of `record.states`."""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.control.quantities import SX, Flag, Number, Seconds
from motionbase.record.states import FLAGS, QUIET, TRANSITIONS, Request, Source, State

ENDS_OF_ABORT = (State.OFF, State.HELD)
SOURCES = {State.ENGAGING: Source.BLEND, State.DRIVE: Source.DRIVE} | dict.fromkeys(QUIET, Source.MEASURED)
DRIVEN = (State.ENGAGING, State.DRIVE, State.SETTLING)  # states with the operational limits
BRISK = (State.FREEZE, State.ABORT, State.STOPPING)  # states with the velocity and acceleration of an abort
TIMED = (State.RISING, State.ENGAGING, State.SETTLING, State.LOWERING)  # states in which staying too long is a fault


def source_of(state: State) -> Source:
    """The kind of base trajectory in a state."""
    return SOURCES.get(state, Source.MOVE)


def is_one_of(state: ca.SX, states: tuple[State, ...]) -> ca.SX:
    """Whether a state number is one of these states."""
    found = ca.eq(state, states[0].value)
    for one in states[1:]:
        found = ca.logic_or(found, ca.eq(state, one.value))
    return found


class Flags(Struct):
    """Measured inputs of the state machine; faults come from the latch."""

    ready: SX = q("-", text=FLAGS["ready"])
    drivable: SX = q("-", text=FLAGS["drivable"])
    host_lost: SX = q("-", text=FLAGS["host_lost"])
    arrived: SX = q("-", text=FLAGS["arrived"])
    grounded: SX = q("-", text=FLAGS["grounded"])
    stopped: SX = q("-", text=FLAGS["stopped"])
    expired: SX = q("-", text=FLAGS["expired"])


class Machine(Struct):
    """The state machine in this tick."""

    state: SX = q("-", text="state of this tick")
    entered: SX = q("-", text="1 in the first tick of a state")
    ticks: SX = q("-", text="ticks in the state, 0 in the first")
    time: SX = q("s", text="in the state")
    source: SX = q("-", text="what the base trajectory is")
    quiet: SX = q("-", text="1 where the valves stay closed")


MEASURED_FLAGS = ("stop", "movable", *(p.name for p in Flags.layout.ports))


def state_step(
    dt: Seconds, state: Number, ticks: Number, request: Number, stop: Flag, movable: Flag, flags: Flags
) -> Machine:
    """The state after this tick, by the table, from the ticks in the state, the operator's request and the flags."""
    held = {f"request_{r.name.lower()}": ca.eq(request, r.value) for r in Request if r}
    held |= {p.name: ca.ne(getattr(flags, p.name), 0) for p in Flags.layout.ports}
    held |= {"stop": ca.ne(stop, 0), "movable": ca.ne(movable, 0)}
    chosen = state
    for transition in reversed(TRANSITIONS):
        holds: SX | int = 1
        for name in transition.when:
            flag = held[name.removeprefix("not ")]
            holds = ca.logic_and(holds, ca.logic_not(flag) if name.startswith("not ") else flag)
        chosen = ca.if_else(ca.logic_and(is_one_of(state, transition.sources), holds), transition.target.value, chosen)
    known = is_one_of(state, tuple(State))
    after = ca.if_else(known, chosen, State.HELD.value)  # a corrupt number must not move a leg
    entered = ca.ne(after, state)
    ticks_after = ca.if_else(entered, 0, ticks + 1)
    source = ca.SX(Source.MOVE.value)
    for special, code in SOURCES.items():
        source = ca.if_else(ca.eq(after, special.value), code.value, source)
    return Machine(
        state=after, entered=entered, ticks=ticks_after, time=ticks_after * dt, source=source,
        quiet=is_one_of(after, QUIET),
    )  # fmt: skip
