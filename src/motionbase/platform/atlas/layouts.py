"""The best layout of n driven wheels: closed forms for equal spacing, a proven search for given azimuths.

A wheel's column of the force Jacobian is R / (r cos gamma) u_i, with the unit vector

    u_i = -x e_i + y p_i + z k,   x = cos(gamma) sin(theta), y = sin(gamma), z = cos(gamma) cos(theta)

where e_i points to the wheel, p_i across and k up. With equal spacing, U U' = n diag(a, a, z^2), a = (x^2 + y^2) / 2:
it is isotropic for x^2 + y^2 = 2 z^2, that is tan^2(gamma) = 2 - 3 sin^2(theta). docs/atlas.md shows the consequence:
in such a layout, and in no other, the normal force needed for traction is smallest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.platform.atlas.allocation import least_largest_demand, least_squares_demand
from motionbase.platform.atlas.directions import flat_distances, halved, octahedron
from motionbase.platform.atlas.wheels import ROLLER_LIMIT, checked_angle, checked_count
from motionbase.spatial.equals import ALIKE, first_least

MAGIC = math.atan(math.sqrt(2))  # 54.74 degrees: largest elevation and largest roller angle of an isotropic layout
SEARCH_TOLERANCE = 1e-3  # relative tolerance of the condition number that a search proves
MOST_CELLS = 200_000
TINY = 1e-300
WORST = 1e9  # a larger condition number is that of wheels in one plane, plus rounding


@final
@dataclass(frozen=True, eq=False)
class Layout:
    """Wheels of one kind at a common elevation.

    Attributes:
        azimuths: (n,) azimuths of the wheels [rad]
        elevation, roller_angle: [rad]
        condition: condition number of the Jacobian
        bound: lower bound of the condition number over all permitted layouts
        torque: largest wheel torque times R / (r M), by the pseudo-inverse [-]
        torque_least_largest: the same if the largest torque is minimised [-]
        speed: largest wheel speed times r / (R Omega) [-]
        normal: normal force needed for traction times mu R / M, by the pseudo-inverse [-]; at least 3 / n
    """

    azimuths: Array
    elevation: float
    roller_angle: float
    condition: float
    bound: float
    torque: float
    torque_least_largest: float
    speed: float
    normal: float


def columns(azimuths: Array, elevation: ArrayLike, roller_angle: ArrayLike) -> Array:
    """(..., 3, n) u_i: moments on the sphere of unit forces along the rollers' axes, with R = 1."""
    theta, gamma = np.asarray(elevation), np.asarray(roller_angle)
    xyz = np.cos(gamma) * np.sin(theta), np.sin(gamma) + 0.0 * theta, np.cos(gamma) * np.cos(theta)
    return _columns(azimuths, np.stack(xyz, axis=-1))


def singular_values(azimuths: Array, elevation: ArrayLike, roller_angle: ArrayLike) -> Array:
    """(..., 3) singular values of the columns, largest first."""
    return np.asarray(np.linalg.svd(columns(azimuths, elevation, roller_angle), compute_uv=False))


def _columns(azimuths: Array, xyz: Array) -> Array:
    """(..., 3, n) columns for (..., 3) x, y, z."""
    c, s = np.cos(azimuths), np.sin(azimuths)
    x, y, z = (xyz[..., k, None] for k in range(3))
    return np.stack([-x * c + y * s, -x * s - y * c, z + 0.0 * c], axis=-2)


def layout_of(azimuths: Array, elevation: float, roller_angle: float, bound: float = 1.0) -> Layout:
    """A layout with its demands on the wheels."""
    U = columns(azimuths, elevation, roller_angle)
    sigma = singular_values(azimuths, elevation, roller_angle)
    if sigma[0] > WORST * sigma[2]:
        raise PlatformError(
            f"layout: {len(azimuths)} wheels at an elevation of {math.degrees(elevation):g} degrees with a roller "
            f"angle of {math.degrees(roller_angle):g} cannot turn a sphere about every axis; tilt wheels or rollers"
        )
    c = math.cos(roller_angle)
    squares, largest = least_squares_demand(U), least_largest_demand(U)
    return Layout(
        azimuths, elevation, roller_angle, float(sigma[0] / sigma[2]), bound, c * squares.worst, c * largest.worst,
        1 / c, squares.worst,
    )  # fmt: skip


def equally_spaced(wheels: int) -> Array:
    """(n,) azimuths of equally spaced wheels, the first at the front [rad]."""
    checked_count("layout", "the number of wheels", wheels, 3)
    return np.asarray(2 * math.pi / wheels * np.arange(wheels))


