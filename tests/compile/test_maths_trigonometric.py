"""sin, cos, tan and the fast pair against mpmath, also at every double that is hard to reduce.

A tolerance in ulp is the function's registered bound: the sum of its roundings, worked out in the module's comments and
docstrings. What is exact by design (symmetry, zeros, NaN) is compared exactly.
"""

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.compile.block import Builder
from motionbase.compile.maths import MATHS
from motionbase.compile.maths import trigonometric as t
from tests.compile.contraction import contracted
from tests.compile.ulp import Array, near, ulp_errors, values
from tests.tier import often

REFERENCE: dict[str, Callable[..., mp.mpf]] = {"sin": mp.sin, "cos": mp.cos, "tan": mp.tan}
FAST = {"fast_sin": mp.sin, "fast_cos": mp.cos}
in_range = st.floats(-t.LIMIT, t.LIMIT)


def neighbours(x: Array, steps: int = 2) -> Array:
    """Each argument, and the doubles next to it on both sides, of both signs."""
    both = near(x, steps)
    return np.concatenate([both, -both])


def doubles_near_multiples_of_half_pi(exponent: int, distance: float) -> list[float]:
    """All doubles m 2^exponent, 2^52 <= m < 2^53, nearer than `distance` to a multiple of pi/2.

    The points (m, m a - n), with a = 2^exponent / (pi/2), are a lattice: with a reduced basis (Lagrange and Gauss) the
    few of them in the box are listed (compare Muller, "Elementary Functions").
    """
    unit = 1 << 200
    with mp.workprec(400):
        a = int(mp.nint(mp.ldexp(2 / mp.pi, 200 + exponent))) % unit
        height = int(mp.nint(mp.ldexp(distance * 2 / mp.pi, 200)))
    u, w = (1, a), (0, unit)

    def dot(p: tuple[int, int], q: tuple[int, int]) -> int:
        return p[0] * q[0] * height**2 + p[1] * q[1] * 4**53

    while True:
        k = (2 * dot(u, w) + dot(u, u)) // (2 * dot(u, u))
        w = (w[0] - k * u[0], w[1] - k * u[1])
        if dot(w, w) >= dot(u, u):
            break
        u, w = w, u
    determinant = u[0] * w[1] - u[1] * w[0]
    corners = [(m, v) for m in (1 << 52, 1 << 53) for v in (-height, height)]
    along_u = [(m * w[1] - v * w[0]) // determinant for m, v in corners]
    along_w = [(u[0] * v - u[1] * m) // determinant for m, v in corners]
    return [
        math.ldexp(m, exponent)
        for i in range(min(along_u) - 1, max(along_u) + 3)
        for j in range(min(along_w) - 1, max(along_w) + 3)
        if 1 << 52 <= (m := i * u[0] + j * w[0]) < 1 << 53 and abs(i * u[1] + j * w[1]) <= height
    ]


@pytest.fixture(scope="module")
def hard() -> Array:
    """Every double in [1/2, 2^27) within 2^-46 of a multiple of pi/2: only there does the reduction's error count."""
    found = np.array([x for e in range(-53, -25) for x in doubles_near_multiples_of_half_pi(e, 2.0**-46)])
    assert 2000 < len(found) < 2500  # 28 binades of 2^52 doubles, of which 2 * 2^-46 / (pi/2) is 81 a binade: 2282
    return found


def ordinary() -> dict[str, Array]:
    rng = np.random.default_rng(20240229)
    multiples = rng.integers(1, 170_000_000, 300).astype(np.float64) * (math.pi / 4)
    return {
        "quadrant": rng.uniform(-0.8, 0.8, often(10_000)),
        "turns": rng.uniform(-10.0, 10.0, often(10_000)),
        "range": rng.uniform(-t.LIMIT, t.LIMIT, often(10_000)),
        "magnitudes": 2.0 ** rng.uniform(-1074, 27, 1000),
        "powers": neighbours(2.0 ** np.arange(-60.0, 27.0), 1),
        "quadrant borders": neighbours(multiples[multiples < t.LIMIT], 1),  # where n changes, and the zeros
        "first borders": neighbours(np.arange(1.0, 60.0) * (math.pi / 4)),
        "limits": neighbours(np.array([5e-324, 2.0**-1022, 2.0**-27, 2.0**-26]), 3),
    }


@pytest.mark.parametrize("name", REFERENCE)
@pytest.mark.parametrize("where", ordinary())
def test_error_in_ulp(name: str, where: str) -> None:
    x = ordinary()[where]
    assert ulp_errors(name, REFERENCE[name], x).max() <= MATHS[name].ulp


@pytest.mark.parametrize("name", REFERENCE)
def test_hard_arguments(name: str, hard: Array) -> None:
    """Half an ulp for the last rounding and 2^-6 for what the reduction leaves; tan by a correction as good."""
    assert ulp_errors(name, REFERENCE[name], hard).max() <= 0.5 + 2.0**-6


def test_the_hardest_arguments_are_found(hard: Array) -> None:
    """Two that continued fractions of pi/2 give (the famous 6381956970095103 2^797 is beyond the limit)."""
    assert math.pi / 2 in hard
    assert float.fromhex("0x1.6c6cbc45dc8dep+5") in hard  # 2^-60.5 from 29 pi/2
    assert float.fromhex("0x1.b951f1572eba5p+26") in hard  # 2^-56.0 from a multiple, the nearest of its binade


@pytest.mark.parametrize("name", REFERENCE)
def test_special_values(name: str) -> None:
    beyond = np.array([np.nextafter(t.LIMIT, np.inf), 1e9, 1e300, np.inf, np.nan])
    assert np.isnan(values(name, np.concatenate([beyond, -beyond]))).all()
    assert np.isfinite(values(name, np.array([t.LIMIT, -t.LIMIT]))).all()


@pytest.mark.parametrize("name", ["sin", "tan", "fast_sin"])
def test_small_arguments_are_kept(name: str) -> None:
    """f(x) = x to the last bit, sign of zero included, where x^3 is below half an ulp of x."""
    x = neighbours(np.array([0.0, 5e-324, 2.0**-1022, 1e-300, 2.0**-28]), 1)
    assert (values(name, x).view(np.uint64) == x.view(np.uint64)).all()


@pytest.mark.parametrize("name", ["cos", "fast_cos"])
def test_cos_of_zero_is_one(name: str) -> None:
    assert (values(name, np.array([0.0, -0.0, 5e-324, 1e-9])) == 1.0).all()


@given(in_range)
def test_symmetry(x: float) -> None:
    """Odd, even, odd: to the last bit, since every step is."""
    pair = np.array([x, -x])
    for name, odd in (("sin", True), ("cos", False), ("tan", True), ("fast_sin", True), ("fast_cos", False)):
        left, right = values(name, pair)
        assert np.float64(left).tobytes() == np.float64(-right if odd else right).tobytes(), name


@given(in_range)
def test_squares_sum_to_one(x: float) -> None:
    """Each square has an error of 2 * 0.9 ulp and a rounding; s^2 + c^2 = 1, so all together stay below 4 * 2^-53."""
    a = np.array([x])
    assert abs(values("sin", a)[0] ** 2 + values("cos", a)[0] ** 2 - 1.0) <= 4 * 2.0**-53


def test_sin_and_cos_share_their_work() -> None:
    builder = Builder()
    x = builder.argument(0)
    t.sin(x)
    alone = len(builder.instructions)
    t.cos(x)
    assert len(builder.instructions) - alone <= 7  # select, quadrant + 1, sign


@pytest.mark.parametrize(("name", "reference"), FAST.items())
def test_fast_absolute_error(name: str, reference: Callable[..., mp.mpf]) -> None:
    """3e-16: two roundings of a result below 1 (2.2e-16) and the polynomial (6e-17)."""
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.uniform(-s, s, 2000) for s in (4.0, 100.0, 2.0**22)] + [neighbours(np.arange(1, 400.0))])
    exact = np.array([float(reference(mp.mpf(v))) for v in x])
    assert np.abs(values(name, x) - exact).max() <= 3e-16
    small = rng.uniform(-math.pi / 4, math.pi / 4, 3000)
    assert ulp_errors(name, reference, small).max() <= MATHS[name].ulp
    far = rng.uniform(-1e12, 1e12, 1000)
    exact = np.array([float(reference(mp.mpf(v))) for v in far])
    assert (np.abs(values(name, far) - exact) <= 3e-16 + 3e-16 * np.abs(far)).all()


