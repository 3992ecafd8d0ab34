"""Separation from static tables: Kirchhoff's flow, tables without attached flow, and the compiled lookup."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.rotor.airfoils.airfoil import Airfoil, Coefficient
from motionbase.rotor.airfoils.own import ANGLES, naca0012, thin
from motionbase.rotor.airfoils.separation import separation
from tests.tier import often


def airfoil_of(cl: Array, angles: Array = ANGLES) -> Airfoil:
    """One of a lift curve, with a drag and a moment that separation could have."""
    values = (cl, 0.01 + 0.1 * cl**2, -0.05 * cl)
    return Airfoil("made", *(Coefficient(angles, np.array([0.0]), each[:, None]) for each in values))


def test_a_kirchhoff_flow_gives_its_own_separation_point_and_attached_lift() -> None:
    """cl = cl_alpha sin(alpha - alpha_0) ((1 + sqrt f) / 2)^2, cambered, at the points of the table."""
    alpha_0, slope = np.deg2rad(-2.0), 6.0
    f = np.clip((np.deg2rad(25.0) - np.abs(ANGLES - alpha_0)) / np.deg2rad(15.0), 0.0, 1.0)
    attached = slope * np.sin(ANGLES - alpha_0)
    found = separation(airfoil_of(attached * ((1 + np.sqrt(f)) / 2) ** 2))
    near = np.abs(ANGLES - alpha_0) < np.deg2rad(24.0)
    np.testing.assert_allclose(found.f.at(ANGLES, 0.0)[near], f[near], atol=1e-12)
    partly = near & (f < 1) & (f > 0)
    excess, separated = found.excess.at(ANGLES, 0.0)[partly], found.separated_lift(ANGLES, 0.0)[partly]
    np.testing.assert_allclose(separated + excess, attached[partly], atol=1e-12)
    far = np.abs(ANGLES) > np.deg2rad(60.0)
    assert not found.f.at(ANGLES, 0.0)[far].any()
    np.testing.assert_array_equal(found.separated_lift(ANGLES, 0.0)[far], found.airfoil.cl.at(ANGLES, 0.0)[far])


def test_the_thin_one_is_attached_at_every_angle() -> None:
    found = separation(thin())
    np.testing.assert_allclose(found.f.values, 1.0, atol=1e-12)
    assert not found.arm.values.any()


def test_naca0012_separates_at_stall_and_backwards() -> None:
    found = separation(naca0012())
    f = found.f.at(np.deg2rad([0.0, 5.0, 10.0, 14.0, 20.0, 90.0, 175.0, -175.0]), 0.3)
    assert f[0] == 1 and f[1] > 0.99 and 0.8 < f[2] < 0.95 and 0.2 < f[3] < 0.5 and f[4] < 0.05 and not f[5:].any()
    np.testing.assert_allclose(found.f.values, found.f.values[::-1], atol=1e-12)  # a symmetric section
    assert found.excess.values[:, 0].max() < 4.5
    # behind stall the table has its force at mid-chord, 0.22 of the normal force on the lift at small angles
    assert -0.26 < found.arm.at(0.0, 0.3) < -0.2


@pytest.mark.parametrize("cl", [np.zeros(len(ANGLES)), -np.sin(ANGLES), np.full(len(ANGLES), 0.7)])
def test_without_lift_that_rises_through_zero_nothing_is_attached(cl: Array) -> None:
    found = separation(airfoil_of(cl))
    assert not found.f.values.any() and not found.excess.values.any() and not found.arm.values.any()


def test_the_compiled_lookup_has_the_columns_and_their_slopes() -> None:
    found = separation(naca0012())
    lookup = compile(found.lookup)
    for alpha, mach in ((0.2, 0.35), (-3.1, 0.0), (0.01, 0.99), (1.0, 0.6)):
        c, slopes = lookup(alpha=alpha, mach=mach)
        np.testing.assert_allclose(c, found.at(alpha, mach), atol=1e-12)
        np.testing.assert_allclose(slopes, found.slopes(alpha, mach), atol=1e-7)  # rounding over 1e-4


@settings(max_examples=often(200), deadline=None)
@given(values=st.lists(st.floats(-3.0, 3.0), min_size=len(ANGLES), max_size=len(ANGLES)))
def test_any_table_gives_finite_columns(values: list[float]) -> None:
    """Excess is at most 3/4 of the attached lift, whose slope is the table's largest within eight degrees."""
    found = separation(airfoil_of(np.array(values)))
    assert ((found.f.values >= 0) & (found.f.values <= 1)).all()
    assert (np.abs(found.excess.values) <= 0.75 * 6.0 / np.sin(np.deg2rad(1.0))).all()
    assert np.isfinite(found.rise.values).all() and (np.abs(found.arm.values) <= 0.5).all()
