"""exp, expm1, log, log1p, pow and the fast pair against mpmath.

A tolerance in ulp is the function's registered bound, which is what a search over about a million arguments (against
80-bit arithmetic) found, rounded up: a sampled bound, not a proof. Special values are those of C99 Annex F, exactly.
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
from motionbase.compile.maths import exponential as e
from tests.compile.contraction import contracted
from tests.compile.ulp import Array, near, ulp_distance, ulp_errors, values
from tests.tier import often

INF, NAN = math.inf, math.nan
TINY, SMALLEST_NORMAL, LARGEST = 5e-324, 2.0**-1022, 1.7976931348623157e308
LN2 = math.log(2.0)
N = often(3000)


def any_bits(rng: np.random.Generator, n: int = N) -> Array:
    x = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    return x[np.isfinite(x)]


def arguments() -> dict[str, dict[str, Array]]:
    rng = np.random.default_rng(20250101)
    borders = np.arange(-1074.5, 1024.0, 7.0) * LN2  # where k changes
    first_borders = np.arange(-3.5, 4.0) * LN2
    exponential = {
        "reduced": rng.uniform(-0.36, 0.36, N),
        "near 0.36": rng.uniform(0.34, 0.42, N),  # the worst of expm1
        "ordinary": rng.uniform(-5.0, 5.0, N),
        "range": rng.uniform(-745.0, 709.7, N),
        "borders": near(np.concatenate([borders, first_borders])),
        "small": np.exp(rng.uniform(-40, 0, N)) * rng.choice([-1.0, 1.0], N),
        "bits": any_bits(rng),
        "rounding to -1": rng.uniform(-39.0, -36.0, 500),
        "k = 52 to 56": rng.uniform(36.0, 39.2, 500),
        "overflow": near(np.array([709.782712893384, 709.0, 710.0])),
        "denormal": rng.uniform(-745.2, -708.3, 1500),
        "clamps": near(np.array([-746.0, -745.1332191019411, -708.3964185322641, -40.0, 710.0])),
    }
    m = np.array([2.0 / 3.0, 4.0 / 3.0, math.sqrt(0.5), math.sqrt(2.0), 1.0])
    logarithm = {
        "around 1": rng.uniform(0.6, 1.5, N),
        "near 1": 1.0 + np.exp(rng.uniform(-36, -2, N)) * rng.choice([-1.0, 1.0], N),
        "next to 1": near(np.array([1.0]), 20),
        "borders": near(np.concatenate([m * 2.0**k for k in range(-6, 7)])),
        "borders from inside": np.concatenate([x * rng.uniform(0.97, 1.03, 500) for x in m]),
        "bits": np.abs(any_bits(rng)),
        "denormal": near(2.0 ** np.arange(-1074.0, -1018.0), 1)[56:] + TINY,
        "limits": np.array([TINY, SMALLEST_NORMAL, np.nextafter(SMALLEST_NORMAL, 0), LARGEST]),
    }
    third = np.array([-1 / 3, 1 / 3, 0.5, -0.5, 5 / 3, -2 / 3, 0.25])
    logarithm1p = {
        "reduced": rng.uniform(-0.34, 0.6, N),
        "inexact": rng.uniform(1 / 3, 0.5, N),
        "small": np.exp(rng.uniform(-50, 0, N)) * rng.choice([-1.0, 1.0], N) * 0.999,
        "near -1": -1.0 + np.exp(rng.uniform(-36, 0, N)),
        "large": np.exp(rng.uniform(0, 709.0, N)),
        "borders": near(third),
        "bits": np.abs(any_bits(rng)),
        "limits": near(np.array([2.0**53, 2.0**54, 2.0**1022, 1.5 * 2.0**1023])),
        "largest": np.array([LARGEST, np.nextafter(-1.0, 0.0)]),
    }
    normal = {k: x for k, x in logarithm.items() if k != "denormal"}
    return {
        "exp": exponential,
        "expm1": exponential,
        "fast_exp": {k: x[x > -708.0] for k, x in exponential.items() if k != "denormal"},
        "log": logarithm,
        "fast_log": {k: x[x >= SMALLEST_NORMAL] for k, x in normal.items()},
        "log1p": logarithm1p,
    }


REFERENCE: dict[str, Callable[..., mp.mpf]] = {
    "exp": mp.exp,
    "expm1": mp.expm1,
    "fast_exp": mp.exp,
    "log": mp.log,
    "fast_log": mp.log,
    "log1p": mp.log1p,
}


@pytest.mark.parametrize("name", REFERENCE)
def test_error_in_ulp(name: str) -> None:
    for where, x in arguments()[name].items():
        worst = ulp_errors(name, REFERENCE[name], x).max()
        assert worst <= MATHS[name].ulp, f"{name}: {worst} ulp in {where!r}"


def powers() -> dict[str, tuple[Array, Array]]:
    """Bases and exponents, most of them such that |y log x| is near its limit, where an error of log x shows most."""
    rng = np.random.default_rng(20250102)

    def limit(x: Array, low: float = -709.0, high: float = 709.0) -> tuple[Array, Array]:
        return x, rng.uniform(low, high, len(x)) / np.abs(np.log(x))

    m = np.array([math.sqrt(0.5), math.sqrt(2.0), 0.75, 1.25])
    whole = rng.integers(-40, 41, 1000).astype(np.float64)
    return {
        "wide": limit(np.exp(rng.uniform(-690, 690, 1500))),
        "around 1": limit(rng.uniform(0.5, 2.0, 1500)),
        "near sqrt 2": limit(rng.uniform(1.38, 1.4143, 1500), 650.0, 709.0),
        "near sqrt 1/2": limit(rng.uniform(0.7071, 0.73, 1500), -709.0, -650.0),
        "borders": limit(near(np.repeat(m, 20))),
        "near 1": limit(1.0 + np.exp(rng.uniform(-36, -2, 1000)) * rng.choice([-1.0, 1.0], 1000)),
        "denormal": limit(rng.uniform(0.01, 0.9, 1000), 708.0, 745.5),
        "denormal base": (2.0 ** rng.uniform(-1074, -1022, 500), rng.uniform(-0.9, 1.0, 500)),
        "ordinary": (np.exp(rng.uniform(-5, 5, 1500)), rng.uniform(-6, 6, 1500)),
        "whole": (rng.uniform(-9, 9, 1000), whole),
        "over and under": limit(rng.uniform(0.1, 10.0, 500), 709.5, 712.0),
        "tiny exponents": (np.exp(rng.uniform(-500, 500, 300)), np.exp(rng.uniform(-740, -30, 300))),
        "bits": (np.abs(any_bits(rng, 500))[:400], any_bits(rng, 500)[:400]),
    }


@pytest.mark.parametrize("where", powers())
def test_pow_error_in_ulp(where: str) -> None:
    def reference(x: mp.mpf, y: mp.mpf) -> mp.mpf:
        """x^y, without mpmath's own overflow where the result is far outside the doubles."""
        if x > 0 and abs(y * mp.log(x)) > 2000:
            return mp.inf if y * mp.log(x) > 0 else mp.mpf(0)
        return x**y

    assert ulp_errors("pow", reference, *powers()[where]).max() <= MATHS["pow"].ulp


