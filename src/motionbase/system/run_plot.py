"""Plot of a closed-loop run: states and faults on top, then motion, legs, forces and valves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.plant.fault_plan import FaultPlan
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.plot import COLOURS
from motionbase.record.axes import DOFS
from motionbase.record.states import QUIET
from motionbase.record.words import named, told
from motionbase.system.runs import Run
from motionbase.system.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TRACES = ("demand", "dof", "error", "l", "f", "valve")
BUCKETS = 2000  # time spans, each with its smallest and largest value: more than the plot is wide
BAND = {"drive": "#b7dfc2", "freeze": "#f5dfa0", **dict.fromkeys(("stopping", "abort", "held"), "#f2b8a8")}  # by state
QUIET_BAND, OTHER_BAND = "#d4d4d4", "#c9daee"
COMES, FOUND = "#b36b00", "#b00020"  # a fault starts; the control law finds it
MOVES = 1e-3  # [m, rad]: an axis that moves less is not drawn
WIDTH, LETTER = 12.0, 0.068  # [in] of the plot, and of a letter in the band of states


@final
class Traces:
    """Curves of a run, reduced during the run: smallest and largest value of equal time spans."""

    def __init__(self, ticks: int) -> None:
        self.span = max(1, math.ceil(ticks / BUCKETS))
        self._rest = np.zeros((0, 1 + 6 * len(TRACES)))
        self._kept: list[Array] = []

    def add(self, piece: Run, dof: Array, error: Array) -> None:
        """Add a piece with a row per tick, its true motion, and its error in drive."""
        demand = np.where(np.isin(piece["state"], QUIET)[:, None], np.nan, piece["cmd"][:, :, 0])
        rows = np.column_stack([piece.t, demand, dof, error, piece["l"], piece["f"], piece["valve_cmd"]])
        rows = np.vstack([self._rest, rows])
        whole = len(rows) // self.span * self.span
        self._kept.append(self._thinned(rows[:whole]))
        self._rest = rows[whole:]

    def _thinned(self, rows: Array) -> Array:
        if self.span == 1:
            return rows
        spans = rows.reshape(-1, self.span, rows.shape[1])
        pairs = np.stack([spans.min(axis=1), spans.max(axis=1)], axis=1)
        return pairs.reshape(-1, rows.shape[1])

    def columns(self) -> tuple[Array, dict[str, Array]]:
        """(n,) time [s], and (n, 6) each of TRACES."""
        rows = np.concatenate([*self._kept, self._rest])
        return rows[:, 0], {name: rows[:, 1 + 6 * k : 7 + 6 * k] for k, name in enumerate(TRACES)}


@final
@dataclass(frozen=True, eq=False)
class RunPicture:
    """Everything that the plot needs."""

    hexapod: Hexapod
    traces: Traces
    summary: Summary
    faults: FaultPlan

    def write(self, path: Path | str) -> None:
        """Write a PNG, PDF or SVG, by the suffix of the name."""
        path = Path(path)
        if path.suffix not in (".png", ".pdf", ".svg"):
            raise UsageError(f"cannot draw {str(path)!r}: the name must end in .png, .pdf or .svg")
        try:
            self.figure().savefig(path, dpi=110)
        except OSError as e:
            raise UsageError(f"cannot draw {str(path)!r}: {e.strerror or e}") from None

    def figure(self) -> Figure:
        """Panels below each other, with a common time axis."""
        from matplotlib.figure import Figure

        t, columns = self.traces.columns()
        moving = [k for k in range(6) if max(_range(columns[name][:, k]) for name in ("dof", "demand")) > MOVES]
        groups = [g for g in ([k for k in moving if k < 3], [k for k in moving if k >= 3]) if g]
        driven = [1.5] if moving and self.summary.drive_s > 0 and self.summary.rms is not None else []
        heights = [0.5, *(2.2 for _ in groups), *driven, 2.2, 1.7, 1.7]
        figure = Figure(figsize=(WIDTH, sum(heights) + 1.6), layout="constrained")
        panels = figure.subplots(len(heights), 1, sharex=True, height_ratios=heights)
        figure.suptitle(f"{self.hexapod.name}: {t[-1]:g} s of the closed loop", x=0.01, ha="left", fontsize="large")
        for axes, group in zip(panels[1:], groups, strict=False):
            self._motion(axes, t, columns, group)
        if driven:
            self._errors(panels[-4], t, columns["error"], moving)
        lengths, forces, valves = panels[-3:]
        self._lengths(lengths, t, columns["l"])
        self._six(forces, t, columns["f"] / 1e3, "leg force [kN]")
        self._six(valves, t, columns["valve"], f"{told('valve command', self.hexapod.electric)} [-]")
        valves.set_xlabel("time [s]")
        for axes in panels[1:]:
            axes.grid(alpha=0.25)
        panels[0].set_xlim(0, t[-1])
        self._bands(panels[0], float(t[-1]))
        self._marks(panels)
        figure.align_ylabels(panels[1:])
        found = ((t, told(fault.sentence, self.hexapod.electric)) for t, fault in self.summary.faults if fault)
        if lines := "\n".join(f"{t:.3f} s: {sentence}" for t, sentence in found):
            figure.supxlabel(lines, x=0.01, ha="left", fontsize="small", color=FOUND)
        return figure

    def _motion(self, axes: Axes, t: Array, columns: dict[str, Array], group: list[int]) -> None:
        """Demand and true motion of the linear or the angular axes."""
        for k in group:
            axes.plot(t, columns["dof"][:, k], color=COLOURS[k], linewidth=1.6, label=DOFS[k])
            axes.plot(t, columns["demand"][:, k], color="black", linewidth=0.8, linestyle=(0, (4, 3)))
        axes.plot([], [], color="black", linewidth=0.8, linestyle=(0, (4, 3)), label="demand")
        axes.set_ylabel("position [m]" if group[0] < 3 else "attitude [rad]")
        _legend(axes)

    @staticmethod
    def _errors(axes: Axes, t: Array, error: Array, moving: list[int]) -> None:
        """Demand minus true motion; linear and angular errors share an axis in thousandths."""
        for k in moving:
            axes.plot(t, 1e3 * error[:, k], color=COLOURS[k], linewidth=0.9, label=DOFS[k])
        axes.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)  # keeps a tiny error from looking large
        axes.set_ylabel("error in drive\n[mm, mrad]")
        _legend(axes)

    def _lengths(self, axes: Axes, t: Array, l: Array) -> None:
        """Leg lengths between their ends."""
        stroke = self.hexapod.stroke
        self._six(axes, t, l, "leg length [m]")
        for ends, colour, style, name in (
            ((stroke.l_min, stroke.l_max), "0.35", "--", "operational"),
            ((stroke.hard_min, stroke.hard_max), FOUND, "-", "hard end"),
        ):
            for k, end in enumerate(ends):
                axes.axhline(end, color=colour, linestyle=style, linewidth=0.9, label=name if k == 0 else None)
        margin = 0.05 * (stroke.hard_max - stroke.hard_min)
        axes.set_ylim(min(stroke.hard_min, l.min()) - margin, max(stroke.hard_max, l.max()) + margin)
        _legend(axes)

    @staticmethod
    def _six(axes: Axes, t: Array, values: Array, label: str) -> None:
        for k in range(6):
            axes.plot(t, values[:, k], color=COLOURS[k], linewidth=1.0, label=f"leg {k + 1}")
        axes.set_ylabel(label)

    def _bands(self, axes: Axes, end: float) -> None:
        """States with their names, if they are wide enough."""
        starts = [t for t, _ in self.summary.states]
        for (start, state), stop in zip(self.summary.states, [*starts[1:], end], strict=True):
            colour = BAND.get(state.name.lower(), QUIET_BAND if state in QUIET else OTHER_BAND)
            axes.axvspan(start, stop, color=colour, linewidth=0)
            axes.axvline(start, color="white", linewidth=0.8)
            width, name = (stop - start) / end * 0.82 * WIDTH, state.name.lower()
            style: dict[str, Any] = {"ha": "center", "va": "center", "clip_on": True}
            if width > LETTER * (len(name) + 1):
                axes.text((start + stop) / 2, 0.5, name, fontsize=8, **style)
            elif width > 0.13:
                axes.text((start + stop) / 2, 0.5, name, fontsize=6.5, rotation=90, **style)
        axes.set(ylim=(0, 1), yticks=[])
        axes.set_ylabel("state", rotation=0, ha="right", va="center")
        axes.tick_params(bottom=False)
        for side in ("top", "left", "right", "bottom"):
            axes.spines[side].set_visible(False)

    def _marks(self, panels: Any) -> None:
        """Faults through all panels: when they start, and when the control law finds them."""
        events = [e for e in self.faults.events if e.at <= self.traces.columns()[0][-1]]
        electric = self.hexapod.electric
        legs = (f" leg {e.leg}" if e.leg else "" for e in events)
        come = [(e.at, f"{named(e.kind.name.lower(), electric)}{leg}") for e, leg in zip(events, legs, strict=True)]
        names = ((t, f"found: {named(fault.name.lower(), electric)}", fault) for t, fault in self.summary.faults)
        found = [(t, name if fault else "reset") for t, name, fault in names]
        for marks, colour, style, height in ((come, COMES, ":", 1.45), (found, FOUND, "--", 1.08)):
            for t, name in marks:
                for axes in panels:
                    axes.axvline(t, color=colour, linestyle=style, linewidth=1.1)
                panels[0].annotate(
                    name, (t, height), xycoords=("data", "axes fraction"), color=colour, fontsize=8, ha="left",
                    annotation_clip=False,
                )  # fmt: skip
        for t, _ in self.summary.states[1:]:
            for axes in panels[1:]:
                axes.axvline(t, color="0.8", linewidth=0.7, zorder=0)


def _range(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(np.ptp(known)) if len(known) else 0.0


def _legend(axes: Axes) -> None:
    """A legend beside the panel, so that it hides nothing."""
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.02), frameon=False, labelspacing=0.25)
