"""Six hydraulic legs that carry a mass each, under the control law: a closed loop without a multibody plant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.single_leg import single_leg_step
from motionbase.compile import Port, Program, Scan, for_each, scan
from motionbase.control.law import ControlLaw
from motionbase.control.ports import INPUTS, ControlPorts
from motionbase.platform.load import load_platform

LAW = ControlLaw(load_platform("simona"))
DT = LAW.dt
MASS = 700.0
PER_TICK = (
    "request", "mode", "estop", "reset", "settings", "settings_version", "host_frame", "host_count", "p_supply",
    "p_return",
)  # fmt: skip
RECORDED = (
    "state", "mode_used", "fault", "warning", "abort", "cmd", "legs_cmd", "valve_cmd", "motion_next", "blend",
    "generator_sums", "generators_version", "host_age", "pose_meas", "pose_hat", "u_ff", "u_fb",
)  # fmt: skip
ACTUATOR = LAW.platform.actuator
assert isinstance(ACTUATOR, HydraulicActuator)
AREA_CAP = ACTUATOR.area_cap
PLANT = single_leg_step(ACTUATOR, LAW.platform.stroke)
UNITS = "-, 1/s, Pa, Pa, m"
SI = "SI, mixed"


def closed_control(
    parameters: Any, x: Any, oil: Any, motion: Any, request: Any, mode: Any, estop: Any, reset: Any, settings: Any,
    settings_version: Any, host_frame: Any, host_count: Any, p_supply: Any, p_return: Any, bias: Any, frozen: Any,
    stuck: Any, mass: Any,
) -> Any:  # fmt: skip
    """Law, then six legs that carry a mass each."""
    sensed = ca.if_else(frozen > 0, frozen, motion[:, 0] + bias)
    x_next, valve_cmd, abort, *outputs = LAW.program(
        parameters, x, request, mode, estop, reset, settings, settings_version, host_frame, host_count, l_meas=sensed,
        l_dot_meas=motion[:, 1], l_ddot_meas=motion[:, 2], p_cap=oil[:, 2], p_rod=oil[:, 3], valve_meas=oil[:, 0],
        f_meas=np.zeros(6), acc=[0.0, 0.0, 9.80665], omega=np.zeros(3), p_supply=p_supply, p_return=p_return,
    )  # fmt: skip

    def leg(oil: Any, motion: Any, m: Any, u: Any) -> Any:
        after, l, l_dot, l_ddot = PLANT(
            h=DT, m=m, f_load=-MASS * 9.80665, x=oil, l=motion[0], l_dot=motion[1], l_ddot=motion[2], u=u,
            p_supply=p_supply, p_return=0.5e6, abort=abort,
        )[:4]  # fmt: skip
        return after.column, ca.vertcat(l, l_dot, l_ddot)

    u = ca.if_else(ca.fabs(stuck) <= 1, stuck, valve_cmd)
    return x_next, valve_cmd, abort, *outputs, *for_each(leg, oil, motion, mass, u)


CLOSED = Program(
    "closed_control",
    (
        *ControlPorts.inputs(LAW.parameters, LAW.state)[:2],
        Port("oil", (6, 5), UNITS),
        Port("motion", (6, 3), SI),
        *(p for p in INPUTS if p.name in PER_TICK),
        Port("bias", 6, "m", "added to measured lengths"),
        Port("frozen", 6, "m", "what a frozen sensor of length reads; 0 if it works"),
        Port("stuck", 6, "-", "command of a stuck valve; beyond 1 it works"),
        Port("mass", 6, "kg", "on each leg; a huge one seizes it"),
    ),
    (*ControlPorts.outputs(LAW.state), Port("oil_next", (6, 5), UNITS), Port("motion_next", (6, 3), SI)),
    closed_control,
)
STATES = {"x": "x_next", "oil": "oil_next", "motion": "motion_next"}


@cache
def _scan() -> Scan:
    return scan(CLOSED, STATES, per_step=[*PER_TICK, "bias", "frozen", "stuck", "mass"], record=list(RECORDED))


def run(seconds: float, requests: Mapping[float, int], **changes: Any) -> dict[str, np.ndarray]:
    """The closed loop from down and off; requests by time, other inputs as arrays by tick or constants."""
    n = round(seconds / DT)
    values: dict[str, Any] = {
        "request": np.zeros(n), "mode": np.ones(n), "estop": np.zeros(n), "reset": np.zeros(n),
        "settings": np.zeros((n, 7, 16)), "settings_version": np.zeros(n), "host_frame": np.zeros((n, 3, 6)),
        "host_count": np.zeros(n), "p_supply": np.full(n, 16e6), "p_return": np.full(n, 0.5e6),
        "bias": np.zeros((n, 6)), "frozen": np.zeros((n, 6)),
        "stuck": np.full((n, 6), 9.0), "mass": np.full((n, 6), MASS),
    }  # fmt: skip
    for t, code in requests.items():
        values["request"][round(t / DT)] = code
    for name, value in changes.items():
        if name != "parameters":
            values[name][...] = value
    p = MASS * 9.80665 / AREA_CAP / 2
    start: dict[str, Any] = {
        "parameters": changes.get("parameters", LAW.parameter_vector()),
        "x": LAW.initial_state(),
        "oil": np.tile([0.0, 0.0, 8e6 + p, 8e6 - p, 0.0], (6, 1)),
        "motion": np.tile([LAW.platform.l_down, 0.0, 0.0], (6, 1)),
    }
    made = _scan()(n, **start, **values)
    return dict(made)
