"""Torques of the wheels: closed forms, linear programmes, all directions, the numbers of the paper, normal forces."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from motionbase.errors import PlatformError, UsageError
from motionbase.platform.atlas.allocation import (
    ALLOCATIONS,
    facets_of,
    least_largest,
    least_largest_demand,
    least_squares_demand,
    wheel_demand,
)
from motionbase.platform.atlas.analysis import G, Traction, analyse, rest_normals
from motionbase.platform.atlas.conditioning import conditioning
from motionbase.platform.atlas.plot import normal_map, write_analysis
from motionbase.platform.atlas.units import PAPER
from tests.platform.atlas_analysis import ATLAS, analysis

Array = NDArray[np.float64]


def traction() -> Traction:
    return analysis().traction["least_squares"]


def spread(wheels: int, seed: int) -> Array:
    """Directions like those of wheels around a sphere, each different."""
    rng = np.random.default_rng(seed)
    phi = 2 * math.pi / wheels * np.arange(wheels) + rng.uniform(-0.3, 0.3, wheels)
    lengths = rng.uniform(0.5, 2.0, wheels)
    up = rng.uniform(0.4, 0.8, wheels)
    return np.asarray(lengths * np.stack([np.cos(phi), np.sin(phi), up]))


def by_linear_programme(J: Array, M: Array) -> float:
    n = J.shape[1]
    bounds = np.block([[np.eye(n), -np.ones((n, 1))], [-np.eye(n), -np.ones((n, 1))]])
    found = linprog(
        [0.0] * n + [1.0], A_ub=bounds, b_ub=np.zeros(2 * n), A_eq=np.hstack([J, np.zeros((3, 1))]), b_eq=M,
        bounds=[(None, None)] * (n + 1),
    )  # fmt: skip
    assert found.success
    return float(found.fun)


def random_directions(count: int) -> Array:
    d = np.random.default_rng(9).standard_normal((count, 3))
    return np.asarray(d / np.linalg.norm(d, axis=1)[:, None])


def test_numbers_of_the_paper() -> None:
    """'roughly 4800 pound inches', 'approximately 1500 pounds', 'nearly 50 percent'."""
    assert PAPER.of(traction().torque, "N m") == pytest.approx(4844.16, abs=0.01)
    assert PAPER.of(traction().normal, "N") == pytest.approx(1522.37, abs=0.01)
    assert traction().demand.underestimate == pytest.approx(1 - math.sqrt(27 / 91), rel=1e-12)  # 45.53 percent
    np.testing.assert_allclose(traction().demand.each, traction().demand.worst, rtol=1e-13)  # all three alike


def test_three_wheels_in_closed_form() -> None:
    """|M| times the longest row of the inverse; both allocations are the same, for there is no choice."""
    rows = np.linalg.norm(np.linalg.inv(ATLAS.J_tau), axis=1)
    for name in ALLOCATIONS:
        found = wheel_demand(ATLAS.J_tau, name)
        assert found.worst == pytest.approx(rows.max(), rel=1e-13)
        # by hand, with s^2 = 1/2, c^2 = 1/2, tan^2 = 1: (r/R) sqrt(4 / (s^2 + tan^2) + 1 / c^2) / 3
        assert found.worst == pytest.approx(math.sqrt(4 / 1.5 + 2) / 3 / 7.6, rel=1e-13)
        assert found.best == pytest.approx(1 / (7.6 * math.sqrt(6.5)), rel=1e-13)


@pytest.mark.parametrize("name", ALLOCATIONS)
@pytest.mark.parametrize("wheels", [3, 4, 5, 8])
def test_worst_and_best_over_all_directions(name: str, wheels: int) -> None:
    J = spread(wheels, wheels)
    found, torques = wheel_demand(J, name), ALLOCATIONS[name][0]

    def largest(m: Array) -> float:
        return float(np.abs(torques(J, m)).max())

    assert largest(found.worst_direction) == pytest.approx(found.worst, rel=1e-12)
    assert largest(found.best_direction) == pytest.approx(found.best, rel=1e-12)
    values = [largest(m) for m in random_directions(400)]
    assert found.best * (1 - 1e-12) <= min(values) and max(values) <= found.worst * (1 + 1e-12)
    assert max(values) > 0.95 * found.worst and min(values) < 1.25 * found.best  # 400 directions are 10 degrees apart


@given(st.integers(3, 7), st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_the_least_largest_torque_is_that_of_a_linear_programme(wheels: int, seed: int) -> None:
    J, M = spread(wheels, seed), np.random.default_rng(seed).standard_normal(3)
    tau = least_largest(J, M)
    np.testing.assert_allclose(J @ tau, M, rtol=0, atol=1e-11)
    assert np.abs(tau).max() == pytest.approx(by_linear_programme(J, M), rel=1e-8)  # the solver's own tolerance


@pytest.mark.parametrize(
    "J",
    [
        np.array([[1.0, 1, 0, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 0, 1]]),  # two pairs alike
        np.array([[1.0, 0, 1, -1, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 2]]),  # four in one plane
        np.array([[1.0, 0, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 1, 1]]),
    ],
)
def test_wheels_alike_or_in_one_plane(J: Array) -> None:
    for M in random_directions(25):
        tau = least_largest(J, M)
        np.testing.assert_allclose(J @ tau, M, rtol=0, atol=1e-12)
        assert np.abs(tau).max() == pytest.approx(by_linear_programme(J, M), rel=1e-8)
    corners = [J @ (2.0 * np.array([k >> i & 1 for i in range(J.shape[1])]) - 1) for k in range(2 ** J.shape[1])]
    far = max(float(np.linalg.norm(c)) for c in corners)
    assert least_largest_demand(J).best == pytest.approx(1 / far, rel=1e-12)
    assert np.all(least_largest(J, np.zeros(3)) == 0)


def test_the_choice_matters_with_more_wheels() -> None:
    J = spread(6, 2)
    squares, largest = least_squares_demand(J), least_largest_demand(J)
    assert largest.worst < 0.95 * squares.worst
    assert facets_of(J).shape == (2 * 15, 3)
    with pytest.raises(PlatformError, match="no allocation 'fair'; allocations: least_squares, least_largest"):
        wheel_demand(J, "fair")


def test_upright_torques_by_sampling_the_motion() -> None:
    """The sphere's axes along the wheels': no acceleration and spin ask for more than the closed form."""
    rng = np.random.default_rng(4)
    d = rng.standard_normal((2, 200_000, 3))
    size = np.array([ATLAS.limits.acceleration, ATLAS.limits.velocity])[:, None, None]
    alpha, Omega = size * d / np.linalg.norm(d, axis=2)[:, :, None]
    I = ATLAS.sphere.inertia_matrix
    sampled = np.abs((alpha @ I + np.cross(Omega, Omega @ I)) @ np.linalg.inv(ATLAS.J_tau).T).max()
    assert 0.997 * traction().upright < sampled <= traction().upright < traction().torque
    assert analysis().traction["least_largest"].upright == pytest.approx(traction().upright, rel=1e-12)


def test_some_orientation_makes_the_largest_torque() -> None:
    """Turn the worst moment of the sphere into the worst direction of a wheel: the two-step maximum is met."""
    a, b = analysis().moment.direction, traction().demand.worst_direction
    axis = np.cross(a, b)
    c, K = float(a @ b), np.cross(np.eye(3), axis)
    R = np.eye(3) + K + K @ K / (1 + c)
    np.testing.assert_allclose(R @ a, b, atol=1e-12)
    alpha, Omega = R @ analysis().moment.acceleration, R @ analysis().moment.velocity
    I = R @ ATLAS.sphere.inertia_matrix @ R.T
    tau = np.linalg.solve(ATLAS.J_tau, I @ alpha + np.cross(Omega, I @ Omega))
    assert np.abs(tau).max() == pytest.approx(traction().torque, rel=1e-12)


def test_speeds_weight_and_spin_up() -> None:
    found, t = analysis(), traction()
    assert found.speed == pytest.approx(math.radians(35) * 7.6 * math.sqrt(2), rel=1e-13)
    assert found.speed < found.speed_limit and t.torque_with_weight + found.spin_up < t.limit
    arm = ATLAS.sphere.mass * G * 0.005
    assert found.moment.value < found.moment_with_weight.value < found.moment.value + arm
    wheel = ATLAS.wheels[0]
    assert found.spin_up == pytest.approx((0.45 + 0.002 * 400) * math.radians(350) * 7.6 * math.sqrt(2), rel=1e-12)
    assert wheel.axle_inertia == pytest.approx(1.25)


def test_wheels_at_rest_balance_weight_and_preload() -> None:
    found = rest_normals(ATLAS)
    assert found is not None
    total = -(found @ ATLAS.contacts)
    for ring in ATLAS.rings:
        total = total - ring.preload * ring.contacts.sum(axis=0)
    np.testing.assert_allclose(total, [0, 0, ATLAS.sphere.mass * G], atol=1e-8)
    alone = rest_normals(dataclasses.replace(ATLAS, rings=()))
    assert alone is not None
    np.testing.assert_allclose(alone, ATLAS.sphere.mass * G / (3 * math.sin(math.pi / 4)), rtol=1e-12)
    level = tuple(dataclasses.replace(w, elevation=0.0) for w in ATLAS.wheels)
    assert rest_normals(dataclasses.replace(ATLAS, wheels=level)) is None
    assert analysis().normal_is_enough
    assert not analyse(dataclasses.replace(ATLAS, rings=())).normal_is_enough  # its weight alone is too little


def test_the_map_of_figure_5_meets_both_ends() -> None:
    polar, azimuth = np.meshgrid(np.linspace(0, np.pi, 361), np.linspace(-np.pi, np.pi, 721), indexing="ij")
    for name, t in analysis().traction.items():
        values = normal_map(analysis(), name, polar, azimuth)
        least = t.normal * t.demand.best / t.demand.worst
        assert values.max() == pytest.approx(t.normal, rel=1e-4) and values.max() <= t.normal * (1 + 1e-12)
        assert values.min() == pytest.approx(least, rel=0.01) and values.min() >= least * (1 - 1e-12)


def test_pictures(tmp_path: Path) -> None:
    write_analysis(analysis(), tmp_path / "a.svg", PAPER)
    text = (tmp_path / "a.svg").read_text()
    assert text.count("<path") > 100 and "</svg>" in text
    with pytest.raises(UsageError, match="must end in .png, .pdf or .svg"):
        write_analysis(analysis(), tmp_path / "a.gif")
    with pytest.raises(UsageError, match="cannot write"):
        write_analysis(analysis(), tmp_path / "nowhere" / "a.png")


def rounded(J: Array, seed: int) -> Array:
    """As another processor would round it."""
    return np.asarray(J * (1 + 1e-15 * np.random.default_rng(seed).uniform(-1, 1, J.shape)))


@pytest.mark.parametrize("name", ALLOCATIONS)
def test_directions_do_not_hang_on_rounding_and_equal_ones_are_all_there(name: str) -> None:
    """Three wheels alike: a third of a turn about z takes one kindest direction, or worst one, to the next."""
    found = wheel_demand(ATLAS.J_tau, name)
    turn = np.array([(-0.5, -math.sqrt(0.75), 0), (math.sqrt(0.75), -0.5, 0), (0, 0, 1)])
    for directions in (found.worst_directions, found.best_directions):
        assert directions.shape == (3, 3) and np.all(np.diff(directions[:, 0]) < 0) and np.all(directions[:, 0] > 0)
        along = np.abs(directions @ turn @ directions[0])  # of one of them, but for its sign
        np.testing.assert_allclose(sorted(along)[-1], 1, atol=1e-12)
    for seed in range(20):
        again = wheel_demand(rounded(ATLAS.J_tau, seed), name)
        np.testing.assert_allclose(again.worst_directions, found.worst_directions, atol=1e-12)
        np.testing.assert_allclose(again.best_directions, found.best_directions, atol=1e-12)


def test_axes_that_are_equally_easy_are_a_plane_and_do_not_hang_on_rounding() -> None:
    for seed in range(20):
        found = conditioning(rounded(ATLAS.J_tau, seed))
        assert len(found.easiest) == 2 and len(found.hardest) == 1
        np.testing.assert_allclose(found.directions, np.eye(3), atol=1e-12)
    even = conditioning(np.array([(1.0, 0, 0), (0, 1, 0), (0, 0, 1)]) @ np.linalg.qr(spread(3, 1))[0])
    assert len(even.easiest) == len(even.hardest) == 3
    np.testing.assert_allclose(even.directions, np.eye(3), atol=1e-12)
