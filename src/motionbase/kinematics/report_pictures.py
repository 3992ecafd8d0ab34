"""The pictures of a report, as data for its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motionbase.kinematics.plot_maps import maps_figure
from motionbase.kinematics.plot_scene import scene_figure
from motionbase.kinematics.plot_workspace import surface_figure, turns_figure
from motionbase.kinematics.plotting import VERDICT_COLOURS, as_data, new_figure, quiet_grid
from motionbase.kinematics.report import Moments, Report
from motionbase.kinematics.requirements import legs_out

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 130  # sharp enough on paper


def pictures(report: Report) -> dict[str, str]:
    """By name: reach, turns, map0, map1, worst and recording where there is one."""
    h = report.hexapod
    made = {
        "reach": surface_figure(h, report.reach, report.space, report.any_attitude),
        "turns": turns_figure(h, report.turns),
        **{f"map{k}": maps_figure(h, list(plane)) for k, plane in enumerate(report.planes)},
    }
    worst = report.extremes.clearances.least
    if worst is not None:
        number = int(report.extremes.numbers[worst.pose])
        poses = report.extremes.extremes
        title = f"{h.name}: {legs_out(number)}"
        geometry = report.clearance.geometry
        verdict = report.verdict(worst.gap.first, worst.gap.second, worst.gap.distance)
        made["worst"] = scene_figure(geometry, poses.p_W[number], poses.Q_WP[number], worst.gap, title, verdict)
    if report.moments is not None:
        made["recording"] = _moments_figure(report, report.moments)
    return {name: as_data(figure, DPI) for name, figure in made.items()}


def _moments_figure(report: Report, moments: Moments) -> Figure:
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
