"""sin, cos and tan of a double, and cheaper sin and cos for the fast mode.

The argument x [rad] is reduced to r in [-pi/4, pi/4] by Cody and Waite's reduction (Cody & Waite 1980, "Software Manual
for the Elementary Functions"; Muller, "Elementary Functions"). sin and cos of r are then both computed and the quadrant
selects one, so sin(x) and cos(x) of the same x share all but the last few instructions.

The fast pair may be compiled with contraction (a * b + c as one fused multiply-add), which only makes it more accurate.
It may not be reassociated: (x + SHIFT) - SHIFT is not x here, nor is (x - n P1) - n P2 the same as x - n (P1 + P2).
"""

from typing import NamedTuple

from motionbase.compile.block import Value, absolute, select
from motionbase.compile.maths.registry import maths
from motionbase.compile.maths.shared import NAN, SHIFT, SIGN, coefficients, halves, paired, quotient_excess

LIMIT = 134217728.0  # 2^27 [rad]: n below then has 27 bits
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")

# pi/2 in four parts; the first three have at most 25 bits, so that their products with n are exact; the sum of all
# four is pi/2 within 2^-134.9
HALF_PI = (
    float.fromhex("0x1.921fb5p+0"),
    float.fromhex("0x1.110b46p-26"),
    float.fromhex("0x1.1a6263p-54"),
    float.fromhex("0x1.8a2e03707344ap-81"),
)
# the fast reduction's two parts: 31 bits and the rest, within 2^-87.8
FAST_HALF_PI = (float.fromhex("0x1.921fb544p+0"), float.fromhex("0x1.0b4611a626331p-34"))

# (r - sin r) / r^3 in z = r^2 on [0, (pi/4)^2]; weight z: sin within 2^-58.0, relative
SIN = coefficients(
    "0x1.5555555555549p-3",
    "-0x1.111111110f8a5p-7",
    "0x1.a01a019c15e58p-13",
    "-0x1.71de357ae2874p-19",
    "0x1.ae5e686cc55cdp-26",
    "-0x1.5d939525226f3p-33",
)
# (cos r - 1 + r^2/2) / r^4 in z = r^2 on [0, (pi/4)^2]; weight z^2: cos within 2^-64.2
COS = coefficients(
    "0x1.555555555554cp-5",
    "-0x1.6c16c16c1521ep-10",
    "0x1.a01a019cbf36bp-16",
    "-0x1.27e4f8128ba86p-22",
    "0x1.1ee9f12f3ea0cp-29",
    "-0x1.8fb11bf5e4421p-37",
)
# (cos r - 1) / r^2 in z = r^2 on [0, (pi/4)^2]; weight z: cos within 2^-54.1
FAST_COS = coefficients(
    "-0x1.fffffffffffa3p-2",
    "0x1.555555554f983p-5",
    "-0x1.6c16c1648cc2dp-10",
    "0x1.a019f8857c88ap-16",
    "-0x1.27df6c70a4158p-22",
    "0x1.1b9616c141e8dp-29",
)


class _Reduced(NamedTuple):
    """x = n pi/2 + (r - tail): n in the lowest bits of `quadrant`, |r| <= pi/4, |tail| about an ulp of r."""

    quadrant: Value
    r: Value
    tail: Value


def _reduced(x: Value) -> _Reduced:
    """Cody and Waite's reduction in four parts, valid to |x| = LIMIT; beyond it, and for NaN, the tail is NaN.

    The first three products are exact, and so are the differences a and b: both are multiples of 2^-53 below 1 (a may
    exceed 1 for n > 2^23, but x, and with it a, is then a multiple of 2^-29).
    (b - r) - n P3 is the exact error of r = b - n P3 also if b is the smaller of the two: r is exact then. What is
    left is the rounding of n P4 and the rest of pi/2, n 2^-133 or less: 2^-106 at the limit, below 2^-8 ulp unless r is
    below 2^-46. The tests try all 2237 doubles that come so close to a multiple of pi/2: 0.51 ulp.
    """
    shifted = x * TWO_OVER_PI + SHIFT
    n = shifted - SHIFT
    a = x - n * HALF_PI[0]
    b = a - n * HALF_PI[1]
    c = n * HALF_PI[2]
    r = b - c
    tail = n * HALF_PI[3] - ((b - r) - c)
    guarded = select(absolute(x) <= LIMIT, tail, x.builder.constant(NAN))
    return _Reduced(shifted.bits(), r, guarded)


