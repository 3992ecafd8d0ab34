"""erf and erfinv against mpmath.

A tolerance in ulp is the function's registered bound: for erf the worst of about 200 000 arguments, rounded up; for
erfinv the sum of its roundings just below 2, of which a search reached 2.25. These are no
proofs. Signs, zeros, limits and NaN are exact.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ulp import Array, near, ulp_errors, values

from motionbase.compile.maths import MATHS
from motionbase.compile.maths import error_function as f

INF, NAN = math.inf, math.nan
TINY, LARGEST = 5e-324, 1.7976931348623157e308
N = 3000


def erf_arguments() -> dict[str, Array]:
    rng = np.random.default_rng(20250104)
    bits = rng.integers(0, 2**64, N, dtype=np.uint64).view(np.float64)
    return {
        "first": rng.uniform(-f.BORDER, f.BORDER, N),
        "worst": rng.uniform(0.85, f.BORDER, 6000),
        "second": rng.uniform(f.BORDER, 1.2, N),
        "range": rng.uniform(-6.2, 6.2, N),
        "small": np.exp(rng.uniform(-60, 0, N)),
        "bits": bits[np.isfinite(bits)],
        "denormal": 2.0 ** rng.uniform(-1074, -1015, 500),
        "borders": near(np.array([f.BORDER, -f.BORDER, 1.0, 5.9, 5.921587195794507, 6.0, -6.0]), 4),
    }


def erfinv_arguments() -> dict[str, Array]:
    """By w = -log(1 - x^2), in which the two halves meet at 7.5."""
    rng = np.random.default_rng(20250105)

    def of_w(w: Array) -> Array:
        return np.sqrt(-np.expm1(-w))

    return {
        "range": rng.uniform(-1.0, 1.0, 1000),
        "small": np.exp(rng.uniform(-60, 0, 500)),
        "middle": of_w(rng.uniform(0.0, 7.5, 1000)),
        "up to 2": of_w(rng.uniform(4.6, 4.674, 2000)),  # the worst: erfinv is just below 2
        "border": near(of_w(np.linspace(7.49, 7.51, 40))),
        "tail": 1.0 - 0.5 * np.exp(-rng.uniform(7.0, 36.0, 1000)),
        "near 4": 1.0 - 0.5 * np.exp(-rng.uniform(16.0, 17.5, 1000)),
        "next to 1": near(np.array([1.0]), 8)[1:],
        "limits": np.array([TINY, 3 * TINY, 1e-310, 2.0**-53, 2.0**-52, -(2.0**-27)]),
    }


@pytest.mark.parametrize("where", erf_arguments())
def test_erf_error_in_ulp(where: str) -> None:
    assert ulp_errors("erf", mp.erf, erf_arguments()[where]).max() <= MATHS["erf"].ulp


@pytest.mark.parametrize("where", erfinv_arguments())
def test_erfinv_error_in_ulp(where: str) -> None:
    def reference(x: mp.mpf) -> mp.mpf:
        """mpmath's erfinv starts from a double, and keeps it where |x| is so small that the series' first term does."""
        return mp.erfinv(x) if abs(x) > 1e-30 else x * mp.sqrt(mp.pi) / 2

    assert ulp_errors("erfinv", reference, erfinv_arguments()[where]).max() <= MATHS["erfinv"].ulp


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("erf", [(0.0, 0.0), (TINY, TINY), (INF, 1.0), (LARGEST, 1.0), (6.0, 1.0), (NAN, NAN)]),
        ("erfinv", [(0.0, 0.0), (TINY, TINY), (1.0, INF), (1.0000000000000002, NAN), (INF, NAN), (NAN, NAN)]),
    ],
)
def test_special_values_and_signs(name: str, pairs: list[tuple[float, float]]) -> None:
    x, wanted = np.array(pairs).T
    for sign in (1.0, -1.0):
        got = values(name, sign * x)
        np.testing.assert_array_equal(got, sign * wanted)
        assert (np.signbit(got) == (sign < 0))[~np.isnan(wanted)].all()


@given(st.floats(allow_nan=False))
def test_erf_is_odd_and_bounded(x: float) -> None:
    left, right = values("erf", np.array([x, -x]))
    assert np.float64(left).tobytes() == np.float64(-right).tobytes()
    assert abs(left) <= 1.0


@given(st.floats(-1.0, 1.0))
def test_erf_undoes_erfinv(x: float) -> None:
    """1.8 ulp of erfinv are at most 4 of erf (whose slope times x / erf x is at most 1), and 1 of its own.

    Near 2 erfinv has up to 2.6, but erf is flat there.
    """
    back = values("erf", values("erfinv", np.array([x])))[0]
    assert abs(back - x) <= 5 * np.spacing(abs(x))


def test_approximations_meet_their_stated_bound() -> None:
    def polynomial(coefficients: tuple[float, ...], x: mp.mpf) -> mp.mpf:
        return mp.fsum(c * x**i for i, c in enumerate(coefficients))

    with mp.workdps(40):
        for k in range(1, 201):
            x = mp.mpf(k) / 200
            z = x * x
            small = x + x * (f.ERF_0 - z / 4 + z * polynomial(f.ERF_P, z))
            assert abs(small / mp.erf(x) - 1) <= 2.0**-56.3
            t = x * mp.mpf("5.0625")
            large = f.ERFC_0 * mp.exp(t * polynomial(f.ERFC_G, t))
            assert abs(large - mp.erfc(f.BORDER + t)) <= 2.0**-56
            # from y to x and w, since mpmath inverts less readily: erfinv's argument w covers 0 to 36
            y = x * mp.mpf("5.86")
            complement = mp.erfc(y)
            w = -mp.log(complement * (2 - complement))
            if w < 7.5:
                ratio = polynomial(f.INVERSE_P, w) / polynomial(f.INVERSE_Q, w)
                inverse = (1 - complement) * (1 + w / 4 + ratio)
            else:
                s = mp.sqrt(w - f.TAIL_SHIFT)
                inverse = s + polynomial(f.TAIL_P, s - 2.5) / polynomial(f.TAIL_Q, s - 2.5)
            assert abs(inverse / y - 1) <= 2.0**-55.3
