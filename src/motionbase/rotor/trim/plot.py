"""Pictures of trim: a revolution in steady flight, and what a pilot did on the way there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.rotor.flight.disk import thousands
from motionbase.rotor.flight.march import SAMPLES, Seen
from motionbase.rotor.trim.pilot import CONTROLS
from motionbase.rotor.trim.trim import Trim

MOST = 4000  # samples of a line
ANGLES = ("flap", "#1f77b4"), ("lag", "#d62728"), ("pitch", "#2ca02c")


def write_trim(found: Trim, path: Path | str, history: Seen | None = None) -> None:
    """Angles of a blade and air loads over the azimuth; by the suffix PNG, PDF or SVG.

    Args:
        history: of a pilot, drawn above them
    """
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure

    rows = 1 if history is None else 2
    figure = Figure(figsize=(12, 0.6 + 3.7 * rows), layout="constrained")
    grid = figure.subplots(rows, 3, squeeze=False)
    if history is not None:
        _history(grid[0], found, history)
    _revolution(grid[-1], found)
    at, c = found.target, np.degrees(found.controls)
    size, prefix = thousands(found.measured[:1])
    figure.suptitle(
        f"{found.rotor.name}: {found.measured[0] / size:,.2f} {prefix}N at {at.airspeed:.1f} m/s, shaft "
        f"{np.degrees(at.shaft_angle):.1f}°; collective {c[0]:.2f}°, cyclic {c[1]:+.2f}° cos ψ {c[2]:+.2f}° sin ψ",
        fontsize=11,
    )
    for axes in grid.ravel():
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


def _revolution(row: Array, found: Trim) -> None:
    """Over the azimuth of the first blade; loads repeat themselves once for each blade."""
    seen = found.revolution
    order = np.argsort(seen.psi[:, 0, 0])
    psi = np.degrees(seen.psi[order, 0, 0])
    angles, force, moment = row
    for name, colour in ANGLES:
        angle = np.degrees(getattr(seen, name)[order, 0, 0])
        angles.plot(psi, angle - angle.mean(), color=colour, label=f"{name}, mean {angle.mean():.2f}° left out")
    loads = seen.loads[order, :, 0]
    (size, prefix), (moment_size, moment_prefix) = thousands(loads[:, :3]), thousands(loads[:, 3:])
    force.plot(psi, loads[:, 2] / size, color="#1f77b4", label="thrust")
    for k, name, colour in ((0, "forward", "#d62728"), (1, "to the left", "#2ca02c")):
        force.plot(psi, loads[:, k] / size, color=colour, label=name)
    for k, name, colour in ((3, "roll", "#9467bd"), (4, "pitch", "#8c564b"), (5, "about the shaft", "#7f7f7f")):
        moment.plot(psi, loads[:, k] / moment_size, color=colour, label=name)
    forces, moments = f"air loads on all blades [{prefix}N]", f"their moments about the hub [{moment_prefix}N m]"
    titles = "blade 1 [deg]", forces, moments
    for axes, title in zip(row, titles, strict=True):
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("azimuth of blade 1 [deg]")
        axes.set_xlim(0, 360)
        axes.set_xticks(range(0, 361, 90))
        _add_legend(axes)


def _history(row: Array, found: Trim, history: Seen) -> None:
    every = max(1, len(history.t) // MOST)
    t = (history.t - history.t[0])[::every]
    thrust, flapping, controls = row
    size, prefix = thousands(history.loads[:, 2, 0])
    thrust.plot(t, history.loads[::every, 2, 0] / size, color="#1f77b4", alpha=0.3, linewidth=0.8, label="air loads")
    thrust.plot(t, history.estimate[::every, 0, 0] / size, color="#1f77b4", label="filtered")
    thrust.axhline(found.target.thrust / size, color="0.3", linestyle=":", label="target")
    harmonics = [2 * np.mean(history.flap * wave(history.psi), axis=1)[:, 0] for wave in (np.cos, np.sin)]
    for k, (name, colour) in enumerate((("cos ψ", "#d62728"), ("sin ψ", "#2ca02c"))):
        flapping.plot(t, np.degrees(_smooth(harmonics[k])[::every]), color=colour, alpha=0.35, linewidth=0.8)
        flapping.plot(t, np.degrees(history.estimate[::every, k + 1, 0]), color=colour, label=f"{name}, filtered")
        flapping.axhline(np.degrees(found.target.measured[k + 1]), color=colour, linestyle=":")
    for k, (name, colour) in enumerate(zip(CONTROLS, ("#1f77b4", "#d62728", "#2ca02c"), strict=True)):
        controls.plot(t, np.degrees(history.controls[::every, k, 0]), color=colour, label=name.replace("_", " "))
    titles = f"thrust [{prefix}N]", "flapping [deg]", "controls of the pilot [deg]"
    for axes, title in zip(row, titles, strict=True):
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("time [s]")
        _add_legend(axes)


def _add_legend(axes: Any) -> None:
    """Above the lines."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.32 * (high - low))
    axes.legend(fontsize=8, frameon=False, loc="upper right")


def _smooth(signal: Array) -> Array:
    """Mean over a revolution about each sample."""
    return np.asarray(np.convolve(np.pad(signal, SAMPLES // 2, "edge"), np.ones(SAMPLES) / SAMPLES, "same"))[
        SAMPLES // 2 : SAMPLES // 2 + len(signal)
    ]