SPECIAL = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (TINY, 1.0), (INF, INF), (-INF, 0.0), (LARGEST, INF), (-LARGEST, 0.0), (NAN, NAN),
            (709.782712893384, float.fromhex("0x1.fffffffffff2ap+1023")), (709.7827128933841, INF),
            (-745.1332191019412, 0.0), (-745.1332191019411, TINY), (-746.0, 0.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (TINY, TINY), (-TINY, -TINY), (INF, INF), (-INF, -1.0), (NAN, NAN),
              (LARGEST, INF), (-LARGEST, -1.0), (-40.0, -1.0), (709.7827128933841, INF),
              (3 * TINY, 3 * TINY), (1e-300, 1e-300)],
    "log": [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-INF, NAN), (-1.0, NAN), (-TINY, NAN), (NAN, NAN)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (TINY, TINY), (-TINY, -TINY), (3 * TINY, 3 * TINY), (INF, INF), (-1.0, -INF),
              (np.nextafter(-1.0, -2.0), NAN), (-INF, NAN), (NAN, NAN), (-1e-300, -1e-300)],
    "fast_exp": [(0.0, 1.0), (INF, INF), (NAN, NAN)],
    "fast_log": [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (NAN, NAN)],
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str) -> None:
    x, wanted = np.array(SPECIAL[name]).T
    got = values(name, x)
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(np.signbit(got)[got == 0], np.signbit(wanted)[got == 0])


def test_fast_exp_saturates_below() -> None:
    low = values("fast_exp", np.array([-708.0, -709.0, -1e300, -INF]))
    assert (low == low[0]).all()
    assert abs(low[0] / math.exp(-708.0) - 1.0) <= 2.0**-52


@pytest.mark.parametrize("name", ["fast_exp", "fast_log", "exp", "log"])
def test_contraction_does_no_harm(name: str) -> None:
    """Products fused with sums, as the fast mode allows: no product here must be rounded for the result to be right."""
    rng = np.random.default_rng(5)
    x = rng.uniform(-700.0, 700.0, 200) if name.endswith("exp") else rng.uniform(0.6, 1.5, 200)
    assert ulp_distance(contracted(MATHS[name].block, x), REFERENCE[name], x).max() <= MATHS[name].ulp


