"""Quantities of poses over a plane of two degrees of freedom: dexterity, condition, leg rates, holding forces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, final, get_args

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port
from motionbase.errors import PlatformError, unknown
from motionbase.platform.envelope import axis_limits, extremes
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import POSE, kinematics_of
from motionbase.platform.legs import legs_at
from motionbase.platform.sizing.forces import INCLUDED, holding_forces
from motionbase.record.axes import DOFS
from motionbase.spatial.equals import first_largest, first_least
from motionbase.spatial.rotations import Expr
from motionbase.workbench.any_attitude import room_of
from motionbase.workbench.poses import checked_rows, compiled, on_lanes
from motionbase.workbench.posture import condition_numbers
from motionbase.workbench.workspace import Workspace

Quantity: TypeAlias = Literal["dexterity", "conditioning", "leg-rate", "leg-force"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
UNITS: dict[Quantity, str] = {"dexterity": "-", "conditioning": "-", "leg-rate": "m/s", "leg-force": "N"}
MEANING: dict[Quantity, str] = {
    "dexterity": "characteristic: 1 where all directions are alike, 0 where the pose is singular",
    "conditioning": "condition number, largest over least singular value, turns by the rms radius of the joints",
    "leg-rate": "largest rate that any leg can be asked for, all degrees of freedom at their limits at once",
    "leg-force": f"largest force of any actuator, pushing or pulling, that holds the weight of {INCLUDED} at rest; "
    "friction carries nothing",
}
MARGIN = 1.05  # extent of the maps relative to the reach
FEWEST, MOST = 3, 401  # points along an axis


@final
@dataclass(frozen=True, eq=False)
class PlaneMap:
    """A quantity over two degrees of freedom, the others held.

    Attributes:
        across, up: indices of the two degrees of freedom
        x, y: (n,), (m,) their values [m, rad]
        values: (m, n); NaN out of reach
        everywhere: (m, n) values also out of reach
        room: (m, n) scaled margin of stroke and bearings; below 0 out of reach
        at: (6,) values of the others
        at_neutral: the quantity at neutral
    """

    quantity: Quantity
    across: int
    up: int
    x: Array
    y: Array
    values: Array
    everywhere: Array
    room: Array
    at: Array
    at_neutral: float

    @property
    def unit(self) -> str:
        """Unit of the quantity."""
        return UNITS[self.quantity]

    @property
    def is_empty(self) -> bool:
        """Whether all poses of the plane are out of reach."""
        return bool(np.isnan(self.values).all())

    def extreme(self, most: bool) -> tuple[float, float, float]:
        """Largest or least value, and where [m, rad]."""
        if self.is_empty:
            raise PlatformError("no pose of the plane is within reach; hold the other degrees of freedom nearer to 0")
        k = first_largest(self.values) if most else first_least(np.where(np.isnan(self.values), np.inf, self.values))
        beats = self.at_neutral > self.values.flat[k] if most else self.at_neutral < self.values.flat[k]
        if not self.at.any() and beats:  # neutral is in the plane, but need not be a grid point
            return self.at_neutral, 0.0, 0.0
        row, column = np.unravel_index(k, self.values.shape)
        return float(self.values[row, column]), float(self.x[column]), float(self.y[row])

    def extreme_words(self, most: bool) -> tuple[str, str]:
        """The same for people: four digits, and where, in metres and degrees."""
        value, *place = self.extreme(most)
        shown = ((axis, x if axis < 3 else float(np.degrees(x))) for axis, x in zip(self._axes, place, strict=True))
        return f"{value:.4g}", ", ".join(f"{DOFS[axis]} {x:+.3f} {'m' if axis < 3 else 'deg'}" for axis, x in shown)

    @property
    def _axes(self) -> tuple[int, int]:
        return self.across, self.up

    def summary(self) -> dict[str, Any]:
        """The main numbers."""
        made: dict[str, Any] = {
            "quantity": self.quantity, "meaning": MEANING[self.quantity], "unit": self.unit,
            "plane": [DOFS[self.across], DOFS[self.up]], "at": self.at.tolist(), "at_neutral": self.at_neutral,
            "reachable": float(np.isfinite(self.values).mean()),
        }  # fmt: skip
        for what, most in (("least", False), ("most", True)):
            value, x, y = self.extreme(most)
            made[what] = {"value": value, DOFS[self.across]: x, DOFS[self.up]: y}
        return made

    def facts(self) -> dict[str, Any]:
        """All data; None out of reach."""
        rows = [[None if np.isnan(v) else v for v in row] for row in self.values.tolist()]
        return {**self.summary(), "x": self.x.tolist(), "y": self.y.tolist(), "values": rows}


def quantities_of(name: str) -> tuple[Quantity, ...]:
    """One by its name, or all of them."""
    chosen = QUANTITIES if name == "all" else tuple(q for q in QUANTITIES if q == name)
    if not chosen:
        raise PlatformError(f"quantity: {unknown('quantity', name, (*QUANTITIES, 'all'), 'quantities')}")
    return chosen


def plane_of(text: str) -> tuple[int, int]:
    """Two different degrees of freedom, such as surge-heave."""
    names = text.split("-")
    if len(names) != 2 or names[0] == names[1] or not set(names) <= set(DOFS):
        raise PlatformError(f"plane is {text!r}, two of {', '.join(DOFS)} with a dash between are wanted: surge-heave")
    return DOFS.index(names[0]), DOFS.index(names[1])


def plane_map(
    space: Workspace, quantity: Quantity, plane: tuple[int, int], *, points: int = 61, at: ArrayLike | None = None
) -> PlaneMap:
    """Map over slightly more than the range of single axes and of the 64 extremes; no value out of reach.

    Args:
        points: along each axis
        at: (6,) degrees of freedom, of which the two of the plane are ignored; default: neutral
    """
    if quantity not in QUANTITIES:
        raise PlatformError(f"quantity is {quantity!r}, it must be one of {', '.join(QUANTITIES)}")
    if not FEWEST <= points <= MOST:
        raise PlatformError(f"points are {points}, {FEWEST} to {MOST} along each axis are wanted")
    hexapod = space.platform
    held = checked_rows("at", np.zeros(6) if at is None else at, 6)[0]
    limits = _ranges(hexapod)
    x, y = (np.linspace(limits[axis, 0], limits[axis, 1], points) for axis in plane)
    dof = np.tile(held, (points * points + 1, 1))
    X, Y = np.meshgrid(x, y)
    dof[:-1, plane[0]], dof[:-1, plane[1]] = X.ravel(), Y.ravel()
    dof[-1] = 0.0
    pose = compiled(kinematics_of(hexapod).pose_of_dof).map(dof=dof)
    p, Q = pose["p_W"], pose["Q_WP"]
    found = space.margins(p, Q)
    values = found.dexterity if quantity == "dexterity" else _values(hexapod, quantity, p, Q)
    shown = np.where(found.reachable[:-1], values[:-1], np.nan).reshape(points, points)
    room = room_of(space, found)[:-1].reshape(points, points)
    everywhere = values[:-1].reshape(points, points)
    return PlaneMap(quantity, *plane, x, y, shown, everywhere, room, held, float(values[-1]))


def _ranges(hexapod: Hexapod) -> Array:
    """(6, 2) ranges of single axes and of the 64 extremes of the legs, slightly enlarged [m, rad]."""
    corners = extremes(hexapod)
    reached = np.vstack([corners.dof[corners.converged], axis_limits(hexapod).T])
    return MARGIN * np.stack([reached.min(axis=0), reached.max(axis=0)], axis=1)


def _values(hexapod: Hexapod, quantity: Quantity, p: Array, Q: Array) -> Array:
    if quantity == "conditioning":
        return condition_numbers(hexapod, p, Q)
    if quantity == "leg-rate":
        return np.asarray(most_leg_rates(hexapod, p, Q).max(axis=1))
    return np.asarray(np.abs(holding_forces(hexapod, p, Q)).max(axis=1))


@lru_cache(maxsize=16)
def rates_kernel(platform: Hexapod) -> Kernel:
    """(p_W, Q_WP) -> rates: the largest rate of each leg with all degrees of freedom at their velocity limits.

    A leg's rate is linear in the velocities, so over their box it is largest at a corner: sum |J_kj| limit_j. Angular
    velocities are about the axes of W.
    """
    limits = np.asarray(platform.limits.velocity)
    columns = ca.DM(np.concatenate([limits[3:], limits[:3]]))

    def expr(p_W: Expr, Q_WP: Expr) -> Any:
        return ca.fabs(legs_at(platform, p_W, Q_WP).J) @ columns

    return Kernel("hexapod_most_rates", POSE, (Port("rates", 6, "m/s", "largest magnitude of each leg's rate"),), expr)


def most_leg_rates(platform: Hexapod, p_W: Array, Q_WP: Array) -> Array:
    """(n, 6) largest rates at n poses [m/s]."""
    return on_lanes(rates_kernel(platform), p_W=p_W, Q_WP=Q_WP)["rates"]
