"""sin, cos and tan of a double, and cheaper sin and cos for the fast mode.

The argument x [rad] is brought to r in [-pi/4, pi/4] by Cody and Waite's reduction (Cody & Waite 1980, "Software
Manual for the Elementary Functions", ch. 8; Muller, "Elementary Functions", 3rd ed., ch. 11). sin and cos of r are then
both computed and the quadrant selects one, so sin(x) and cos(x) of the same x share all but the last few instructions.

| function           | argument    | error                                                                        |
|--------------------|-------------|------------------------------------------------------------------------------|
| sin, cos, tan      | abs <= 2^27 | below 0.9 ulp (sin, cos) and 1 ulp (tan); measured: 0.77, 0.78 and 0.90     |
| sin, cos, tan      | abs > 2^27  | the result is NaN, so that a fault monitor sees it                           |
| fast_sin, fast_cos | abs <= 2^22 | 3e-16 absolute; also 2 ulp for abs <= pi/4                                   |
| fast_sin, fast_cos | abs <= 2^50 | that of x with an error of an ulp: 3e-16 + 3e-16 abs(x); no meaning beyond   |

The fast pair may be compiled with contraction (a * b + c as one fused multiply-add), which only makes it more accurate.
It may not be reassociated: (x + M) - M is not x here, nor is (x - n P1) - n P2 the same as x - n (P1 + P2).
"""

from typing import NamedTuple

from motionbase.compile.block import Value, absolute, select
from motionbase.compile.maths.pieces import SIGN, halves, paired, quotient_excess
from motionbase.compile.maths.registry import maths

LIMIT = 134217728.0  # 2**27 [rad]: n below then has 27 bits
TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
# adding this rounds a double of less than 2**50 to a whole number, left in the lowest bits (in two's complement)
MAGIC = float.fromhex("0x1.8p52")

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
SIN = (
    0.16666666666666632,
    -0.008333333333322488,
    0.0001984126982985553,
    -2.7557313706005343e-06,
    2.505076006621333e-08,
    -1.5896898481649238e-10,
)
# (cos r - 1 + r^2/2) / r^4 in z = r^2 on [0, (pi/4)^2]; weight z^2: cos within 2^-64.2
COS = (
    0.0416666666666666,
    -0.0013888888888874472,
    2.480158728966916e-05,
    -2.755731440010366e-07,
    2.087572912817734e-09,
    -1.1359925136207156e-11,
)
# (cos r - 1) / r^2 in z = r^2 on [0, (pi/4)^2]; weight z: cos within 2^-54.1
FAST_COS = (
    -0.49999999999999484,
    0.04166666666650356,
    -0.0013888888871747094,
    2.4801579021579058e-05,
    -2.7555296981068584e-07,
    2.063361787531187e-09,
)


class _Reduced(NamedTuple):
    """x = n pi/2 + (r - tail): n in the lowest bits of `quadrant`, abs(r) <= pi/4, abs(tail) about an ulp of r."""

    quadrant: Value
    r: Value
    tail: Value


def _reduced(x: Value) -> _Reduced:
    """Cody and Waite's reduction in four parts, valid to abs(x) = LIMIT; beyond it, and for NaN, the tail is NaN.

    The first three products are exact, and so are the differences a and b: both are multiples of 2^-53 below 1 (a may
    exceed 1 for n > 2^23, but x, and with it a, is then a multiple of 2^-29).
    (b - r) - n P3 is the exact error of r = b - n P3 also where b is the smaller of the two: r is exact there. What is
    left is the rounding of n P4 and the rest of pi/2, n 2^-133 or less: 2^-106 at the limit, below 2^-8 ulp unless r is
    below 2^-46. The 2237 doubles that come so near to a multiple of pi/2 are all tried in the tests: 0.51 ulp.
    """
    builder = x.builder
    shifted = x * TWO_OVER_PI + MAGIC
    n = shifted - MAGIC
    a = x - n * HALF_PI[0]
    b = a - n * HALF_PI[1]
    c = n * HALF_PI[2]
    r = b - c
    tail = n * HALF_PI[3] - ((b - r) - c)
    guarded = select(absolute(x) <= LIMIT, tail, builder.constant(float("nan")))
    return _Reduced(shifted.bits(), r, guarded)


