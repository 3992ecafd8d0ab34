"""Hydrostatics of a hull in still water: displacement, metacentres, righting levers, where it floats and capsizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Port, Program, compile
from motionbase.compile.runtime.calling import Compiled
from motionbase.errors import ModelError
from motionbase.worlds.boat.mesh import Indices, Mesh
from motionbase.worlds.boat.pressure import triangle_rows, wet_sums

WATER, FRESH = 1025.0, 1000.0  # [kg/m^3]
NEWTON_STEPS = 60
SMALL = 1e-5  # of the hull's size, for difference quotients
EXACT = 1e-10  # of the displacement


class Afloat(NamedTuple):
    """Where a hull floats.

    Attributes:
        height: of the centre of gravity above the water [m]
        heel, trim: about x and y, trim positive with the bow down [rad]
    """

    height: float
    heel: float
    trim: float


@cache
def still_water(faces: bytes, vertices: int) -> Compiled:
    """Program of all hulls with the same triangles: force, moment and wet area under a plane."""
    indices: Indices = np.frombuffer(faces, np.int64).reshape(-1, 3)

    def expr(points: ca.SX, triangles: ca.SX, up: ca.SX, height: ca.SX) -> tuple[ca.SX, ...]:
        return tuple(wet_sums(indices, triangles, -(height + points @ up)))

    inputs = (
        Port("points", (vertices, 3), "m"), Port("triangles", (len(indices), 13), "m, m^2"), Port("up", 3, "-"),
        Port("height", (), "m"),
    )  # fmt: skip
    outputs = (Port("force", 3, "m^3"), Port("moment", 3, "m^4"), Port("area", (), "m^2"))
    return compile(Program("still_water", inputs, outputs, expr, "hydrostatics of a hull"))


@final
@dataclass(frozen=True, eq=False)
class Hydrostatics:
    """A hull with its centre of gravity in still water.

    Attributes:
        mesh: of the hull
        centre: (3,) of gravity, in the axes of the mesh [m]
        volume: that it displaces when it floats [m^3]
    """

    mesh: Mesh
    centre: tuple[float, float, float]
    volume: float

    def __post_init__(self) -> None:
        if not 0 < self.volume < self.mesh.volume:
            raise ModelError(
                f"a hull of {self.mesh.volume:.4g} m^3 cannot float with a displacement of {self.volume:.4g} m^3"
            )

    @cached_property
    def about_centre(self) -> Mesh:
        """The hull about the centre of gravity."""
        return self.mesh.moved(-np.array(self.centre))

    @cached_property
    def size(self) -> float:
        """Largest extent [m]."""
        return float(np.ptp(self.mesh.vertices, axis=0).max())

    def sums(self, heights: ArrayLike, heels: ArrayLike, trims: ArrayLike) -> Array:
        """(n, 4) displaced volume, moments about the horizontal axes of heel and trim over density and gravity, area.

        Args:
            heights: of the centre of gravity above the water [m]
            heels, trims: [rad]
        """
        z, phi, theta = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, float)) for x in (heights, heels, trims)))
        mesh, n = self.about_centre, len(z)
        run = still_water(mesh.faces.tobytes(), len(mesh.vertices))
        zero = np.zeros(n)
        along = np.stack([np.cos(theta), np.sin(theta) * np.sin(phi), np.sin(theta) * np.cos(phi)], -1)
        across = np.stack([zero, np.cos(phi), -np.sin(phi)], -1)
        up = np.stack([-np.sin(theta), np.cos(theta) * np.sin(phi), np.cos(theta) * np.cos(phi)], -1)
        rows = triangle_rows(mesh)
        out = run.map(
            points=np.ascontiguousarray(np.broadcast_to(mesh.vertices, (n, *mesh.vertices.shape))),
            triangles=np.ascontiguousarray(np.broadcast_to(rows, (n, *rows.shape))),
            up=up, height=np.ascontiguousarray(z),
        )  # fmt: skip
        force, moment = out["force"], out["moment"]
        parts = [np.sum(force * up, -1), np.sum(moment * along, -1), np.sum(moment * across, -1), out["area"]]
        return np.stack(parts, -1)

    def height_at(self, heel: float, trim: float) -> float:
        """Height of the centre of gravity at which the hull displaces its volume, by bisection."""
        low, high = -2.0 * self.size, 2.0 * self.size  # of the centre: low is deep
        for _ in range(NEWTON_STEPS):
            middle = 0.5 * (low + high)
            deep = self.sums(middle, heel, trim)[0, 0] > self.volume
            low, high = (middle, high) if deep else (low, middle)
        return 0.5 * (low + high)

    def balanced(self, heel: float, trim: float = 0.0) -> Afloat:
        """Equilibrium at a given heel, free to heave and trim."""
        z, step, angle = self.height_at(heel, trim), SMALL * self.size, SMALL * 10
        for _ in range(NEWTON_STEPS):
            found = self.sums([z, z + step, z - step, z, z], heel, [trim, trim, trim, trim + angle, trim - angle])
            rest = np.array([found[0, 0] - self.volume, found[0, 2]])
            if np.all(np.abs(rest) <= EXACT * self.volume * np.array([1.0, self.size])):
                break
            by_z = (found[1] - found[2])[[0, 2]] / (2 * step)
            by_trim = (found[3] - found[4])[[0, 2]] / (2 * angle)
            change = np.linalg.lstsq(np.column_stack([by_z, by_trim]), -rest, rcond=None)[0]
            most = min(1.0, 0.1 * self.size / max(abs(change[0]), 1e-12), 0.1 / max(abs(change[1]), 1e-12))
            z, trim = z + most * change[0], float(np.clip(trim + most * change[1], -1.4, 1.4))
        return Afloat(z, heel, trim)

    @cached_property
    def upright(self) -> Afloat:
        """Where it floats upright."""
        return self.balanced(0.0)

    @property
    def draft(self) -> float:
        """Of the lowest point of the hull, floating upright [m]."""
        at, points = self.upright, self.about_centre.vertices
        depths = points[:, 0] * np.sin(at.trim) - points[:, 2] * np.cos(at.trim) - at.height
        return float(depths.max())

    @property
    def waterplane(self) -> float:
        """Area of the waterplane, floating upright [m^2]."""
        step, at = SMALL * self.size, self.upright
        found = self.sums([at.height - step, at.height + step], 0.0, at.trim)
        return float((found[0, 0] - found[1, 0]) / (2 * step))

    @property
    def metacentric_heights(self) -> tuple[float, float]:
        """GM transverse and longitudinal, from the righting moments of small angles at constant displacement [m]."""
        at, angle, step = self.upright, SMALL * 10, SMALL * self.size
        heeled = self.sums(at.height, [angle, -angle], at.trim)
        trimmed = self.sums(at.height, 0.0, [at.trim + angle, at.trim - angle])
        raised = self.sums([at.height + step, at.height - step], 0.0, at.trim)
        by_heel, by_trim = ((rows[0] - rows[1]) / (2 * np.sin(angle)) for rows in (heeled, trimmed))
        by_height = raised[0] - raised[1]
        moment = by_trim[2] - by_trim[0] * by_height[2] / by_height[0]  # the hull trims about its centre of flotation
        return float(-by_heel[1] / self.volume), float(-moment / self.volume)

    def levers(self, heels: ArrayLike) -> Array:
        """Righting levers GZ at angles of heel [rad], free to heave and trim [m]."""
        found, trim = [], self.upright.trim
        for heel in np.atleast_1d(np.asarray(heels, float)).tolist():
            at = self.balanced(heel, trim)
            trim = at.trim
            found.append(-self.sums(at.height, heel, trim)[0, 1] / self.volume)
        return np.array(found)

    def vanishing_angle(self) -> float:
        """Heel beyond which it capsizes [rad]; pi if it returns from any heel."""
        heels = np.deg2rad(np.arange(2.0, 180.0, 2.0))
        levers = self.levers(heels)
        down = np.flatnonzero(levers < 0)
        if len(down) == 0:
            return float(np.pi)
        k = int(down[0])
        if k == 0:
            return 0.0
        part = levers[k - 1] / (levers[k - 1] - levers[k])
        return float(heels[k - 1] + part * (heels[k] - heels[k - 1]))
