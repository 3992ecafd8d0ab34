"""Workspace of a hexapod: reach along rays from a point, in slices, and the volume.

A pose is reachable if no leg is beyond its operational stroke, no bearing beyond its range, no two legs are nearer than
their thickness and, if clearances count, no two parts are nearer than the stop distance. Rays start at a reachable pose
and end at the first that is not: regions behind a gap are not found, and the platform could not get there on a straight
line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any, Self, TypeAlias, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Flags, Ints
from motionbase.compile import Kernel, Port
from motionbase.errors import PlatformError
from motionbase.platform.envelope import IDENTITY
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.hexapod import LEGS, Hexapod
from motionbase.platform.kinematics import POSE
from motionbase.platform.legs import legs_at
from motionbase.platform.shape import shape_of
from motionbase.spatial.rotations import Expr, R_quaternion
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.poses import on_lanes
from motionbase.workbench.posture import base_angles, dexterity, platform_angles
from motionbase.workbench.sweep import sweep

Poses: TypeAlias = Callable[[Array], tuple[Array, Array]]  # (rays,) distances -> positions, attitudes
Progress: TypeAlias = Callable[[float], None]  # fraction done
STOP = Thresholds().stop
LIMITS = ("stroke", "bearings", "legs", "clearance")
CLEARANCE = LIMITS.index("clearance")
HALVINGS = 40  # of the last step of a ray, to 1e-12 of it
STATIONS = 24  # points of a ray at which clearances are computed
MESH_HALVINGS = 12  # between two of these points, to 2e-4 of their distance
RAYS_AT_ONCE = 64  # rays whose clearances are computed together, between reports of progress
TINY = 1e-6  # [m]: nearer parts touch
OUTPUTS = (
    Port("stroke", (), "m", "left of the operational stroke, of the leg that has least; below 0 outside"),
    Port("bearings", (), "rad", "left of the bearings' range, of the one that has least; below 0 outside"),
    Port("apart", (), "m", "between the axes of the two legs that are nearest"),
    Port("dexterity", (), "-", "of the pose"),
)


@final
@dataclass(frozen=True, eq=False)
class Margins:
    """Margins at n poses, (n,) each; below zero out of reach.

    Attributes:
        stroke: [m]; bearings: [rad]; legs: free space between the nearest two [m]; dexterity: 0 to 1
    """

    stroke: Array
    bearings: Array
    legs: Array
    dexterity: Array

    @property
    def reachable(self) -> Flags:
        """(n,) whether no margin is below zero."""
        return np.asarray((self.stroke >= 0) & (self.bearings >= 0) & (self.legs >= 0))

    @property
    def beyond(self) -> Ints:
        """(n,) the first exceeded limit, as an index into `LIMITS`; -1 for none."""
        flags = np.stack([self.stroke < 0, self.bearings < 0, self.legs < 0])
        return np.where(flags.any(axis=0), flags.argmax(axis=0), -1)


@final
@dataclass(frozen=True, eq=False)
class Reach:
    """Reach of n rays.

    Attributes:
        distance: (n,) length of each ray [m], or [rad] for turns
        limit: (n,) limit at its end, as an index into `LIMITS`; -1 if none was found
    """

    distance: Array
    limit: Ints


@final
@dataclass(frozen=True, eq=False)
class Workspace:
    """Workspace of one platform.

    Attributes:
        gimbals: range of the bearings; default: the platform's own
        thickness: least distance between the axes of two legs [m]
        clearance: of the parts; None if they do not count
        stop: clearance at which a ray ends [m]
    """

    platform: Hexapod
    gimbals: Gimbals | None = None
    thickness: float = 0.0
    clearance: Clearance | None = None
    stop: float = STOP

    @classmethod
    def of(cls, platform: Hexapod, *, thickness: float | None = None, meshes: bool = False, stop: float = STOP) -> Self:
        """The workspace of a platform; legs are as thick as its cylinders unless given, and parts count if wanted."""
        thick = 2 * shape_of(platform).cylinder_radius if thickness is None else thickness
        return cls(platform, None, thick, Clearance(geometry_of(platform)) if meshes else None, stop)

    @cached_property
    def _kernel(self) -> Kernel:
        return margins_kernel(self.platform, self.gimbals or self.platform.gimbals)

    def margins(self, p_W: Array, Q_WP: Array) -> Margins:
        """Margins at (n, 3) positions and (n, 4) attitudes, without clearances."""
        found = on_lanes(self._kernel, p_W=p_W, Q_WP=Q_WP)
        apart = found.pop("apart")
        return Margins(**found, legs=apart - self.thickness)

    def reach(self, poses: Poses, rays: int, furthest: float, steps: int, progress: Progress | None = None) -> Reach:
        """Reach of each ray, up to `furthest`: in steps, then by halving the last."""
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
        found = Reach(inside, self.margins(*poses(outside)).beyond)
        return found if self.clearance is None else self._until_near(poses, found, progress)

    def _until_near(self, poses: Poses, found: Reach, progress: Progress | None) -> Reach:
        """Cut rays where parts come too near; obstacles thinner than the distance of two stations may be missed."""
        rays = len(found.distance)
        if self._near(*(row[:1] for row in poses(np.zeros(rays))))[0]:
            raise PlatformError(
                f"platform {self.platform.name!r}: parts are nearer than {self.stop:g} m at the place from which the "
                "workspace is looked at; choose another place, or a smaller distance at which to stop"
            )
        shares = np.arange(1, STATIONS + 1) / STATIONS
        near = np.empty((rays, STATIONS), dtype=bool)
        at = [poses(share * found.distance) for share in shares]
        p, Q = (np.stack([one[k] for one in at], axis=1) for k in range(2))
        for begin in range(0, rays, RAYS_AT_ONCE):
            mine = slice(begin, begin + RAYS_AT_ONCE)
            near[mine] = self._near(p[mine].reshape(-1, 3), Q[mine].reshape(-1, 4)).reshape(-1, STATIONS)
            if progress is not None:
                progress(min(1.0, (begin + RAYS_AT_ONCE) / rays))
        cut = np.flatnonzero(near.any(axis=1))
        first = near[cut].argmax(axis=1)
        distance, limit = found.distance.copy(), found.limit.copy()
        inside, outside = first / STATIONS * distance[cut], (first + 1) / STATIONS * distance[cut]
        for _ in range(MESH_HALVINGS if len(cut) else 0):
            middle = distance.copy()
            middle[cut] = 0.5 * (inside + outside)
            near_there = self._near(*(row[cut] for row in poses(middle)))
            inside, outside = np.where(near_there, inside, middle[cut]), np.where(near_there, middle[cut], outside)
        distance[cut], limit[cut] = inside, CLEARANCE
        return Reach(distance, limit)

    def _near(self, p_W: Array, Q_WP: Array) -> Flags:
        """(n,) whether any parts are nearer than the stop distance."""
        assert self.clearance is not None
        return np.asarray(~np.isposinf(sweep(self.clearance, p_W, Q_WP, max(self.stop, TINY)).distance))

    def straight(
        self,
        directions: ArrayLike,
        Q_WP: ArrayLike = IDENTITY,
        centre: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> Reach:
        """Reach in each of n directions (unit vectors in W) without turning [m]."""
        directions = np.atleast_2d(np.asarray(directions, dtype=np.float64))
        start = np.asarray(self.platform.p_neutral if centre is None else centre, dtype=np.float64)
        attitude = np.tile(np.asarray(Q_WP, dtype=np.float64), (len(directions), 1))

        def poses(distance: Array) -> tuple[Array, Array]:
            return start + distance[:, None] * directions, attitude

        return self.reach(poses, len(directions), 2 * self.platform.stroke.hard_max, 200, progress)

    def turning(self, axes: ArrayLike, p_W: ArrayLike | None = None, progress: Progress | None = None) -> Reach:
        """Largest turn about each of n axes (unit vectors in W) without moving [rad]."""
        axes = np.atleast_2d(np.asarray(axes, dtype=np.float64))
        place = np.asarray(self.platform.p_neutral if p_W is None else p_W, dtype=np.float64)
        places = np.tile(place, (len(axes), 1))

        def poses(angle: Array) -> tuple[Array, Array]:
            half = 0.5 * angle[:, None]
            return places, np.hstack([np.cos(half), np.sin(half) * axes])

        return self.reach(poses, len(axes), np.pi, 180, progress)

    def at_attitude(self, directions: ArrayLike, Q_WP: ArrayLike = IDENTITY, centre: ArrayLike | None = None) -> Array:
        """(n,) reach in each of n directions (unit vectors in W) without turning [m]."""
        return self.straight(directions, Q_WP, centre).distance

    def at_place(self, axes: ArrayLike, p_W: ArrayLike | None = None) -> Array:
        """(n,) largest turn about each of n axes (unit vectors in W) without moving [rad]."""
        return self.turning(axes, p_W).distance

    def volume(self, Q_WP: ArrayLike = IDENTITY, *, rows: int = 40) -> float:
        """Volume that can be reached from neutral without turning [m^3]."""
        from motionbase.workbench.surface import surface_at_attitude

        return surface_at_attitude(self, Q_WP, rows=rows).volume


@lru_cache(maxsize=16)
def margins_kernel(platform: Hexapod, gimbals: Gimbals) -> Kernel:
    """(p_W, Q_WP) -> stroke, bearings, apart, dexterity."""
    stroke, base = platform.stroke, ca.DM(np.asarray(platform.base))

    def expr(p_W: Expr, Q_WP: Expr) -> Any:
        legs, R = legs_at(platform, p_W, Q_WP), R_quaternion(Q_WP)
        ends = base + legs.u * ca.repmat(legs.l, 1, 3)
        return (
            ca.fmin(ca.mmin(legs.l) - stroke.l_min, stroke.l_max - ca.mmax(legs.l)),
            ca.fmin(
                _least(base_angles(platform, legs), gimbals.base),
                _least(platform_angles(platform, legs, R), gimbals.platform),
            ),
            nearest([(base[k, :].T, ends[k, :].T) for k in range(LEGS)]),
            dexterity(platform, legs, R),
        )

    return Kernel("hexapod_margins", POSE, OUTPUTS, expr)


def _least(angles: Expr, limits: tuple[float, float]) -> Expr:
    first, second = (limit - ca.mmax(ca.fabs(angles[:, k])) for k, limit in enumerate(limits))
    return ca.fmin(first, second)


def nearest(segments: list[tuple[Expr, Expr]]) -> Expr:
    """The least distance between any two segments, each given by its ends [m]."""
    squares = [_square_distance(*one, *other) for one, other in combinations(segments, 2)]
    return ca.sqrt(ca.mmin(ca.vertcat(*squares)))


def _square_distance(a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
    """Squared distance of segments ab and cd: the nearest point of each to the other, clamped to its ends.

    Take s on ab from the lines' common normal, clamped; t on cd nearest to it, clamped; and s again for that t. Both
    are then optimal for each other, and the squared distance is convex, so no other pair is nearer.
    """
    along, other, between = b - a, d - c, a - c
    aa, oo, ao = ca.dot(along, along), ca.dot(other, other), ca.dot(along, other)
    ab, ob = ca.dot(along, between), ca.dot(other, between)
    rest = ca.fmax(aa * oo - ao**2, 1e-12 * aa * oo)  # parallel: any s serves
    s = _held((ao * ob - ab * oo) / rest)
    t = _held((ao * s + ob) / oo)
    s = _held((ao * t - ab) / aa)
    return ca.sumsqr(between + s * along - t * other)


def _held(share: Expr) -> Expr:
    return ca.fmax(0, ca.fmin(1, share))
