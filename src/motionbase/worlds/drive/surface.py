"""Fills the numbers of `ground.py` for a step, from the road at each wheel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.worlds.drive.ground import ACROSS as COLUMNS
from motionbase.worlds.drive.ground import ALONG as ROWS
from motionbase.worlds.drive.ground import Bump, Hills, Under
from motionbase.worlds.drive.roads import ROUGHER, Road
from motionbase.worlds.drive.roughness import ACROSS, CLASSES, LANES, NODES, Grid, amplitude, weights

FADE = 10.0  # over which a rough section fades in and out [m]
KERB_WIDTH = 0.6  # [m] beside the road, with its grip and roughness
VERGE, SPREAD = 0.4, 1.5  # over which the road's roughness fades out, then that of the grass in [m]
GRASS_CLASS, GRASS_GRIP, GRASS_SOFT = "E", 0.55, 5.0  # grip and rolling resistance over those of the road; illustrative
TIGHT, TIGHTER = 1 / 250, 1 / 110  # curvatures between which kerbs grow to full height [1/m]
SKEW = 0.618  # [rad] direction of the grass's grid, so that its period is rarely noticed
BEHIND = 3  # nodes of a window behind a wheel
LOST, SEARCH = 15.0, 40  # [m] from the road, where another section may be nearer; lookups between full searches


class Foot(NamedTuple):
    """Position relative to the road.

    Attributes:
        s: distance along it [m]
        across: offset from its centre line, to the left [m]
    """

    s: float
    across: float


@final
class Surface:
    """The ground of a road and its surroundings.

    Args:
        quality: class of ISO 8608
        grip: of the road, relative to a dry one
        bumps, hills: factors on their heights
        rough: factor on the roughness
    """

    def __init__(
        self, road: Road, quality: str = "A", grip: float = 1.0, bumps: float = 1.0, hills: float = 1.0,
        rough: float = 1.0,
    ) -> None:  # fmt: skip
        self.road, self.grip, self.rough = road, grip, rough
        course = road.course
        rows = course.samples
        self._xy = np.ascontiguousarray(rows[:, 1:3].T)
        self._rows = course.rows
        self._near, self._looks, self._across = 0, 0, math.inf
        self._step, self._length, self._half = rows[1, 0], course.length, course.width / 2
        self._grid = Grid.on(course.length if course.closed else 0.0)
        self._weights = weights()
        self._grass = rough * amplitude(GRASS_CLASS)
        self._amplitude = (rough * self._grid.scale * self._classes(rows[:, 0], quality)).tolist()
        kerb = np.clip((np.abs(rows[:, 4]) - TIGHT) / (TIGHTER - TIGHT), 0, 1)
        self._kerb = (road.kerbs * kerb * kerb * (3 - 2 * kerb)).tolist()
        waves = road.waves * [hills, 1, 1, 1]
        self.waves = waves
        self.hills = Hills.layout.vector(dict(zip(("amplitude", "kx", "ky", "phase"), waves.T, strict=True)))
        self.bumps = [(b.s, *course.at(b.s), b.length, b.height * bumps) for b in road.bumps if bumps > 0]
        self.bump = Bump.layout.vector()
        self.unders = np.tile(Under.layout.vector(), (4, 1))
        self._nearest_bump = -1

    def _classes(self, s: Array, quality: str) -> Array:
        """Heights relative to class A along the road."""
        begin, end = self.road.rough
        place = CLASSES.index(quality)
        worse = amplitude(CLASSES[min(place + ROUGHER, len(CLASSES) - 1)])
        inside = np.clip(np.minimum(s - begin, end - s) / FADE, 0, 1) if end > begin else np.zeros(len(s))
        found: Array = amplitude(quality) + (worse - amplitude(quality)) * inside
        return found

    def nearest(self, x: float, y: float) -> int:
        """Index of the sample of the road nearest to a position."""
        dx, dy = self._xy[0] - x, self._xy[1] - y
        return int((dx * dx + dy * dy).argmin())

    def seek(self) -> None:
        """Search the whole road at the next lookup, because the car has been moved."""
        self._across = math.inf

    def foot(self, x: float, y: float, near: int) -> tuple[int, Foot]:
        """Nearest sample, found from one near by, and the position relative to the road."""
        k, row = near, self._rows[near]
        for _ in range(40):
            dx, dy = x - row[1], y - row[2]
            along = math.cos(row[3]) * dx + math.sin(row[3]) * dy
            by = round(along / self._step)
            if not by:
                break
            other = self._moved(k, max(-8, min(8, by)))
            if other == k:
                break
            k, row = other, self._rows[other]
        return k, Foot(row[0] + along, math.cos(row[3]) * dy - math.sin(row[3]) * dx)

    def _moved(self, k: int, by: int) -> int:
        n = len(self._rows)
        return (k + by) % n if self.road.course.closed else max(0, min(n - 1, k + by))

    def height(self, x: float, y: float) -> tuple[float, float, float]:
        """Height of the hills, and their slopes along x and y."""
        angle = self.waves[:, 1] * x + self.waves[:, 2] * y + self.waves[:, 3]
        slope = -self.waves[:, 0] * np.sin(angle)
        return float(self.waves[:, 0] @ np.cos(angle)), float(slope @ self.waves[:, 1]), float(slope @ self.waves[:, 2])

    def look(self, wheels: Sequence[tuple[float, float]], ahead: tuple[float, float]) -> Foot:
        """Fill `unders` and `bump` for a step; returns the road position of the middle of the wheels.

        Args:
            wheels: horizontal positions of the wheels [m]
            ahead: their displacement in half a step [m]
        """
        mx, my = sum(x for x, _ in wheels) / 4, sum(y for _, y in wheels) / 4
        self._looks += 1
        if self._looks % SEARCH == 1 or abs(self._across) > LOST:
            self._near = self.nearest(mx, my)
        near, foot = self.foot(mx, my, self._near)
        self._near, self._across = near, foot.across
        numbers, rows, columns = [], [], []
        for x, y in wheels:
            found, i, j = self._under(x, y, near, ahead)
            numbers.append(found)
            rows.append(i)
            columns.append(j)
        self.unders[:, : len(numbers[0])] = numbers
        along, across = np.array(rows)[:, None] + np.arange(ROWS), np.array(columns)[:, None] + np.arange(COLUMNS)
        picked = self._weights[(along % NODES)[:, :, None], (across % LANES)[:, None, :]]
        self.unders[:, len(numbers[0]) :] = picked.reshape(4, -1)
        self._look_for_bump(foot.s)
        return foot

    def _under(self, x: float, y: float, near: int, ahead: tuple[float, float]) -> tuple[tuple[float, ...], int, int]:
        k, foot = self.foot(x, y, near)
        _, sx, sy, heading, curvature, bend = self._rows[k]
        beside, side = abs(foot.across) - self._half - KERB_WIDTH, math.copysign(1.0, foot.across)
        grass = min(1.0, max(0.0, beside / 1.0))
        grip = self.grip * (1.0 + (GRASS_GRIP - 1.0) * grass)
        soft = 1.0 + (GRASS_SOFT - 1.0) * grass
        if beside < VERGE:
            c, s = math.cos(heading), math.sin(heading)
            further = self._moved(k, 1)
            a, a_u = self._amplitude[k], (self._amplitude[further] - self._amplitude[k]) / self._step
            a_n = 0.0
            if beside > 0:
                a, a_u, a_n = a * (1 + (KERB_WIDTH + self._half) / VERGE), 0.0, -side * a / VERGE
            kerb, kerb_u = self._kerb[k], (self._kerb[further] - self._kerb[k]) / self._step
            u, n = self._rows[k][0] / self._grid.step, 0.0
            goes = c * (x + ahead[0] - sx) + s * (y + ahead[1] - sy)
            i, j, u, n = _window(u, n, goes / self._grid.step, foot.across / LANE)
            numbers = (sx, sy, c, s, curvature, bend, 0.0, u, n, 1 / self._grid.step, 1 / LANE, a, a_u, a_n, grip, soft,
                       self._half, kerb, kerb_u, kerb, kerb_u)  # fmt: skip
            return numbers, i, j
        # off the road the roughness has a grid of its own and grows with the distance from the road
        c, s = math.cos(SKEW), math.sin(SKEW)
        out_x, out_y = -side * math.sin(heading), side * math.cos(heading)
        share = (beside - VERGE) / SPREAD
        slope = self._grass / SPREAD if share < 1 else 0.0
        step = self._grid.step
        i, j, u, n = _window(
            (c * x + s * y) / step, (c * y - s * x) / LANE, (c * ahead[0] + s * ahead[1]) / step,
            (c * ahead[1] - s * ahead[0]) / LANE,
        )  # fmt: skip
        numbers = (x, y, c, s, 0.0, 0.0, 0.0, u, n, 1 / step, 1 / LANE, self._grass * min(1.0, share),
                   slope * (out_x * c + out_y * s), slope * (out_y * c - out_x * s), grip, soft, 1e3,
                   0.0, 0.0, 0.0, 0.0)  # fmt: skip
        return numbers, i, j

    def _look_for_bump(self, s: float) -> None:
        """Use the bump nearest to the car."""
        if not self.bumps:
            return
        length = self._length
        away = [abs((b[0] - s + length / 2) % length - length / 2) for b in self.bumps]
        k = away.index(min(away))
        if k != self._nearest_bump:
            self._nearest_bump = k
            _, x, y, heading, along, height = self.bumps[k]
            self.bump[:] = (x, y, math.cos(heading), math.sin(heading), along, 2 * self._half, height)


LANE = ACROSS / LANES  # spacing of nodes across [m]


def _window(u: float, n: float, goes: float, left: float) -> tuple[int, int, float, float]:
    """First row and column of a window around a wheel, and the position of its frame's origin in the window.

    Args:
        u, n: position of the origin in the grid, in nodes
        goes, left: position of the wheel from there, in nodes
    """
    i, j = math.floor(u + goes) - BEHIND, round(n + left - 1.5)
    return i, j, u - i, n - j
