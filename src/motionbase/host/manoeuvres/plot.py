"""Pictures of manoeuvres: specific force and angular rates over time, one manoeuvre beside the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motionbase.host.manoeuvres.library import Manoeuvre
from motionbase.record.vehicle import AXES, G
from motionbase.report.figures import GREY, new_figure, quiet_grid, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#d55e00", "#009e73")  # x, y, z
GROUND = "#ecebe4"
ACROSS = 2  # manoeuvres beside each other
HEIGHT = 1.75  # [in] of one
MOST_POINTS = 2000


def write_manoeuvres(made: Sequence[Manoeuvre], path: Path | str) -> None:
    """Write a PNG, PDF or SVG, by the suffix of the name."""
    from matplotlib.patches import Patch

    rows = -(-len(made) // ACROSS)
    across = min(ACROSS, len(made))
    figure = new_figure(7.0 * across, (HEIGHT if rows > 1 else 3.0) * rows + 0.5)
    panels = np.atleast_2d(figure.subplots(rows, 2 * across))
    for k, manoeuvre in enumerate(made):
        row, column = divmod(k, ACROSS)
        force, rate = panels[row, 2 * column : 2 * column + 2]
        _six(force, manoeuvre, 0, 1.0, "f − g [m/s²]")
        _six(rate, manoeuvre, 3, 180 / np.pi, "ω [°/s]")
        force.set_title(manoeuvre.name, loc="left", fontsize="medium", pad=3)
        rate.set_title(manoeuvre.recipe.about, loc="right", fontsize="x-small", color=GREY, pad=3)
    for panel in panels.flat[2 * len(made) :]:
        panel.set_visible(False)
    for panel in panels[-1 if len(made) % ACROSS == 0 else -2 :].flat:
        panel.set_xlabel("time [s]", fontsize="small")
    ways = zip(panels[0, 0].get_lines(), AXES, ("forward", "left", "up"), strict=False)
    entries: dict[str, Any] = {f"{axis}: {way}": line for line, axis, way in ways}
    entries["on the ground"] = Patch(color=GROUND)
    figure.legend(list(entries.values()), list(entries), loc="outside upper right", ncols=4, fontsize="small",
                  frameon=False)  # fmt: skip
    save(figure, path)


def _six(axes: Axes, made: Manoeuvre, first: int, factor: float, label: str) -> None:
    """Three columns of the rows, grey where the vehicle is on the ground."""
    thin = slice(None, None, max(1, len(made.t) // MOST_POINTS))
    t, ground = made.t[thin], made.rows[thin, 12] > 0
    rest = (0.0, 0.0, G) if first == 0 else (0.0, 0.0, 0.0)
    for k in range(3):
        axes.plot(t, factor * (made.rows[thin, first + k] - rest[k]), color=COLOURS[k], linewidth=1.0)
    axes.fill_between(t, 0, 1, where=ground.tolist(), color=GROUND, linewidth=0, zorder=0,
                      transform=axes.get_xaxis_transform())  # fmt: skip
    axes.set_xlim(t[0], t[-1])
    axes.set_ylabel(label, fontsize="small")
    axes.tick_params(labelsize="small")
    quiet_grid(axes)