def best_layout(wheels: int, *, elevation: float | None = None, roller_angle: float | None = None) -> Layout:
    """The best condition number of n equally spaced wheels for a given elevation or roller angle [rad].

    In closed form: with T = tan^2(gamma) and S = sin^2(theta) the square of the condition number is q = (S + T) /
    (2 (1 - S)) or 1 / q, whichever is above 1, and q rises with S and with T. So q = 1 if it can be reached, else the
    end of the range that is closest to it.
    """
    azimuths = equally_spaced(wheels)
    if (elevation is None) == (roller_angle is None):
        raise PlatformError("layout: one of elevation and roller_angle must be given, the other is found")
    if elevation is not None:
        theta = checked_angle("layout", "elevation", elevation, math.pi / 2)
        S = math.sin(theta) ** 2
        gamma = math.atan(math.sqrt(max(2 - 3 * S, 0.0)))
    else:
        gamma = checked_angle("layout", "roller_angle", roller_angle, ROLLER_LIMIT)
        T = math.tan(gamma) ** 2
        theta = -math.asin(math.sqrt(max((2 - T) / 3, 0.0)))
    found = layout_of(azimuths, theta, gamma)
    at_end = abs(theta if elevation is not None else gamma) > MAGIC
    return layout_of(azimuths, theta, gamma, found.condition) if at_end else found


def isotropic_family(wheels: int, elevations: Sequence[float]) -> list[Layout]:
    """Layouts with condition number 1, one for each elevation [rad], up to 54.74 degrees up or down."""
    for theta in elevations:
        checked_angle("layout", "elevation", theta, MAGIC, " to be isotropic")
    return [best_layout(wheels, elevation=theta) for theta in elevations]


def searched_layout(azimuths: Sequence[float], tolerance: float = SEARCH_TOLERANCE) -> Layout:
    """The best common elevation and roller angle for wheels at given azimuths [rad], by branch and bound.

    (x, y, z) is a unit vector, and triangles of such vectors are subdivided. Within one, with w1 and w3 the outer left
    singular vectors at its centre, s1 >= |w1' U| and s3 <= |w3' U|. Both are norms of expressions linear in (x, y, z):
    the first is at least its tangent, smallest at a corner; the second is largest at a corner (see `proven_bound`). A
    triangle is finished when their quotient is no better than the best layout found.
    """
    phi = np.asarray(azimuths, dtype=np.float64)
    checked_count("layout", "the number of azimuths", phi.size, 3)
    cells, best, at = octahedron()[:4], math.inf, np.array([0.0, 0.0, 1.0])  # opposite vectors are the same layout
    settled = math.inf  # smallest bound of the finished triangles
    while True:
        middles = cells.sum(axis=1)
        middles /= np.linalg.norm(middles, axis=1)[:, None]
        conditions, bounds = _condition_bounds(phi, cells, middles)
        conditions = np.where(np.abs(middles[:, 1]) <= math.sin(ROLLER_LIMIT), conditions, math.inf)
        k = first_least(conditions)
        if conditions[k] < best * (1 - ALIKE):
            best, at = float(conditions[k]), middles[k]
        open_ = bounds < best * (1 - tolerance)
        settled = min(settled, float(bounds[~open_].min(initial=math.inf)))
        if not open_.any() or 4 * np.count_nonzero(open_) > MOST_CELLS:
            break
        cells = halved(cells[open_])
    if not best < WORST:
        turns = ", ".join(f"{math.degrees(x):g}" for x in phi)
        raise PlatformError(
            f"layout: wheels at {turns} degrees cannot turn a sphere about every axis, whatever their elevation and "
            "roller angle; azimuths must differ"
        )
    x, y, z = at if at[2] >= 0 else -at
    theta, gamma = math.atan2(x, z), math.asin(y)
    if theta > 0:  # above or below the equator, mirrored rollers have the same effect
        theta, gamma = -theta, -gamma
    return layout_of(phi, theta, gamma, min(settled, float(bounds[open_].min(initial=math.inf)), best))


def _condition_bounds(phi: Array, cells: Array, middles: Array) -> tuple[Array, Array]:
    """(k,) condition numbers at the centres of triangles of (x, y, z), and lower bounds within them."""
    U, sigma, _ = np.linalg.svd(_columns(phi, middles), full_matrices=False)
    parts = _columns(phi, np.eye(3))  # (3, 3, n): U of (x, y, z) is their sum with these weights
    first, last = (np.einsum("cj,pjn->cnp", U[:, :, k], parts) for k in (0, 2))
    at_middle = np.einsum("cnp,cp->cn", first, middles)
    tangent = np.einsum("cnp,cn->cp", first, at_middle) / np.linalg.norm(at_middle, axis=1)[:, None]
    least = np.einsum("cp,ckp->ck", tangent, cells).min(axis=1)
    most = np.linalg.norm(np.einsum("cnp,ckp->ckn", last, cells), axis=2).max(axis=1) / flat_distances(cells)
    return sigma[:, 0] / np.maximum(sigma[:, 2], TINY), np.maximum(least / np.maximum(most, TINY), 1.0)
