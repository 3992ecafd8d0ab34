"""User laws that break: valves open a little, then one number is spoilt from a tick on."""

from enum import IntEnum, auto

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Layout, Port
from motionbase.control.own_law import OwnLaw
from motionbase.platform.hexapod import Hexapod
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop

OPENING, BREAKS_AT = 0.05, 400  # of the valves; the tick at which it breaks


class Broken(IntEnum):
    """What is wrong."""

    NOTHING = 0
    NAN = auto()
    NAN_ONCE = auto()
    INFINITE = auto()
    BEYOND = auto()
    HUGE = auto()
    JUMPS = auto()
    REVERSES = auto()
    ABORT = auto()
    STATE = auto()
    FAULT = auto()
    ESTIMATE = auto()
    HIDDEN = auto()


FOUND = {
    Broken.NAN: Fault.GUARD_NUMBER, Broken.NAN_ONCE: Fault.GUARD_NUMBER, Broken.INFINITE: Fault.GUARD_NUMBER,
    Broken.BEYOND: Fault.GUARD_BOUNDS, Broken.HUGE: Fault.GUARD_BOUNDS, Broken.JUMPS: Fault.GUARD_RATE,
    Broken.REVERSES: Fault.GUARD_RATE, Broken.ABORT: Fault.GUARD_BOUNDS, Broken.STATE: Fault.GUARD_NUMBER,
    Broken.FAULT: Fault.GUARD_NUMBER, Broken.ESTIMATE: Fault.GUARD_NUMBER, Broken.HIDDEN: Fault.GUARD_NUMBER,
}  # fmt: skip
PARAMETERS = Layout((Port("kind", (), "-", "a number of `Broken`"), Port("leg", (), "-", "0 to 5: whose command")))
STATE = Layout((Port("ticks", (), "-", "since the start"), Port("hidden", (), "-", "used by nothing")))
SPOILT = {
    Broken.NAN: np.nan, Broken.NAN_ONCE: np.nan, Broken.INFINITE: -np.inf, Broken.BEYOND: 1.001, Broken.HUGE: -1e300,
    Broken.JUMPS: 0.9, Broken.REVERSES: -0.9,
}  # fmt: skip


def _law(p: dict[str, ca.SX]) -> dict[str, ca.SX]:
    kind, leg, ticks = p["parameters"][0], p["parameters"][1], p["x"][0]
    acts = ca.if_else(kind == Broken.NAN_ONCE, ticks == BREAKS_AT, ticks >= BREAKS_AT)
    bad = ca.log(ca.if_else(acts, -1.0, 1.0))  # 0, then NaN: a constant NaN would be refused while tracing

    def spoilt(value: ca.SX, which: Broken, by: ca.SX) -> ca.SX:
        return ca.if_else(ca.logic_and(acts, kind == which), by, value)

    u = ca.fmin(OPENING * ticks / 100, OPENING) * ca.SX.ones(6)
    for which, value in SPOILT.items():
        by = bad if np.isnan(value) else ca.SX(value)
        u = ca.vertcat(*(ca.if_else(leg == k, spoilt(u[k], which, by), u[k]) for k in range(6)))
    return {
        "x_next": ca.vertcat(ticks + 1, spoilt(p["x"][1], Broken.HIDDEN, bad)),
        "valve_cmd": u,
        "abort": spoilt(ca.SX(0), Broken.ABORT, ca.SX(2)),
        "state": spoilt(ca.SX(float(State.DRIVE)), Broken.STATE, bad),
        "fault": spoilt(ca.SX(0), Broken.FAULT, ca.SX(np.inf)),
        "pose_hat": ca.horzcat(spoilt(ca.SX(0), Broken.ESTIMATE, bad) * ca.SX.ones(6), ca.SX.zeros(6)),
    }


BREAKING = OwnLaw.of("breaking", _law, PARAMETERS, STATE)


def breaking_loop(hexapod: Hexapod, channels: tuple[str, ...] = ()) -> ClosedLoop:
    """A platform under it."""
    return ClosedLoop.of(hexapod, channels, BREAKING)


def broken(kind: Broken, leg: int = 2) -> dict[str, NDArray[np.float64]]:
    """Inputs of the loop that break it so."""
    return {"parameters": np.array([float(kind), float(leg)])}
