"""A picture of an identification: friction over speed, and measured against modelled signals of one leg."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.identify.bristle import steady, vector
from motionbase.identify.study import Identified
from motionbase.report.figures import GREY, INK, new_figure, quiet_grid, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURED, MODEL, START = INK, "#d55e00", "#0072b2"
POINTS = 4000  # of the cloud
SHOWN_S = 8.0  # [s] of signals
BINS = 40  # of speed, for means


def draw(found: Identified, path: Path | str, leg: int | None = None, source: str = "") -> None:
    """Write a picture of the fits that there are.

    Args:
        leg: whose signals are shown, 1 to 6; the first by default
    """
    panels = [panel for panel, there in (
        (_friction, found.friction is not None or (found.load is not None and found.load.friction is not None)),
        (_flow, found.flow is not None), (_drive, found.drive is not None), (_force, found.load is not None),
        (_residual, found.load is not None),
    ) if there]  # fmt: skip
    rows = max(1, -(-len(panels) // 2))
    figure = new_figure(11.0, 4.0 * rows)
    axes = np.atleast_1d(figure.subplots(rows, 2)).ravel()
    for place, panel in zip(axes, panels, strict=False):
        panel(place, found, (leg or 1) - 1)
        quiet_grid(place)
    for place in axes[len(panels) :]:
        place.set_visible(False)
    where = f" from {source}" if source else ""
    figure.suptitle(f"{found.platform.name}: identified{where}, {found.seconds:.0f} s at {found.rate:.0f} Hz")
    save(figure, path)


def _friction(axes: Axes, found: Identified, leg: int) -> None:
    """Friction over speed: samples, means of bins, the laws before and after."""
    if found.friction is not None:
        v, force, p = found.friction.v, found.friction.force, found.friction.fit.theta[:4]
    else:
        assert found.load is not None and found.load.friction is not None
        used = found.load.used
        v, force, p = found.load.v[used], found.load.friction[used], found.load.fit.theta[12:16]
    order = np.argsort(v)
    cloud = order[:: max(1, len(order) // POINTS)]
    axes.plot(v[cloud], force[cloud], ".", color=GREY, markersize=2, alpha=0.4, label="measured")
    bins = np.array_split(order, BINS)
    axes.plot([v[b].mean() for b in bins], [force[b].mean() for b in bins], "o", color=MEASURED, markersize=3,
              label="mean of equally many")  # fmt: skip
    most = float(np.abs(v).max())
    speeds = np.concatenate([-np.geomspace(most, 1e-4, 200), np.geomspace(1e-4, most, 200)])
    axes.plot(speeds, steady(p, speeds), color=MODEL, label="identified")
    axes.plot(speeds, steady(vector(found.platform.actuator.friction), speeds), "--", color=START, label="start")
    axes.set_xlabel("speed of the leg [m/s]")
    axes.set_ylabel("friction [N]")
    axes.legend(loc="lower right")


def _window(t: Array) -> Flags:
    """A few seconds in the middle of the recording."""
    middle = t[len(t) // 2]
    return np.asarray(np.abs(t - middle) <= 0.5 * SHOWN_S)


def _signals(axes: Axes, t: Array, measured: Array, given: Array, label: str, scale: float = 1.0) -> None:
    shown = _window(t)
    axes.plot(t[shown], scale * measured[shown], color=MEASURED, linewidth=2.5, alpha=0.35, label="measured")
    axes.plot(t[shown], scale * given[shown], color=MODEL, linewidth=1.0, label="model")
    axes.set_xlabel("time [s]")
    axes.set_ylabel(label)
    axes.legend(loc="upper right", ncols=2)
    low, high = axes.get_ylim()
    axes.set_ylim(low, high + 0.2 * (high - low))  # room for the legend


def _flow(axes: Axes, found: Identified, leg: int) -> None:
    assert found.flow is not None
    own = min(leg, found.flow.measured.shape[1] - 1)
    flow = found.flow
    _signals(axes, flow.t, flow.measured[:, own], flow.given[:, own], "flow into the cap end [l/s]", 1e3)


def _drive(axes: Axes, found: Identified, leg: int) -> None:
    assert found.drive is not None
    own = min(leg, found.drive.measured.shape[1] - 1)
    drive = found.drive
    _signals(axes, drive.t, drive.measured[:, own], drive.given[:, own], "rate of the motor's force [kN/s]", 1e-3)


def _force(axes: Axes, found: Identified, leg: int) -> None:
    assert found.load is not None
    what = "motor" if found.platform.electric else "leg"
    load = found.load
    _signals(axes, load.t, load.measured[:, leg], load.given[:, leg], f"force of {what} {leg + 1} [kN]", 1e-3)


def _residual(axes: Axes, found: Identified, leg: int) -> None:
    """What the model of the forces leaves, of all legs."""
    assert found.load is not None
    rest = np.where(found.load.used, found.load.measured - found.load.given, np.nan)
    axes.plot(found.load.t, rest, ".", color=GREY, markersize=1.5, alpha=0.5)
    axes.plot(found.load.t, rest[:, leg], ".", color=MODEL, markersize=1.5)
    axes.set_xlabel("time [s]")
    axes.set_ylabel(f"force not explained [N], rms {np.sqrt(np.nanmean(rest**2)):.2g}")
