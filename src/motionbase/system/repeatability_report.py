"""Repeatability as a picture, as data, and as a page."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from motionbase.record.vehicle import AXES, G
from motionbase.report.document import Document, fingerprint, versions
from motionbase.report.figures import GREY, INK, as_data, new_figure, quiet_grid
from motionbase.report.page import environment
from motionbase.system.repeatability import ALLOWED_G, Repeatability, Tolerances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#2f6fae", "#c2571a", "#3a8f4d")
LIMIT_COLOUR = "#c0392b"
MOST_POINTS = 6000  # of a curve


@final
@dataclass(frozen=True, eq=False)
class RepeatabilityReport:
    """A measurement with all that it depends on."""

    found: Repeatability
    tolerances: Tolerances
    document: Document

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """What the measurement depends on, in words."""
        cueing, platform, runs = self.found.cueing, self.found.cueing.platform, len(self.found.runs)
        supply, oil = 100 * self.tolerances.supply, 100 * self.tolerances.oil
        return [
            ("Platform", f"{platform.name}, fingerprint {fingerprint(platform)}"),
            ("Cueing", f"{cueing.algorithm}, set {cueing.cue_set.name}"),
            ("Motion of the vehicle", f"{self.found.motion}, {self.found.host_rate:g} samples a second"),
            ("Point", f"the head, ({', '.join(f'{x:g}' for x in cueing.head_P)}) m in P"),
            ("Runs", f"{runs}, each from rest through the whole simulated system, with sensor noise of its own"),
            ("Supply pressure or power", f"±{supply:g} %, illustrative" if supply else "nominal"),
            ("Oil", f"nominal, cold and warm: stiffness and viscosity ±{oil:g} %, illustrative" if oil else "nominal"),
            ("Limit", f"{ALLOWED_G:g} g of the platform's linear acceleration: 14 CFR part 60, table A2A, 3.d"),
        ]  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """As JSON data."""
        axis, worst, at = self.found.worst
        return {
            "document": asdict(self.document), "platform": self.found.cueing.platform.name,
            "conditions": dict(self.conditions), "passed": self.found.passed, "allowed_g": ALLOWED_G,
            "worst": {"axis": axis, "difference_g": worst, "t": at},
            "largest_g": dict(zip(AXES, self.found.largest.tolist(), strict=True)),
            "most_g": dict(zip(AXES, self.found.most.tolist(), strict=True)),
            "runs": list(self.found.runs), "versions": versions(),
        }  # fmt: skip

    def json(self) -> str:
        """As JSON text."""
        return json.dumps(self.facts(), allow_nan=False)


def repeatability_figure(found: Repeatability) -> Figure:
    """Accelerations of all runs, and their largest difference along each axis with the limit."""
    figure = new_figure(10, 6.4)
    motions, spreads = figure.subplots(2, 1, sharex=True, height_ratios=[1.25, 1])
    every = max(1, len(found.t) // MOST_POINTS)
    t, acceleration = found.t[::every], found.acceleration[::every] / G
    for k, (axis, colour) in enumerate(zip(AXES, COLOURS, strict=True)):
        for run in range(acceleration.shape[2]):
            label = f"{axis}, {acceleration.shape[2]} runs" if run == 0 else None
            motions.plot(t, acceleration[:, k, run], color=colour, linewidth=0.7, alpha=0.6, label=label)
        spread = _envelope(found.spread[:, k], every)
        spreads.plot(t[: len(spread)], spread, color=colour, linewidth=0.8, label=axis)
    spreads.axhline(ALLOWED_G, color=LIMIT_COLOUR, linewidth=1.2, label=f"allowed: {ALLOWED_G:g} g")
    axis, worst, at = found.worst
    spreads.plot(at, worst, "o", mfc="none", mec=INK, ms=7)
    near_end = at > 0.7 * found.t[-1]
    spreads.annotate(
        f"{worst:.4f} g in {axis} at {at:.2f} s", (at, worst), xytext=(-8 if near_end else 8, 6),
        textcoords="offset points", color=INK, ha="right" if near_end else "left",
    )  # fmt: skip
    low = float(found.spread[found.spread > 0].min(initial=ALLOWED_G / 100))
    if worst > 0:
        spreads.set(yscale="log", ylim=(max(low, worst / 300), 6 * max(worst, ALLOWED_G)))
    spreads.yaxis.set_major_formatter("{x:g}")
    motions.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    motions.set(ylabel="acceleration of the head [g]")
    motions.margins(y=0.2)  # room for the legend
    motions.set_title(f"{found.cueing.platform.name}, {found.motion}: linear acceleration of every run", loc="left")
    spreads.set(ylabel="largest difference [g]", xlabel="time [s]")
    for axes in (motions, spreads):
        quiet_grid(axes)
        axes.legend(loc="upper right", ncols=4, fontsize=9)
    return figure


def _envelope(values: Any, every: int) -> Any:
    """The largest of every so many values, so that a thinned curve hides none."""
    n = len(values) // every * every
    return np.max(np.reshape(values[:n], (-1, every)), axis=1)


def page(report: RepeatabilityReport) -> str:
    """The HTML of a report."""
    found, document = report.found, report.document
    platform = found.cueing.platform
    return environment("motionbase.system").get_template("repeatability.html").render(
        report=report,
        found=found,
        platform=platform,
        facts=report.facts(),
        document=document.head(f"{platform.name}, fingerprint {fingerprint(platform)}"),
        foot=f"{platform.name}, repeatability, revision {document.revision}, {document.date}",
        picture_data=as_data(repeatability_figure(found)),
        versions=versions(),
    )  # fmt: skip
