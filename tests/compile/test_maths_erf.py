"""erf and erfinv against mpmath.

A tolerance in ulp is the function's registered bound: the worst of about 200 000 arguments for erf and of 60 million
for erfinv (1.53, against 80-bit arithmetic), rounded up. These are no proofs. Signs, zeros, limits and NaN are exact.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.compile.maths import MATHS
from motionbase.compile.maths import error_function as f
from tests.compile.ulp import Array, near, ulp_errors, values
from tests.tier import often

INF, NAN = math.inf, math.nan
TINY, LARGEST = 5e-324, 1.7976931348623157e308
N = often(3000)


def erf_arguments() -> dict[str, Array]:
    rng = np.random.default_rng(20250104)
    bits = rng.integers(0, 2**64, N, dtype=np.uint64).view(np.float64)
    return {
        "first": rng.uniform(-f.BORDER, f.BORDER, N),
        "worst": rng.uniform(0.85, f.BORDER, 2 * N),
        "second": rng.uniform(f.BORDER, 1.2, N),
        "range": rng.uniform(-6.2, 6.2, N),
        "small": np.exp(rng.uniform(-60, 0, N)),
        "bits": bits[np.isfinite(bits)],
        "denormal": 2.0 ** rng.uniform(-1074, -1015, 500),
        "borders": near(np.array([f.BORDER, -f.BORDER, 1.0, 5.9, 5.921587195794507, 6.0, -6.0]), 4),
    }


def erfinv_arguments() -> dict[str, Array]:
    """Where results are just below a power of two, roundings are at their coarsest; the halves meet at TAIL_BORDER."""
    rng = np.random.default_rng(20250105)
    return {
        "range": rng.uniform(-1.0, 1.0, N // 3),
        "small": np.exp(rng.uniform(-60, 0, 500)),
        "middle": rng.uniform(0.5, f.TAIL_BORDER, N // 3),
        "up to 1": rng.uniform(0.82, 0.8427, 2 * N // 3),  # the worst
        "up to the border": rng.uniform(0.96, f.TAIL_BORDER, N // 3),
        "border": near(f.TAIL_BORDER + np.linspace(-1e-4, 1e-4, 41)),
        "up to 2": rng.uniform(0.9951, 0.99532, 2 * N // 3),
        "tail": 1.0 - np.exp(-rng.uniform(3.4, 36.7, N // 3)),
        "near 4": 1.0 - np.exp(-rng.uniform(16.7, 18.2, N // 3)),
        "worst found": np.array([0.8409969983948758, 0.8310200690348869, 0.8404159665856482, 0.9679799360430138]),
        # 2.3 ulp and more with one approximation of x (1 + w/4 + ...) from 0 to beyond 2
        "of a wider middle": near(np.array([0.9953183899551051, 0.9952738603137056, 0.9952621058332193]), 20),
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


def test_the_bound_of_erfinv_is_the_promised_two_ulp() -> None:
    assert MATHS["erfinv"].ulp <= 2.0


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
    """1.75 ulp of erfinv are at most 4 of erf (whose slope times x / erf x is at most 1), and 1 of its own."""
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
            # from y to x and w, since mpmath inverts less readily: y covers erfinv's results
            y = x * mp.mpf("5.86")
            complement = mp.erfc(y)
            if 1 - complement < f.TAIL_BORDER:
                w = -mp.log(complement * (2 - complement))
                ratio = polynomial(f.INVERSE_P, w) / polynomial(f.INVERSE_Q, w)
                assert abs((1 - complement) * (1 + w / 4 + ratio) / y - 1) <= 2.0**-57.8
            else:
                s = mp.sqrt(-mp.log(complement) - f.TAIL_SHIFT)
                u = s - f.TAIL_CENTRE
                assert abs((s + polynomial(f.TAIL_P, u) / polynomial(f.TAIL_Q, u)) / y - 1) <= 2.0**-56.5
