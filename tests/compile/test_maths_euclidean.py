"""hypot against mpmath and remainder against rational arithmetic and Python's math."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from motionbase.compile.maths import MATHS
from tests.compile.ulp import ulp_errors, values
from tests.tier import often

BIG = 1.7976931348623157e308
moderate = st.floats(-1e60, 1e60)
any_float = st.floats(allow_nan=False)
SIGNED = [s * v for v in (0.0, 5e-324, 2.0**-1022, 0.5, 1.0, 1.5, 3.0, 2.0**1023, BIG, math.inf) for s in (1.0, -1.0)]


def hypotenuse(x: mp.mpf, y: mp.mpf) -> mp.mpf:
    return mp.sqrt(x * x + y * y)


@pytest.mark.parametrize(
    ("x_range", "y_range"),
    [
        ((0, 1), (0, 1)),
        ((0, 1), (-28, 0)),
        ((-1074, 1023), (-1074, 1023)),
        ((-1074, -1000), (-1074, -1000)),
        ((-1030, -1015), (-1060, -1015)),
        ((-1023.5, -1022.2), (-1024, -1022.4)),
        ((-513, -509), (-545, -505)),
        ((1000, 1023.5), (1000, 1023.5)),
        ((1023, 1023.99), (960, 1000)),
    ],
)
def test_hypot_error_in_ulp(x_range: tuple[float, float], y_range: tuple[float, float]) -> None:
    """0.86 ulp: half for the root, 0.36 for its argument; 0.93 where the result is denormal, and rounded again."""
    rng = np.random.default_rng(300)
    x, y = 2.0 ** rng.uniform(*x_range, often(3000)), 2.0 ** rng.uniform(*y_range, often(3000))
    assert ulp_errors("hypot", hypotenuse, x, y).max() <= MATHS["hypot"].ulp


def test_hypot_at_every_exponent() -> None:
    """The scale changes with the exponent; 3, 4, 5 triangles and single sides are exact at each of them."""
    k = 2.0 ** np.arange(-1072.0, 1021.0)
    np.testing.assert_array_equal(values("hypot", 3 * k, -4 * k), 5 * k)
    side = np.array([-0.0, 0.0, 5e-324, *np.random.default_rng(1).uniform(1, 2, 200), BIG])
    np.testing.assert_array_equal(values("hypot", side, np.zeros(len(side))), np.abs(side))
    np.testing.assert_array_equal(values("hypot", np.full(len(side), -0.0), side), np.abs(side))


def test_hypot_special_values() -> None:
    for x, y in itertools.product([*SIGNED, math.nan], repeat=2):
        if math.isinf(x) or math.isinf(y) or math.isnan(x) or math.isnan(y):
            got, expected = values("hypot", np.array([x]), np.array([y]))[0], math.hypot(x, y)
            assert got == expected or (math.isnan(got) and math.isnan(expected)), (x, y)
    assert values("hypot", np.array([BIG]), np.array([BIG]))[0] == math.inf


@given(any_float, any_float)
def test_hypot_symmetry(x: float, y: float) -> None:
    a, b = np.array([x]), np.array([y])
    bits: set[bytes] = {values("hypot", p, q).tobytes() for p, q in ((a, b), (b, a), (-a, b), (a, -b))}
    assert len(bits) == 1


def check_remainder(x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    """Equal to the last bit, sign of zero included, to Python's; NaN where that refuses."""
    for a, b, got in zip(x.tolist(), y.tolist(), values("remainder", x, y), strict=True):
        try:
            expected = math.remainder(a, b)
        except ValueError:
            expected = math.nan
        assert got.tobytes() == np.float64(expected).tobytes() or (math.isnan(got) and math.isnan(expected)), (a, b)


def test_remainder_special_values() -> None:
    table = np.array(list(itertools.product([*SIGNED, math.nan], repeat=2)))
    check_remainder(table[:, 0].copy(), table[:, 1].copy())


def test_remainder_random_and_ties() -> None:
    rng = np.random.default_rng(754)
    x, y = 2.0 ** rng.uniform(-1074, 1024, 2000), 2.0 ** rng.uniform(-1074, 1024, 2000)
    check_remainder(x * rng.choice([-1.0, 1.0], 2000), y * rng.choice([-1.0, 1.0], 2000))
    y = rng.integers(1, 2**20, 2000) * 2.0 ** rng.integers(-1070, 900, 2000)
    check_remainder(rng.integers(-999, 999, 2000) * (y / 2), y)  # half of them are ties
    check_remainder(np.nextafter(1.5 * y, np.inf), y)


@given(moderate, moderate.filter(bool))
def test_remainder_is_the_exact_one(x: float, y: float) -> None:
    """x - n y in rational arithmetic; Python's round of a fraction also takes ties to even."""
    exact = Fraction(x) - round(Fraction(x) / Fraction(y)) * Fraction(y)
    assert Fraction(float(values("remainder", np.array([x]), np.array([y]))[0])) == exact
