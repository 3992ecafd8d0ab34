"""Pictures: maps over two degrees of freedom, and curves of increments and recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DOFS
from motionbase.report.figures import new_figure, quiet_grid
from motionbase.workbench.increments import Comparison
from motionbase.workbench.maps import PlaneMap
from motionbase.workbench.report import Moments, Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VERDICT_COLOURS = {
    "derived": "#1f6fb2",
    "clear": "#3a8f4d",
    "warn": "#b7791f",
    "stop": "#c0392b",
    "interference": "#7b1e1e",
}
TITLES = {
    "dexterity": "dexterity",
    "conditioning": "condition number",
    "leg-rate": "largest leg rate",
    "leg-force": "largest holding force",
}
INCLUDED = {
    "dexterity": "characteristic",
    "conditioning": "turns by the joints' rms radius",
    "leg-rate": "all axes at their limits of velocity",
    "leg-force": "payload, cylinders and rods at rest",
}
HIGH_IS_GOOD = ("dexterity",)
COLOURS = {"paper": "#c0392b", "scaled": "#c2571a", "in front": "#2f6fae", "scaled, in front": "#3a8f4d",
           "exact": "#24292f"}  # fmt: skip
SMALLEST = 1e-9  # [mm, deg]: lower end of logarithmic scales
STYLES = {"paper": "-", "scaled": "--", "in front": "-", "scaled, in front": "-", "exact": ":"}


def maps_figure(platform: Hexapod, maps: list[PlaneMap]) -> Figure:
    """Up to four maps side by side."""
    figure = new_figure(6.2 * len(maps) if len(maps) < 3 else 12.5, 4.8 if len(maps) < 3 else 9.2)
    rows, columns = (1, len(maps)) if len(maps) < 3 else (2, 2)
    for axes, one in zip(np.atleast_1d(figure.subplots(rows, columns)).ravel(), maps, strict=False):
        _map(axes, platform, one)
    figure.suptitle(f"{platform.name}: where the legs and bearings reach")
    return figure


def _map(axes: Axes, platform: Hexapod, one: PlaneMap) -> None:
    from matplotlib.ticker import MaxNLocator

    x_unit, x_scale = _unit(one.across)
    y_unit, y_scale = _unit(one.up)
    force = one.quantity == "leg-force"
    scale, unit = (1e-3, "kN") if force else (1.0, one.unit)
    shown = scale * one.values
    low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
    x, y, values = x_scale * one.x, y_scale * one.y, np.clip(scale * one.everywhere, low, high)
    cmap = "viridis" if one.quantity in HIGH_IS_GOOD else "viridis_r"
    if high > low:
        drawn = axes.contourf(x, y, values, levels=MaxNLocator(18).tick_values(low, high), cmap=cmap)
        bar = axes.figure.colorbar(drawn, ax=axes)
        bar.set_label(TITLES[one.quantity] + (f" [{unit}]" if unit != "-" else ""))
    limit = platform.limits.leg_velocity
    if one.quantity == "leg-rate" and low < limit < high:
        level = axes.contour(x, y, values, levels=[limit], colors="white")
        axes.clabel(level, fmt=lambda v: f"limit {v:g}", fontsize=8)
    axes.contourf(x, y, one.room, levels=[min(-1.0, float(one.room.min())), 0.0], colors="white")
    axes.contour(x, y, one.room, levels=[0.0], colors="black", linewidths=1)
    axes.plot(0, 0, "k+")
    title = f"{TITLES[one.quantity]}\n{INCLUDED[one.quantity]}"
    title += f"; legs: {limit:g} m/s" if one.quantity == "leg-rate" else ""
    axes.set(title=title, xlabel=f"{DOFS[one.across]} [{x_unit}]", ylabel=f"{DOFS[one.up]} [{y_unit}]")
    quiet_grid(axes)


def _unit(dof: int) -> tuple[str, float]:
    return ("m", 1.0) if dof < 3 else ("deg", float(np.degrees(1.0)))


def increments_figure(platform: Hexapod, found: Comparison) -> Figure:
    """Errors of attitude and of leg lengths after every step."""
    figure = new_figure(12.5, 4.4)
    attitude, at_pose, added = figure.subplots(1, 3)
    n = np.arange(1, found.steps + 1)
    for one in found.forms:
        style = {"color": COLOURS[one.form], "linestyle": STYLES[one.form], "label": one.form}
        if one.form != "exact":
            attitude.semilogy(n, np.maximum(np.degrees(one.attitude), SMALLEST), **style)
            at_pose.semilogy(n, np.maximum(1000 * one.l_pose, SMALLEST), **style)
        added.semilogy(n, np.maximum(1000 * one.l_jacobian, SMALLEST), **style)
    attitude.set(title="attitude", ylabel="error [deg]")
    at_pose.set(title="legs at the pose (equation 12)", ylabel="largest error [mm]")
    added.set(title="legs by adding increments (14)", ylabel="largest error [mm]")
    for axes in (attitude, at_pose, added):
        axes.set_xlabel("step")
        quiet_grid(axes)
    added.legend(fontsize=8)
    figure.suptitle(f"{platform.name}: increments of attitude, against the exact map")
    return figure


def moments_figure(report: Report, moments: Moments) -> Figure:
    """Legs, bearings, dexterity and clearance over the time of a recording."""
    figure = new_figure(12.5, 8.4)
    legs, angles, dexterity, clearance = figure.subplots(4, 1, sharex=True)
    stroke, found, t = report.hexapod.stroke, moments.found, moments.t
    legs.plot(t, 100 * (found.l - stroke.l_min) / stroke.length, linewidth=1)
    legs.set(ylabel="stroke used [%]")
    for name, turns in (("base", found.base), ("platform", found.platform)):
        angles.plot(t, np.degrees(np.abs(turns)).max(axis=(1, 2)), label=f"largest at the {name}", linewidth=1)
    angles.set(ylabel="bearings [deg]")
    angles.legend(fontsize=8)
    dexterity.plot(t, found.dexterity, color="#2f6fae", linewidth=1)
    dexterity.set(ylabel="dexterity")
    apart = np.where(moments.swept.interferes, 0.0, moments.swept.distance)
    clearance.plot(t, 1000 * np.where(np.isfinite(apart), apart, np.nan), color="#24292f", linewidth=1)
    for level, name in ((report.thresholds.warn, "warn"), (report.thresholds.stop, "stop")):
        clearance.axhline(1000 * level, color=VERDICT_COLOURS[name], linewidth=1, linestyle="--", label=name)
    clearance.set(ylabel="least clearance [mm]", xlabel="t [s]")
    clearance.legend(fontsize=8)
    for axes in (legs, angles, dexterity, clearance):
        quiet_grid(axes)
    return figure
