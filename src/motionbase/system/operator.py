"""The automatic operator of a simulation: down, standby, drive, and again when the generator settings change.

Real bases have a console and an operator; simulations use this instead.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Port
from motionbase.record.states import Request, State
from motionbase.spatial.rotations import Expr

AUTOMATIC = Port("automatic", (), "-", "1: the automatic operator acts when there is no other request")
ASKED = Port("asked", (), "-", "request of the operators in this tick, a number of `Request`")
STATE_BEFORE = Port("state_before", (), "-", "state of the control law after the last tick")


def requested(automatic: Expr, asked: Expr, state: Expr, used: Expr, given: Expr) -> Any:
    """The request to the law, a number of `Request`.

    The automatic operator requests the next state towards drive; new settings lead back to standby, from where drive
    uses them.
    """
    wanted: Expr = ca.SX(float(Request.NONE))
    for here, ask in (
        (State.OFF, Request.DOWN),
        (State.DOWN, Request.STANDBY),
        (State.STANDBY, Request.DRIVE),
    ):
        wanted = ca.if_else(state == float(here), float(ask), wanted)
    stale = ca.logic_and(state == float(State.DRIVE), used != given)
    wanted = ca.if_else(stale, float(Request.SETTLE), wanted)
    return ca.if_else(asked != 0, asked, ca.if_else(automatic > 0.5, wanted, 0.0))
