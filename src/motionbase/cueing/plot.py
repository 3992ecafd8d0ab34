"""Picture of one or two runs of cueing: demand, cue and both feelings by axis, perceived error, legs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.run import Cued
from motionbase.cueing.summary import REST, Summary
from motionbase.cueing.vestibular import THRESHOLDS
from motionbase.platform.plot import COLOURS
from motionbase.record.cueing import SIX
from motionbase.report.figures import GREY, INK, new_figure, quiet_grid, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RUNS = ("#0072b2", "#d55e00")  # colours of the sets
BAND = "#ecebe4"  # below the threshold of perception
END = "#b00020"
MOST_POINTS = 4000  # of a curve: more than the picture is wide
SHOWN = {"f": (1.0, "m/s²"), "omega": (180 / np.pi, "°/s")}  # factor to units of people
LETTER = {"f": "f", "omega": "ω"}
WAYS = ("surge", "sway", "heave", "roll", "pitch", "yaw")


def write_cued(runs: Sequence[Cued], names: Sequence[str], title: str, path: Path | str) -> None:
    """Write a PNG, PDF or SVG, by the suffix of the name."""
    save(figure(runs, names, title), path)


def figure(runs: Sequence[Cued], names: Sequence[str], title: str) -> Figure:
    """One run, or two over the same samples; panels share the time axis.

    Args:
        names: of the sets, for the legend
        title: above everything: vehicle and platform
    """
    made = new_figure(12.5, 12.5)
    grid = made.add_gridspec(5, 2, height_ratios=[1, 1, 1, 0.9, 1.1])
    first: Any = None
    for k in range(6):
        axes = made.add_subplot(grid[k % 3, k // 3], sharex=first)
        first = first or axes
        _axis(axes, k, runs)
        axes.tick_params(labelbottom=False)
    error = made.add_subplot(grid[3, :], sharex=first)
    _error(error, runs, names)
    legs = [made.add_subplot(grid[4, :] if len(runs) == 1 else grid[4, k], sharex=first) for k in range(len(runs))]
    for axes, run, name in zip(legs, runs, names, strict=True):
        _legs(axes, run, name if len(runs) > 1 else "")
        axes.set_xlabel("time [s]")
    error.tick_params(labelbottom=False)
    first.set_xlim(runs[0].t[0], runs[0].t[-1])
    made.suptitle(title, x=0.01, ha="left", fontsize="large")
    made.align_ylabels()
    _legend(made, names)
    return made


def _thin(t: Array) -> slice:
    return slice(None, None, max(1, len(t) // MOST_POINTS))


def _axis(axes: Axes, k: int, runs: Sequence[Cued]) -> None:
    """Demand and cue of one axis, from rest, with what people feel of them dashed."""
    name, letter = SIX[k]
    factor, unit = SHOWN[name]
    threshold = THRESHOLDS[k] * factor
    axes.axhspan(-threshold, threshold, color=BAND, linewidth=0, zorder=0)
    t, part = runs[0].t, _thin(runs[0].t)
    curves = [
        (runs[0]["demand"][:, k] - REST[k], INK, "-", 1.3),
        (runs[0]["felt_vehicle"][:, k], INK, (0, (4, 2)), 0.9),
    ]
    for run, colour in zip(runs, RUNS, strict=False):
        curves.append((run["cue"][:, k] - REST[k], colour, "-", 1.2))
        curves.append((run["felt_cue"][:, k], colour, (0, (4, 2)), 0.9))
    for values, colour, style, width in curves:
        axes.plot(t[part], factor * values[part], color=colour, linestyle=style, linewidth=width)
    largest = max(float(np.abs(values).max()) for values, *_ in curves) * factor
    if largest < 2 * threshold:  # noise must not fill a panel
        axes.set_ylim(-2 * threshold, 2 * threshold)
    less = " − g" if k == 2 else ""
    axes.set_ylabel(f"{LETTER[name]}$_{letter}${less} [{unit}]")
    axes.set_title(WAYS[k], loc="left", fontsize="small", color=GREY, pad=2)
    quiet_grid(axes)


def _error(axes: Axes, runs: Sequence[Cued], names: Sequence[str]) -> None:
    """Perceived error over time, and what a platform at rest would leave."""
    t, part = runs[0].t, _thin(runs[0].t)
    rest = np.sqrt(np.mean((runs[0]["felt_vehicle"] / THRESHOLDS) ** 2, axis=1))
    axes.fill_between(t[part], rest[part], color="#dfe3e6", linewidth=0, label="platform at rest")
    for run, colour, name in zip(runs, RUNS, names, strict=False):
        told = Summary(run)
        label = f"{name}: {told.total:.2f} rms, {100 * told.share:.0f} % of rest"
        axes.plot(t[part], run["cue_error"][part], color=colour, linewidth=1.2, label=label)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("perceived error\n[thresholds]")
    quiet_grid(axes)
    axes.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, borderaxespad=0.1)


def _legs(axes: Axes, run: Cued, name: str) -> None:
    """Lengths between the ends of the stroke."""
    stroke, part = run.cueing.platform.stroke, _thin(run.t)
    for k in range(6):
        axes.plot(run.t[part], run.legs[part, k], color=COLOURS[k], linewidth=1.0, label=f"leg {k + 1}")
    for end in (stroke.l_min, stroke.l_max):
        axes.axhline(end, color=END, linestyle="--", linewidth=0.9)
    margin = 0.05 * (stroke.l_max - stroke.l_min)
    low, high = min(stroke.l_min, run.legs.min()), max(stroke.l_max, run.legs.max())
    axes.set_ylim(low - margin, high + margin)
    axes.set_ylabel("leg length [m]")
    left = Summary(run).left
    text = f"{name}: " if name else ""
    text += f"{left:.2f} m left" if left >= 0 else f"{-left:.2f} m beyond the stroke"
    axes.set_title(text, loc="right", fontsize="small", color=END if left < 0 else GREY, pad=2)
    quiet_grid(axes)
    axes.legend(fontsize="x-small", loc="lower left", bbox_to_anchor=(0, 1), ncols=6, frameon=False, borderaxespad=0.1,
                handlelength=1.2, columnspacing=1.0)  # fmt: skip


def _legend(made: Figure, names: Sequence[str]) -> None:
    """One legend for the six panels, above them."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[Any] = [Line2D([], [], color=INK, linewidth=1.3, label="vehicle")]
    entries += [
        Line2D([], [], color=colour, linewidth=1.2, label=f"platform, {name}")
        for name, colour in zip(names, RUNS, strict=False)
    ]
    entries.append(Line2D([], [], color=GREY, linewidth=0.9, linestyle=(0, (4, 2)), label="as felt"))
    entries.append(Patch(color=BAND, label="below the threshold"))
    made.legend(handles=entries, loc="outside upper right", ncols=len(entries), fontsize="small", frameon=False)
