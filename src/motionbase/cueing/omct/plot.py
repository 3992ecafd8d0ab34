"""Gain and phase of the tests, with a user's bounds shaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.omct.bounds import Bounds
from motionbase.cueing.omct.measure import DISTORTED, Curve, Measured
from motionbase.report.figures import GREY, INK, new_figure, quiet_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST: dict[str, Any] = {"color": "#2f6fae", "marker": "o", "ms": 4.5, "zorder": 2.0}
SECOND: dict[str, Any] = {"color": "#c2571a", "linestyle": "--", "linewidth": 1.1, "zorder": 2.5}
HOLLOW: dict[str, Any] = {"color": "#2f6fae", "marker": "o", "linestyle": "", "mfc": "white", "ms": 5.5, "zorder": 3.0}
OUTSIDE, SHADE = "#c0392b", "#3a8f4d"
STEPS = (15.0, 30.0, 45.0, 90.0, 180.0)  # [deg] between ticks
LEAST_GAIN = 1e-3  # below it the axis ends
PAIRS = ((1, 2), (3, 4), (5, 10), (6, 7), (8, 9))
"""Tests that are drawn side by side."""


def pair_figure(results: Sequence[Measured], numbers: Sequence[int], bounds: Bounds | None = None) -> Figure:
    """Two tests side by side, gain above phase. The first result is judged, the others are shown with it."""
    figure = new_figure(10.4, 5.4)
    axes = figure.subplots(2, 2, sharex=True)
    for column, number in enumerate(numbers):
        _draw(axes[0, column], axes[1, column], results, number, bounds)
    for panel in axes[:, len(numbers) :].ravel():
        panel.axis("off")
    _legend(figure, results[0].label)
    return figure


def all_figure(results: Sequence[Measured], title: str, bounds: Bounds | None = None) -> Figure:
    """All tests on one sheet."""
    numbers = [curve.test.number for curve in results[0].curves]
    columns = min(5, len(numbers))
    rows = -(-len(numbers) // columns)
    figure = new_figure(3.6 * columns + 0.4, 4.6 * rows)
    axes = figure.subplots(2 * rows, columns, sharex=True, squeeze=False)
    for k, number in enumerate(numbers):
        at, column = 2 * (k // columns), k % columns
        _draw(axes[at, column], axes[at + 1, column], results, number, bounds)
    for k in range(len(numbers), rows * columns):
        axes[2 * (k // columns), k % columns].axis("off")
        axes[2 * (k // columns) + 1, k % columns].axis("off")
    figure.suptitle(title)
    _legend(figure, results[0].label)
    return figure


def _draw(gains: Axes, phases: Axes, results: Sequence[Measured], number: int, bounds: Bounds | None) -> None:
    drawn = False
    for k, result in reversed(list(enumerate(results))):
        if (curve := result.of(number)) is None:
            continue
        gain, phase = np.where(curve.gain < LEAST_GAIN, np.nan, curve.gain), curve.phase.copy()
        phase[np.isnan(gain)] = np.nan  # the phase of nothing
        look = FIRST if k == 0 else SECOND
        gains.loglog(curve.omega, gain, label=result.label, **look)
        phases.semilogx(curve.omega, phase, **look)
        if k == 0:
            bad = curve.doubtful
            if bad.any():
                label = f"harmonics above {DISTORTED:.0%}, or mostly noise"
                gains.plot(curve.omega[bad], gain[bad], label=label, **HOLLOW)
                phases.plot(curve.omega[bad], phase[bad], **HOLLOW)
            gains.set_title(f"{number}  {curve.test.name}", fontsize=11, loc="left", color=INK)
            drawn = bool(np.any(gain > 0))
    if bounds is not None:
        _shade(gains, phases, results[0].of(number), bounds)
    _scaled(gains, phases)
    if not drawn:
        gains.text(0.5, 0.4, f"gain below {LEAST_GAIN:g}", transform=gains.transAxes, ha="center", color=GREY)
    gains.axhline(1.0, color=GREY, linewidth=0.8, zorder=1)
    phases.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    gains.set_ylabel("gain [-]")
    phases.set(ylabel="phase [deg]", xlabel="frequency [rad/s]")
    for axes in (gains, phases):
        axes.xaxis.set_major_formatter("{x:g}")
        quiet_grid(axes)


def _scaled(gains: Axes, phases: Axes) -> None:
    """Wide axes, so that small changes look small: gains over at least a decade, phases over at least 90 degrees."""
    from matplotlib.ticker import LogLocator, MultipleLocator, NullFormatter

    low, high = gains.get_ylim()
    low, high = max(LEAST_GAIN, min(low, 0.1)), max(high, 2.0)
    gains.set_ylim(low, high)
    gains.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 30 * low else (1.0,)))
    gains.yaxis.set_major_formatter("{x:g}")
    gains.yaxis.set_minor_formatter(NullFormatter())
    low, high = phases.get_ylim()
    phases.set_ylim(min(low, -45.0), max(high, 45.0))
    span = max(high, 45.0) - min(low, -45.0)
    phases.yaxis.set_major_locator(MultipleLocator(next((x for x in STEPS if span <= 7 * x), STEPS[-1])))


def _shade(gains: Axes, phases: Axes, curve: Curve | None, bounds: Bounds) -> None:
    """What the table allows, and the tones outside it."""
    if curve is None:
        return
    omega, gain, phase = bounds.along(curve.test.number)
    if len(omega):
        spread = omega if len(omega) > 1 else omega[0] * np.array([0.97, 1.03])
        style: dict[str, Any] = {"color": SHADE, "alpha": 0.16, "linewidth": 0, "label": "within the bounds"}
        _band(gains, spread, np.resize(gain, (len(spread), 2)), (LEAST_GAIN, 1e3), style)
        turns = _whole_turns(curve, bounds)
        _band(phases, spread, np.resize(phase + turns, (len(spread), 2)), (-1e4, 1e4), style)
    broken = bounds.broken(curve)
    ring: dict[str, Any] = {
        "marker": "s",
        "linestyle": "",
        "mfc": "none",
        "mec": OUTSIDE,
        "ms": 9,
        "label": "outside the bounds",
    }
    for axes, name, values in ((gains, "gain", curve.gain), (phases, "phase", curve.phase)):
        out = np.array([name in (one or ()) for one in broken])
        if out.any():
            axes.plot(curve.omega[out], values[out], **ring)


def _band(axes: Axes, omega: Array, limits: Array, widest: tuple[float, float], style: dict[str, Any]) -> None:
    low, high = axes.get_ylim()
    bands = np.clip(limits, *widest)
    finite = bands[(bands > widest[0]) & (bands < widest[1])]
    if finite.size:  # else nothing is limited
        axes.fill_between(omega, bands[:, 0], bands[:, 1], **style)
    axes.set_ylim(min([low, *finite]), max([high, *finite]))


def _whole_turns(curve: Curve, bounds: Bounds) -> float:
    """Turns [deg] between the curve as drawn and the phases of the table, at its first judged tone."""
    for omega, phase in zip(curve.omega.tolist(), curve.phase.tolist(), strict=True):
        if (bound := bounds.of(curve.test.number, omega)) is not None:
            return float(phase - bound.near(phase))
    return 0.0


def _legend(figure: Figure, first: str) -> None:
    """One for all panels, below them; the judged result comes first."""
    named: dict[str, Any] = {first: None}
    for panel in figure.axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            named[label] = named.get(label) or handle
    named = {label: handle for label, handle in named.items() if handle is not None}
    figure.legend(
        list(named.values()), list(named), loc="outside lower center", ncols=len(named), frameon=False
    )  # fmt: skip