@pytest.mark.parametrize(("name", "reference"), (FAST | {"sin": mp.sin, "cos": mp.cos}).items())
def test_contraction_does_no_harm(name: str, reference: Callable[..., mp.mpf]) -> None:
    x = np.concatenate([np.random.default_rng(3).uniform(-(2.0**22), 2.0**22, 150), np.arange(1, 20) * math.pi, [-0.0]])
    exact = np.array([float(reference(mp.mpf(v))) for v in x])
    got = contracted(MATHS[name].block, x)
    assert np.abs(got - exact).max() <= 3e-16
    assert np.signbit(got[-1]) == name.endswith("sin")


@pytest.mark.parametrize(
    ("coefficients", "function", "weight", "bound"),
    [
        (t.SIN, lambda z: (mp.sqrt(z) - mp.sin(mp.sqrt(z))) / mp.sqrt(z) ** 3, lambda z: z, 2.0**-57.9),
        (t.COS, lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2, 2.0**-64.1),
        (t.FAST_COS, lambda z: (mp.cos(mp.sqrt(z)) - 1) / z, lambda z: z, 2.0**-54.0),
    ],
)
def test_polynomials_meet_their_stated_bound(
    coefficients: tuple[float, ...], function: Callable[..., mp.mpf], weight: Callable[..., mp.mpf], bound: float
) -> None:
    with mp.workdps(40):
        for k in range(1, 301):
            z = (mp.pi / 4) ** 2 * k / 300
            error = mp.fsum(c * z**i for i, c in enumerate(coefficients)) - function(z)
            assert abs(weight(z) * error) <= bound