def c_pow(x: float, y: float) -> float:
    """C99 Annex F 9.4.4: what C's pow does, as Python's math.pow but without its exceptions."""
    try:
        return math.pow(x, y)
    except ValueError:  # a pole, or a negative base with an exponent that is no whole number
        if x != 0.0:
            return NAN
        return math.copysign(INF, x) if y % 2.0 == 1.0 else INF
    except OverflowError:
        return -INF if x < 0.0 and y % 2.0 == 1.0 else INF


def test_special_powers() -> None:
    """Every pair of special numbers, to the bit; those that are not special have whole or exact results."""
    bases = [0.0, TINY, 0.25, 1.0, 4.0, 2.0**600, LARGEST, INF]
    exponents = [0.0, TINY, 0.5, 1.0, 2.0, 3.0, 2.5, 2.0**52 + 1, 2.0**53 - 1, 2.0**53, 2.0**54, 1e300, INF]
    signed = [[s * v for v in both for s in (1.0, -1.0)] + [NAN] for both in (bases, exponents)]
    pairs = np.array(list(itertools.product(*signed)))
    wanted = np.array([c_pow(x, y) for x, y in pairs.tolist()])
    got = values("pow", *pairs.T)
    same = (got.view(np.uint64) == wanted.view(np.uint64)) | (np.isnan(got) & np.isnan(wanted))
    inexact = np.isin(np.abs(pairs[:, 0]), [LARGEST, TINY]) & np.isfinite(wanted) & (wanted != 0)
    assert (same | inexact).all(), pairs[~(same | inexact)][:5]
    np.testing.assert_allclose(got[inexact], wanted[inexact], rtol=2.0**-51)


@given(st.floats(-708.0, 709.0))
def test_log_undoes_exp(x: float) -> None:
    """0.85 ulp of e^x move the logarithm by 2^-52 at most; it adds 0.9 ulp of its own."""
    back = values("log", values("exp", np.array([x])))[0]
    assert abs(back - x) <= 2.0**-52 + 2 * np.spacing(abs(x))


@given(st.floats(-1e300, 1e300))
def test_expm1_and_log1p_have_the_sign_of_their_argument(x: float) -> None:
    assert math.copysign(1.0, values("expm1", np.array([x]))[0]) == math.copysign(1.0, x)
    if x > -1.0:
        assert math.copysign(1.0, values("log1p", np.array([x]))[0]) == math.copysign(1.0, x)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_exp_and_log_are_monotonic_up_to_their_error(a: float, b: float) -> None:
    """Neighbouring results may swap by the errors' sum, under 2 ulp."""
    low, high = sorted((a, b))
    left, right = values("exp", np.array([low, high]))
    assert left <= right or left - right <= 2 * np.spacing(right)
    low, high = sorted((abs(a), abs(b)))
    left, right = values("log", np.array([low, high]))
    assert left <= right or left - right <= 2 * np.spacing(abs(right))


@given(st.floats(allow_nan=False))
def test_first_power_and_zeroth(x: float) -> None:
    """x^1 = x within the bound, and x^0 = 1 exactly."""
    one, zero = values("pow", np.array([x, x]), np.array([1.0, 0.0]))
    assert zero == 1.0
    assert one == x or abs(one - x) <= np.spacing(abs(x))


POLYNOMIALS: dict[str, tuple[tuple[float, ...], Callable[..., mp.mpf], Callable[..., mp.mpf], float, float, float]] = {
    "exp": (e.EXP_Q, lambda r: (mp.exp(r) - 1 - r - r**2 / 2) / r**3, lambda r: r**3 / mp.exp(r),
            -LN2 / 2, LN2 / 2, 57.3),
    "expm1": (e.EXPM1_Q, lambda r: (mp.exp(r) - 1 - r - r**2 / 2) / r**3, lambda r: r**3 / mp.expm1(r),
              -LN2 / 2, LN2 / 2, 61.5),
    "log": (e.LOG_P, lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, lambda z: z / 2, 0.0, 0.04, 62.6),
    "fast_log": (e.FAST_LOG_P, lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, lambda z: z / 2,
                 0.0, 0.02943, 59.4),
    "pow": (e.POW_P, lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2 - 2 * z / 3) / z**2, lambda z: z**2 / 2,
            0.0, 0.02943, 66.2),
}  # fmt: skip


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_meet_their_stated_bound(name: str) -> None:
    coefficients, function, weight, low, high, bits = POLYNOMIALS[name]
    with mp.workdps(50):
        for k in range(300):
            x = mp.mpf(low) + (mp.mpf(high) - low) * (k + mp.mpf("0.5")) / 300
            error = mp.fsum(c * x**i for i, c in enumerate(coefficients)) - function(x)
            assert abs(weight(x) * error) <= 2.0**-bits
