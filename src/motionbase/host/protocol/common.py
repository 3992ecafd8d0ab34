"""What formats share: axes, units, and the requests that lead a base to the state that a host commands."""

from __future__ import annotations

from collections.abc import Iterable

from motionbase.host.format import Options, Status
from motionbase.record.axes import DOFS
from motionbase.record.faults import Fault
from motionbase.record.requests import Kind as Request
from motionbase.record.states import STATES, State

DOWN = (1.0, -1.0, -1.0, 1.0, -1.0, -1.0)
"""Signs between x forward, y left, z up and x forward, y right, z down, in surge, sway, heave, roll, pitch, yaw."""
UP = (1.0,) * 6
LARGEST_SINGLE = 3e38
S, R = State, Request
WAYS: dict[Request, dict[State, Request]] = {  # goal -> state -> what is to be asked next
    R.OFF: {
        S.DOWN: R.OFF, S.RISING: R.LOWER, S.STANDBY: R.LOWER, S.ENGAGING: R.SETTLE, S.DRIVE: R.SETTLE,
        S.FREEZE: R.SETTLE,
    },
    R.DOWN: {
        S.OFF: R.DOWN, S.RISING: R.LOWER, S.STANDBY: R.LOWER, S.ENGAGING: R.SETTLE, S.DRIVE: R.SETTLE,
        S.FREEZE: R.SETTLE,
    },
    R.STANDBY: {
        S.OFF: R.DOWN, S.DOWN: R.STANDBY, S.LOWERING: R.STANDBY, S.ENGAGING: R.SETTLE, S.DRIVE: R.SETTLE,
        S.FREEZE: R.SETTLE,
    },
    R.DRIVE: {
        S.OFF: R.DOWN, S.DOWN: R.STANDBY, S.LOWERING: R.STANDBY, S.STANDBY: R.DRIVE, S.FREEZE: R.DRIVE,
    },
}  # fmt: skip


def asked_next(goal: Request, state: State | None) -> Request | None:
    """The next request on the way to a goal; None if the base is there, on its way, held, or not known."""
    return None if state is None else WAYS[goal].get(state)


def state_of(status: Status) -> State | None:
    """The state in a status; None for a code that is none."""
    return State(status.state) if 0 <= status.state < len(STATES) else None


def signs(options: Options, z_up: bool) -> tuple[float, ...]:
    """Between our axes and those of the host, both ways.

    Args:
        z_up: whether the format's own axes are ours
    """
    plain = UP if (z_up if options.z_up is None else options.z_up) else DOWN
    return tuple(-sign if dof in options.flip else sign for sign, dof in zip(plain, DOFS, strict=True))


def finite(numbers: Iterable[float]) -> bool:
    """Whether all are finite, and none is so large that their sum is not."""
    total = sum(numbers)
    return total - total == 0.0


def single(x: float) -> float:
    """A number that a single-precision float can hold; one that is none stays so."""
    return x if x != x else max(-LARGEST_SINGLE, min(LARGEST_SINGLE, x))


def summary(status: Status) -> str:
    """State and fault in words."""
    state = STATES[status.state] if 0 <= status.state < len(STATES) else f"state {status.state}"
    if not status.fault:
        return state
    try:
        return f"{state}, {Fault(status.fault).sentence}"
    except ValueError:
        return f"{state}, fault {status.fault}"
