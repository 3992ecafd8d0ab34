"""A trajectory as a picture: coordinates and speeds by unit, and the energy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motionbase.errors import UsageError
from motionbase.multibody.trajectory import Column, Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {
    "rad": "angle [rad]", "m": "displacement [m]", "-": "quaternion, modes [-]",
    "rad/s": "angular speed [rad/s]", "m/s": "speed [m/s]", "1/s": "modal rate [1/s]",
}  # fmt: skip
MANY = 10  # lines that still get names of their own
POINTS = 4000  # more than the picture is wide


def write_plot(trajectory: Trajectory, path: Path | str) -> None:
    """Write a PNG, PDF or SVG, by the ending of the name."""
    # A Figure of its own, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure

    path = Path(path)
    if path.suffix not in (".png", ".pdf", ".svg"):
        raise UsageError(f"cannot draw {str(path)!r}: the name must end in .png, .pdf or .svg")
    left, right = (_by_unit(trajectory, letter) for letter in ("q.", "v."))
    rows = max(len(left), len(right)) + 1
    figure = Figure(figsize=(11, 1 + 2.4 * rows), layout="constrained")
    figure.suptitle(f"{trajectory.model}, {trajectory.method}, {len(trajectory.t) - 1} samples")
    grid = figure.add_gridspec(rows, 2)
    for column, panels in enumerate((left, right)):
        for row, (unit, lines) in enumerate(panels.items()):
            axes = figure.add_subplot(grid[row, column])
            _draw(axes, trajectory.t, lines, LABELS.get(unit, unit))
    energies = [Column(name, "J", values) for name, values in trajectory.energy.items() if np.any(values)]
    axes = figure.add_subplot(grid[rows - 1, 0])
    _draw(axes, trajectory.t, energies, "energy [J]")
    axes.set_xlabel("time [s]")
    axes = figure.add_subplot(grid[rows - 1, 1])
    change = trajectory.total_energy - trajectory.total_energy[0]
    _draw(axes, trajectory.t, [Column("total, less its start", "J", change)], "change of energy [J]")
    axes.set_xlabel("time [s]")
    figure.savefig(path, dpi=110)


def _by_unit(trajectory: Trajectory, letter: str) -> dict[str, list[Column]]:
    """Columns of a kind, by unit, in order of first appearance."""
    groups: dict[str, list[Column]] = {}
    for column in trajectory.columns():
        if column.name.startswith(letter):
            groups.setdefault(column.unit, []).append(column._replace(name=column.name.removeprefix(letter)))
    return groups


def _draw(axes: Axes, t: Any, lines: list[Column], label: str) -> None:
    """Lines with names where there are few; by shade, first to last, where there are many."""
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
    # Beside the panel: nothing is hidden, and a place inside would have to be searched for.
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
