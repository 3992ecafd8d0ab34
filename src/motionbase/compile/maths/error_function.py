"""erf and erfinv: two approximations each; a select chooses the coefficients, so that one evaluation serves both."""

from collections.abc import Sequence
from itertools import zip_longest

from motionbase.compile.block import Value, absolute, copysign, select, sqrt
from motionbase.compile.maths.exponential import (
    TWO_THIRDS_BITS,
    exp_reduced,
    log_of,
    power_of_two,
    reduce_by_ln2,
    split_normal,
)
from motionbase.compile.maths.registry import maths
from motionbase.compile.maths.shared import INFINITY, NAN, coefficients, estrin, upper_half

# erf x = x + x (ERF_0 - z/4 + z p(z)), z = x^2, on 0 <= x <= 1, weight z x / erf x: relative error below 2^-56.3
ERF_0 = float.fromhex("0x1.06eba8214db69p-3")  # 2 / sqrt(pi) - 1
ERF_P = coefficients(
    "-0x1.024e8d606f44ap-3",
    "0x1.ce2f21a0458f4p-4",
    "-0x1.b82ce313560fbp-6",
    "0x1.565bcd2cb420dp-8",
    "-0x1.c02db947b743fp-11",
    "0x1.f9a3bc5d2caecp-14",
    "-0x1.f4dd38d5b4e27p-17",
    "0x1.ba6d4d7832297p-20",
    "-0x1.63b9d2d188b07p-23",
    "0x1.1418b91c17fa0p-26",
    "-0x1.cb597aeac2639p-30",
    "0x1.45682f372a4d6p-33",
)
# erfc(15/16 + t) = ERFC_0 e^(t g(t)) on 0 <= t <= 5.0625, weight t erfc(15/16 + t): error below 2^-56, absolute
BORDER = 0.9375
ERFC_0 = float.fromhex("0x1.7aab97a554544p-3")
ERFC_G = coefficients(
    "-0x1.445c9b104a8e6p+1",
    "-0x1.ab8ee287234a1p-1",
    "-0x1.69a8fb486c7b7p-5",
    "0x1.5d7d4b3e48fbbp-7",
    "-0x1.0e942fd1c47bep-9",
    "0x1.d2ee920039d7ep-13",
    "0x1.5a42ebf90fa81p-15",
    "-0x1.147147502ffa5p-15",
    "0x1.6fea0ed922facp-17",
    "-0x1.254967bd4f340p-19",
    "0x1.c068fc52c249fp-24",
    "0x1.daacaa50c7c06p-24",
    "-0x1.a68aca036cd7dp-25",
    "0x1.933c3a68bf87cp-27",
    "-0x1.e3103714574c3p-30",
    "0x1.5603e908e30d9p-33",
    "-0x1.b6d831164a899p-38",
)
# erfinv x = x + x (w/4 + p(w) / q(w)), w = -log(1 - x^2), on 0 <= x <= 31/32: relative error below 2^-57.8
TAIL_BORDER = 0.96875
INVERSE_P = coefficients(
    "-0x1.d203b725884abp-4",
    "-0x1.bd2ac16166891p-6",
    "0x1.328aa4cf79de6p-8",
    "-0x1.50dc4a20ebc92p-9",
    "0x1.d3c0e5df41915p-14",
    "-0x1.df8acc4eeefd3p-15",
    "0x1.5f238a8b12d6bp-23",
    "-0x1.391a8416206b3p-22",
)
INVERSE_Q = coefficients(
    "0x1.0000000000000p+0",
    "0x1.4aa7e51358d14p-4",
    "0x1.863ffee7f56eap-5",
    "0x1.65a62bf7172e5p-9",
    "0x1.509462c3ea0ccp-11",
    "0x1.3fcd401b34f55p-16",
    "0x1.02d4fa96f6d2ep-19",
    "-0x1.ec47270c54148p-29",
)
# erfinv x = s + p(s - 3/2) / q(s - 3/2), s = sqrt(w - 1), w = -log(1 - x), on 31/32 <= x < 1: relative error below
# 2^-56.5; s - 3/2 is positive, so that nothing cancels in q
TAIL_SHIFT = 1.0
TAIL_CENTRE = 1.5
TAIL_P = coefficients(
    "-0x1.3d1e45647225bp-5",
    "-0x1.ba0eb74b948d6p-3",
    "-0x1.24d8d3f322c47p-2",
    "-0x1.71e38f05209f7p-3",
    "-0x1.f2054eb478d8dp-5",
    "-0x1.5aa80756c0b8cp-7",
    "-0x1.9fc3c76731953p-11",
    "-0x1.2492ef291b94ep-16",
    "-0x1.6f124d6f248bbp-26",
)
TAIL_Q = coefficients(
    "0x1.0000000000000p+0",
    "0x1.22f201d13ec6dp+1",
    "0x1.277c3a482d4b1p+1",
    "0x1.54ee6606ea4bep+0",
    "0x1.dae943d9772d7p-2",
    "0x1.8827127930bf9p-4",
    "0x1.5dab3a3806a45p-7",
    "0x1.128bb17927573p-11",
    "0x1.eac2d12c5b43bp-18",
)


