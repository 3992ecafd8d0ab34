"""Pictures in space: workspaces and their limits, turns, and parts at a pose with the gap between two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.platform.hexapod import Hexapod
from motionbase.report.figures import GREY, INK, new_figure, quiet_grid, rgb
from motionbase.workbench.clearance import Gap, Thresholds
from motionbase.workbench.geometry import FRAME, Geometry
from motionbase.workbench.plots import VERDICT_COLOURS
from motionbase.workbench.surface import END_COLOURS, END_MEANING, ENDS, Surface, ends_of, legs_at_end
from motionbase.workbench.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SLICES = (("from above", 0, 1), ("from the right", 0, 2), ("from the front", 1, 2))  # title, axes across and up
ROUND, FEWER = 181, 73  # rays of a slice, without clearances and with them
SHADES = {"W": "#8d99a6", "P": "#c9b79c", "cylinder": "#6f8fb3", "rod": "#d5dbe1"}
FINE = 0.35  # [m]: triangles with longer edges are divided, so that the depth order is correct
LIGHT = np.array([0.45, -0.45, 0.77])
MOST_TRIANGLES = 40_000
WHOLE = 0.8  # half size of the view, relative to the largest extent
SHOWN_BEYOND = 4.0  # relative to a detail's size: parts are drawn this far and clipped by its frame
ELEVATION = 16.0  # [deg], of the eye


def surface_figure(platform: Hexapod, surface: Surface, space: Workspace, any_attitude: Surface | None) -> Figure:
    """Workspace of displacements: the surface in space, and three slices through neutral."""
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
    patches = [Patch(color=END_COLOURS[k], label=f"{END_MEANING[n]}: {surface.shares[n]:.0%}") for n, k in shown]
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
    """Draw a slice, with its own rays in the plane."""
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
    """Turns at a point: the largest about every axis, and its limit, over azimuth and elevation of the axis."""
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
    patches = [Patch(color=END_COLOURS[k], label=f"{END_MEANING[n]}: {surface.shares[n]:.0%}") for n, k in shown]
    axes.legend(handles=patches, loc="lower center", bbox_to_anchor=(0.5, -0.27), ncols=3, frameon=False, fontsize=9)
    axes.set_title("what ends it")


def scene_figure(
    geometry: Geometry, p_W: ArrayLike, Q_WP: ArrayLike, gap: Gap | None, title: str, verdict: str = ""
) -> Figure:
    """All parts, seen from the side of the gap, and the gap enlarged as a framed detail.

    Args:
        verdict: on the gap; default: by the default thresholds
    """
    figure = new_figure(12.5, 5.6)
    figure.set_layout_engine("none")
    if not verdict:
        verdict = "clear" if gap is None else Thresholds().verdict(gap.distance)
    corners, colours = _triangles(geometry, p_W, Q_WP, gap, verdict)
    middle = 0.5 * (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1)))
    size = 0.5 * float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    azimuth = -60.0 if gap is None else float(np.degrees(np.arctan2(*gap.points.mean(axis=0)[[1, 0]])))
    whole = figure.add_axes((0.0, 0.0, 0.5 if gap is not None else 1.0, 0.92), projection="3d")
    _view(whole, corners, colours, middle, WHOLE * size, azimuth)
    if gap is not None:
        near = figure.add_axes((0.52, 0.02, 0.46, 0.84), projection="3d")
        centre, reach = gap.points.mean(axis=0), max(0.12 * size, 2.5 * (gap.distance or 0.0))
        fine, shades = _divided(corners, colours, 0.5 * reach)
        close = np.linalg.norm(fine.mean(axis=1) - centre, axis=1) < SHOWN_BEYOND * reach
        _view(near, fine[close], shades[close], centre, 0.72 * reach, azimuth + 20)
        figure.patches.append(_frame(figure, near))
        for axes in (whole, near):
            axes.plot(*gap.points.T, color="black", linewidth=2, marker="o", markersize=3, zorder=10)
        said = "interference" if gap.distance is None else f"{1000 * gap.distance:.1f} mm"
        figure.text(0.75, 0.9, f"{gap.first} and {gap.second}: {said}", ha="center", fontsize=10)
    figure.suptitle(title)
    return figure


def _frame(figure: Figure, axes: Any) -> Any:
    """Draw a frame around a detail."""
    from matplotlib.patches import Rectangle

    place = axes.get_position()
    size = place.width, place.height
    return Rectangle((place.x0, place.y0), *size, transform=figure.transFigure, fill=False, edgecolor=GREY, linewidth=1)


def _triangles(
    geometry: Geometry, p_W: ArrayLike, Q_WP: ArrayLike, gap: Gap | None, verdict: str
) -> tuple[Array, Array]:
    """(n, 3, 3) corners in W and (n, 3) colours."""
    where = geometry.placed(p_W, Q_WP)
    marked = () if gap is None else (gap.first, gap.second)
    mark = VERDICT_COLOURS["stop" if verdict == "interference" else verdict]
    all_corners, all_colours = [], []
    for part in geometry.parts:
        if part.kind == "floor":
            continue
        k = FRAME[part.frame]
        vertices = part.mesh.vertices @ where.R[0, k].T + where.p[0, k]
        corners = vertices[part.mesh.triangles]
        if len(corners) < MOST_TRIANGLES:
            corners, _ = _divided(corners, np.zeros((len(corners), 3)), FINE)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
        colour = mark if part.name in marked else SHADES.get(part.frame.split(" ")[0], "#9aa4ae")
        shade = 0.5 + 0.5 * np.clip(normals @ LIGHT, 0, 1)
        all_corners.append(corners)
        all_colours.append(np.array(rgb(colour)) * shade[:, None])
    return np.concatenate(all_corners), np.concatenate(all_colours)


def _divided(corners: Array, colours: Array, longest: float) -> tuple[Array, Array]:
    """Triangles with their colours, each halved at its longest edge until no edge is longer than `longest` [m]."""
    done, shades = [corners[:0]], [colours[:0]]
    while len(corners):
        edges = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        long = edges.max(axis=1) > longest
        done.append(corners[~long])
        shades.append(colours[~long])
        corners, colours, edges = corners[long], np.tile(colours[long], (2, 1)), edges[long]
        k = edges.argmax(axis=1)
        n = np.arange(len(corners))
        a, b, c = corners[n, k], corners[n, (k + 1) % 3], corners[n, (k + 2) % 3]
        middle = 0.5 * (a + b)
        corners = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
    return np.concatenate(done), np.concatenate(shades)


def _view(axes: Any, corners: Array, colours: Array, middle: Array, size: float, azimuth: float) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, edgecolors=colours, linewidths=0.2))
    limits = {f"{name}lim": (x - size, x + size) for name, x in zip("xyz", middle, strict=True)}
    axes.set(**limits)
    axes.set_box_aspect((1, 1, 1), zoom=1.35)
    axes.view_init(elev=ELEVATION, azim=azimuth)
    axes.set_axis_off()
