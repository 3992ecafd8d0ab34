"""Pictures of hover: what happens along a blade."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.inflow.hover import Hover


def write_hover(rotor: Planform, found: Sequence[Hover], path: Path | str) -> None:
    """Inflow, angle of attack and lift along the blade, a line for each collective; by the suffix PNG, PDF or SVG."""
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    inflow, angle, lift = figure.subplots(1, 3, sharex=True)
    colours = colormaps["viridis"](np.linspace(0.0, 0.85, len(found)))
    for one, colour in zip(found, colours, strict=True):
        r = one.r / rotor.radius
        inflow.plot(r, one.inflow * rotor.tip_speed, color=colour)
        angle.plot(r, np.rad2deg(one.alpha), color=colour)
        lift.plot(
            r, one.lift, color=colour, label=f"{np.rad2deg(one.collective):g}°, C$_T$ {one.thrust_coefficient:.4f}"
        )
    for axes, title in (
        (inflow, "inflow [m/s]"), (angle, "angle of attack [deg]"), (lift, "lift per length [N/m]"),
    ):  # fmt: skip
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("radius / R")
        axes.grid(alpha=0.3)
    lift.legend(fontsize=8, frameon=False, title="collective", title_fontsize=8)
    figure.suptitle(f"{rotor.name}: {rotor.summary}", fontsize=11)
    figure.savefig(path, dpi=110)