def _terms(r: Value, tail: Value) -> tuple[Value, Value, Value]:
    """y, w, u such that sin(r - tail) = r - y and cos(r - tail) = w + u, with the tail to first order."""
    z = r * r
    z2 = z * z
    half = z * 0.5
    w = 1.0 - half
    # the tail's term comes last: sin(-0) = -0 - (-0 + 0) keeps its sign
    y = (z * r) * paired(z, z2, SIN) + tail * w
    # the rounding error of 1 - half is added back: only that of z remains, a quarter ulp
    u = ((1.0 - w) - half) + (z2 * paired(z, z2, COS) + r * tail)
    return y, w, u


def _kernels(r: Value, tail: Value) -> tuple[Value, Value]:
    """sin and cos of r - tail."""
    y, w, u = _terms(r, tail)
    return r - y, w + u


def _fast_kernels(r: Value) -> tuple[Value, Value]:
    """sin and cos of r; the last operation is a product, so that sin(-0) = -0."""
    z = r * r
    z2 = z * z
    return r * (1.0 - z * paired(z, z2, SIN)), z * paired(z, z2, FAST_COS) + 1.0


def _even(quadrant: Value) -> Value:
    return (quadrant & 1).equals(quadrant.builder.word(0))


def _signed(magnitude: Value, turned: Value) -> Value:
    """The value, negated if the highest bit of the word is set."""
    return (magnitude.bits() ^ (turned & SIGN)).from_bits()


def _sin_of(quadrant: Value, s: Value, c: Value) -> Value:
    return _signed(select(_even(quadrant), s, c), quadrant << 62)


def _cos_of(quadrant: Value, s: Value, c: Value) -> Value:
    return _signed(select(_even(quadrant), c, s), (quadrant << 62) + (1 << 62))


@maths(1, ulp=0.9)
def sin(x: Value) -> Value:
    """Sine; NaN for |x| > 2^27."""
    quadrant, r, tail = _reduced(x)
    return _sin_of(quadrant, *_kernels(r, tail))


@maths(1, ulp=0.9)
def cos(x: Value) -> Value:
    """Cosine; NaN for |x| > 2^27."""
    quadrant, r, tail = _reduced(x)
    return _cos_of(quadrant, *_kernels(r, tail))


@maths(1, ulp=1.0)
def tan(x: Value) -> Value:
    """Tangent; NaN for |x| > 2^27.

    The quotient of sin and cos, each as a sum of two doubles, by one division and a correction.
    """
    quadrant, r, tail = _reduced(x)
    y, w, u = _terms(r, tail)
    high, low = halves(r)
    z_low = (high * high - r * r) + low * (r + high)  # r^2 - z: the quarter-ulp error that cos alone may have
    u = u - z_low * 0.5
    s, c = r - y, w + u
    s_low, c_low = (r - s) - y, (w - c) + u
    even = _even(quadrant)
    numerator, denominator = select(even, s, c), select(even, c, s)
    inverse = 1.0 / denominator
    q = numerator * inverse
    low = q * select(even, c_low, s_low) - select(even, s_low, c_low)
    return _signed(q - (quotient_excess(q, numerator, denominator) + low) * inverse, quadrant << 63)


def _fast_reduced(x: Value) -> tuple[Value, Value]:
    """The quadrant and r, in two parts without a tail; n P1 is exact up to |x| = 2^22."""
    shifted = x * TWO_OVER_PI + SHIFT
    n = shifted - SHIFT
    return shifted.bits(), (x - n * FAST_HALF_PI[0]) - n * FAST_HALF_PI[1]


@maths(1, ulp=2.0)
def fast_sin(x: Value) -> Value:
    """Sine for the fast mode: absolute error 3e-16 up to |x| = 2^22, 3e-16 (1 + |x|) up to 2^50; undefined beyond."""
    quadrant, r = _fast_reduced(x)
    return _sin_of(quadrant, *_fast_kernels(r))


@maths(1, ulp=2.0)
def fast_cos(x: Value) -> Value:
    """Cosine for the fast mode, with the errors of `fast_sin`."""
    quadrant, r = _fast_reduced(x)
    return _cos_of(quadrant, *_fast_kernels(r))
