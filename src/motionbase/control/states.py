"""States of a motion base: one table of transitions, from which kernel, reference and documents come.

    off -> down -> rising -> standby -> engaging -> drive -> settling -> standby -> lowering -> down

and from all of them freeze (stop and stay) and abort (stop and go down). An abort ends in `off`, down and quiet, or in
`held`, where it is and quiet, when a fault forbids going down or going down takes too long. A fault that forbids going
down leads through `stopping`: no valve is shut at full speed.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import IntEnum
from typing import final

import casadi as ca

from motionbase.compile import Struct, q
from motionbase.control.quantities import SX, Flag, Number, Seconds


class State(IntEnum):
    """What the motion base does; the number is that of the record."""

    OFF = 0  # valves closed, down or left where it was held
    DOWN = 1  # down, valves closed, ready to rise
    RISING = 2  # to the neutral pose
    STANDBY = 3  # at the neutral pose
    ENGAGING = 4  # from where it stands to the host's trajectory
    DRIVE = 5  # host trajectory and generators
    SETTLING = 6  # to the neutral pose, generators fading out
    LOWERING = 7  # to the down pose
    FREEZE = 8  # stopped where it was, and held by position control
    ABORT = 9  # stopping and going down
    HELD = 10  # abort has ended where it is, valves closed
    STOPPING = 11  # to a stop where it is, on the way to held


class Request(IntEnum):
    """What an operator may ask for; the numbers are those of the ring's commands."""

    NONE = 0
    OFF = 1
    DOWN = 2
    STANDBY = 3
    DRIVE = 4
    SETTLE = 5
    LOWER = 6
    FREEZE = 7
    ABORT = 8


class Mode(IntEnum):
    """Where the trajectory comes from."""

    HOST = 0  # host trajectory and generators
    MAINTENANCE = 1  # generators about the neutral pose


class Source(IntEnum):
    """What the base trajectory is."""

    MEASURED = 0  # follows the measured pose, so that leaving the state has no step
    MOVE = 1  # a bounded move from where the last trajectory was, then hold
    BLEND = 2  # from where it stood to the drive's trajectory
    DRIVE = 3  # host trajectory, or the neutral pose in maintenance


QUIET = (State.OFF, State.DOWN, State.HELD)  # valves closed
ENDS_OF_ABORT = (State.OFF, State.HELD)
MOVING = tuple(s for s in State if s not in (*QUIET, State.ABORT, State.STOPPING))
SOURCES = {State.ENGAGING: Source.BLEND, State.DRIVE: Source.DRIVE} | dict.fromkeys(QUIET, Source.MEASURED)
DRIVEN = (State.ENGAGING, State.DRIVE, State.SETTLING)  # the operational limits hold
BRISK = (State.FREEZE, State.ABORT, State.STOPPING)  # with the velocity and acceleration of an abort
TIMED = (State.RISING, State.ENGAGING, State.SETTLING, State.LOWERING)  # staying too long is a fault

FLAGS = {
    **{f"request_{r.name.lower()}": f"the operator asks for {r.name.lower()}" for r in Request if r},
    "stop": "emergency stop, a latched fault, or the operator asks for abort",
    "movable": "no fault forbids going down",
    "ready": "supply pressure is up and measurements are good",
    "drivable": "in host mode: frames come and their demand is within the limits",
    "host_lost": "in host mode: no frame for longer than host_timeout",
    "arrived": "move or blend and fading generators have ended, and the legs are where they were sent",
    "grounded": "no leg is longer than the down length by more than down_tolerance",
    "stopped": "the time of the planned stop is over",
    "expired": "longer in the state than its time limit",
}


@final
@dataclass(frozen=True)
class Transition:
    """From any of `sources` to `target` when all of `when` hold; a name after "not " must not hold."""

    sources: tuple[State, ...]
    target: State
    when: tuple[str, ...]
    why: str

    def holds(self, flags: Set[str]) -> bool:
        """Whether the flags that are true let it happen."""
        return all((name.removeprefix("not ") in flags) != name.startswith("not ") for name in self.when)


