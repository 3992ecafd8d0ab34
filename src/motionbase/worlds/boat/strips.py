"""A floating hull cut into slices: beam and draft of each below the waterline; added masses by strip theory."""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.worlds.boat.mesh import Mesh

STRIPS = 10
CUTS = 5  # slices in each strip, by which its means are made


@final
class Strips(NamedTuple):
    """Means over strips along a hull that floats at rest; all hulls of a vessel together.

    Attributes:
        x: middle of each, in axes whose origin is the centre of gravity [m]
        width: along the hull [m]
        beam: at the waterline, hulls side by side added up [m]
        beam_squared: of every hull, added up [m^2]
        draft: [m]
        draft_squared: of every hull, added up [m^2]
    """

    x: Array
    width: float
    beam: Array
    beam_squared: Array
    draft: Array
    draft_squared: Array


def strips_of(mesh: Mesh, count: int = STRIPS) -> Strips:
    """Strips of a hull that lies as it floats: z = 0 is the water.

    Args:
        mesh: in level axes, x = 0 at the centre of gravity
    """
    wet = mesh.corners[(mesh.corners[:, :, 2] < 0).any(axis=1)]
    low, high = float(wet[..., 0].min()), float(wet[..., 0].max())
    width = (high - low) / count
    places = low + width * (np.arange(count * CUTS) + 0.5) / CUTS
    means = np.array([_slice(mesh, x) for x in places]).reshape(count, CUTS, 4).mean(axis=1)
    x = low + width * (np.arange(count) + 0.5)
    return Strips(np.asarray(x, np.float64), width, *(np.asarray(mean, np.float64) for mean in means.T))


def _slice(mesh: Mesh, x: float) -> tuple[float, float, float, float]:
    """Beam, sum of squared beams, draft and sum of squared drafts of the section at x below z = 0."""
    ends = _segments(mesh, x)
    rise = ends[:, 1, 1] - ends[:, 0, 1]
    cross = (ends[:, 0, 1] < 0) != (ends[:, 1, 1] < 0)
    share = -ends[cross, 0, 1] / rise[cross]
    shores = np.sort(ends[cross, 0, 0] + share * (ends[cross, 1, 0] - ends[cross, 0, 0]))
    beams = np.diff(shores)[0::2]
    draft = -float(ends[..., 1].min(initial=0.0))
    return float(beams.sum()), float(np.sum(beams**2)), draft, draft**2 * max(len(beams), 1)


def _segments(mesh: Mesh, x: float) -> Array:
    """(n, 2, 2) ends (y, z) of the cuts of the plane at x through triangles."""
    corners = mesh.corners + np.array([1e-9, 0.0, 0.0])  # a plane through corners would cut twice
    ahead = corners[:, :, 0] > x
    cut = np.flatnonzero(ahead.any(axis=1) & ~ahead.all(axis=1))
    found = np.empty((len(cut), 2, 2))
    for k, t in enumerate(cut):
        alone = int(np.flatnonzero(ahead[t] == (ahead[t].sum() == 1))[0])
        a = corners[t, alone]
        for end, other in enumerate(((alone + 1) % 3, (alone + 2) % 3)):
            b = corners[t, other]
            found[k, end] = (a + (x - a[0]) / (b[0] - a[0]) * (b - a))[1:]
    return found


@final
class AddedMass(NamedTuple):
    """Added mass of a vessel about its centre of gravity; signs of products as in the inertia matrix.

    Attributes:
        surge, sway, heave: [kg]
        roll, pitch, yaw: [kg m^2]
        sway_yaw, heave_pitch: [kg m]
        by_sway, by_heave: (n,) share of each strip [kg]
    """

    surge: float
    sway: float
    heave: float
    roll: float
    pitch: float
    yaw: float
    sway_yaw: float
    heave_pitch: float
    by_sway: Array
    by_heave: Array


def added_mass(
    strips: Strips, density: float, roll: float, surge: float, sway: float = 1.0, heave: float = 0.75
) -> AddedMass:
    """Strip theory: half a circle of water below every section, times coefficients.

    a33 = heave rho pi / 8 b^2 (`heave` is 1 for a half circle or a plate at high frequency, some 0.75 at frequencies at
    which hulls move), a22 = sway rho pi / 2 T^2 (1 for any half ellipse of this draft at low frequency; Newman 1977).

    Args:
        roll: [kg m^2]
        surge: [kg]
    """
    by_heave = heave * density * math.pi / 8 * strips.beam_squared * strips.width
    by_sway = sway * density * math.pi / 2 * strips.draft_squared * strips.width
    inner = strips.width**2 / 12  # of a strip about its own middle
    return AddedMass(
        surge,
        float(by_sway.sum()),
        float(by_heave.sum()),
        roll,
        float(np.sum(by_heave * (strips.x**2 + inner))),
        float(np.sum(by_sway * (strips.x**2 + inner))),
        float(np.sum(by_sway * strips.x)),
        float(-np.sum(by_heave * strips.x)),
        by_sway,
        by_heave,
    )
