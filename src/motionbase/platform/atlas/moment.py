"""The largest moment needed to turn a sphere, over all directions of its acceleration, its spin and its weight.

M = I alpha + Omega x I Omega (eq. 24 of the paper) with |alpha| and |Omega| given, less the moment of the weight if
the centre of mass is eccentric. Its length is the largest m . M over unit vectors m, and for a fixed m the terms
separate, each with its own maximum in closed form:

    F(m) = |alpha| |I m| + |Omega|^2 lambda_max(S(m)) + m g |m x c|,    S(m) = (I [m] - [m] I) / 2

because m . (Omega x I Omega) = Omega' S(m) Omega. So four angles of directions reduce to the two of m, and F is convex
and of degree one, which lets `directions.proven_bound` certify the maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.platform.atlas.directions import halved, octahedron, proven_bound
from motionbase.spatial.equals import ALIKE, directions_of, runs, settled

TOLERANCE = 1e-9  # of the certificate, relative
MOST_CELLS = 60_000
MOST_STEPS = 200
ROUNDING = 1e-15  # relative; a smaller gain counts as none
UPHILL, NEAR_TOP, ONE_HILL = 40, 1e-3, 0.05  # steps; relative heights and distances of further candidates
FLAT_TOP = 1e-5  # directions closer than this count as the same, because a maximum is flat
DIFFERENCE = 1e-5  # step between directions, for the curvature


@final
@dataclass(frozen=True, eq=False)
class Turning:
    """The body to turn, and how fast.

    Attributes:
        inertia: (3, 3) about the centre G [kg m^2]
        acceleration: |alpha| [rad/s^2]
        velocity: |Omega| [rad/s]
        weight_arm: (3,) mass times g times centre of mass [N m]; zero ignores the weight
    """

    inertia: Array
    acceleration: float
    velocity: float
    weight_arm: Array

    def support(self, m: Array) -> Array:
        """(n,) largest m . M for (n, 3) directions; for m of any length."""
        inertial = self.acceleration * np.linalg.norm(m @ self.inertia, axis=1)
        gyroscopic = self.velocity**2 * np.linalg.eigvalsh(self._spin_form(m))[:, 2]
        return np.asarray(inertial + gyroscopic + np.linalg.norm(np.cross(m, self.weight_arm), axis=1))

    def worst(self, m: Array) -> tuple[Array, Array, Array]:
        """alpha, Omega and the direction of gravity that maximise m . M; for (3,) or (n, 3) directions."""
        along = m @ self.inertia
        alpha = self.acceleration * along / np.linalg.norm(along, axis=-1, keepdims=True)
        Omega = self.velocity * np.linalg.eigh(self._spin_form(m))[1][..., 2]
        down = np.cross(m, self.weight_arm)  # the wheels balance arm x down: -m . (arm x down) is largest there
        size = np.linalg.norm(down, axis=-1, keepdims=True)
        return alpha, Omega, np.where(size > 0, -down / np.where(size > 0, size, 1.0), (0.0, 0.0, -1.0))

    def worst_spin(self, m: Array) -> Array:
        """(3,) as in `worst`; the same on every processor, even if others (such as the opposite) are equally bad."""
        values, axes = np.linalg.eigh(self._spin_form(m))
        groups = runs(values, ALIKE * float(np.abs(self.inertia).max()))
        return np.asarray(self.velocity * (axes @ settled(axes, groups))[:, groups[-1].start])

    def moment(self, alpha: Array, Omega: Array, down: Array) -> Array:
        """Moment that the wheels must exert on the sphere; all in its own axes [N m]."""
        return alpha @ self.inertia + np.cross(Omega, Omega @ self.inertia) - np.cross(self.weight_arm, down)

    def _spin_form(self, m: Array) -> Array:
        """(..., 3, 3) S(m)."""
        cross = -np.cross(m[..., None, :], np.eye(3))  # row i is e_i x m, so this is [m]
        return np.asarray(0.5 * (self.inertia @ cross - cross @ self.inertia))

    @property
    def gyroscopic_max(self) -> float:
        """Largest |Omega x I Omega|, with Omega halfway between the axes of largest and smallest inertia [N m]."""
        moments = np.linalg.eigvalsh(self.inertia)
        return float(0.5 * self.velocity**2 * (moments[2] - moments[0]))

    @property
    def plain_bound(self) -> float:
        """The sum of the maxima of the terms [N m]; exact if the inertia is the same about every axis."""
        inertial = self.acceleration * float(np.linalg.eigvalsh(self.inertia)[2])
        return inertial + self.gyroscopic_max + float(np.linalg.norm(self.weight_arm))


@final
@dataclass(frozen=True, eq=False)
class LargestMoment:
    """The largest moment, its location, and the proof that there is no larger one.

    Attributes:
        value: the moment [N m]; some direction reaches it
        bound: upper bound over all directions [N m]
        direction: (3,) unit vector of the moment, in S
        directions: (k, 3) all directions found to be as large, that one first: the furthest along x, then y, then z;
            samples of a circle or a sphere of them if the inertia is the same about several axes
        acceleration, velocity: (3,) that cause it, in S [rad/s^2], [rad/s]
        down: (3,) direction of gravity then, in S
        cells: number of triangles of directions examined
    """

    value: float
    bound: float
    direction: Array
    directions: Array
    acceleration: Array
    velocity: Array
    down: Array
    cells: int


def largest_moment(turning: Turning, tolerance: float = TOLERANCE) -> LargestMoment:
    """The global maximum with its certificate."""
    hills = np.array([_climbed(turning, m) for m in _summits(turning)])
    looked_at = 0
    while True:
        heights = turning.support(hills)
        found = _at(turning, directions_of(hills[heights >= heights.max() * (1 - 0.01 * tolerance)], FLAT_TOP))
        plain = max(turning.plain_bound, found.value)
        if plain <= found.value * (1 + tolerance):
            return replace(found, bound=plain, cells=looked_at)
        proof = proven_bound(turning.support, found.value, tolerance, MOST_CELLS)
        looked_at += proof.cells
        if proof.higher is None:
            return replace(found, bound=min(plain, proof.bound), cells=looked_at)
        hills = np.vstack([hills, _climbed(turning, proof.higher)])  # the initial points led to lower maxima


def _summits(turning: Turning) -> Array:
    """(k, 3) directions near the highest local maxima, one for each, by ascent from directions all around."""
    m = halved(octahedron()).reshape(-1, 3)
    for _ in range(UPHILL):
        m = turning.moment(*turning.worst(m))
        m /= np.linalg.norm(m, axis=1)[:, None]
    heights = turning.support(m)
    return directions_of(m[heights >= heights.max() * (1 - NEAR_TOP)], ONE_HILL)


def _at(turning: Turning, tops: Array) -> LargestMoment:
    """The worst moment for the first of some directions, not proven to be the largest of all."""
    alpha, _, down = turning.worst(tops[0])
    Omega = turning.worst_spin(tops[0])
    moment = turning.moment(alpha, Omega, down)
    value = float(np.linalg.norm(moment))
    return LargestMoment(value, np.inf, moment / value, tops, alpha, Omega, down, 0)


def _climbed(turning: Turning, m: Array) -> Array:
    """A local maximum by ascent from m: Newton steps on the sphere if they ascend, else a step that never descends.

    The gradient of F is the worst moment itself, and the direction of that moment is never worse than m.
    """
    height = float(turning.support(m[None])[0])
    for _ in range(MOST_STEPS):
        gradient = turning.moment(*turning.worst(m))
        tried = [gradient / np.linalg.norm(gradient), _newton(turning, m, gradient)]
        heights = turning.support(np.array(tried))
        k = int(np.argmax(heights))
        if not heights[k] > height * (1 + ROUNDING):
            break
        m, height = tried[k], float(heights[k])
    return m


def _newton(turning: Turning, m: Array, gradient: Array) -> Array:
    """One Newton step towards a point where the gradient is parallel to m, ascending along every curvature axis."""
    tangents = np.linalg.svd(m[None])[2][1:]
    shifted = (m + DIFFERENCE * sign * t for t in tangents for sign in (1, -1))
    slopes = np.array([turning.moment(*turning.worst(x)) @ tangents.T for x in shifted])
    H = (slopes[0::2] - slopes[1::2]) / (2 * DIFFERENCE) - (m @ gradient) * np.eye(2)
    curvatures, axes = np.linalg.eigh(0.5 * (H + H.T))
    steps = (axes.T @ tangents @ gradient) / np.maximum(np.abs(curvatures), ROUNDING * float(m @ gradient))
    there = m + np.clip(axes @ steps, -0.5, 0.5) @ tangents
    return np.asarray(there / np.linalg.norm(there))
