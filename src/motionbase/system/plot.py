"""Plots of measured responses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionbase.report.figures import save
from motionbase.system.responses import DISTORTED, FLAT_DB, QUARTER, SETTLED, FrequencyResponse, StepResponse

ASKED, TRUE, BOUND = "#8a8a8a", "#2f6fae", "#c2571a"
ANGULAR = ("roll", "pitch", "yaw")


def write_step(response: StepResponse, name: str, path: Path | str) -> None:
    """Demand and true motion over time, with the bounds of settling."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    unit, scale = ("mrad", 1e3) if response.axis in ANGULAR else ("mm", 1e3)
    end = max(0.5, 2.5 * (response.settling or response.t[-1]))
    shown = response.t <= end
    t, size = response.t[shown], scale * response.size
    axes.axhspan(size * (1 - SETTLED), size * (1 + SETTLED), color=BOUND, alpha=0.15, label=f"within {SETTLED:.0%}")
    axes.plot(t, scale * response.demand[shown], color=ASKED, linestyle="--", label="demand")
    axes.plot(t, scale * response.y[shown], color=TRUE, label="platform")
    if response.settling is not None:
        axes.axvline(response.settling, color=BOUND, linewidth=0.8)
        axes.annotate(
            f"settled after {response.settling:.3f} s",
            (response.settling, 0.3 * size),
            xytext=(6, 0),
            textcoords="offset points",
        )
    axes.set(xlabel="time since the step [s]", ylabel=f"{response.axis} [{unit}]")
    axes.set_title(
        f"{name}: step of {response.size:g} {'rad' if response.axis in ANGULAR else 'm'} in {response.axis}, "
        f"overshoot {response.overshoot:.1%}"
    )
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)
    save(figure, path)


def write_frequency(response: FrequencyResponse, name: str, path: Path | str) -> None:
    """Gain and phase over frequency, tones as points; hollow ones are distorted, squares are dominated by friction."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), layout="constrained")
    gain, phase = figure.subplots(2, 1, sharex=True)
    gain.semilogx(response.f, 20 * np.log10(response.gain), "o-", color=TRUE)
    gain.axhline(0.0, color=ASKED, linewidth=0.8)
    gain.axhspan(-FLAT_DB, FLAT_DB, color=BOUND, alpha=0.12, label=f"within {FLAT_DB:g} dB")
    gain.set(ylabel="gain [dB]", title=f"{name}: demand to true {response.axis}, measured tone by tone")
    phase.semilogx(response.f, response.phase, "o-", color=TRUE)
    phase.axhline(QUARTER, color=BOUND, linewidth=0.8)
    if (bandwidth := response.bandwidth) is not None:
        phase.axvline(bandwidth, color=BOUND, linewidth=0.8)
        phase.annotate(
            f"{QUARTER:.0f} deg at {bandwidth:.1f} Hz ",
            (bandwidth, QUARTER),
            xytext=(-6, 6),
            textcoords="offset points",
            ha="right",
        )
    bad = response.distorted
    for axes, values in ((gain, 20 * np.log10(response.gain)), (phase, response.phase)):
        label = f"distortion above {DISTORTED:.0%}"
        axes.plot(response.f[bad], values[bad], "o", markerfacecolor="white", markeredgecolor=TRUE, label=label)
    stuck = response.by_friction
    if stuck.any():
        for axes, values in ((gain, 20 * np.log10(response.gain)), (phase, response.phase)):
            axes.plot(response.f[stuck], values[stuck], "s", ms=10, mfc="none", mec=BOUND, label="shaped by friction")
    gain.legend(loc="lower left")
    phase.set(xlabel="frequency [Hz]", ylabel="phase [deg]")
    for axes in (gain, phase):
        axes.grid(alpha=0.3, which="both")
    phase.xaxis.set_major_formatter("{x:g}")
    save(figure, path)
