"""Pictures of workspaces: the surface with what ends it, slices through it, and maps of turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from motionbase.kinematics.plotting import END_COLOURS, INK, new_figure, quiet_grid, rgb
from motionbase.kinematics.surface import ENDS, Surface, ends_of, legs_at_end
from motionbase.kinematics.workspace import Workspace
from motionbase.platform.hexapod import Hexapod

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array: TypeAlias = NDArray[np.float64]
MEANING = {
    "leg out": "a leg fully out",
    "leg in": "a leg fully in",
    "bearings": "a bearing's range",
    "legs": "legs too near each other",
    "clearance": "clearance of parts",
    "none": "nothing found",
}
SLICES = (("from above", 0, 1), ("from the right", 0, 2), ("from the front", 1, 2))  # title, axes across and up
ROUND, FEWER = 181, 73  # rays of a slice, without clearances and with them


def surface_figure(platform: Hexapod, surface: Surface, space: Workspace, any_attitude: Surface | None) -> Figure:
    """Of displacements: the surface in space, and three slices through neutral."""
    figure = new_figure(12.5, 7.6)
    places = figure.add_gridspec(2, 3, height_ratios=(1.75, 1))
    _in_space(figure.add_subplot(places[0, :2], projection="3d"), surface)
    _words(figure.add_subplot(places[0, 2]), surface, any_attitude)
    for k, (title, i, j) in enumerate(SLICES):
        _slice(figure.add_subplot(places[1, k]), surface, space, title, i, j)
    figure.suptitle(f"{platform.name}: where it gets without turning")
    return figure


def _in_space(axes: Any, surface: Surface) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    ends = surface.reach[:, None] * surface.grid.directions
    triangles = surface.grid.triangles
    colours = np.array([rgb(END_COLOURS[k]) for k in np.sort(surface.ends[triangles], axis=1)[:, 1]])
    corners = ends[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    light = 0.55 + 0.45 * np.clip(normals @ np.array([0.4, -0.5, 0.77]), 0, 1)
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours * light[:, None], edgecolors="none"))
    size = float(surface.reach.max())
    axes.set(xlim=(-size, size), ylim=(-size, size), zlim=(-size, size), xlabel="surge [m]", ylabel="sway [m]")
    axes.set_zlabel("heave [m]")
    axes.set_box_aspect((1, 1, 1), zoom=1.05)
    axes.view_init(elev=22, azim=-60)


def _words(axes: Axes, surface: Surface, any_attitude: Surface | None) -> None:
    from matplotlib.patches import Patch

    axes.axis("off")
    shown = [(name, k) for k, name in enumerate(ENDS) if name in surface.shares]
    patches = [Patch(color=END_COLOURS[k], label=f"{MEANING[n]}: {surface.shares[n]:.0%}") for n, k in shown]
    axes.legend(handles=patches, loc="upper left", title="what ends it, of all directions", frameon=False)
    lines = [f"volume {surface.volume:.4g} m³ with this attitude"]
    if any_attitude is not None:
        lines.append(f"about {any_attitude.volume:.4g} m³ with any attitude")
    for what, most in (("least", False), ("furthest", True)):
        reach, azimuth, elevation = surface.extreme(most)
        lines.append(
            f"{what} {reach:.3f} m, at azimuth {np.degrees(azimuth):.0f}°, elevation {np.degrees(elevation):.0f}°"
        )
    axes.text(0.02, 0.55, "\n".join(lines), va="top", linespacing=1.7, color=INK)


def _slice(axes: Axes, surface: Surface, space: Workspace, title: str, i: int, j: int) -> None:
    """Rays of their own in the plane."""
    from matplotlib.collections import LineCollection

    rays = ROUND if space.clearance is None else FEWER
    turn = np.linspace(0, 2 * np.pi, rays)
    directions = np.zeros((rays, 3))
    directions[:, i], directions[:, j] = np.cos(turn), np.sin(turn)
    found = space.straight(directions, surface.Q_WP[0], surface.centre)
    ends = found.distance[:, None] * directions[:, [i, j]]
    pieces = np.stack([ends[:-1], ends[1:]], axis=1)
    p = surface.centre + found.distance[:, None] * directions
    legs = legs_at_end(space, p, np.tile(surface.Q_WP[0], (rays, 1)), found.limit)
    colours = [END_COLOURS[k] for k in ends_of(found.limit, legs)[:-1]]
    axes.fill(*ends.T, color="0.95")
    axes.add_collection(LineCollection(list(pieces), colors=colours, linewidths=2))
    axes.plot(0, 0, "k+")
    names = "surge", "sway", "heave"
    axes.set(title=title, xlabel=f"{names[i]} [m]", ylabel=f"{names[j]} [m]")
    axes.set_aspect("equal")
    axes.margins(0.06)
    axes.autoscale_view()
    quiet_grid(axes)


def turns_figure(platform: Hexapod, surface: Surface) -> Figure:
    """Of turns at a place: how far about every axis, and what ends it, over azimuth and elevation of the axis."""
    figure = new_figure(12.5, 5.0)
    far, why = figure.subplots(1, 2)
    azimuth = np.degrees(np.append(surface.grid.azimuths, 2 * np.pi)) - 180
    elevation = np.degrees(surface.grid.elevations)
    half = surface.grid.columns // 2

    def rolled(values: Array) -> Array:
        grid = np.roll(surface.grid.grid(values), half, axis=1)
        return np.hstack([grid, grid[:, :1]])

    turn = np.degrees(rolled(surface.reach))
    drawn = far.contourf(azimuth, elevation, turn, levels=20, cmap="viridis")
    figure.colorbar(drawn, ax=far).set_label("largest turn [deg]")
    far.set_title("largest turn about an axis")
    _limit_map(why, azimuth, elevation, rolled(surface.ends.astype(np.float64)), surface)
    for axes in (far, why):
        axes.set(xlabel="azimuth of the axis [deg]", ylabel="elevation of the axis [deg]", xlim=(-180, 180))
        axes.set_xticks(range(-180, 181, 60))
    x, y, z = surface.centre - np.asarray(platform.p_neutral)
    figure.suptitle(f"{platform.name}: turns at surge {x:+.3f}, sway {y:+.3f}, heave {z:+.3f} m")
    return figure


def _limit_map(axes: Axes, azimuth: Array, elevation: Array, ends: Array, surface: Surface) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    colours = ListedColormap(list(END_COLOURS))
    axes.pcolormesh(azimuth, elevation, ends, cmap=colours, vmin=-0.5, vmax=len(ENDS) - 0.5, shading="nearest")
    shown = [(name, k) for k, name in enumerate(ENDS) if name in surface.shares]
    patches = [Patch(color=END_COLOURS[k], label=f"{MEANING[n]}: {surface.shares[n]:.0%}") for n, k in shown]
    axes.legend(handles=patches, loc="lower center", bbox_to_anchor=(0.5, -0.27), ncols=3, frameon=False, fontsize=9)
    axes.set_title("what ends it")
