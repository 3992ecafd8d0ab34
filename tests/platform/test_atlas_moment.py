"""The largest moment over all directions, against a secular equation, a refined grid, closed forms and the paper."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize

from motionbase.platform.atlas import moment
from motionbase.platform.atlas.directions import flat_distances, halved, octahedron, proven_bound
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.atlas.moment import LargestMoment, Turning, largest_moment
from motionbase.platform.atlas.units import PAPER

Array = NDArray[np.float64]
ATLAS = load_atlas("atlas")
NO_WEIGHT = np.zeros(3)
TURNING = Turning(ATLAS.sphere.inertia_matrix, ATLAS.limits.acceleration, ATLAS.limits.velocity, NO_WEIGHT)


@cache
def largest() -> LargestMoment:
    return largest_moment(TURNING)


def physical(rng: np.random.Generator, stretch: tuple[float, float, float] = (1.0, 0.6, 0.2)) -> Array:
    """Inertia of a cloud of particles."""
    points = rng.standard_normal((9, 3)) * stretch
    return sum((p @ p * np.eye(3) - np.outer(p, p) for p in points), np.zeros((3, 3)))


def unit(theta: float, phi: float) -> Array:
    return np.array([math.sin(theta) * math.cos(phi), math.sin(theta) * math.sin(phi), math.cos(theta)])


def over_alpha(turning: Turning, Omega: Array) -> float:
    """Largest |I alpha + g| over directions of alpha, for a fixed spin: a trust-region problem.

    In principal axes alpha_i = l_i g_i / (mu - l_i^2), and mu > l_max^2 is the root of |alpha| = a, which is the
    global maximum. Where g has no part along the largest axis, mu may stay l_max^2 and the rest of alpha lies there.
    """
    l, V = np.linalg.eigh(turning.inertia)
    g = V.T @ np.cross(Omega, turning.inertia @ Omega)
    a = turning.acceleration

    def excess(mu: float) -> float:
        return float(np.sum((l * g / (mu - l**2)) ** 2)) - a * a

    low = l[2] ** 2
    start = low + l[2] * abs(g[2]) / a * (1 - 1e-12) + 1e-15 * low
    if excess(start) <= 0:  # the hard case
        alpha = np.array([*(l[:2] * g[:2] / (low - l[:2] ** 2)), 0.0])
        alpha[2] = math.sqrt(max(a * a - float(alpha @ alpha), 0.0))
    else:
        mu = float(brentq(excess, start, low + l[2] * np.linalg.norm(g) / a + 1e-12 * low, xtol=1e-300, rtol=1e-15))
        alpha = l * g / (mu - l**2)
        alpha *= a / np.linalg.norm(alpha)
    return float(np.linalg.norm(l * alpha + g))


def by_secular_equation(turning: Turning, starts: int) -> float:
    """Over Omega from a grid of starts, the best of them refined."""
    grid = [(t, p) for t in np.linspace(0.1, 3.0, starts) for p in np.linspace(-3.0, 3.0, 2 * starts)]

    def negative(x: Array) -> float:
        return -over_alpha(turning, turning.velocity * unit(float(x[0]), float(x[1])))

    ranked = sorted(grid, key=lambda x: negative(np.array(x)))
    options = {"xatol": 1e-9, "fatol": 1e-12 * largest().value, "maxiter": 2000}
    found = [minimize(negative, x, method="Nelder-Mead", options=options) for x in ranked[:4]]
    return -min(float(one.fun) for one in found)


def test_numbers_of_the_paper() -> None:
    """'close to 51,000 pound inches'; the spin adds little."""
    assert PAPER.of(largest().value, "N m") == pytest.approx(51_126.97, abs=0.01)
    assert PAPER.of(TURNING.gyroscopic_max, "N m") == pytest.approx(168.93, abs=0.01)
    assert largest().value <= largest().bound <= largest().value * (1 + 1e-9)


def test_the_directions_make_the_moment() -> None:
    alpha, Omega = largest().acceleration, largest().velocity
    assert np.linalg.norm(alpha) == pytest.approx(math.radians(350), rel=1e-14)
    assert np.linalg.norm(Omega) == pytest.approx(math.radians(35), rel=1e-14)
    I = ATLAS.sphere.inertia_matrix
    M = I @ alpha + np.cross(Omega, I @ Omega)
    np.testing.assert_allclose(M, largest().value * largest().direction, rtol=1e-13, atol=1e-10)


def test_a_grid_of_all_four_angles_refines_to_it() -> None:
    """15 degrees first, then closer and closer around the best: from below, to 1e-9."""

    def lengths(angles: Array) -> Array:
        t, p, u, w = angles.T
        alpha = TURNING.acceleration * np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=1)
        Omega = TURNING.velocity * np.stack([np.sin(u) * np.cos(w), np.sin(u) * np.sin(w), np.cos(u)], axis=1)
        M = alpha @ TURNING.inertia + np.cross(Omega, Omega @ TURNING.inertia)
        return np.asarray(np.linalg.norm(M, axis=1))

    polar, azimuth = np.radians(np.arange(0, 181, 15)), np.radians(np.arange(-180, 180, 15))
    grid = np.array(list(itertools.product(polar, azimuth, polar, azimuth)))
    coarse = lengths(grid)
    best, step = grid[np.argmax(coarse)], math.radians(15)
    around = np.array(list(itertools.product((-1.0, -0.5, 0.0, 0.5, 1.0), repeat=4)))
    while step > 1e-8:
        tried = best + step * around
        k = int(np.argmax(lengths(tried)))
        best, step = tried[k], step if np.any(np.abs(around[k]) == 1) else step / 2
    reached = float(lengths(best[None])[0])
    assert coarse.max() < largest().value * (1 - 1e-6)  # the grid alone misses it
    assert largest().value * (1 - 1e-9) <= reached <= largest().value * (1 + 1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_the_secular_equation_agrees_where_the_spin_counts(seed: int) -> None:
    """Random inertias, with a gyroscopic part as large as the inertial one."""
    rng = np.random.default_rng(seed)
    I = physical(rng)
    turning = Turning(I, 2.0, 2.5 + 0.5 * seed, NO_WEIGHT)
    found = largest_moment(turning)
    assert turning.gyroscopic_max > 0.3 * found.value
    other = by_secular_equation(turning, 14)
    assert other == pytest.approx(found.value, rel=1e-9)  # both converge to about 1e-12


def test_the_secular_equation_agrees_for_atlas() -> None:
    assert by_secular_equation(TURNING, 10) == pytest.approx(largest().value, rel=1e-9)


@given(st.integers(0, 10**6), st.floats(0.0, 5.0), st.floats(0.0, 3.0))
@settings(deadline=None, max_examples=15)
def test_nothing_random_exceeds_the_maximum(seed: int, velocity: float, arm: float) -> None:
    rng = np.random.default_rng(seed)
    turning = Turning(physical(rng), 1.5, velocity, arm * rng.standard_normal(3))
    found = largest_moment(turning, tolerance=1e-6)
    assert found.value <= found.bound <= found.value * (1 + 1e-5)
    d = rng.standard_normal((3, 20_000, 3))
    alpha, Omega, down = d / np.linalg.norm(d, axis=2)[:, :, None] * np.array([1.5, velocity, 1.0])[:, None, None]
    M = alpha @ turning.inertia + np.cross(Omega, Omega @ turning.inertia) - np.cross(turning.weight_arm, down)
    assert np.linalg.norm(M, axis=1).max() <= found.value * (1 + 1e-12)
    worst = turning.moment(found.acceleration, found.velocity, found.down)
    assert np.linalg.norm(worst) == pytest.approx(found.value, rel=1e-12)


def test_closed_forms() -> None:
    ball = largest_moment(Turning(900 * np.eye(3), 6.0, 0.6, NO_WEIGHT))
    assert (ball.value, ball.bound) == pytest.approx((5400, 5400), rel=1e-14)
    top = largest_moment(Turning(np.diag([900.0, 900.0, 700.0]), 6.0, 0.6, NO_WEIGHT))  # all parts along one axis
    assert top.value == pytest.approx(900 * 6 + 0.5 * 0.36 * 200, rel=1e-13) and top.bound >= top.value
    still = largest_moment(Turning(np.diag([9.0, 7.0, 4.0]), 2.0, 0.0, NO_WEIGHT))
    assert still.value == pytest.approx(18, rel=1e-13)
    hanging = largest_moment(Turning(900 * np.eye(3), 1.0, 0.0, np.array([0.0, 0.0, 50.0])))  # weight at right angles
    assert hanging.value == pytest.approx(950, rel=1e-13)


def test_a_lesser_hill_is_not_proven_but_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all climbs end on a lesser maximum, the proof meets a higher direction and starts again from there."""
    turning = Turning(np.diag([9.0, 7.0, 4.0]), 2.0, 0.3, NO_WEIGHT)
    wanted = largest_moment(turning)
    proof = proven_bound(turning.support, 0.9 * wanted.value, 1e-9, 1000)
    assert proof.higher is not None and float(turning.support(proof.higher[None])[0]) > 0.9 * wanted.value
    misled, uphill = [np.array([0.0, 0.0, 1.0])] * 4, moment._climbed
    monkeypatch.setattr(moment, "_climbed", lambda t, m: misled.pop() if misled else uphill(t, m))
    assert largest_moment(turning).value == pytest.approx(wanted.value, rel=1e-12)


