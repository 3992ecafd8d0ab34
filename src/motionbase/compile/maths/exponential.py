"""exp, expm1, log, log1p and pow: one range reduction to a power of two and one polynomial each, no table, no branch.

The reductions, and the way the leading terms are kept separate from the polynomial, follow Cody & Waite 1980, "Software
Manual for the Elementary Functions", Tang (ACM TOMS, 1989 and 1990) and Muller, "Elementary Functions". Powers of two
are built in the exponent field: adding SHIFT rounds a double to a whole number and leaves it in the low bits.
"""

from typing import NamedTuple

from motionbase.compile.block import Operand, Value, absolute, copysign, floor, select
from motionbase.compile.maths.registry import maths
from motionbase.compile.maths.shared import INFINITY, NAN, SHIFT, coefficients, estrin, fast_two_sum, upper_half

LOG2_E = float.fromhex("0x1.71547652b82fep+0")
# ln 2 in two parts; the first has 42 bits, so its product with a whole number of 11 bits is exact
LN2_HIGH = float.fromhex("0x1.62e42fefa38p-1")
LN2_LOW = float.fromhex("0x1.ef35793c7673p-45")
SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
TWO_THIRDS_BITS = 0x3FE5555555555555
TWO_52 = 4503599627370496.0
TWO_52_BITS = 0x4330000000000000
TWO_54 = 18014398509481984.0
MIN_NORMAL = 2.2250738585072014e-308
EXPONENT_MASK = 0xFFF0000000000000
MANTISSA_MASK = 0x000FFFFFFFFFFFFF

# e^r = 1 + r + r^2/2 + r^3 q(r) on |r| <= ln 2 / 2, weight r^3 / e^r: error relative to e^r below 2^-57.3
EXP_Q = coefficients(
    "0x1.5555555555501p-3",
    "0x1.5555555553236p-5",
    "0x1.1111111128968p-7",
    "0x1.6c16c17cb5188p-10",
    "0x1.a01a011b76568p-13",
    "0x1.a019ab5921b96p-16",
    "0x1.71df57ce2df41p-19",
    "0x1.289f5ea16d85dp-22",
    "0x1.ad1a654607b66p-26",
)
# the same, weight r^3 / (e^r - 1): error relative to e^r - 1 below 2^-61.5
EXPM1_Q = coefficients(
    "0x1.5555555555559p-3",
    "0x1.5555555555555p-5",
    "0x1.111111110f694p-7",
    "0x1.6c16c16c17556p-10",
    "0x1.a01a01afdfc34p-13",
    "0x1.a01a019df4165p-16",
    "0x1.71ddf876c54adp-19",
    "0x1.27e4f34868000p-22",
    "0x1.af5e6b9da92c5p-26",
    "0x1.1f4890e927e31p-29",
)
# log((1 + s) / (1 - s)) = 2 s + s z p(z), z = s^2, on |s| <= 0.2, weight z / 2: relative error below 2^-62.6
LOG_P = coefficients(
    "0x1.555555555554fp-1",
    "0x1.999999999c14dp-2",
    "0x1.24924921e819ap-2",
    "0x1.c71c748bc5b09p-3",
    "0x1.745c4be218a9ap-3",
    "0x1.3b359d2a7e3d8p-3",
    "0x1.0dce06abdd40fp-3",
    "0x1.1b708964d43dcp-3",
)
# the same on |s| <= 3 - sqrt 8: relative error below 2^-59.4
FAST_LOG_P = coefficients(
    "0x1.5555555555592p-1",
    "0x1.999999997fef1p-2",
    "0x1.24924941e3bc8p-2",
    "0x1.c71c52120ae90p-3",
    "0x1.74663d797c1eep-3",
    "0x1.39a1d8eac0d98p-3",
    "0x1.2f0465a64ee87p-3",
)
# the same from z^2 on, 2 s + (2/3) s^3 + s z^2 p(z) on |s| <= 3 - sqrt 8, weight z^2 / 2: relative error below 2^-66.2
POW_P = coefficients(
    "0x1.9999999999b2ep-2",
    "0x1.2492492457f13p-2",
    "0x1.c71c722d5dcbcp-3",
    "0x1.745ce9dfbffe7p-3",
    "0x1.3b1eed722b33fp-3",
    "0x1.0f7fbdf618fb6p-3",
    "0x1.0e447dd4de355p-3",
)
TWO_THIRDS_HIGH = float.fromhex("0x1.555555p-1")
TWO_THIRDS_LOW = float.fromhex("0x1.5555555555555p-27")


class Reduced(NamedTuple):
    """x = k ln 2 + high - low, |high - low| <= ln 2 / 2.

    Attributes:
        word: bits of a double whose lowest bits hold k + bias
        k: as a double
        high: x - k LN2_HIGH, exact
        low: k LN2_LOW
    """

    word: Value
    k: Value
    high: Value
    low: Value


def clamp(x: Value, low: float, high: float) -> Value:
    """x kept inside [low, high]; NaN stays NaN."""
    x = select(x > high, high, x)
    return select(x < low, low, x)


