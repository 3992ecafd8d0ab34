"""asin, acos, atan and atan2 against mpmath; special values against Python's math, which follows C99 Annex F.

A tolerance in ulp is the function's registered bound, the sum of its roundings.
"""

import itertools
import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.compile.maths import MATHS
from motionbase.compile.maths import inverse_trigonometric as inverse
from tests.compile.ulp import Array, near, ulp_errors, values
from tests.tier import often

REFERENCE: dict[str, Callable[..., mp.mpf]] = {"asin": mp.asin, "acos": mp.acos, "atan": mp.atan}
BIG = 1.7976931348623157e308
any_float = st.floats(allow_nan=False)


def around(*centres: float) -> Array:
    """The centres with their three neighbours on each side, of both signs."""
    both = near(np.array(centres), 3)
    return np.concatenate([both, -both])


def powers(rng: np.random.Generator, low: float, high: float, n: int) -> Array:
    """Random signs and magnitudes, spread over the binades."""
    return rng.choice([-1.0, 1.0], n) * 2.0 ** rng.uniform(low, high, n)


def arguments(name: str) -> Array:
    rng = np.random.default_rng(1980)
    if name == "atan":
        borders = around(0.25, 0.75, 1.0, 4 / 3, 4.0, 2.0**100, 5e-324, 2.0**-1022, 1e308)
        dense = [c * (1 + rng.uniform(-0.05, 0.05, often(2500))) for c in (0.25, 0.75, 1.0, 4 / 3, 4.0)]
        return np.concatenate(
            [borders, *dense, rng.uniform(-8, 8, often(10_000)), powers(rng, -1074, 1023, often(4000))]
        )
    near_one = 1 - 2.0 ** rng.uniform(-53, -1, often(4000))
    borders = around(0.5, np.nextafter(1.0, 0.0), 5e-324, 2.0**-1022, 2.0**-27)
    spread = [
        rng.uniform(-1, 1, often(10_000)),
        rng.uniform(0.45, 0.55, often(5000)),
        rng.uniform(-0.55, -0.45, often(5000)),
    ]
    within = np.concatenate([borders, near_one, -near_one, *spread, powers(rng, -1074, -1, 2000)])
    inside: Array = within[np.abs(within) <= 1.0]
    return inside


@pytest.mark.parametrize("name", REFERENCE)
def test_error_in_ulp(name: str) -> None:
    assert ulp_errors(name, REFERENCE[name], arguments(name)).max() <= MATHS[name].ulp


def pairs() -> dict[str, tuple[Array, Array]]:
    rng = np.random.default_rng(1971)
    n = often(2500)
    ratios = np.concatenate([c * (1 + rng.uniform(-1e-3, 1e-3, n)) for c in (0.25, 0.75, 1.0, 4 / 3, 4.0)])
    x = powers(rng, -1, 1, len(ratios))
    edge = around(0.25, 0.75, 1.0, 4 / 3, 4.0)
    return {
        "plane": (rng.normal(size=4 * n), rng.normal(size=4 * n)),
        "borders": (ratios * x, x),
        "edges": (edge, np.ones(len(edge))),
        "near axes": (powers(rng, -60, -20, n), powers(rng, -1, 1, n)),
        "all": (powers(rng, -1074, 1023, n), powers(rng, -1074, 1023, n)),
        "denormal": (powers(rng, -1074, -1000, n), powers(rng, -1074, -1000, n)),
        "huge": (powers(rng, 1000, 1024, n), powers(rng, 1000, 1024, n)),
        "denormal ratio": (powers(rng, -1074, -900, n), powers(rng, -20, 120, n)),
        "at the scale": (powers(rng, -970, -900, n), powers(rng, 98, 102, n)),
        "scaled down": (powers(rng, -500, -400, n), powers(rng, 80, 600, n)),
    }


@pytest.mark.parametrize("where", pairs())
def test_atan2_error_in_ulp(where: str) -> None:
    assert ulp_errors("atan2", mp.atan2, *pairs()[where]).max() <= MATHS["atan2"].ulp


SPECIAL = [0.0, 5e-324, 1.0, BIG, math.inf]


def test_atan2_special_values_as_c99() -> None:
    """All pairs of signed zeros, denormals, ones, largest and infinite values; NaN in either place."""
    signed = [s * v for v in SPECIAL for s in (1.0, -1.0)]
    for y, x in itertools.product(signed, signed):
        got = values("atan2", np.array([y]), np.array([x]))[0]
        assert got.tobytes() == np.float64(math.atan2(y, x)).tobytes(), (y, x)
    for other in [*signed, math.nan]:
        assert np.isnan(values("atan2", np.array([math.nan, other]), np.array([other, math.nan]))).all()


def test_special_values() -> None:
    cases = {
        "asin": {0.0: 0.0, 1.0: math.pi / 2, -1.0: -math.pi / 2, 5e-324: 5e-324},
        "acos": {1.0: 0.0, -1.0: math.pi, 0.0: math.pi / 2},
        "atan": {0.0: 0.0, 1.0: math.pi / 4, math.inf: math.pi / 2, -math.inf: -math.pi / 2, BIG: math.pi / 2},
    }
    for name, expected in cases.items():
        got = values(name, np.array(list(expected)))
        assert got.tobytes() == np.array(list(expected.values())).tobytes(), name
    for name in ("asin", "atan"):
        assert np.signbit(values(name, np.array([-0.0]))[0])
    outside = np.array([np.nextafter(1.0, 2.0), 2.0, BIG, np.inf, np.nan])
    for name in ("asin", "acos"):
        assert np.isnan(values(name, np.concatenate([outside, -outside]))).all()
    assert np.isnan(values("atan", np.array([np.nan]))[0])


@given(any_float, any_float)
def test_symmetry(y: float, x: float) -> None:
    """atan and asin are odd; atan2 is odd in y; the angle of (-x, y) is pi less that of (x, y) within its roundings."""
    assert values("atan", np.array([-y]))[0] == -values("atan", np.array([y]))[0]
    assert values("asin", np.array([-y])).tobytes() == (-values("asin", np.array([y]))).tobytes() or not abs(y) <= 1
    up, down, mirrored = values("atan2", np.array([y, -y, y]), np.array([x, x, -x]))
    assert np.float64(up).tobytes() == np.float64(-down).tobytes()
    assert abs(abs(mirrored) - (math.pi - abs(up))) <= 2 * 2.0**-51  # an ulp each of two angles, below 4


@given(st.floats(-1.0, 1.0))
def test_asin_and_acos_add_up(x: float) -> None:
    """asin + acos = pi/2: an ulp of each, 2^-52 and 2^-51 at most, and the rounding of the sum."""
    a = np.array([x])
    assert abs(values("asin", a)[0] + values("acos", a)[0] - math.pi / 2) <= 2.0**-50


@pytest.mark.parametrize(
    ("coefficients", "function", "high", "bound"),
    [
        (inverse.ASIN, lambda s: (mp.asin(s) - s) / s**3, 0.25, 2.0**-55.8),
        (inverse.ATAN, lambda s: (s - mp.atan(s)) / s**3, 1 / 16, 2.0**-57.4),
    ],
)
def test_polynomials_meet_their_stated_bound(
    coefficients: tuple[float, ...], function: Callable[..., mp.mpf], high: float, bound: float
) -> None:
    with mp.workdps(40):
        for k in range(1, 301):
            z = mp.mpf(high) * k / 300
            error = mp.fsum(c * z**i for i, c in enumerate(coefficients)) - function(mp.sqrt(z))
            assert abs(z * error) <= bound