S = State
TRANSITIONS = (  # the first that holds is taken
    Transition(MOVING, S.STOPPING, ("stop", "not movable"), "a fault forbids going down"),
    Transition(MOVING, S.ABORT, ("stop",), "emergency stop, fault or abort"),
    Transition((S.DOWN,), S.OFF, ("stop",), "already down"),
    Transition((S.ABORT,), S.STOPPING, ("not movable", "not expired"), "a fault forbids going down"),
    Transition((S.ABORT,), S.OFF, ("arrived", "grounded"), "down and quiet"),
    Transition((S.ABORT,), S.HELD, ("expired",), "going down takes too long"),
    Transition((S.STOPPING,), S.HELD, ("stopped",), "stopped where it is"),
    Transition((S.STOPPING,), S.HELD, ("expired",), "stopping takes too long"),
    Transition((S.HELD,), S.LOWERING, ("request_lower", "not stop", "movable", "ready"), "the fault is gone"),
    Transition((S.HELD,), S.LOWERING, ("request_down", "not stop", "movable", "ready"), "the fault is gone"),
    Transition((S.HELD,), S.OFF, ("request_off", "not stop"), "left where it is"),
    Transition((S.OFF,), S.DOWN, ("request_down", "not stop", "ready", "grounded"), "switched on"),
    Transition((S.OFF,), S.LOWERING, ("request_lower", "not stop", "movable", "ready", "not grounded"), "left aloft"),
    Transition((S.DOWN,), S.OFF, ("request_off",), "switched off"),
    Transition((S.DOWN,), S.RISING, ("request_standby", "ready"), "asked to rise"),
    Transition((S.RISING, S.ENGAGING, S.DRIVE, S.SETTLING, S.LOWERING), S.FREEZE, ("request_freeze",), "stop and stay"),
    Transition((S.STANDBY, S.RISING, S.FREEZE), S.LOWERING, ("request_lower",), "asked to go down"),
    Transition((S.STANDBY, S.RISING, S.FREEZE), S.LOWERING, ("request_down",), "asked to go down"),
    Transition((S.LOWERING,), S.RISING, ("request_standby",), "asked to rise again"),
    Transition((S.STANDBY, S.FREEZE), S.ENGAGING, ("request_drive", "drivable"), "the demand can be followed"),
    Transition((S.ENGAGING, S.DRIVE, S.FREEZE), S.SETTLING, ("request_settle",), "asked to settle"),
    Transition((S.ENGAGING, S.DRIVE, S.FREEZE), S.SETTLING, ("request_standby",), "asked for standby"),
    Transition((S.ENGAGING, S.DRIVE), S.SETTLING, ("host_lost",), "the host is silent"),
    Transition((S.RISING,), S.STANDBY, ("arrived",), "neutral reached"),
    Transition((S.ENGAGING,), S.DRIVE, ("arrived",), "on the trajectory; generator settings are taken now"),
    Transition((S.SETTLING,), S.STANDBY, ("arrived",), "neutral reached"),
    Transition((S.LOWERING,), S.DOWN, ("arrived", "grounded"), "down reached"),
)


def following(state: State, flags: Set[str]) -> State:
    """The reference of the kernel: the state after this tick; unknown flags are refused."""
    if unknown := sorted(flags - FLAGS.keys()):
        raise KeyError(f"no flag {unknown[0]!r}; flags: {', '.join(FLAGS)}")
    return next((t.target for t in TRANSITIONS if state in t.sources and t.holds(flags)), state)


def source_of(state: State) -> Source:
    """What the base trajectory is in a state."""
    return SOURCES.get(state, Source.MOVE)


def is_one_of(state: ca.SX, states: tuple[State, ...]) -> ca.SX:
    """Whether the number of a state is that of one of these."""
    found = ca.eq(state, states[0].value)
    for one in states[1:]:
        found = ca.logic_or(found, ca.eq(state, one.value))
    return found


class Flags(Struct):
    """What is measured for the state machine; faults come from the latch."""

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
    """The state after this tick, by the table: ticks in it before, the operator's request for one tick, flags."""
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
    after = ca.if_else(known, chosen, State.HELD.value)  # a spoilt number must not run a leg
    entered = ca.ne(after, state)
    ticks_after = ca.if_else(entered, 0, ticks + 1)
    source = ca.SX(Source.MOVE.value)
    for special, code in SOURCES.items():
        source = ca.if_else(ca.eq(after, special.value), code.value, source)
    return Machine(
        state=after, entered=entered, ticks=ticks_after, time=ticks_after * dt, source=source,
        quiet=is_one_of(after, QUIET),
    )  # fmt: skip