def _terms(r: Value, tail: Value) -> tuple[Value, Value, Value]:
    """y, w, u such that sin(r - tail) = r - y and cos(r - tail) = w + u, the tail taken to first order."""
    z = r * r
    z2 = z * z
    half = z * 0.5
    w = 1.0 - half
    # the tail's term comes last: sin(-0) = -0 - (-0 + 0) keeps its sign
    y = (z * r) * paired(z, z2, SIN) + tail * w
    # what 1 - half loses comes back: the rounding of z alone remains, a quarter ulp
    u = ((1.0 - w) - half) + (z2 * paired(z, z2, COS) + r * tail)
    return y, w, u


def _kernels(r: Value, tail: Value) -> tuple[Value, Value]:
    """sin and cos of r - tail."""
    y, w, u = _terms(r, tail)
    return r - y, w + u


def _fast_kernels(r: Value) -> tuple[Value, Value]:
    """sin and cos of r; a product last, so that sin(-0) = -0."""
    z = r * r
    z2 = z * z
    return r * (1.0 - z * paired(z, z2, SIN)), z * paired(z, z2, FAST_COS) + 1.0


def _even(quadrant: Value) -> Value:
    return (quadrant & 1).equals(quadrant.builder.word(0))


def _signed(magnitude: Value, turned: Value) -> Value:
    """The value, negated where the highest bit of the word is set."""
    return (magnitude.bits() ^ (turned & SIGN)).from_bits()


def _sin_of(quadrant: Value, s: Value, c: Value) -> Value:
    return _signed(select(_even(quadrant), s, c), quadrant << 62)


def _cos_of(quadrant: Value, s: Value, c: Value) -> Value:
    return _signed(select(_even(quadrant), c, s), (quadrant << 62) + (1 << 62))


@maths(1, ulp=0.9)
def sin(x: Value) -> Value:
    """Sine; NaN for abs(x) > 2^27."""
    quadrant, r, tail = _reduced(x)
    return _sin_of(quadrant, *_kernels(r, tail))


@maths(1, ulp=0.9)
def cos(x: Value) -> Value:
    """Cosine; NaN for abs(x) > 2^27."""
    quadrant, r, tail = _reduced(x)
    return _cos_of(quadrant, *_kernels(r, tail))


@maths(1, ulp=1.0)
def tan(x: Value) -> Value:
    """Tangent; NaN for abs(x) > 2^27.

    The quotient of sin and cos, each as a sum of two doubles, by one division and a correction.
    """
    quadrant, r, tail = _reduced(x)
    y, w, u = _terms(r, tail)
    high, low = halves(r)
    z_low = (high * high - r * r) + low * (r + high)  # r^2 - z: the quarter ulp that cos itself may have
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
    """The quadrant and r, in two parts without a tail; n P1 is exact to abs(x) = 2^22."""
    shifted = x * TWO_OVER_PI + MAGIC
    n = shifted - MAGIC
    return shifted.bits(), (x - n * FAST_HALF_PI[0]) - n * FAST_HALF_PI[1]


@maths(1, ulp=2.0)
def fast_sin(x: Value) -> Value:
    """Sine with an absolute error of 3e-16 for abs(x) <= 2^22, for the fast mode."""
    quadrant, r = _fast_reduced(x)
    return _sin_of(quadrant, *_fast_kernels(r))


@maths(1, ulp=2.0)
def fast_cos(x: Value) -> Value:
    """Cosine with an absolute error of 3e-16 for abs(x) <= 2^22, for the fast mode."""
    quadrant, r = _fast_reduced(x)
    return _cos_of(quadrant, *_fast_kernels(r))
