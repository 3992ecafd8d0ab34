"""Plots: normal force over all directions of the moment with the wheels' positions, and quality of layouts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.platform.atlas.allocation import facets_of
from motionbase.platform.atlas.analysis import Analysis, normal_per_torque
from motionbase.platform.atlas.layouts import Layout, singular_values
from motionbase.platform.atlas.units import SI, Units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".pdf", ".svg")
WORST_SHOWN = 8.0  # condition number
SPHERE, WHEEL, RING = "#4a5a6a", "#c2571a", "#2f6fae"


def directions(polar: Array, azimuth: Array) -> Array:
    """(..., 3) unit vectors, eq. 27."""
    return np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)], axis=-1)


def normal_map(found: Analysis, allocation: str, polar: Array, azimuth: Array) -> Array:
    """Largest normal force of any wheel for the largest moment in each direction [N]."""
    m = directions(polar, azimuth)
    J, grip = found.atlas.J_tau, normal_per_torque(found.atlas)
    if allocation == "least_squares":
        return np.asarray(found.moment.value * (np.abs(m @ np.linalg.pinv(J).T) * grip).max(axis=-1))
    return np.asarray(found.moment.value * (m @ facets_of(J).T).max(axis=-1) * grip.max())


def write_analysis(found: Analysis, path: Path | str, units: Units = SI, allocation: str = "least_squares") -> None:
    """Write a PNG, PDF or SVG, by the suffix of the name."""
    # A separate Figure, not pyplot: no display, no state, nothing to close.
    from matplotlib.figure import Figure

    path = _checked(path)
    figure = Figure(figsize=(12, 5.4), layout="constrained")
    force, side = figure.subplots(1, 2, width_ratios=(1.9, 1))
    _forces(force, found, allocation, units)
    _side(side, found)
    figure.suptitle(f"{found.atlas.name}: {found.atlas.summary}")
    _save(figure, path)


def write_layouts(found: Sequence[Layout], path: Path | str) -> None:
    """Plot the condition number over elevation and roller angle, with these layouts marked."""
    from matplotlib.figure import Figure

    path = _checked(path)
    azimuths = found[0].azimuths
    elevation, roller = np.radians(np.linspace(-89.5, 0, 120)), np.radians(np.linspace(-75, 75, 201))
    sigma = singular_values(azimuths, *np.meshgrid(elevation, roller, indexing="ij"))
    values = np.minimum(sigma[..., 0] / np.maximum(sigma[..., 2], 1e-3), WORST_SHOWN)
    figure = Figure(figsize=(8.5, 5.2), layout="constrained")
    axes = figure.subplots()
    levels = np.geomspace(1, WORST_SHOWN, 25)
    drawn = axes.contourf(np.degrees(roller), np.degrees(elevation), values, levels=levels, cmap="viridis_r")
    bar = figure.colorbar(drawn, ax=axes, ticks=[1, 1.5, 2, 3, 5, WORST_SHOWN])
    bar.ax.set_yticklabels(["1", "1.5", "2", "3", "5", f"{WORST_SHOWN:g}+"])
    bar.set_label("condition number")
    axes.plot([np.degrees(x.roller_angle) for x in found], [np.degrees(x.elevation) for x in found], "o", color=WHEEL)
    turns = ", ".join(f"{np.degrees(x):g}" for x in azimuths)
    axes.set(title=f"{len(azimuths)} wheels at {turns} degrees", xlabel="roller angle [deg]", ylabel="elevation [deg]")
    _save(figure, path)


def _checked(path: Path | str) -> Path:
    if Path(path).suffix not in ENDINGS:
        raise UsageError(f"cannot draw {str(path)!r}: the name must end in .png, .pdf or .svg")
    return Path(path)


def _save(figure: Figure, path: Path) -> None:
    try:
        figure.savefig(path, dpi=110)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def _forces(axes: Axes, found: Analysis, allocation: str, units: Units) -> None:
    polar, azimuth = np.linspace(0, np.pi, 121), np.linspace(-np.pi, np.pi, 241)
    values = units.of(1.0, "N") * normal_map(found, allocation, *np.meshgrid(polar, azimuth, indexing="ij"))
    drawn = axes.contourf(np.degrees(azimuth), np.degrees(polar), values, levels=24, cmap="viridis")
    bar = axes.figure.colorbar(drawn, ax=axes)
    bar.set_label(f"largest normal force [{units.name('N')}]")
    for k, row in enumerate(np.linalg.pinv(found.atlas.J_tau), start=1):
        for x, y, z in (row / np.linalg.norm(row), -row / np.linalg.norm(row)):
            at = np.degrees(np.arctan2(y, x)), np.degrees(np.arccos(z))
            axes.plot(*at, "o", color="black", markersize=4)
            axes.annotate(str(k), at, xytext=(4, 4), textcoords="offset points")
    axes.invert_yaxis()
    axes.set(
        title=f"normal force for |M| = {units.of(found.moment.value, 'N m'):,.0f} {units.name('N m')} in each "
        "direction\n(dots: the worst directions of each wheel, by number)",
        xlabel="azimuth of the moment [deg]",
        ylabel="angle from z [deg]",
    )


def _side(axes: Axes, found: Analysis) -> None:
    """Sphere, driven wheels and rings from the side, wheels rotated into the plane of the plot."""
    from matplotlib.patches import Circle

    atlas = found.atlas
    R = atlas.sphere.radius
    axes.add_patch(Circle((0, 0), R, fill=False, color=SPHERE, linewidth=2))
    reach = R
    for contact, wheel in zip(atlas.contacts, atlas.wheels, strict=True):
        side = 1 if contact[0] >= 0 else -1
        centre = (R + wheel.radius) * np.array([side * np.hypot(contact[0], contact[1]), contact[2]])
        axes.add_patch(Circle((centre[0], centre[1]), wheel.radius, color=WHEEL, alpha=0.8))
        reach = max(reach, R + 2 * wheel.radius)
    for ring in atlas.rings:
        for side in (1, -1):
            centre = (R + ring.radius) * np.array([side * np.cos(ring.elevation), np.sin(ring.elevation)])
            axes.add_patch(Circle((centre[0], centre[1]), ring.radius, color=RING, alpha=0.8))
    for name, point in atlas.points.items():
        axes.plot(point[0], point[2], "k+", markersize=10)
        axes.annotate(name, (point[0], point[2]), xytext=(8, -4), textcoords="offset points")
    axes.plot(0, 0, ".", color=SPHERE)
    axes.set(xlim=(-1.05 * reach, 1.05 * reach), ylim=(-1.05 * reach, 1.05 * reach), xlabel="x [m]", ylabel="z [m]")
    axes.set_title("driven wheels (orange) and rings (blue)\nturned into the plane")
    axes.set_aspect("equal")
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
