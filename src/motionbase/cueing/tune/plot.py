"""Picture of a search: the front of error against stroke, and every manoeuvre before and after."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motionbase.cueing.tune.result import Tuned
from motionbase.report.figures import GREY, INK, new_figure, quiet_grid, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEFORE, AFTER, FRONT = "#8b949e", "#d55e00", "#0072b2"


def write_tuned(tuned: Tuned, path: Path | str) -> None:
    """Write a PNG, PDF or SVG, by the suffix of the name."""
    cueing = tuned.search.space.judge.cueing
    made = new_figure(12.0, 5.4)
    front, cases = made.subplots(1, 2, width_ratios=[1.15, 1])
    _front(front, tuned)
    _cases(cases, tuned)
    title = f"{cueing.cue_set.name} tuned for {cueing.platform.name}, {cueing.algorithm}: "
    title += f"{tuned.state.generation} generations of {tuned.search.population}"
    made.suptitle(title, x=0.01, ha="left", fontsize="large")
    save(made, path)


def _front(axes: Axes, tuned: Tuned) -> None:
    points = 100 * tuned.state.scores.goals[tuned.front]
    start, chosen = 100 * tuned.state.start.goals[0], 100 * tuned.scores.goals[0]
    axes.plot(points[:, 1], points[:, 0], "o-", color=FRONT, markersize=4, linewidth=0.8, label="front")
    axes.plot(0, 100, "s", color=INK, markersize=7, label="platform at rest", clip_on=False)
    axes.plot(start[1], start[0], "D", color=BEFORE, markersize=8, label=f"before: {start[0]:.0f} %, {start[1]:.0f} %")
    axes.plot(
        chosen[1], chosen[0], "*", color=AFTER, markersize=15, label=f"chosen: {chosen[0]:.0f} %, {chosen[1]:.0f} %"
    )
    reach = np.array([0.0, max(100.0, points[:, 1].max(), start[1])])
    level = chosen[0] + tuned.weight * (chosen[1] - reach)
    low = min(points[:, 0].min(), start[0], chosen[0])
    axes.plot(reach, level, color=GREY, linestyle=":", linewidth=1.0, label=f"as good at weight {tuned.weight:g}")
    axes.set_xlim(0, reach[1] * 1.03)
    axes.set_ylim(low - 4, max(102.0, start[0] + 4))
    axes.set_xlabel("largest stroke used, of the way from neutral to the end [%]")
    axes.set_ylabel("perceived error, mean of the manoeuvres,\nof that of a platform at rest [%]")
    quiet_grid(axes)
    axes.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, borderaxespad=0.2,
                columnspacing=1.2)  # fmt: skip


def _cases(axes: Axes, tuned: Tuned) -> None:
    """Error and stroke of each manoeuvre as arrows from before to after."""
    cases = tuned.search.space.judge.cases
    places = np.arange(len(cases))[::-1].astype(float)
    for shift, name, before, after in (
        (0.14, "error", tuned.state.start.errors[0], tuned.scores.errors[0]),
        (-0.14, "stroke", tuned.state.start.strokes[0], tuned.scores.strokes[0]),
    ):
        filled = name == "error"
        face = AFTER if filled else "white"
        at = places + shift
        axes.hlines(at, 100 * before, 100 * after, color=AFTER, linewidth=1.2, alpha=0.6)
        axes.plot(100 * before, at, "o", color=BEFORE, markerfacecolor=BEFORE if filled else "white", markersize=7,
                  label=f"{name} before")  # fmt: skip
        axes.plot(100 * after, at, "o", color=AFTER, markerfacecolor=face, markersize=7, label=f"{name} after")
    axes.axvline(100, color=GREY, linewidth=0.9, linestyle=":")
    axes.set_yticks(places, [case.name for case in cases])
    axes.set_ylim(-0.6, len(cases) - 0.4)
    axes.set_xlim(left=0)
    axes.set_xlabel("error, of that at rest; stroke, of the way to the end [%]")
    quiet_grid(axes)
    axes.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, borderaxespad=0.2)
