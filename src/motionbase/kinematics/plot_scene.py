"""A picture of a hexapod's parts at a pose, with two of them and the gap between them marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.kinematics.clearance import Gap, Thresholds
from motionbase.kinematics.frames import FRAME
from motionbase.kinematics.geometry import Geometry
from motionbase.kinematics.plotting import GREY, VERDICT_COLOURS, new_figure, rgb

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array: TypeAlias = NDArray[np.float64]
SHADES = {"W": "#8d99a6", "P": "#c9b79c", "cylinder": "#6f8fb3", "rod": "#d5dbe1"}
FINE = 0.35  # [m]: triangles with longer edges are divided, so that near ones are drawn over far ones
LIGHT = np.array([0.45, -0.45, 0.77])
MOST_TRIANGLES = 40_000
WHOLE = 0.8  # of half the largest extent, along each axis of the box that is shown whole
SHOWN_BEYOND = 4.0  # of a detail's size: parts are drawn so far, and cut by its frame alone
ELEVATION = 16.0  # [deg], of the eye


def scene_figure(
    geometry: Geometry, p_W: ArrayLike, Q_WP: ArrayLike, gap: Gap | None, title: str, verdict: str = ""
) -> Figure:
    """All parts from the side on which the gap is, whole, and the gap from near, as a detail in a frame.

    Args:
        verdict: of the gap; without it that of the usual thresholds
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
    """Round a detail, whose parts go on beyond it."""
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
    """Triangles of which no edge is longer [m], each halved at its longest edge until none is, with their colours."""
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
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, edgecolors=colours, linewidths=0.2))
    limits = {f"{name}lim": (x - size, x + size) for name, x in zip("xyz", middle, strict=True)}
    axes.set(**limits)
    axes.set_box_aspect((1, 1, 1), zoom=1.35)
    axes.view_init(elev=ELEVATION, azim=azimuth)
    axes.set_axis_off()
