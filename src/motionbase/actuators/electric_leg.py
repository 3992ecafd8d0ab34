"""An electric leg with the ports of a hydraulic one: it remembers its command, and its supply is the drives' power.

The port `p_supply` is then the part of the nominal power that is left, 1 or less; `p_return` means nothing. With less
than POWER_LEAST a drive is off and its brake closes, as with `abort`; above, the motor's force is limited to that part.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.actuators.cushion import LegStroke
from motionbase.actuators.electric import ElectricActuator, step
from motionbase.actuators.leg import FORCE, LINES, U
from motionbase.actuators.limits import limited
from motionbase.compile import Kernel, Port
from motionbase.spatial.rotations import Expr

POWER_LEAST = 0.5  # of the nominal power: with less a drive switches itself off; illustrative
UNITS = "-, N, N, -, m"
WHAT = "speed command -1..1, motor force at the rod, force of the speed loop's integral, brake 0..1, bristle z"


def electric_leg_step(actuator: ElectricActuator, stroke: LegStroke, *, h: float | None = None) -> Kernel:
    """(h, x, l, l_next, l_dot_next, u, p_supply, p_return, abort) -> (x_next, f), as `leg_step`.

    Args:
        h: a step that never changes [s]; it is then no port, and the code is shorter
    """

    def expr(*values: Expr) -> Any:
        dt, x, l, l_next, l_dot_next, u, p_supply, _, abort = values if h is None else (h, *values)
        power = ca.fmin(ca.fmax(p_supply, 0), 1)  # NaN becomes a number as well
        off = ca.fmax(ca.fmin(ca.fmax(abort, 0), 1), power < POWER_LEAST)
        x_next, f, _ = step(actuator, stroke, dt, x[1:], l, l_next, l_dot_next, u, off, power)
        return ca.vertcat(limited(u, 1), x_next), f

    inputs = (
        *((Port("h", (), "s", "step"),) if h is None else ()),
        Port("x", 5, UNITS, WHAT),
        Port("l", (), "m", "leg length at the start"),
        Port("l_next", (), "m", "leg length at the end"),
        Port("l_dot_next", (), "m/s", "leg velocity at the end, as predicted"),
        U,
        *LINES,
    )
    return Kernel("electric_leg_step", inputs, (Port("x_next", 5, UNITS), FORCE), expr, "an electric leg over one step")
