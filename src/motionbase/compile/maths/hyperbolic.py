"""sinh, cosh, tanh and their inverses, on the reductions of `exponential` (Muller, "Elementary Functions")."""

from typing import NamedTuple

from motionbase.compile.block import Value, absolute, copysign, select, sqrt
from motionbase.compile.maths.exponential import (
    EXPM1_Q,
    EXPONENT_MASK,
    LN2_HIGH,
    LN2_LOW,
    TWO_52,
    TWO_52_BITS,
    log1p_of,
    reduce_by_ln2,
)
from motionbase.compile.maths.registry import maths
from motionbase.compile.maths.shared import INFINITY, NAN, coefficients, estrin, fast_two_sum, upper_half

# sinh r = r + r^3 p(r^2) on |r| <= ln 2 / 2, weight r^2: relative error below 2^-61.6
SINH_P = coefficients(
    "0x1.5555555555559p-3",
    "0x1.111111110f657p-7",
    "0x1.a01a01b001da9p-13",
    "0x1.71ddf81562bdfp-19",
    "0x1.af5f1ee9da404p-26",
)
# cosh r = 1 + r^2 p(r^2) on |r| <= ln 2 / 2, weight r^2: error below 2^-57.9
COSH_P = coefficients(
    "0x1.000000000000cp-1",
    "0x1.555555554fe16p-5",
    "0x1.6c16c18602202p-10",
    "0x1.a01995c9ec61fp-16",
    "0x1.28b0e7e6af152p-22",
)
# atanh s = s + s^3 p(s^2) on |s| <= 0.2728, weight s^2: relative error below 2^-60.1
ATANH_P = coefficients(
    "0x1.555555555556cp-2",
    "0x1.9999999993b1ap-3",
    "0x1.24924928d13e5p-3",
    "0x1.c71c6ec99ae53p-4",
    "0x1.745daf738c95ap-4",
    "0x1.3b017c55d1df0p-4",
    "0x1.12666a7e115a1p-4",
    "0x1.c423bff6514d9p-5",
    "0x1.304bb1198e3e5p-4",
)
QUARTER_WORD = 0x0004000000000000  # 1/4 in units of the exponent field
ONE_BITS = 0x3FF0000000000000


class Parts(NamedTuple):
    """|x| = k ln 2 + r in the parts needed for sinh x = d cosh r + p sinh r and cosh x = p cosh r + d sinh r.

    Attributes:
        p: (2^k + 2^-k) / 4, half of its value in the formulas, so that it is finite up to the overflow of sinh and cosh
        p_low: the rounding error of p
        d: (2^k - 2^-k) / 4
        high: |x| - k LN2_HIGH, exact
        rest: sinh r - high
        cosh_minus_1: cosh r - 1
    """

    p: Value
    p_low: Value
    d: Value
    high: Value
    rest: Value
    cosh_minus_1: Value


def parts(x: Value) -> Parts:
    """x >= 0; both e^r and e^-r come from the odd and the even part, without a division."""
    word, _, high, low = reduce_by_ln2(select(x > 710.6, 710.6, x), 1021)
    power = word << 52  # 2^(k - 2)
    inverse = ((2046 << 52) - power).from_bits() * 0.0625  # 2^(-k - 2); 0 for k = 1025
    r = high - low
    z = r * r
    rest = z * r * estrin(z, SINH_P) - low
    p, p_low = fast_two_sum(power.from_bits(), inverse)
    return Parts(p, p_low, power.from_bits() - inverse, high, rest, z * estrin(z, COSH_P))


@maths(1, ulp=1.6)
def sinh(x: Value) -> Value:
    """Hyperbolic sine; overflow above 710.4758."""
    magnitude = absolute(x)
    p, _, d, high, rest, cosh_minus_1 = parts(magnitude)
    total, rounding = fast_two_sum(d, p * high)
    result = 2.0 * (total + (rounding + (d * cosh_minus_1 + p * rest)))
    # sinh x = x here; p is 1/2, so the formula would round denormals
    return select(magnitude < 2.0**-28, x, copysign(result, x))


@maths(1, ulp=1.5)
def cosh(x: Value) -> Value:
    """Hyperbolic cosine; overflow above 710.4758."""
    p, p_low, d, high, rest, cosh_minus_1 = parts(absolute(x))
    return 2.0 * (p + (p * cosh_minus_1 + (d * (high + rest) + p_low)))


