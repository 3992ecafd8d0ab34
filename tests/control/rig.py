"""Six hydraulic legs that carry a mass each, under the control law: a closed loop without a multibody plant."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import casadi as ca
import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.single_leg import single_leg_step
from motionbase.compile import Body, Kernel, OldProgram, Port, Scan, scan
from motionbase.control.law import ControlLaw
from motionbase.control.ports import INPUTS, OUTPUTS, ControlPorts
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


def _closed(b: Body) -> None:
    fixed = b.constant("fixed", [DT, 0.0, -MASS * 9.80665, 0.5e6, 0.0])
    names = ("l_meas", "l_dot_meas", "l_ddot_meas", "p_cap", "p_rod", "valve_meas", "f_meas")
    measured = {name: b.local(name, 6) for name in names}
    with b.loop(6) as k:
        wrong = {name: b[name][k] for name in ("bias", "frozen")}
        b.call(SENSOR, l=b["motion"][k, 0], **wrong, l_meas=measured["l_meas"][k])
        for name, place in (
            ("l_dot_meas", b["motion"][k, 1]), ("l_ddot_meas", b["motion"][k, 2]), ("p_cap", b["oil"][k, 2]),
            ("p_rod", b["oil"][k, 3]), ("valve_meas", b["oil"][k, 0]), ("f_meas", fixed[4]),
        ):  # fmt: skip
            b.copy(place, measured[name][k])
    level = b.constant("level", [0.0, 0.0, 9.80665])
    still = b.constant("still", [0.0, 0.0, 0.0])
    inputs = {p.name: b[p.name] for p in INPUTS if p.name in PER_TICK}
    inputs |= measured | {"acc": level, "omega": still}
    outputs = {p.name: b[p.name] for p in OUTPUTS} | {"x_next": b["x_next"]}
    b.call(LAW.program, parameters=b["parameters"], x=b["x"], **inputs, **outputs)
    u = b.local("u")
    with b.loop(6) as k:
        b.call(STUCK, u=b["valve_cmd"][k], stuck=b["stuck"][k], u_out=u)
        b.call(
            PLANT, h=fixed[0], m=b["mass"][k], f_load=fixed[2], x=b["oil"][k], l=b["motion"][k, 0],
            l_dot=b["motion"][k, 1], l_ddot=b["motion"][k, 2], u=u, p_supply=b["p_supply"], p_return=fixed[3],
            abort=b["abort"], x_next=b["oil_next"][k], l_next=b["motion_next"][k, 0], l_dot_next=b["motion_next"][k, 1],
            l_ddot_next=b["motion_next"][k, 2],
        )  # fmt: skip


STUCK = Kernel("stuck", (Port("u"), Port("stuck")), (Port("u_out"),), lambda u, s: ca.if_else(ca.fabs(s) <= 1, s, u))
SENSOR = Kernel(
    "sensor",
    (Port("l", (), "m"), Port("bias", (), "m"), Port("frozen", (), "m")),
    (Port("l_meas", (), "m"),),
    lambda l, bias, frozen: ca.if_else(frozen > 0, frozen, l + bias),
)
CLOSED = OldProgram(
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
    _closed,
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
