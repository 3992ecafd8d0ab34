"""How far a hexapod goes or turns in all directions, what stops it there, and how much room that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.kinematics.lanes import kinematics_of, on_lanes
from motionbase.kinematics.mesh import Mesh
from motionbase.kinematics.sphere_grid import SphereGrid
from motionbase.kinematics.workspace import LIMITS, Progress, Reach, Workspace
from motionbase.platform.envelope import IDENTITY
from motionbase.spatial.equals import first_largest, first_least

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
ENDS = ("leg out", "leg in", *LIMITS[1:], "none")  # as LIMITS, a stroke by its end
Kind: TypeAlias = Literal["attitude", "place", "any attitude"]


@final
@dataclass(frozen=True, eq=False)
class Surface:
    """Ends of rays all round.

    Attributes:
        kind: "attitude": displacements without turning; "place": turns without moving; "any attitude": displacements,
            turned in whatever way helps
        grid: the directions: of displacements, or of axes
        centre: (3,) where the rays begin, in W [m]
        Q_WP: (n, 4) attitude at the end of each ray, or before turning
        reach: (n,) [m], or [rad] for turns
        limit: (n,) what ends each ray, as a place in `LIMITS`; -1 for nothing
        leg: (n,) the leg at the end of its stroke, where that ends the ray: 1 to 6 out, -1 to -6 in; else 0
        notes: how it was searched, where that is not plain
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
        """[m^3] inside, of displacements: the integral of r^3 / 3 over all directions."""
        return float(self.grid.weights @ self.reach**3 / 3)

    @property
    def ends(self) -> Ints:
        """(n,) what ends each ray, as a place in `ENDS`."""
        return ends_of(self.limit, self.leg)

    @property
    def shares(self) -> dict[str, float]:
        """Of all directions, the share that each of `ENDS` ends, 0 to 1."""
        ends = self.ends
        found = {name: float(self.grid.weights[ends == k].sum() / (4 * np.pi)) for k, name in enumerate(ENDS)}
        return {name: share for name, share in found.items() if share > 0}

    @property
    def mesh(self) -> Mesh:
        """The surface in W, of displacements."""
        return self.grid.mesh(self.centre, self.reach)

    def extreme(self, most: bool) -> tuple[float, float, float]:
        """Largest or least reach, with azimuth and elevation of its direction [rad]."""
        k = first_largest(self.reach) if most else first_least(self.reach)
        x, y, z = self.grid.directions[k]
        return float(self.reach[k]), float(np.arctan2(y, x)), float(np.arcsin(z))

    def summary(self) -> dict[str, Any]:
        """The few numbers, for people and scripts."""
        unit = "rad" if self.kind == "place" else "m"
        made: dict[str, Any] = {"kind": self.kind, "rays": len(self.reach), "limits": self.shares}
        if self.kind != "place":
            made["volume_m3"] = self.volume
        for what, most in (("least", False), ("most", True)):
            reach, azimuth, elevation = self.extreme(most)
            made[what] = {f"reach_{unit}": reach, "azimuth_rad": azimuth, "elevation_rad": elevation}
        return made | {"notes": list(self.notes)}

    def facts(self) -> dict[str, Any]:
        """Everything, ray by ray."""
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
    """All displacements from neutral with one attitude."""
    grid, Q = SphereGrid(rows), np.asarray(Q_WP, dtype=np.float64)
    found = space.straight(grid.directions, Q, progress=progress)
    return _made(space, "attitude", grid, np.asarray(space.platform.p_neutral), Q, found)


def surface_at_place(
    space: Workspace, p_W: ArrayLike | None = None, *, rows: int = 24, progress: Progress | None = None
) -> Surface:
    """All turns at one place."""
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
    """(n,) which leg is at an end of its stroke: 1 to 6 out, -1 to -6 in; 0 where something else ends the ray."""
    stroke = space.platform.stroke
    l = on_lanes(kinematics_of(space.platform).inverse, p_W=p_W, Q_WP=Q_WP)["l"]
    left = np.hstack([stroke.l_max - l, l - stroke.l_min])
    nearest = left.argmin(axis=1)
    signed = np.where(nearest < 6, nearest + 1, 5 - nearest)
    return np.where(limit == 0, signed, 0)


def ends_of(limit: Ints, leg: Ints) -> Ints:
    """(n,) places in `ENDS`."""
    by_stroke = np.where(leg > 0, 0, 1)
    return np.where(limit == 0, by_stroke, np.where(limit < 0, len(ENDS) - 1, limit + 1))
