"""Reach of a hexapod in all directions, its limits, and the volume."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Ints
from motionbase.errors import PlatformError, UsageError
from motionbase.platform.envelope import IDENTITY
from motionbase.platform.kinematics import kinematics_of
from motionbase.spatial.equals import first_largest, first_least
from motionbase.workbench.mesh import Mesh
from motionbase.workbench.mesh_files import ENDINGS
from motionbase.workbench.poses import on_lanes
from motionbase.workbench.workspace import LIMITS, Progress, Reach, Workspace

ENDS = ("leg out", "leg in", *LIMITS[1:], "none")  # as LIMITS, with the two ends of a stroke apart
END_COLOURS = "#2f6fae", "#7fb3d5", "#c2571a", "#3a8f4d", "#8e44ad", "#9aa4ae"  # in the order of ENDS
END_MEANING = {
    "leg out": "a leg fully out",
    "leg in": "a leg fully in",
    "bearings": "a bearing's range",
    "legs": "legs too near each other",
    "clearance": "clearance of parts",
    "none": "nothing found",
}
Kind: TypeAlias = Literal["attitude", "place", "any attitude"]
FEWEST, MOST = 4, 200  # rows


@final
@dataclass(frozen=True, eq=False)
class Surface:
    """Ends of rays in all directions.

    Attributes:
        kind: "attitude": displacements without turning; "place": turns without moving; "any attitude": displacements in
            any attitude
        grid: directions of displacements or of axes
        centre: (3,) where the rays begin, in W [m]
        Q_WP: (n, 4) attitude at the end of each ray, or before turning
        reach: (n,) [m], or [rad] for turns
        limit: (n,) limit of each ray, as an index into `LIMITS`; -1 for none
        leg: (n,) leg at the end of its stroke, if that limits the ray: 1 to 6 out, -1 to -6 in; else 0
        notes: method of the search, if it is not the usual one
    """

    kind: Kind
    grid: SphereGrid
    centre: Array
    Q_WP: Array
    reach: Array
    limit: Ints
    leg: Ints
    notes: tuple[str, ...] = field(default=())

    @property
    def volume(self) -> float:
        """Volume of displacements [m^3]: the integral of r^3 / 3 over all directions."""
        return float(self.grid.weights @ self.reach**3 / 3)

    @property
    def ends(self) -> Ints:
        """(n,) limit of each ray, as an index into `ENDS`."""
        return ends_of(self.limit, self.leg)

    @property
    def shares(self) -> dict[str, float]:
        """Share of all directions limited by each of `ENDS`, 0 to 1."""
        ends = self.ends
        found = {name: float(self.grid.weights[ends == k].sum() / (4 * np.pi)) for k, name in enumerate(ENDS)}
        return {name: share for name, share in found.items() if share > 0}

    @property
    def mesh(self) -> Mesh:
        """The surface of displacements, in W."""
        return self.grid.mesh(self.centre, self.reach)

    def extreme(self, most: bool) -> tuple[float, float, float]:
        """Largest or least reach, with azimuth and elevation of its direction [rad]."""
        k = first_largest(self.reach) if most else first_least(self.reach)
        x, y, z = self.grid.directions[k]
        return float(self.reach[k]), float(np.arctan2(y, x)), float(np.arcsin(z))

    def summary(self) -> dict[str, Any]:
        """The main numbers."""
        unit = "rad" if self.kind == "place" else "m"
        made: dict[str, Any] = {"kind": self.kind, "rays": len(self.reach), "limits": self.shares}
        if self.kind != "place":
            made["volume_m3"] = self.volume
        for what, most in (("least", False), ("most", True)):
            reach, azimuth, elevation = self.extreme(most)
            made[what] = {f"reach_{unit}": reach, "azimuth_rad": azimuth, "elevation_rad": elevation}
        return made | {"notes": list(self.notes)}

    def facts(self) -> dict[str, Any]:
        """All data, ray by ray."""
        return {
            **self.summary(),
            "centre_m": self.centre.tolist(),
            "directions": self.grid.directions.tolist(),
            "reach": self.reach.tolist(),
            "ended_by": [ENDS[k] for k in self.ends],
            "leg": self.leg.tolist(),
            "Q_WP": self.Q_WP.tolist(),
        }


def surface_at_attitude(
    space: Workspace, Q_WP: ArrayLike = IDENTITY, *, rows: int = 24, progress: Progress | None = None
) -> Surface:
    """All displacements from neutral in one attitude."""
    grid, Q = SphereGrid(rows), np.asarray(Q_WP, dtype=np.float64)
    found = space.straight(grid.directions, Q, progress=progress)
    return _made(space, "attitude", grid, np.asarray(space.platform.p_neutral), Q, found)


def surface_at_place(
    space: Workspace, p_W: ArrayLike | None = None, *, rows: int = 24, progress: Progress | None = None
) -> Surface:
    """All turns at one point."""
    grid = SphereGrid(rows)
    place = np.asarray(space.platform.p_neutral if p_W is None else p_W, dtype=np.float64)
    found = space.turning(grid.directions, place, progress=progress)
    return _made(space, "place", grid, place, np.array(IDENTITY), found)


def _made(space: Workspace, kind: Kind, grid: SphereGrid, centre: Array, Q: Array, found: Reach) -> Surface:
    attitudes = np.tile(Q, (len(found.distance), 1))
    p, turned = np.tile(centre, (len(found.distance), 1)), attitudes
    if kind == "place":
        half = 0.5 * found.distance[:, None]
        turned = np.hstack([np.cos(half), np.sin(half) * grid.directions])
    else:
        p = centre + found.distance[:, None] * grid.directions
    legs = legs_at_end(space, p, turned, found.limit)
    return Surface(kind, grid, centre, attitudes, found.distance, found.limit, legs)


def legs_at_end(space: Workspace, p_W: Array, Q_WP: Array, limit: Ints) -> Ints:
    """(n,) leg at an end of its stroke: 1 to 6 out, -1 to -6 in; 0 if another limit ends the ray."""
    stroke = space.platform.stroke
    l = on_lanes(kinematics_of(space.platform).inverse, p_W=p_W, Q_WP=Q_WP)["l"]
    left = np.hstack([stroke.l_max - l, l - stroke.l_min])
    nearest = left.argmin(axis=1)
    signed = np.where(nearest < 6, nearest + 1, 5 - nearest)
    return np.where(limit == 0, signed, 0)


def ends_of(limit: Ints, leg: Ints) -> Ints:
    """(n,) indices into `ENDS`."""
    by_stroke = np.where(leg > 0, 0, 1)
    return np.where(limit == 0, by_stroke, np.where(limit < 0, len(ENDS) - 1, limit + 1))


@final
@dataclass(frozen=True)
class SphereGrid:
    """Directions by Gauss's rule in height and equal steps in azimuth, exact for polynomials of degree 2 rows - 1.

    The rays are the rows from below, each counter-clockwise from forward, then straight down and straight up, which
    have no weight.
    """

    rows: int = 24

    def __post_init__(self) -> None:
        if not FEWEST <= self.rows <= MOST:
            raise PlatformError(f"there are {self.rows} rows of directions, {FEWEST} to {MOST} are wanted")

    @property
    def columns(self) -> int:
        """Number of directions in a row."""
        return 2 * self.rows

    @cached_property
    def _rule(self) -> tuple[Array, Array]:
        heights, weights = np.polynomial.legendre.leggauss(self.rows)
        return np.asarray(heights, dtype=np.float64), np.asarray(weights, dtype=np.float64)

    @cached_property
    def azimuths(self) -> Array:
        """(columns,) from forward to the left [rad]."""
        return np.asarray(2 * np.pi / self.columns * np.arange(self.columns), dtype=np.float64)

    @cached_property
    def elevations(self) -> Array:
        """(rows,) above the horizontal [rad]."""
        return np.asarray(np.arcsin(self._rule[0]))

    @cached_property
    def directions(self) -> Array:
        """(rows * columns + 2, 3) unit vectors."""
        heights = self._rule[0]
        level = np.sqrt(1 - heights**2)
        grid = np.stack([np.outer(level, np.cos(self.azimuths)), np.outer(level, np.sin(self.azimuths)),
                         np.repeat(heights[:, None], self.columns, axis=1)], axis=2)  # fmt: skip
        return np.vstack([grid.reshape(-1, 3), [[0, 0, -1], [0, 0, 1]]])

    @cached_property
    def weights(self) -> Array:
        """(rows * columns + 2,) solid angle of each ray [sr]."""
        return np.append(np.repeat(self._rule[1] * 2 * np.pi / self.columns, self.columns), [0.0, 0.0])

    def grid(self, values: Array) -> Array:
        """(rows, columns) values of the rays without the poles."""
        return np.asarray(values[:-2]).reshape(self.rows, self.columns)

    @cached_property
    def triangles(self) -> Ints:
        """(n, 3) of the closed surface through the ends of the rays."""
        k = np.arange(self.columns)
        after = (k + 1) % self.columns
        last = (self.rows - 1) * self.columns
        down, up = self.rows * self.columns, self.rows * self.columns + 1
        faces = [np.column_stack([np.full_like(k, down), after, k])]
        for row in range(self.rows - 1):
            low, high = row * self.columns, (row + 1) * self.columns
            faces.append(np.column_stack([low + k, low + after, high + after]))
            faces.append(np.column_stack([low + k, high + after, high + k]))
        faces.append(np.column_stack([last + k, last + after, np.full_like(k, up)]))
        return np.concatenate(faces).astype(np.int64)

    def mesh(self, centre: Array, reach: Array) -> Mesh:
        """The surface through the ends of rays from a point [m]."""
        return Mesh(centre + reach[:, None] * self.directions, self.triangles)

    def neighbours(self) -> Ints:
        """(rays, 4) neighbours of each ray: left, right, below and above; the poles adjoin the last rows."""
        number = np.arange(self.rows * self.columns).reshape(self.rows, self.columns)
        down, up = number.size, number.size + 1
        below = np.vstack([np.full(self.columns, down), number[:-1]])
        above = np.vstack([number[1:], np.full(self.columns, up)])
        each = np.stack([np.roll(number, 1, axis=1), np.roll(number, -1, axis=1), below, above], axis=2).reshape(-1, 4)
        quarter = np.linspace(0, self.columns, 4, endpoint=False).astype(int)
        return np.vstack([each, number[0][quarter], number[-1][quarter]])


def write_surface(surface: Surface, path: Path | str) -> None:
    """Write a closed surface to a mesh file, in metres."""
    import trimesh

    path = Path(path)
    if path.suffix not in ENDINGS:
        raise UsageError(f"cannot write a mesh to {str(path)!r}: the name must end in {' or '.join(ENDINGS)}")
    mesh = surface.mesh
    colours = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] + [255] for colour in END_COLOURS], np.uint8)
    made = trimesh.Trimesh(mesh.vertices, mesh.triangles, vertex_colors=colours[surface.ends], process=False)
    try:
        made.export(path)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None
