"""Pictures of stability: frequencies and growth rates of modes against rotor speed or airspeed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionbase.arrays import Array, Complex
from motionbase.rotor.stability.against_speed import SpeedModes, Stability

COLOURS = ("#1f77b4", "#17becf", "#7f7f7f", "#bcbd22", "#d62728", "#9467bd", "#2ca02c", "#8c564b", "#e377c2", "#ff7f0e")
RAYS = 6  # multiples of the rotor's speed at most
UNSTABLE = "#d62728"
RPM = 30 / np.pi
STEADY = 3.0  # weight of growth rates where modes are followed


def write_stability(found: Stability, path: Path | str, title: str, rotor_speed: float | None = None) -> None:
    """Frequency above, growth rate below, unstable zones shaded; by the suffix PNG, PDF or SVG.

    Args:
        rotor_speed: at which the rotor is held while the speeds are airspeeds [rad/s]
    """
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure = Figure(figsize=(8.5, 7.5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    kinds = sorted({kind for point in found.points for kind in point.kinds})
    colour = {kind: COLOURS[k % len(COLOURS)] for k, kind in enumerate(kinds)}
    on_speed = rotor_speed is None
    folds = on_speed and found.method == "floquet"
    for axes, part, folded in ((upper, np.imag, False), (lower, np.real, folds)):
        lines, colours = [], []
        for a, b in zip(found.points[:-1], found.points[1:], strict=True):
            for i, j in _pairs(a, b, folded):
                lines.append([(a.speed, part(a.exponents[i])), (b.speed, part(b.exponents[j]))])
                colours.append(colour[b.kinds[j]])
        axes.add_collection(LineCollection(lines, colors=colours, linewidths=1.8))
        for low, high in found.unstable:
            axes.axvspan(low, high, color=UNSTABLE, alpha=0.12, linewidth=0)
        axes.grid(alpha=0.25)
    speeds = found.speeds
    frequencies = np.concatenate([point.frequency for point in found.points])
    top = 1.06 * float(frequencies.max(initial=1.0))
    first, last = float(speeds[0]), float(max(speeds[-1], speeds[0] + 1e-3))
    for n in range(1, RAYS + 1):
        begin, until = (n * first, n * last) if rotor_speed is None else (n * rotor_speed,) * 2
        if begin > top:
            break
        upper.plot([first, last], [begin, until], color="0.6", linewidth=0.8, linestyle=":", zorder=0)
        end = min(last, top / n) if on_speed else last
        if n <= 3 or end > first + 0.1 * (last - first):
            upper.annotate(
                f"{n}/rev", (end, n * end if on_speed else until), xytext=(-5, -4), textcoords="offset points",
                fontsize=8, color="0.45", ha="right", va="top",
            )  # fmt: skip
    lower.axhline(0.0, color="0.3", linewidth=0.9)
    upper.set_xlim(first, last)
    upper.set_ylim(0, top)
    upper.set_ylabel("frequency [rad/s]")
    lower.set_ylabel("growth rate [1/s]")
    lower.set_xlabel("rotor speed [rad/s]" if on_speed else "airspeed [m/s]")
    growth = np.concatenate([point.growth for point in found.points])
    span = max(float(growth.max()) - float(growth.min()), 1e-3)
    lower.set_ylim(float(growth.min()) - 0.06 * span, max(float(growth.max()), 0.0) + 0.08 * span)
    if on_speed:
        rpm = upper.secondary_xaxis("top", functions=(lambda x: x * RPM, lambda x: x / RPM))
        rpm.set_xlabel("rotor speed [rpm]", fontsize=9)
        rpm.tick_params(labelsize=8)
    handles: list[Line2D | Patch] = [Line2D([], [], color=colour[kind], linewidth=1.8, label=kind) for kind in kinds]
    if found.unstable:
        handles.append(Patch(color=UNSTABLE, alpha=0.12, label="unstable"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=8.5, frameon=False)
    figure.suptitle(title, fontsize=11)
    figure.savefig(path, dpi=110)


def _pairs(a: SpeedModes, b: SpeedModes, folded: bool) -> list[tuple[int, int]]:
    """Modes of two speeds that continue each other, the nearest first; kinds that stay are nearer.

    Args:
        folded: frequencies may also differ by a multiple of the rotor's speed, so that another choice of it is no jump
    """
    apart = _apart(a.exponents, b.exponents)
    reach = 4 * abs(b.speed - a.speed) + 0.02 * float(np.abs(b.exponents).max())
    if folded:
        apart = np.minimum(apart, _apart(_folded(a), _folded(b)) + 0.3 * reach)
    apart = apart + np.where(np.array(a.kinds)[:, None] == np.array(b.kinds), 0.0, 0.1 * reach)
    found = []
    while apart.size and apart.min() <= reach:
        i, j = divmod(int(np.argmin(apart)), apart.shape[1])
        found.append((i, j))
        apart[i], apart[:, j] = np.inf, np.inf
    return found


def _apart(a: Complex, b: Complex) -> Array:
    """(modes, modes); growth rates are smooth and small, so that they count more."""
    s = a[:, None] - b
    return np.asarray(STEADY * np.abs(s.real) + np.abs(s.imag))


def _folded(point: SpeedModes) -> Complex:
    if point.speed == 0:
        return point.exponents
    turns = np.round(point.frequency / point.speed)
    return np.asarray(point.growth + 1j * np.abs(point.frequency - turns * point.speed))
