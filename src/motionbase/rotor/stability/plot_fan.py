"""Pictures of fan plots: natural frequencies of a blade over the rotor's speed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.stability.fan import KINDS, BladeModes


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
