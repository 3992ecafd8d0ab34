"""Where a hexapod can be: along rays from a place, in slices, and how much room there is altogether.

A pose is reachable where no leg is beyond its operational stroke, no bearing beyond its range, and no two legs are
nearer than they are thick. Rays go out from a pose that is reachable to the first that is not: what lies behind a gap
is not seen, and the platform could not get there on a straight way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionbase.compile import Kernel
from motionbase.errors import PlatformError
from motionbase.kinematics.lanes import on_lanes
from motionbase.kinematics.margins import margins_kernel
from motionbase.platform.envelope import IDENTITY
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.hexapod import Hexapod

Array: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
LIMITS = ("stroke", "bearings", "legs")
HALVINGS = 40  # of the last step of a ray: to 1e-12 of it


@final
@dataclass(frozen=True, eq=False)
class Margins:
    """At n poses, (n,) each; below zero is beyond.

    Attributes:
        stroke: [m]; bearings: [rad]; legs: free space between the nearest two [m]; dexterity: 0 to 1
    """

    stroke: Array
    bearings: Array
    legs: Array
    dexterity: Array

    @property
    def reachable(self) -> Flags:
        """Where nothing is beyond."""
        return np.asarray((self.stroke >= 0) & (self.bearings >= 0) & (self.legs >= 0))

    @property
    def beyond(self) -> NDArray[np.int64]:
        """What is beyond, as a place in `LIMITS`, the first of several; -1 where nothing is."""
        flags = np.stack([self.stroke < 0, self.bearings < 0, self.legs < 0])
        return np.where(flags.any(axis=0), flags.argmax(axis=0), -1)


@final
@dataclass(frozen=True, eq=False)
class Workspace:
    """Of one platform.

    Attributes:
        gimbals: range of the bearings
        thickness: least distance between the axes of two legs [m]
    """

    platform: Hexapod
    gimbals: Gimbals = Gimbals()
    thickness: float = 0.0

    @cached_property
    def _kernel(self) -> Kernel:
        return margins_kernel(self.platform, self.gimbals)

    def margins(self, p_W: Array, Q_WP: Array) -> Margins:
        """At (n, 3) positions and (n, 4) attitudes."""
        found = on_lanes(self._kernel, p_W=p_W, Q_WP=Q_WP)
        apart = found.pop("apart")
        return Margins(**found, legs=apart - self.thickness)

    def along(self, poses: Callable[[Array], tuple[Array, Array]], rays: int, furthest: float, steps: int) -> Array:
        """(rays,) how far each ray goes, up to `furthest`: marched in steps, then halved where it leaves.

        Args:
            poses: (rays,) distances -> positions and attitudes, one for each ray
        """
        if not np.all(self.margins(*poses(np.zeros(rays))).reachable):
            raise PlatformError(
                f"platform {self.platform.name!r}: the place from which the workspace is looked at is itself not "
                "reachable; choose one within the strokes and the bearings' range"
            )
        step = furthest / steps
        inside, goes_on = np.zeros(rays), np.ones(rays, dtype=bool)
        for k in range(1, steps + 1):
            goes_on &= self.margins(*poses(np.full(rays, k * step))).reachable
            inside[goes_on] = k * step
            if not goes_on.any():
                break
        outside = np.minimum(inside + step, furthest)
        for _ in range(HALVINGS):
            middle = 0.5 * (inside + outside)
            reachable = self.margins(*poses(middle)).reachable
            inside, outside = np.where(reachable, middle, inside), np.where(reachable, outside, middle)
        return inside

    def at_attitude(self, directions: ArrayLike, Q_WP: ArrayLike = IDENTITY, centre: ArrayLike | None = None) -> Array:
        """(n,) how far the platform goes in each of n directions (unit vectors in W) without turning [m]."""
        directions = np.atleast_2d(np.asarray(directions, dtype=np.float64))
        start = np.asarray(self.platform.p_neutral if centre is None else centre, dtype=np.float64)
        attitude = np.tile(np.asarray(Q_WP, dtype=np.float64), (len(directions), 1))

        def poses(distance: Array) -> tuple[Array, Array]:
            return start + distance[:, None] * directions, attitude

        return self.along(poses, len(directions), 2 * self.platform.stroke.hard_max, 200)

    def at_place(self, axes: ArrayLike, p_W: ArrayLike | None = None) -> Array:
        """(n,) how far the platform turns about each of n axes (unit vectors in W) without moving [rad]."""
        axes = np.atleast_2d(np.asarray(axes, dtype=np.float64))
        place = np.asarray(self.platform.p_neutral if p_W is None else p_W, dtype=np.float64)
        places = np.tile(place, (len(axes), 1))

        def poses(angle: Array) -> tuple[Array, Array]:
            half = 0.5 * angle[:, None]
            return places, np.hstack([np.cos(half), np.sin(half) * axes])

        return self.along(poses, len(axes), np.pi, 180)

    def volume(self, Q_WP: ArrayLike = IDENTITY, *, rows: int = 40) -> float:
        """[m^3] that can be reached without turning, as seen from neutral: the integral of r^3 / 3 over all directions.

        Gauss's rule in the height, equal steps round about: polynomials of degree 2 rows - 1 on the sphere are exact.
        """
        heights, weights = np.polynomial.legendre.leggauss(rows)
        turns = 2 * np.pi / (2 * rows) * np.arange(2 * rows)
        level = np.sqrt(1 - heights**2)
        directions = np.stack([np.outer(level, np.cos(turns)), np.outer(level, np.sin(turns)),
                               np.repeat(heights[:, None], len(turns), axis=1)], axis=2)  # fmt: skip
        r = self.at_attitude(directions.reshape(-1, 3), Q_WP).reshape(len(heights), len(turns))
        return float(weights @ (r**3 / 3).sum(axis=1) * 2 * np.pi / len(turns))
