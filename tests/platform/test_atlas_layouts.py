"""The best layouts: closed forms against search, the bound on normal forces, and what cannot be."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import PlatformError
from motionbase.platform.atlas.layouts import (
    MAGIC,
    best_layout,
    columns,
    equally_spaced,
    isotropic_family,
    layout_of,
    searched_layout,
)  # fmt: skip
from motionbase.platform.atlas.load import load_atlas


def condition(azimuths: np.ndarray, theta: float, gamma: float) -> float:
    sigma = np.linalg.svd(columns(azimuths, theta, gamma), compute_uv=False)
    return float(sigma[0] / max(sigma[2], 1e-12))


def test_columns_are_those_of_the_jacobian() -> None:
    """J_tau = R / (r cos gamma) U."""
    U = columns(equally_spaced(3), -math.pi / 4, math.pi / 4)
    np.testing.assert_allclose(7.6 * math.sqrt(2) * U, load_atlas("atlas").J_tau, rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1, rtol=1e-14)


@given(st.integers(3, 12), st.floats(-MAGIC, MAGIC))
@settings(deadline=None, max_examples=30)
def test_every_elevation_up_to_54_7_degrees_has_an_isotropic_layout(wheels: int, theta: float) -> None:
    found = best_layout(wheels, elevation=theta)
    # near the end tan gamma is the root of a small difference: 1e-16 becomes 1e-8, and is squared again here
    assert found.condition == pytest.approx(1, abs=1e-12)
    assert math.tan(found.roller_angle) ** 2 == pytest.approx(2 - 3 * math.sin(theta) ** 2, abs=1e-12)
    assert found.normal == pytest.approx(3 / wheels, rel=1e-12)
    assert found.torque == pytest.approx(math.sqrt(3) / (wheels * math.cos(theta)), rel=1e-9)
    assert found.torque * found.speed == pytest.approx(3 / wheels, rel=1e-12)  # won in torque, paid in speed


@given(st.integers(3, 6), st.floats(-1.5, 1.5))
@settings(deadline=None, max_examples=25)
def test_no_roller_angle_is_better_than_the_closed_form(wheels: int, theta: float) -> None:
    found, phi = best_layout(wheels, elevation=theta), equally_spaced(wheels)
    tried = [condition(phi, theta, gamma) for gamma in np.linspace(-1.5, 1.5, 41)]
    assert min(tried) >= found.condition * (1 - 1e-9)
    assert found.condition == pytest.approx(found.bound, rel=1e-9)


@given(st.integers(3, 6), st.floats(-1.5, 1.5))
@settings(deadline=None, max_examples=25)
def test_no_elevation_is_better_than_the_closed_form(wheels: int, gamma: float) -> None:
    found, phi = best_layout(wheels, roller_angle=gamma), equally_spaced(wheels)
    assert found.elevation <= 0
    tried = [condition(phi, theta, gamma) for theta in np.linspace(-1.5, 1.5, 41)]
    assert min(tried) >= found.condition * (1 - 1e-9)


def test_the_three_that_have_names() -> None:
    mecanum, omni = best_layout(3, roller_angle=math.pi / 4), best_layout(3, roller_angle=0.0)
    assert math.degrees(mecanum.elevation) == pytest.approx(-35.2644, abs=1e-4)
    assert math.degrees(omni.elevation) == pytest.approx(-54.7356, abs=1e-4)
    assert math.degrees(best_layout(3, elevation=-math.pi / 4).roller_angle) == pytest.approx(35.2644, abs=1e-4)
    family = isotropic_family(4, [-0.1, -0.5])
    assert [one.condition for one in family] == pytest.approx([1, 1], rel=1e-12)


@given(st.integers(3, 7), st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_no_wheels_need_less_normal_force_than_3_over_n(wheels: int, seed: int) -> None:
    """sum |row|^2 = tr (U U')^-1 >= 9 / tr (U U') = 9 / n for unit columns, so the longest row is at least 3 / n."""
    U = np.random.default_rng(seed).standard_normal((3, wheels))
    U /= np.linalg.norm(U, axis=0)
    assert np.linalg.norm(np.linalg.pinv(U), axis=1).max() >= 3 / wheels * (1 - 1e-12)


@pytest.mark.parametrize("degrees", [(0, 100, 200, 300), (0, 90, 180), (0, 60, 150, 200, 290)])
def test_the_search_is_as_good_as_a_fine_grid_and_its_bound_holds(degrees: tuple[float, ...]) -> None:
    phi = np.radians(degrees)
    found = searched_layout(phi.tolist())
    assert found.condition == pytest.approx(condition(phi, found.elevation, found.roller_angle), rel=1e-12)
    grid = min(condition(phi, t, g) for t in np.linspace(-1.55, 0, 42) for g in np.linspace(-1.5, 1.5, 41))
    assert found.condition <= grid * (1 + 1e-3)  # within its tolerance
    assert found.bound <= grid and found.bound >= found.condition * (1 - 2e-3)
    assert found.elevation <= 0


def test_the_search_finds_the_closed_form() -> None:
    found = searched_layout(equally_spaced(5).tolist())
    assert found.condition == pytest.approx(1, abs=1e-9) and found.bound == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: best_layout(2, elevation=0.5), "the number of wheels is 2, a whole number of at least 3 is wanted"),
        (lambda: best_layout(3), "one of elevation and roller_angle must be given"),
        (lambda: best_layout(3, elevation=-0.7, roller_angle=0.5), "one of elevation and roller_angle must be given"),
        (lambda: best_layout(3, roller_angle=math.pi / 2), "roller_angle is 90 degrees, it must be between -89 and 89"),
        (
            lambda: best_layout(3, elevation=math.pi / 2),
            "cannot turn a sphere about every axis; tilt wheels or rollers",
        ),
        (lambda: isotropic_family(3, [1.0]), "to be isotropic"),
        (lambda: layout_of(equally_spaced(3), 0.0, 0.0), "cannot turn a sphere about every axis"),
        (lambda: searched_layout([0.0, 0.0, 0.0]), "wheels at 0, 0, 0 degrees cannot turn a sphere about every axis"),
        (lambda: searched_layout([0.0, 1.0]), "the number of azimuths is 2"),
    ],
)
def test_layouts_that_cannot_be(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(PlatformError, match=message):
        make()
