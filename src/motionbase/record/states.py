"""States of a motion base: one table of transitions, from which kernel, reference, documents and page are generated.

    off -> down -> rising -> standby -> engaging -> drive -> settling -> standby -> lowering -> down

Freeze (stop and stay) and abort (stop and go down) can be reached from all of them. An abort ends in `off`, down with
valves closed, or in `held`, stopped above the floor with valves closed, if a fault forbids going down or if going down
takes too long. A fault that forbids going down leads through `stopping`, so that no valve is shut at full speed.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from enum import IntEnum
from typing import final


class State(IntEnum):
    """Activity of the motion base; the number is the one in the record."""

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
    """Requests of an operator; the numbers are those of the control law's input and of the ring's commands."""

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
    """Origin of the trajectory."""

    HOST = 0  # host trajectory and generators
    MAINTENANCE = 1  # generators about the neutral pose


class Source(IntEnum):
    """Kind of base trajectory."""

    MEASURED = 0  # follows the measured pose, so that leaving the state causes no step
    MOVE = 1  # a bounded move from the end of the last trajectory, then hold
    BLEND = 2  # from the present pose to the drive's trajectory
    DRIVE = 3  # host trajectory, or the neutral pose in maintenance


STATES = tuple(s.name.lower() for s in State)  # as stored in the schema
MODES = tuple(m.name.lower() for m in Mode)
QUIET = (State.OFF, State.DOWN, State.HELD)  # valves closed
MOVING = tuple(s for s in State if s not in (*QUIET, State.ABORT, State.STOPPING))

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
    """From any of `sources` to `target` if all of `when` are true; a name after "not " must be false."""

    sources: tuple[State, ...]
    target: State
    when: tuple[str, ...]
    why: str

    def holds(self, flags: Set[str]) -> bool:
        """Whether the true flags enable the transition."""
        return all((name.removeprefix("not ") in flags) != name.startswith("not ") for name in self.when)


S = State
TRANSITIONS = (  # the first enabled transition is taken
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
    """The state after this tick, as a reference for the kernel; raises `KeyError` for unknown flags."""
    if unknown := sorted(flags - FLAGS.keys()):
        raise KeyError(f"no flag {unknown[0]!r}; flags: {', '.join(FLAGS)}")
    return next((t.target for t in TRANSITIONS if state in t.sources and t.holds(flags)), state)
