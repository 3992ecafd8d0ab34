"""Pictures of maps over two degrees of freedom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from motionbase.kinematics.maps import PlaneMap
from motionbase.kinematics.plotting import new_figure, quiet_grid
from motionbase.platform.hexapod import Hexapod
from motionbase.record.axes import DOFS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def maps_figure(platform: Hexapod, maps: list[PlaneMap]) -> Figure:
    """One beside the other, at most four."""
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
