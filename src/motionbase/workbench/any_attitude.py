"""Reach of a hexapod in any attitude: the union of the workspaces of all attitudes, searched from inside.

Along every ray the platform moves out step by step. At each step it turns so that its legs come back within their
strokes, by Gauss-Newton steps on their excess, starting from its present attitude. If bearings or other legs limit it,
small turns about three axes search for more room. Where a ray ends, the attitudes of the neighbouring rays are tried.
Every end is reachable with the attitude found, so the volume is a lower bound; an attitude that the search misses could
add to it. Regions behind a gap, as seen from neutral, are not counted.
"""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.platform.envelope import IDENTITY
from motionbase.platform.kinematics import kinematics_of
from motionbase.spatial.equals import ALIKE, first_largest_of_rows
from motionbase.spatial.quaternion_arrays import quaternion_products
from motionbase.workbench.poses import on_lanes
from motionbase.workbench.surface import SphereGrid, Surface, legs_at_end
from motionbase.workbench.sweep import sweep
from motionbase.workbench.workspace import CLEARANCE, TINY, Margins, Progress, Workspace

STEPS = 60  # of a ray, which is as long as the extended leg
FITS = 12  # Gauss-Newton steps at each step
SPARE = 1e-6  # margin of the target, as a fraction of the stroke
DAMPING = 1e-4  # [m^2], of the Gauss-Newton steps
MOST_TURN = 0.2  # [rad], of one Gauss-Newton step
ROUNDS = 8  # of the search by small turns at the end of a ray
TURN, LEAST_TURN = 0.12, 1e-4  # [rad], first and last turns of that search
HALVINGS = 10  # of the last step
PASSES = 2  # over the neighbouring rays
NOTE = (
    "searched from inside: along each ray in steps, at each turning until the legs are within their strokes, then from "
    "the attitudes of the rays beside it; what is found is reachable; between the rays it is interpolated"
)


def reachable_surface(space: Workspace, *, rows: int = 24, progress: Progress | None = None) -> Surface:
    """Surface of all displacements from neutral that are reachable in some attitude."""
    search = _Search(space, SphereGrid(rows), progress)
    search.march()
    for _ in range(PASSES):
        search.from_neighbours()
    reach, limit = search.ends()
    if space.clearance is not None:
        reach, limit = search.until_near(reach, limit)
    p = search.centre + reach[:, None] * search.grid.directions
    legs = legs_at_end(space, p, search.Q, limit)
    return Surface("any attitude", search.grid, search.centre, search.Q, reach, limit, legs, (NOTE,))