def test_triangles_cover_the_sphere() -> None:
    cells = halved(halved(octahedron()))
    assert len(cells) == 128
    solid = 2 * np.arctan2(
        np.abs(np.linalg.det(cells)),
        1 + sum(np.sum(cells[:, i] * cells[:, j], axis=1) for i, j in ((0, 1), (1, 2), (2, 0))),
    )
    assert solid.sum() == pytest.approx(4 * math.pi, rel=1e-13)
    assert np.all(flat_distances(cells) < 1) and np.all(flat_distances(cells) > flat_distances(octahedron()).max())


def test_where_it_is_does_not_hang_on_rounding_and_equal_places_are_named() -> None:
    """In principal axes, half a turn about any of them changes nothing: four directions are as bad, and the first of
    them is the furthest along x. A maximum is flat: its place is known to the root of the accuracy of its height."""
    inertia = np.diag([150.0, 200.0, 300.0])
    half_turns = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
    found = largest_moment(Turning(inertia, 5.0, 3.0, NO_WEIGHT))
    assert len(found.directions) == 4
    for sign in half_turns:
        assert np.abs(found.directions - sign * found.directions[0]).max(axis=1).min() < 1e-6
    assert found.directions[0, 0] >= found.directions[:, 0].max() - 1e-6
    for seed in range(5):
        noise = 1 + 1e-15 * np.random.default_rng(seed).uniform(-1, 1, 3)
        again = largest_moment(Turning(inertia * noise, 5.0, 3.0, NO_WEIGHT))
        for name in ("direction", "directions", "acceleration", "velocity"):
            np.testing.assert_allclose(getattr(again, name), getattr(found, name), atol=1e-5)
