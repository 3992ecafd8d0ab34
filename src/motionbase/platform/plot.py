"""Scale drawings of a platform, from above and from the side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.platform.envelope import axis_limits
from motionbase.platform.hexapod import Hexapod

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BASE, PLATFORM, LEG, GHOST = "#4a5a6a", "#c2571a", "#2f6fae", "#b9b9b9"
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#5b3a8c",
    "#56b4e9",
)  # for six legs: distinguishable by nearly everybody
HEAVE = 2  # among the degrees of freedom
TOP, SIDE = (1, 0), (0, 2)  # axes drawn across and up: y and x from above, x and z from the side


def write_views(platform: Hexapod, path: Path | str) -> None:
    """Draw the platform at neutral to scale; writes a PNG, PDF or SVG, by the suffix of the name."""
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure

    path = Path(path)
    if path.suffix not in (".png", ".pdf", ".svg"):
        raise UsageError(f"cannot draw {str(path)!r}: the name must end in .png, .pdf or .svg")
    figure = Figure(figsize=(11, 5.8), layout="constrained")
    above, side = figure.subplots(1, 2)
    neutral = np.asarray(platform.p_neutral)
    _view(above, platform, neutral, TOP)
    for k, foot in enumerate(np.asarray(platform.base), start=1):
        across, up = 1.1 * foot[list(TOP)]
        above.text(across, up, str(k), ha="center", va="center", color=BASE, fontsize=12)
    low, high = axis_limits(platform)[HEAVE]
    for heave in (low, high):
        _ghost(side, platform, neutral + [0, 0, heave])
    _view(side, platform, neutral, SIDE)
    for name, point in platform.points.items():
        x, _, z = neutral + point
        side.plot(x, z, "k+", markersize=10)
        side.annotate(name, (x, z), xytext=(8, -4), textcoords="offset points")
    above.invert_xaxis()  # y is to the left
    above.set(title="from above, front is up", xlabel="y [m]", ylabel="x [m]")
    side.set(title=f"from the right; heave {low:+.3f} to {high:+.3f} m in grey", xlabel="x [m]", ylabel="z [m]")
    figure.suptitle(f"{platform.name}: {platform.summary}")
    save(figure, path)


def save(figure: Figure, path: Path | str) -> None:
    """Write the figure; raises `UsageError` if the file cannot be written."""
    try:
        figure.savefig(path, dpi=110)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def _view(axes: Axes, platform: Hexapod, p: Array, view: tuple[int, int]) -> None:
    """Base, legs and platform at a position without rotation."""
    feet, tops = np.asarray(platform.base), p + np.asarray(platform.joints)
    i, j = view
    for foot, top in zip(feet, tops, strict=True):
        axes.plot([foot[i], top[i]], [foot[j], top[j]], color=LEG, linewidth=3, solid_capstyle="round", zorder=2)
    for points, colour, label in ((feet, BASE, "base joints"), (tops, PLATFORM, "platform joints")):
        ring = np.vstack([points, points[:1]])
        axes.plot(ring[:, i], ring[:, j], color=colour, linewidth=1.5, zorder=3)
        axes.plot(points[:, i], points[:, j], "o", color=colour, label=label, zorder=4)
    axes.set_aspect("equal")
    axes.margins(0.12)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.legend(loc="best", fontsize=9)


def _ghost(axes: Axes, platform: Hexapod, p: Array) -> None:
    """The platform's joints and legs at another position, from the side."""
    feet, tops = np.asarray(platform.base), p + np.asarray(platform.joints)
    for foot, top in zip(feet, tops, strict=True):
        axes.plot([foot[0], top[0]], [foot[2], top[2]], color=GHOST, linewidth=0.8, zorder=1)
    axes.plot([tops[:, 0].min(), tops[:, 0].max()], [tops[0, 2]] * 2, color=GHOST, linewidth=2, zorder=1)
