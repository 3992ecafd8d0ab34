"""A picture of increments followed in several forms, each beside the exact one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motionbase.kinematics.compared import Comparison
from motionbase.kinematics.plotting import new_figure, quiet_grid
from motionbase.platform.hexapod import Hexapod

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"paper": "#c0392b", "scaled": "#c2571a", "in front": "#2f6fae", "scaled, in front": "#3a8f4d",
           "exact": "#24292f"}  # fmt: skip
SMALLEST = 1e-9  # [mm, deg]: what is drawn on a logarithmic scale
STYLES = {"paper": "-", "scaled": "--", "in front": "-", "scaled, in front": "-", "exact": ":"}


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