def reduce_by_ln2(x: Value, bias: int) -> Reduced:
    """Cody & Waite reduction; |x| < 1000."""
    shifted = x * LOG2_E + (SHIFT + bias)
    k = shifted - (SHIFT + bias)
    return Reduced(shifted.bits(), k, x - k * LN2_HIGH, k * LN2_LOW)


def exp_reduced(high: Value, low: Value) -> Value:
    """e^(high - low), |high - low| <= ln 2 / 2; the polynomial's rounding error is almost invisible.

    The leading sum 1 + high is kept with its error, and the smallest terms are added first (Tang 1989).
    """
    r = high - low
    s, rounding = fast_two_sum(high.builder.constant(1.0), high)
    return s + (r * r * estrin(r, (0.5, *EXP_Q)) + (rounding - low))


def power_of_two(word: Value) -> Value:
    """2^(n - 1023) from a word with n in its lowest bits."""
    return (word << 52).from_bits()


def scaled(y: Value, word: Value, k: Value) -> Value:
    """y 2^k for -2044 <= k <= 2046, rounded once if the result is denormal; the word holds k + 2046.

    One factor cannot reach the denormals from 1, nor the largest doubles from below 1: two halves can.
    """
    half = (k * 0.5 + (SHIFT + 1023)).bits()
    return y * power_of_two(half) * power_of_two(word - half)


@maths(1, ulp=0.85)
def exp(x: Value) -> Value:
    """e^x; denormal results are rounded gradually, overflow above 709.7827."""
    word, k, high, low = reduce_by_ln2(clamp(x, -746.0, 710.0), 2046)
    return scaled(exp_reduced(high, low), word, k)


@maths(1, ulp=0.95)
def expm1(x: Value) -> Value:
    """e^x - 1 = 2^k ((1 - 2^-k) + (e^r - 1)): nothing cancels for k = 0."""
    word, _, high, low = reduce_by_ln2(clamp(x, -40.0, 710.0), 1022)
    power = word << 52  # 2^(k - 1): in range for every k
    inverse = 0.5 * ((2046 << 52) - power).from_bits()  # 2^-k; 0 for k = 1024
    one = 1.0 - inverse
    r = high - low
    s, rounding = fast_two_sum(one, high)
    # for results below 1/2 every rounding matters: (high^2 - r^2) / 2 = low r keeps that of r out of the square,
    # and 1 - 2^-k itself is rounded from k = 54
    small = (rounding + ((1.0 - one) - inverse)) - (low + low * r)
    y = s + (0.5 * high * high + ((r * r) * r * estrin(r, EXPM1_Q) + small))
    return copysign((y * 2.0) * power.from_bits(), x)


class Split(NamedTuple):
    """A positive double as 2^k m."""

    k: Value
    m: Value


def split_power(x: Value, lowest: int) -> Split:
    """x > 0, also denormal, with `lowest` (as bits, in [1/2, 1)) <= m."""
    tiny = x < MIN_NORMAL
    bias = select(tiny, x.builder.constant(TWO_52 + 1078), TWO_52 + 1024)
    return split_normal(select(tiny, x * TWO_54, x), lowest, bias)


def split_normal(x: Value, lowest: int, bias: Operand = TWO_52 + 1024) -> Split:
    """As `split_power`, for a normal x."""
    word = x.bits() + ((1024 << 52) - lowest)  # the exponent field now holds k + 1024
    m = ((word & MANTISSA_MASK) + lowest).from_bits()
    return Split(((word >> 52) | TWO_52_BITS).from_bits() - bias, m)


def log_of(k: Value, f: Value, rest: Value | None = None) -> Value:
    """k ln 2 + log(1 + f) + rest, -1/3 <= f <= 1/3.

    With s = f / (2 + f), f - (f^2/2 - s f^2/2 - s R) rounds less than 2 s + s R, since f is exact (Tang 1990).
    |f| <= 1/3 rather than m <= sqrt 2 keeps f^2/2 below 1/16, which saves a tenth of an ulp.
    """
    s = f / (2.0 + f)
    z = s * s
    half = 0.5 * f * f
    total, rounding = fast_two_sum(k * LN2_HIGH, f)
    small = rounding + k * LN2_LOW
    small = (small if rest is None else small + rest) + s * half
    # terms that are known before the polynomial are added first: two operations less in the dependency chain
    return total + (((s * z) * estrin(z, LOG_P) + small) - half)


def log_domain(x: Value, result: Value) -> Value:
    """The result for 0 < x < inf, and the limits of the logarithm elsewhere."""
    result = select(x < INFINITY, result, x)
    return select(x > 0.0, result, select(x.equals(0.0), -INFINITY, NAN))


@maths(1, ulp=0.9)
def log(x: Value) -> Value:
    """Natural logarithm; -inf at 0, NaN below."""
    k, m = split_power(x, TWO_THIRDS_BITS)
    return log_domain(x, log_of(k, m - 1.0))


