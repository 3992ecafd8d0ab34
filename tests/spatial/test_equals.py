"""Choices among equals: noise of the size of rounding changes none of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.spatial.equals import (
    ALIKE,
    axes_of,
    directions_of,
    first_largest,
    first_largest_of_rows,
    first_least,
    pivots,
    ranked,
    runs,
    settled,
)

NOISE = 1e-13  # far more than a processor's rounding, far less than ALIKE


def rotation(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.linalg.qr(rng.standard_normal((n, n)))[0]


@settings(deadline=None)  # a loaded machine is slow
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_places_do_not_hang_on_noise(values: list[int], seed: int) -> None:
    """Integers, many of them equal, each a little off."""
    noise = NOISE * np.random.default_rng(seed).uniform(-1, 1, len(values))
    x = np.array(values) + noise
    assert first_largest(x, ALIKE) == values.index(max(values))
    assert first_least(x, ALIKE) == values.index(min(values))
    assert first_largest_of_rows(np.stack([x, -x]), ALIKE).tolist() == [first_largest(x, ALIKE), first_least(x, ALIKE)]
    assert ranked(x, ALIKE).tolist() == sorted(range(len(values)), key=lambda k: (values[k], k))


def test_what_is_not_a_number_or_infinite() -> None:
    nan, inf = np.nan, np.inf
    assert first_largest([nan, 1.0, 1.0 + NOISE]) == 1 and first_largest([nan, nan]) == 0
    assert first_least([inf, 2.0 + NOISE, 2.0]) == 1 and first_largest([1.0, inf, inf]) == 1
    assert first_least([inf, inf]) == 0
    assert first_largest_of_rows(np.array([(-inf, -inf), (-inf, 1.0), (1.0, inf)])).tolist() == [0, 1, 1]
    assert ranked([inf, 1.0, inf, -inf, 1.0 - NOISE]).tolist() == [3, 1, 4, 0, 2]
    assert ranked([]).tolist() == [] and runs([]) == []


def test_numbers_of_very_different_size_are_judged_by_their_own() -> None:
    """A list may hold what is useless beside what is good."""
    assert first_least([1e12, 2.0, 1.0]) == 2
    assert runs([1e-3, 2e-3, 1e9, 1e9 + 0.1]) == [slice(0, 1), slice(1, 2), slice(2, 4)]


def test_zero_is_alike_within_the_floor_alone() -> None:
    x = [1e-17, -1e-17, 1.0]
    assert first_least(x) == 1 and first_least(x, 1e-12) == 0


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_directions_and_axes(seed: int) -> None:
    """The eight corners of a cube are four lines; (1, 1, 1) is the furthest along x, then y, then z."""
    rng = np.random.default_rng(seed)
    corners = np.array([(x, y, z) for x in (1, -1) for y in (1, -1) for z in (1, -1)], dtype=float)
    given = rng.permutation(np.tile(corners, (2, 1))) + NOISE * rng.standard_normal((16, 3))
    np.testing.assert_allclose(directions_of(given), corners / np.sqrt(3), atol=1e-12)
    np.testing.assert_allclose(axes_of(given), corners[:4] / np.sqrt(3), atol=1e-12)


def test_an_axis_without_x_points_along_y_or_z() -> None:
    np.testing.assert_allclose(axes_of([(NOISE, -2.0, 1.0)]) * np.sqrt(5), [(0, 2, -1)], atol=1e-12)
    np.testing.assert_allclose(axes_of([(NOISE, -NOISE, -3.0)]), [(0, 0, 1)], atol=1e-12)


@pytest.mark.parametrize("complex_", [False, True])
@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_space_has_one_basis(complex_: bool, seed: int) -> None:
    """Whatever basis comes in, the same one goes out, and it is as orthonormal."""
    rng = np.random.default_rng(seed)
    X = rotation(rng, 5)[:, :3].astype(complex if complex_ else float)
    turn = rotation(rng, 3).astype(X.dtype)
    if complex_:
        turn = turn @ np.diag(np.exp(1j * rng.uniform(0, 6, 3)))
    found = X @ settled(X)
    again = X @ turn @ settled(X @ turn)
    np.testing.assert_allclose(again, found, atol=1e-10)
    np.testing.assert_allclose(found.conj().T @ found, np.eye(3), atol=1e-12)
    rows, _ = pivots(X)
    assert np.all(found[rows, range(3)].real > 0)


def test_groups_are_settled_apart_and_the_plane_of_two_axes_is_theirs() -> None:
    """Two equal eigenvalues in the plane of x and y: the axes themselves come out, not some turned pair."""
    c, s = np.cos(0.3), np.sin(0.3)
    X = np.array([(c, -s, 0), (s, c, 0), (0, 0, -1.0)])
    np.testing.assert_allclose(X @ settled(X, [slice(0, 2), slice(2, 3)]), np.eye(3), atol=1e-15)


def test_a_space_of_nothing() -> None:
    rows, directions = pivots(np.zeros((4, 0)))
    assert rows == [] and directions.shape == settled(np.zeros((4, 0))).shape == (0, 0)
