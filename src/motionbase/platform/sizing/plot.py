"""Plots of a manoeuvre's demand: stroke, speed, force, power, torque or flow over time, and force over speed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.arrays import Array
from motionbase.platform.hexapod import LEGS
from motionbase.platform.plot import COLOURS, save
from motionbase.platform.sizing.duty import Duty

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LIMIT = "#b00020"
MOST_POINTS = 4000  # per curve


def write_duty(duty: Duty, path: Path | str) -> None:
    """Write a PNG, PDF or SVG, by the suffix of the name."""
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure

    stroke, fastest = duty.platform.stroke, duty.platform.limits.leg_velocity
    figure = Figure(figsize=(13, 10), layout="constrained")
    axes = figure.subplots(3, 2).ravel()
    _curves(axes[0], duty, duty.l, "leg length [m]", (stroke.l_min, stroke.l_max))
    axes[0].legend(loc="upper right", ncols=LEGS, fontsize=7)
    _curves(axes[1], duty, duty.l_dot, "leg speed [m/s]", (-fastest, fastest))
    _curves(axes[2], duty, 1e-3 * duty.force, "drive force [kN]", (-1e-3 * duty.has.pull, 1e-3 * duty.has.push))
    _curves(axes[3], duty, 1e-3 * duty.power, "drive power [kW]")
    if duty.torque is not None and isinstance(a := duty.platform.actuator, ElectricActuator):
        _curves(axes[4], duty, duty.torque, "motor torque [N m]", (-a.torque_max, a.torque_max))
    elif duty.flow is not None:
        _curves(axes[4], duty, 60e3 * duty.flow, "flow from the supply [l/min]")
        thin = _thin(len(duty.t))
        axes[4].plot(duty.t[thin], 60e3 * duty.flow.sum(axis=1)[thin], color="black", linewidth=1, label="all legs")
        axes[4].legend(loc="upper right", fontsize=7)
    _force_over_speed(axes[5], duty)
    for one in axes[:5]:
        one.set_xlabel("time [s]")
    figure.suptitle(f"{duty.platform.name}: demand on the legs ({duty.included}; red: limits)")
    save(figure, path)


def _curves(axes: Axes, duty: Duty, values: Array, label: str, limits: tuple[float, ...] = ()) -> None:
    thin = _thin(len(duty.t))
    for k in range(LEGS):
        axes.plot(duty.t[thin], values[thin, k], color=COLOURS[k], linewidth=1, label=f"leg {k + 1}")
    low, high = float(values.min()), float(values.max())
    room = max(high - low, 1e-9)
    for limit in limits:
        if low - 2 * room < limit < high + 2 * room:  # a distant limit would flatten the curves
            axes.axhline(limit, color=LIMIT, linewidth=1, linestyle="--")
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)


def _force_over_speed(axes: Axes, duty: Duty) -> None:
    """Each instant as a point, within the capability of the drive."""
    thin = _thin(len(duty.t))
    for k in range(LEGS):
        axes.plot(duty.l_dot[thin, k], 1e-3 * duty.force[thin, k], ".", markersize=2, color=COLOURS[k])
    most = max(float(np.abs(duty.l_dot).max()), duty.has.fastest, duty.platform.limits.leg_velocity)
    v = np.linspace(-most, most, 401)
    for side in duty.has.forces(v):
        axes.plot(v, 1e-3 * side, color=LIMIT, linewidth=1)
    for speed in (-duty.platform.limits.leg_velocity, duty.platform.limits.leg_velocity):
        axes.axvline(speed, color=LIMIT, linewidth=1, linestyle="--")
    axes.set(xlabel="leg speed [m/s], extending positive", ylabel="drive force [kN]")
    axes.grid(alpha=0.3)


def _thin(n: int) -> slice:
    return slice(None, None, max(1, n // MOST_POINTS))
