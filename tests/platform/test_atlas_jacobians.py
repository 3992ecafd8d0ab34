"""Two derivations of one Jacobian: equation 30 of the paper, transposes on random layouts, virtual work, limits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from motionbase.compile import compile
from motionbase.platform.atlas.conditioning import conditioning
from motionbase.platform.atlas.jacobians import Jacobians, contact
from motionbase.platform.atlas.load import load_atlas
from tests.tier import often

ATLAS = load_atlas("atlas")
N = 4
FORCE, VELOCITY = compile(Jacobians(N).force), compile(Jacobians(N).velocity)
Array = NDArray[np.float64]


def angles(limit: float) -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(-limit, limit), min_size=N, max_size=N)


LAYOUTS = st.tuples(
    st.floats(0.1, 5.0),
    st.lists(st.floats(0.05, 1.0), min_size=N, max_size=N),
    angles(math.pi),
    angles(math.pi / 2),
    angles(1.4),
)
Layout = tuple[float, list[float], list[float], list[float], list[float]]


def test_equation_30_to_all_printed_digits() -> None:
    printed = [[5.374, 3.895, -9.269], [-7.600, 8.454, -0.854], [5.374, 5.374, 5.374]]
    np.testing.assert_array_equal(np.round(ATLAS.J_tau, 3), printed)
    np.testing.assert_array_equal(np.round(ATLAS.J_omega.T, 3), printed)


def test_conditioning_of_atlas() -> None:
    """Closed form: singular values R/r sqrt(n (sin^2 theta + tan^2 gamma) / 2) twice and R/r sqrt(n) cos theta."""
    found = conditioning(ATLAS.J_tau)
    assert found.condition == pytest.approx(math.sqrt(1.5), rel=1e-13)
    np.testing.assert_allclose(found.singular_values, 7.6 * np.sqrt([2.25, 2.25, 1.5]), rtol=1e-13)
    assert found.manipulability == pytest.approx(abs(np.linalg.det(ATLAS.J_tau)), rel=1e-13)
    np.testing.assert_allclose(np.abs(found.directions[2]), [0, 0, 1], atol=1e-12)  # yaw is the hardest
    np.testing.assert_allclose(found.directions[:2, 2], 0, atol=1e-12)


@given(LAYOUTS)
@settings(deadline=None, max_examples=often(200))
def test_each_jacobian_is_the_transpose_of_the_other(layout: Layout) -> None:
    J_tau, J_omega = FORCE(*layout), VELOCITY(*layout)
    # a dozen roundings, enlarged where the rollers are steep: 1 / cos(1.4) is 6
    np.testing.assert_allclose(J_omega, J_tau.T, rtol=0, atol=1e-14 * np.abs(J_tau).max())


@given(LAYOUTS, angles(100.0), st.lists(st.floats(-10, 10), min_size=3, max_size=3))
@settings(deadline=None, max_examples=often(100))
def test_virtual_work(layout: Layout, tau: list[float], Omega: list[float]) -> None:
    """What the wheels put in is what the sphere gets."""
    M, omega = FORCE(*layout) @ tau, VELOCITY(*layout) @ Omega
    scale = np.abs(FORCE(*layout)).max() * np.abs(tau).sum() * np.abs(Omega).sum()  # no squares that underflow
    assert float(np.dot(tau, omega)) == pytest.approx(float(M @ Omega), rel=0, abs=2e-14 * scale)


@given(LAYOUTS)
@settings(deadline=None, max_examples=often(100))
def test_the_formula_of_the_paper(layout: Layout) -> None:
    """Equation 10, entry by entry."""
    R, r, phi, theta, gamma = (np.asarray(x) for x in layout)
    C, S, T = np.cos, np.sin, np.tan
    wanted = np.stack(
        [-C(phi) * S(theta) + S(phi) * T(gamma), -S(phi) * S(theta) - C(phi) * T(gamma), C(theta)]
    ) * (R / r)  # fmt: skip
    found = FORCE(*layout)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-14 * np.abs(found).max())


def test_contact_vectors_are_orthonormal_but_for_the_roller() -> None:
    rng = np.random.default_rng(1)
    for phi, theta, gamma in rng.uniform(-1.4, 1.4, (20, 3)):
        outward, axle, roller = (np.array(v).ravel() for v in contact(phi, theta, gamma))
        for v in (outward, axle, roller):
            assert np.linalg.norm(v) == pytest.approx(1, rel=1e-15)
        assert abs(outward @ axle) < 1e-15 and abs(outward @ roller) < 1e-15
        rim = np.cross(axle, -outward)  # where the rim moves: level
        assert rim[2] == pytest.approx(0, abs=1e-15)
        assert roller @ rim == pytest.approx(math.cos(gamma), rel=1e-13)


def test_no_roller_angle_is_an_omni_wheel() -> None:
    """It drives along its rim: the moment of a force there, and no speed from turning across it."""
    layout = 1.0, [0.1] * N, [0.0, 1.0, 2.0, 4.0], [-0.5] * N, [0.0] * N
    J = FORCE(*layout)
    for k, phi in enumerate(layout[2]):
        outward = np.array([math.cos(phi) * math.cos(-0.5), math.sin(phi) * math.cos(-0.5), math.sin(-0.5)])
        rim = np.array([-math.sin(phi), math.cos(phi), 0.0])
        np.testing.assert_allclose(J[:, k], np.cross(outward, rim) / 0.1, rtol=1e-13, atol=1e-14)
        assert VELOCITY(*layout)[k] @ rim == pytest.approx(0, abs=1e-14)  # the sphere rolls across, rollers turn


def test_steep_rollers_drive_ever_less_speed_and_more_force() -> None:
    """Towards 90 degrees the wheel turns tan(gamma) times for the same sideways motion: nothing drives at the end."""
    sizes = [np.abs(FORCE(1.0, [0.1] * N, [0.0, 1, 2, 4], [0.0] * N, [g] * N)).max() for g in (1.0, 1.5, 1.57)]
    assert sizes == pytest.approx([10 * math.tan(g) for g in (1.0, 1.5, 1.57)], rel=1e-12)


def test_lanes_and_the_interpreter_give_the_same_bits() -> None:
    """Eight layouts in each of four vectors; the last axis counts the lanes."""
    rng = np.random.default_rng(3)
    many = {
        "R": rng.uniform(0.5, 2, (4, 8)), "r": rng.uniform(0.1, 0.3, (4, N, 8)), "phi": rng.uniform(-3, 3, (4, N, 8)),
        "theta": rng.uniform(-1, 1, (4, N, 8)), "gamma": rng.uniform(-1, 1, (4, N, 8)),
    }  # fmt: skip
    found = compile(Jacobians(N).force, lanes=8).map(**many)["J_tau"]
    interpreted = compile(Jacobians(N).force, target="python")
    for k, lane in ((0, 0), (2, 5), (3, 7)):
        one = [many[key][k, ..., lane] for key in ("R", "r", "phi", "theta", "gamma")]
        np.testing.assert_array_equal(found[k, ..., lane], FORCE(*one))
        np.testing.assert_array_equal(found[k, ..., lane], interpreted(*one))