@maths(1, ulp=1.8)
def tanh(x: Value) -> Value:
    """Hyperbolic tangent = (e^2x - 1) / (e^2x + 1), both divided by 2^k, with the reduction of expm1."""
    magnitude = absolute(x)
    doubled = 2.0 * magnitude
    word, _, high, low = reduce_by_ln2(select(doubled > 40.0, 40.0, doubled), 1023)
    inverse = ((2046 << 52) - (word << 52)).from_bits()  # 2^-k
    one = 1.0 - inverse
    r = high - low
    s, rounding = fast_two_sum(one, high)
    square = 0.5 * high * high + ((r * r) * r * estrin(r, EXPM1_Q) + (rounding - (low + low * r)))
    numerator = s + square
    denominator = numerator + 2.0 * inverse
    # the rounding error of the denominator is moved to the numerator, before that is rounded: tanh x is near
    # numerator / 2 where it matters, k <= 1
    rounding = numerator - (denominator - 2.0 * inverse)
    numerator = s + (square - 0.5 * numerator * rounding)
    return copysign(numerator / denominator, x)


@maths(1, ulp=1.9)
def asinh(x: Value) -> Value:
    """log(|x| + sqrt(x^2 + 1)) with the sign of x, as log1p(|x| + x^2 / (1 + sqrt(x^2 + 1)))."""
    magnitude = absolute(x)
    square = magnitude * magnitude
    large = magnitude > 2.0**60  # log(2 |x|), and the square may overflow
    argument = magnitude + square / (1.0 + sqrt(1.0 + square))
    argument = select(large, magnitude, argument)
    result = log1p_of(argument, shift=select(large, x.builder.constant(1.0), 0.0))
    return copysign(select(magnitude < INFINITY, result, magnitude), x)


@maths(1, ulp=1.25)
def acosh(x: Value) -> Value:
    """log(x + sqrt(x^2 - 1)) as log1p(t + sqrt(2 t + t^2)), t = x - 1; NaN below 1.

    The root carries most of a small result, so its rounding error and that of its argument are compensated.
    """
    large = x > 2.0**60  # log(2 x), and the square may overflow
    t = x - 1.0
    square, square_low = fast_two_sum(2.0 * t, t * t)
    root = sqrt(square)
    high = upper_half(root)
    # square - high^2 is exact; 1e-300 only avoids 0 / 0 at x = 1
    rest = ((square - high * high) + square_low) / ((root + high) + 1e-300)
    argument, low = fast_two_sum(root, t)
    low = low + (rest - (root - high))
    shift = select(large, x.builder.constant(1.0), 0.0)
    result = log1p_of(select(large, x, argument), select(large, 0.0, low), shift)
    return select(x < INFINITY, select(x >= 1.0, result, NAN), x)


@maths(1, ulp=1.5)
def atanh(x: Value) -> Value:
    """k/2 ln 2 + atanh s: log((1 + x) / (1 - x)) / 2 with 2^k taken out of the ratio, by one division.

    s = (1 + x - 2^k (1 - x)) / (1 + x + 2^k (1 - x)); k comes from the words of 1 + x and 1 - x, whose difference is
    close enough to the base-2 logarithm of their ratio that |s| < 0.2728. k = 0 (up to 1/4) gives s = x exactly.
    """
    magnitude = absolute(x)
    below = 1.0 - magnitude
    rounding = (1.0 - below) - magnitude
    word = ((1.0 + magnitude).bits() - below.bits()) + QUARTER_WORD
    k = ((word >> 52) | TWO_52_BITS).from_bits() - TWO_52
    power = ((word & EXPONENT_MASK) + ONE_BITS).from_bits()
    scaled = power * below
    numerator = magnitude - ((scaled - 1.0) + power * rounding)  # only the outer difference rounds
    s = numerator / (numerator + 2.0 * scaled)
    z = s * s
    series = s * z * estrin(z, ATANH_P)
    result = k * (0.5 * LN2_HIGH) + (s + (series + k * (0.5 * LN2_LOW)))
    result = select(magnitude < 1.0, result, select(magnitude.equals(1.0), INFINITY, NAN))
    return copysign(result, x)
