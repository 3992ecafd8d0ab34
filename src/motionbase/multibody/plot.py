"""Plot of a trajectory: coordinates and speeds by unit, and the energy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motionbase.errors import UsageError
from motionbase.multibody.trajectory import Column, Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# By kind of column: its unit; modes and quaternions have none, but very different sizes, so they are separate.
LABELS = {
    "rad": "angle [rad]", "m": "displacement [m]", "quaternion": "quaternion [-]", "mode": "mode [-]",
    "rad/s": "angular speed [rad/s]", "m/s": "speed [m/s]", "1/s": "modal rate [1/s]",
}  # fmt: skip
RATES = {"rad": "rad/s", "m": "m/s", "quaternion": "", "mode": "1/s"}  # of the matching speeds
MANY = 10  # largest number of lines with separate labels
POINTS = 4000  # more than the width of the plot


def write_plot(trajectory: Trajectory, path: Path | str) -> None:
    """Write a PNG, PDF or SVG, by the suffix of the name."""
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure

    path = Path(path)
    if path.suffix not in (".png", ".pdf", ".svg"):
        raise UsageError(f"cannot draw {str(path)!r}: the name must end in .png, .pdf or .svg")
    left, right = (_by_kind(trajectory, letter) for letter in ("q.", "v."))
    kinds = [kind for kind in RATES if kind in left or RATES[kind] in right]
    figure = Figure(figsize=(12, 1 + 2.4 * (len(kinds) + 1)), layout="constrained")
    figure.suptitle(f"{trajectory.model}, {trajectory.method}, {trajectory.steps} steps")
    grid = figure.add_gridspec(len(kinds) + 1, 2)
    for row, kind in enumerate(kinds):
        both = [(panels[own], own) for panels, own in ((left, kind), (right, RATES[kind])) if own in panels]
        for column, (lines, own) in enumerate(both):
            place = grid[row, column] if len(both) == 2 else grid[row, :]
            _draw(figure.add_subplot(place), trajectory.t, lines, LABELS[own])
    energies = [Column(name, "J", values) for name, values in trajectory.energy.items() if np.any(values)]
    total = trajectory.total_energy
    below = (energies, "energy [J]"), ([Column("total", "J", total - total[0])], "change of total energy [J]")
    for column, (lines, label) in enumerate(below):
        axes = figure.add_subplot(grid[len(kinds), column])
        _draw(axes, trajectory.t, lines, label)
        axes.set_xlabel("time [s]")
        if column == 0:
            axes.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)  # otherwise rounding errors would fill the panel
    figure.align_ylabels()
    try:
        figure.savefig(path, dpi=110)
    except OSError as e:
        raise UsageError(f"cannot draw {str(path)!r}: {e.strerror or e}") from None


def _by_kind(trajectory: Trajectory, letter: str) -> dict[str, list[Column]]:
    """Coordinates or speeds by kind, in order of first appearance."""
    groups: dict[str, list[Column]] = {}
    for column in trajectory.columns():
        if column.name.startswith(letter):
            part = column.name.rpartition(".")[2]
            kind = column.unit if column.unit != "-" else "mode" if part.startswith("mode") else "quaternion"
            groups.setdefault(kind, []).append(column._replace(name=column.name.removeprefix(letter)))
    return groups


def _draw(axes: Axes, t: Any, lines: list[Column], label: str) -> None:
    """Lines with labels if they are few; shaded from first to last if they are many."""
    import matplotlib

    thin = slice(None, None, max(1, len(t) // POINTS))
    shades = matplotlib.colormaps["viridis"](np.linspace(0, 0.9, len(lines)))
    for k, line in enumerate(lines):
        style = {"label": line.name} if len(lines) <= MANY else {"color": shades[k], "linewidth": 0.8}
        if len(lines) > MANY and k in (0, len(lines) - 1):
            style["label"] = line.name
        axes.plot(t[thin], line.values[thin], **style)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    axes.margins(x=0)
    if len(lines) == 1:
        axes.set_title(lines[0].name, fontsize="small")
        return
    # Beside the panel, where the legend hides nothing and needs no search for free space.
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