def log1p_of(x: Value, low: Value | None = None, shift: Value | None = None) -> Value:
    """log(1 + x + low) + shift ln 2 for x > -1 and low a rounding of x, without the sign of zero and the limits."""
    word = (1.0 + x).bits() + ((1024 << 52) - TWO_THIRDS_BITS)  # only chooses k; 2/3 <= 2^-k (1 + x) < 4/3
    k = ((word >> 52) | TWO_52_BITS).from_bits() - (TWO_52 + 1024)
    inverse = ((2049 << 52) - (word & EXPONENT_MASK)).from_bits()  # 2^(2 - k): in range for every k
    # f = 2^-k (1 + x) - 1 from x itself, since 1 + x is rounded: exact by Sterbenz' lemma except on [1/3, 1/2), where
    # the rounding error is compensated to first order; 1 / (1 + f) is within 6 % of 1.41 there
    one = 4.0 - inverse
    f = x * inverse - one
    rest = 1.41 * (x * inverse - (f + one))
    if low is not None:
        rest = rest + low * inverse  # times 1 / (1 + f), near 1 where x is small and low matters
    return log_of(k if shift is None else k + shift, 0.25 * f, 0.25 * rest)


@maths(1, ulp=0.9)
def log1p(x: Value) -> Value:
    """log(1 + x), accurate for small x; -inf at -1, NaN below."""
    return copysign(log_domain(1.0 + x, log1p_of(x)), x)


def log_pair(x: Value) -> tuple[Value, Value]:
    """log x for 0 < x < inf as a sum of a double of 26 bits and a remainder, with a relative error below 2^-64.

    2 s + (2/3) s^3 are carried in two parts and the remaining terms, below 2^-12 of the sum, in one.
    """
    k, m = split_power(x, SQRT_HALF_BITS)
    f = m - 1.0
    g = m + 1.0
    reciprocal = 1.0 / g
    s = f * reciprocal
    s_high = upper_half(s)
    g_high = upper_half(g)
    s_low = ((f - s_high * g_high) - s_high * (m - (g_high - 1.0))) * reciprocal
    # w = z (2/3 + z p(z)) in two parts, z = s^2
    square = s_high * s_high
    z_high = upper_half(square)
    z_low = (square - z_high) + s_low * (s_high + s)
    z = z_high + z_low
    product = TWO_THIRDS_HIGH * z_high
    rest = TWO_THIRDS_LOW * z + (TWO_THIRDS_HIGH * z_low + z * z * estrin(z, POW_P))
    w = product + rest
    w_high = upper_half(w)
    w_low = (product - w_high) + rest
    # k ln 2 + 2 s + s w
    total, rounding = fast_two_sum(k * LN2_HIGH, 2.0 * s_high)
    total, second = fast_two_sum(total, s_high * w_high)
    low = (rounding + second) + (k * LN2_LOW + (2.0 * s_low + (s_low * w + s_high * w_low)))
    high = upper_half(total)
    return high, (total - high) + low


@maths(2, ulp=1.1)
def pow(x: Value, y: Value) -> Value:
    """x^y = e^(y log x) with every case of C99 Annex F."""
    magnitude = absolute(x)
    high, low = log_pair(magnitude)
    # beyond 2^66 every base but 1 over- or underflows; keeps the products finite
    exponent = clamp(y, -(2.0**66), 2.0**66)
    # the limits at 0 and infinity, and NaN, come in through the rounded product
    limit = select(magnitude < INFINITY, select(magnitude > 0.0, high, -INFINITY), magnitude)
    rounded = exponent * limit
    y_high = upper_half(exponent)
    product = y_high * high
    product_low = (exponent - y_high) * high + exponent * low
    word, k, r_high, r_low = reduce_by_ln2(product, 2046)
    result = scaled(exp_reduced(r_high, r_low - product_low), word, k)
    result = select(rounded < 710.0, select(rounded > -746.0, result, 0.0), rounded * INFINITY)
    whole = floor(y).equals(y)
    half = 0.5 * y
    odd = whole & floor(half).differs(half)
    result = copysign(result, select(odd, x, 1.0))
    result = select((x < 0.0) & (x > -INFINITY) & ~whole, NAN, result)
    return select(x.equals(1.0) | y.equals(0.0), 1.0, result)


@maths(1, ulp=1.2)
def fast_exp(x: Value) -> Value:
    """e^x for the fast mode: 1 + r without its rounding, one power of two; saturates at e^-708."""
    word, _, high, low = reduce_by_ln2(clamp(x, -708.0, 710.0), 1022)
    r = high - low
    y = 1.0 + (r + r * r * estrin(r, (0.5, *EXP_Q)))
    return (y * 2.0) * power_of_two(word)


@maths(1, ulp=1.0)
def fast_log(x: Value) -> Value:
    """log x for the fast mode: not for denormal x, a shorter polynomial, the leading sum without its error."""
    k, m = split_normal(x, SQRT_HALF_BITS)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    half = 0.5 * f * f
    small = s * (half + z * estrin(z, FAST_LOG_P)) + k * LN2_LOW
    return log_domain(x, k * LN2_HIGH + (f + (small - half)))