class _Search:
    """The search; attributes: reach (n,) and attitude Q (n, 4) of every ray so far."""

    def __init__(self, space: Workspace, grid: SphereGrid, progress: Progress | None) -> None:
        self.space, self.grid, self.progress = space, grid, progress
        self.centre = np.asarray(space.platform.p_neutral)
        n = len(grid.directions)
        self.step = space.platform.stroke.l_max / STEPS
        self.reach, self.Q = np.zeros(n), np.tile(np.array(IDENTITY), (n, 1))

    def room(self, rays: Ints, distance: Array, Q: Array) -> Array:
        """(n,) the least scaled margin of stroke, bearings and distance between legs; below 0 out of reach."""
        return room_of(self.space, self.margins(rays, distance, Q))

    def margins(self, rays: Ints, distance: Array, Q: Array) -> Margins:
        return self.space.margins(self.centre + distance[:, None] * self.grid.directions[rays], Q)

    def turned(self, rays: Ints, distance: Array, Q: Array, rounds: int) -> tuple[Array, Array]:
        """Attitudes with larger margins, and the margins; each round tries six small turns, halved if none helps."""
        room, turn = self.room(rays, distance, Q), np.full(len(rays), TURN)
        axes = np.vstack([np.eye(3), -np.eye(3)])
        for _ in range(rounds):
            half = 0.5 * turn[:, None, None] * axes
            small = np.concatenate([np.cos(0.5 * turn)[:, None, None].repeat(6, axis=1), np.sin(half)], axis=2)
            tried = _turned(small, Q[:, None]).reshape(-1, 4)
            found = self.room(np.repeat(rays, 6), np.repeat(distance, 6), tried).reshape(-1, 6)
            best = first_largest_of_rows(found, ALIKE)
            better = found[np.arange(len(rays)), best] > room + ALIKE
            Q = np.where(better[:, None], tried.reshape(-1, 6, 4)[np.arange(len(rays)), best], Q)
            room = np.where(better, found[np.arange(len(rays)), best], room)
            turn = np.where(better, turn, np.maximum(0.5 * turn, LEAST_TURN))
        return Q, room

    def fitted(self, rays: Ints, distance: Array, Q: Array) -> Array:
        """Attitudes that bring the legs within, or nearer to, their strokes."""
        kinematics, stroke = kinematics_of(self.space.platform), self.space.platform.stroke
        p = self.centre + distance[:, None] * self.grid.directions[rays]
        low, high = stroke.l_min + SPARE * stroke.length, stroke.l_max - SPARE * stroke.length
        for _ in range(FITS):
            l = on_lanes(kinematics.inverse, p_W=p, Q_WP=Q)["l"]
            beyond = l - np.clip(l, low, high)
            if not beyond.any():
                break
            A = on_lanes(kinematics.jacobian, p_W=p, Q_WP=Q)["J"][:, :, :3] * (beyond != 0)[:, :, None]
            square = np.einsum("nki,nkj->nij", A, A) + DAMPING * np.eye(3)
            turn = -np.linalg.solve(square, np.einsum("nki,nk->ni", A, beyond)[:, :, None])[:, :, 0]
            size = np.linalg.norm(turn, axis=1, keepdims=True)
            turn *= np.minimum(1.0, MOST_TURN / np.maximum(size, 1e-300))
            half = 0.5 * np.linalg.norm(turn, axis=1, keepdims=True)
            Q = _turned(np.hstack([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn]), Q)
        return Q

    def march(self) -> None:
        """Extend all rays as far as an attitude is found; then halve the last step."""
        going = np.arange(len(self.reach))
        most = 2 * STEPS
        for k in range(most):
            going = self._advance(going, np.full(len(going), self.step))
            if self.progress is not None:
                self.progress(min(0.5, 1.4 * k / most))
            if not len(going):
                break
        self._halve(np.arange(len(self.reach)))

    def _advance(self, rays: Ints, step: Array, start: Array | None = None) -> Ints:
        """Which rays got a step further, from their own attitudes or those in `start`."""
        distance = self.reach[rays] + step
        Q = self.fitted(rays, distance, self.Q[rays] if start is None else start)
        room = self.room(rays, distance, Q)
        short = np.flatnonzero(room < 0)
        if len(short):
            Q[short], room[short] = self.turned(rays[short], distance[short], Q[short], ROUNDS)
        done = room >= 0
        self.reach[rays[done]], self.Q[rays[done]] = distance[done], Q[done]
        return rays[done]

    def _halve(self, rays: Ints) -> None:
        step = np.full(len(rays), self.step)
        for _ in range(HALVINGS):
            step *= 0.5
            self._advance(rays, step)

    def from_neighbours(self) -> None:
        """Extend rays again from the attitudes of neighbouring rays, where one of them leads further."""
        rays, further = np.arange(len(self.reach)), np.zeros(len(self.reach), dtype=bool)
        for beside in self.grid.neighbours().T:
            further[self._advance(rays, np.full(len(rays), 0.125 * self.step), self.Q[beside])] = True
        going = halved = np.flatnonzero(further)
        while len(going):
            going = self._advance(going, np.full(len(going), self.step))
        if len(halved):
            self._halve(halved)

    def ends(self) -> tuple[Array, Ints]:
        """Reach, and the limit that is exceeded slightly further out in the attitude of the end."""
        rays = np.arange(len(self.reach))
        beyond = self.margins(rays, self.reach + self.step / 2**HALVINGS, self.Q).beyond
        return self.reach, beyond

    def until_near(self, reach: Array, limit: Ints) -> tuple[Array, Ints]:
        """Reach cut where parts come too near on the way out, during which the attitude changes evenly."""
        clearance, stations = self.space.clearance, 16
        assert clearance is not None
        reach, limit = reach.copy(), limit.copy()
        for ray in range(len(reach)):
            share = np.arange(1, stations + 1) / stations
            p = self.centre + (share * reach[ray])[:, None] * self.grid.directions[ray]
            Q = _part_way(self.Q[ray], share)
            inside = self.space.margins(p, Q).reachable
            near = ~np.isposinf(sweep(clearance, p, Q, max(self.space.stop, TINY)).distance) | ~inside
            if near.any():
                first = int(near.argmax())
                limit[ray] = CLEARANCE if inside[first] else limit[ray]
                reach[ray] *= first / stations
                self.Q[ray] = Q[first - 1] if first else IDENTITY
            if self.progress is not None:
                self.progress(0.7 + 0.3 * (ray + 1) / len(reach))
        return reach, limit


def room_of(space: Workspace, found: Margins) -> Array:
    """The least margin, with strokes scaled by their length, bearings by a radian and legs by a metre."""
    parts = found.stroke / space.platform.stroke.length, found.bearings, found.legs
    return np.asarray(np.minimum(np.minimum(parts[0], parts[1]), parts[2]))


def _turned(a: Array, b: Array) -> Array:
    """Normalised products a b of attitudes."""
    q = quaternion_products(a, b)
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def _part_way(Q: Array, share: Array) -> Array:
    """(n, 4) rotations Q by a fraction of their angle."""
    Q = Q if Q[0] >= 0 else -Q
    angle = 2 * np.arctan2(np.linalg.norm(Q[1:]), Q[0])
    axis = Q[1:] / max(float(np.linalg.norm(Q[1:])), 1e-300)
    half = 0.5 * share[:, None] * angle
    return np.hstack([np.cos(half), np.sin(half) * axis])