def estrin_of_two(x: Value, first: Value, a: Sequence[float], b: Sequence[float]) -> Value:
    """The polynomial a of x if `first` holds, else b."""
    return estrin(x, [select(first, p, q) for p, q in zip_longest(a, b, fillvalue=0.0)])


@maths(1, ulp=0.95)
def erf(x: Value) -> Value:
    """Error function; from 15/16 on as 1 - erfc, with a polynomial for the logarithm of erfc.

    Its error matters less and less as erfc falls, hence the weight of the fit (compare Cody 1969). The constant of that
    logarithm multiplies the exponential instead, where its rounding is smallest.
    """
    magnitude = absolute(x)
    small = magnitude < BORDER
    t = select(magnitude > 6.0, 6.0 - BORDER, magnitude - BORDER)
    z = magnitude * magnitude
    # -z/4 is exact: separating it from the rest of its coefficient halves the rounding error near 1
    leading = select(small, ERF_0 - 0.25 * z, ERFC_G[0])
    variable = select(small, z, t)
    polynomial = leading + variable * estrin_of_two(variable, small, ERF_P, ERFC_G[1:])
    product = select(small, magnitude, t) * polynomial
    word, _, high, low = reduce_by_ln2(product, 1023)
    complement = exp_reduced(high, low) * (power_of_two(word) * ERFC_0)
    return copysign(select(small, magnitude + product, 1.0 - complement), x)


@maths(1, ulp=1.75)
def erfinv(x: Value) -> Value:
    """Inverse of erf on [-1, 1], +-inf at the ends, NaN outside.

    w = -log(1 - x^2) straightens the middle and -log(1 - |x|), whose argument is exact, the tails (after Giles 2012);
    x or sqrt(w - 1) carries most of the result, and a rational function in w or that root adds the rest. The rounding
    error of the root is compensated. No Newton step: erf itself is no more accurate than this.
    """
    magnitude = absolute(x)
    below = 1.0 - magnitude
    middle = magnitude < TAIL_BORDER
    k, m = split_normal(select(middle, below * (1.0 + magnitude), below), TWO_THIRDS_BITS)
    w = -log_of(k, m - 1.0)
    square = w - TAIL_SHIFT  # exact in the tail
    s = sqrt(square)
    high = upper_half(s)
    s_low = (square - high * high) / (s + high)  # s - high, but without the rounding of s; high^2 is exact
    variable = select(middle, w, s - TAIL_CENTRE)
    numerator = estrin_of_two(variable, middle, INVERSE_P, TAIL_P)
    ratio = numerator / estrin_of_two(variable, middle, INVERSE_Q, TAIL_Q)
    result = select(middle, magnitude, high) + select(middle, magnitude * (0.25 * w + ratio), ratio + s_low)
    result = select(magnitude < 1.0, result, select(magnitude.equals(1.0), INFINITY, NAN))
    return copysign(result, x)
