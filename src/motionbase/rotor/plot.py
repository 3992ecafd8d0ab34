"""Pictures of rotors: what happens along a blade, and its frequencies over the speed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from motionbase.rotor.fan import KINDS, BladeModes
from motionbase.rotor.hover import Hover
from motionbase.rotor.planform import Planform


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


def write_fan(rotor: Planform, found: Sequence[BladeModes], path: Path | str) -> None:
    """Frequencies over the rotor's speed, rays of whole numbers per revolution; by the suffix PNG, PDF or SVG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.2), layout="constrained")
    axes = figure.add_subplot()
    looks = dict(zip(KINDS, (("tab:blue", "o"), ("tab:orange", "s"), ("tab:green", "^"), ("0.4", "x")), strict=True))
    speeds = np.array([one.speed for one in found])
    fastest, highest = float(speeds.max()), 1.05 * max(one.frequencies[-1] for one in found) / (2 * np.pi)
    for n in range(1, int(2 * np.pi * highest / max(fastest, 1e-9)) + 1):
        x, y = fastest, n * fastest / (2 * np.pi)
        axes.plot([0, x], [0, y], color="0.82", linewidth=0.7, zorder=0)
        axes.annotate(f"{n}/rev", (x, y), (4, 0), textcoords="offset points", fontsize=8, color="0.45", va="center")
    frequencies = np.array([one.frequencies for one in found]) / (2 * np.pi)
    # lines join modes by their order: those that couple turn away from each other and change kind instead of crossing
    axes.plot(speeds, frequencies, color="0.55", linewidth=1.0, zorder=1)
    kinds = np.array([one.kinds for one in found])
    for kind, (colour, marker) in looks.items():
        if np.any(own := kinds == kind):
            x = np.broadcast_to(speeds[:, None], own.shape)[own]
            axes.scatter(x, frequencies[own], s=26, color=colour, marker=marker, label=kind, zorder=2)
    axes.axvline(rotor.speed, color="0.3", linestyle="--", linewidth=1.0, label=f"nominal, {rotor.speed:g} rad/s")
    figure.legend(loc="outside lower center", ncols=5, fontsize=9, frameon=False)
    axes.set(xlim=(0, fastest), ylim=(0, highest), xlabel="rotor speed [rad/s]", ylabel="frequency [Hz]")
    axes.set_title(f"{rotor.name}: modes of a blade without air and dampers", fontsize=11)
    figure.savefig(path, dpi=110)
