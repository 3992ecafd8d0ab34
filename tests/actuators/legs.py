"""A leg that carries a mass, by the step under test and by a reference."""

from dataclasses import replace
from functools import cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.actuators.example import FRICTION, LEG, STROKE
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import STATE, HydraulicState
from motionbase.actuators.single_leg import single_leg_rates, single_leg_step
from motionbase.compile import Kernel, Port, scan
from motionbase.compile.scans import Scan

__all__ = ["FRICTION", "LEG", "STROKE"]
MASS = 700.0
GRAVITY = 9.80665


@cache
def stepper(actuator: HydraulicActuator) -> Scan:
    """The leg that carries a mass, by the step under test."""
    feedback = {"x": "x_next", "l": "l_next", "l_dot": "l_dot_next", "l_ddot": "l_ddot_next"}
    record = ["x_next", "l_next", "l_dot_next", "f"]
    return scan(single_leg_step(actuator, STROKE), feedback, per_step=["u", "p_supply", "abort"], record=record)


@cache
def reference(actuator: HydraulicActuator) -> Scan:
    """The same by classical Runge-Kutta over the rates, for steps of a microsecond."""
    rates = single_leg_rates(actuator, STROKE)

    def expr(h: Any, *values: Any) -> Any:
        m, f_load, x, l, l_dot, *rest = values

        def slope(s: Any) -> Any:
            x_dot, l_ddot, _ = rates.function(m, f_load, s[:5], s[5], s[6], *rest)
            return ca.vertcat(x_dot, s[6], l_ddot)

        s = ca.vertcat(x.column, l, l_dot)
        k1 = slope(s)
        k2 = slope(s + 0.5 * h * k1)
        k3 = slope(s + 0.5 * h * k2)
        k4 = slope(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return HydraulicState.of(s[:5]), s[5], s[6]

    outputs = (replace(STATE, name="x_next"), Port("l_next", (), "m"), Port("l_dot_next", (), "m/s"))
    kernel = Kernel("single_leg_reference", (Port("h", (), "s"), *rates.inputs), outputs, expr)
    feedback = {"x": "x_next", "l": "l_next", "l_dot": "l_dot_next"}
    return scan(kernel, feedback, per_step=["u", "p_supply", "abort"], record=list(feedback.values()))


def balanced(actuator: HydraulicActuator, p_rod: float = 5e6, mass: float = MASS) -> NDArray[np.float64]:
    """State of a leg at rest that carries the mass."""
    return np.array([0.0, 0.0, (mass * GRAVITY + actuator.area_rod * p_rod) / actuator.area_cap, p_rod, 0.0])


def motion(
    run: Scan, actuator: HydraulicActuator, u: NDArray[np.float64], tick: float, h: float, **given: Any
) -> dict[str, NDArray[np.float64]]:
    """Records at every tick, with the command held over a tick; steps of h divide it."""
    each = round(tick / h)
    n = each * len(u)
    values: dict[str, Any] = {
        "m": MASS,
        "f_load": -MASS * GRAVITY,
        "x": balanced(actuator),
        "l": 2.7,
        "l_dot": 0.0,
        "p_supply": np.full(n, actuator.p_supply),
        "p_return": actuator.p_return,
        "abort": np.zeros(n),
    }
    if run is not reference(actuator):
        values["l_ddot"] = 0.0
    return run(n, every=each, h=h, u=np.repeat(u, each), **(values | given))
