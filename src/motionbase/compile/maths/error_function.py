"""erf and erfinv: two approximations each; a select takes the coefficients, so that one evaluation serves both."""

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
from motionbase.compile.maths.pieces import INFINITY, NAN, coefficients, estrin
from motionbase.compile.maths.registry import maths

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
# erfinv x = x + x (w/4 + p(w) / q(w)), w = -log(1 - x^2), on 0 <= w <= 7.5: relative error below 2^-55.3
INVERSE_P = coefficients(
    "-0x1.d203b725884acp-4",
    "-0x1.cd2371145f1ecp-6",
    "0x1.f27c9a8239afbp-9",
    "-0x1.636d6d3115f16p-9",
    "0x1.e2684207fd48cp-14",
    "-0x1.1cad80fea4d6cp-14",
    "-0x1.50a08111e16f6p-21",
    "-0x1.03cdca504735bp-21",
    "-0x1.7fb2e778fb5a9p-27",
    "-0x1.400010e2c10b6p-31",
)
INVERSE_Q = coefficients(
    "0x1.0000000000000p+0",
    "0x1.6dc032351cfbdp-4",
    "0x1.ba1b22b406b18p-5",
    "0x1.f7ad6dca71544p-9",
    "0x1.d8d62cf582a45p-11",
    "0x1.7ea1f62fb93d4p-15",
    "0x1.336f567354a0ap-18",
    "0x1.0286a6102e98bp-23",
    "0x1.9874120841e87p-29",
    "0x1.c2c2ab37a26dcp-41",
)
# erfinv x = s + p(s - 2.5) / q(s - 2.5), s = sqrt(w - 1.296875), on 7.5 <= w <= 36.05 (the largest x below 1): relative
# error below 2^-56; s passes 4, where its rounding doubles, together with the result
TAIL_SHIFT = 1.296875
TAIL_P = coefficients(
    "0x1.46cc23680a6d1p-4",
    "0x1.a7f296ef091d8p-12",
    "0x1.32e897a9945acp-6",
    "-0x1.aa844e5f77c79p-7",
    "-0x1.8baa1b6231e11p-9",
    "-0x1.3c8b6d2df6dcap-8",
    "-0x1.1f3b3fb3a4951p-10",
    "-0x1.2ad4927b34c97p-11",
    "-0x1.fa9df07d883cfp-15",
    "-0x1.10cd24e377126p-22",
)
TAIL_Q = coefficients(
    "0x1.0000000000000p+0",
    "0x1.26765b57fe49ep+0",
    "0x1.0ebc8531d6fc0p+0",
    "0x1.4af28e819895fp-1",
    "0x1.4e17a4cf76cadp-2",
    "0x1.03db795bb6cccp-3",
    "0x1.4417a6e395e26p-5",
    "0x1.29c5048141eedp-7",
    "0x1.35f452c34d089p-10",
    "0x1.5a6d42c6dcdacp-15",
)


def estrin_of_two(x: Value, first: Value, a: Sequence[float], b: Sequence[float]) -> Value:
    """The polynomial a of x where `first` holds, else b."""
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
    # -z/4 is exact: apart from the rest of its coefficient it halves the rounding near 1
    leading = select(small, ERF_0 - 0.25 * z, ERFC_G[0])
    variable = select(small, z, t)
    polynomial = leading + variable * estrin_of_two(variable, small, ERF_P, ERFC_G[1:])
    product = select(small, magnitude, t) * polynomial
    word, _, high, low = reduce_by_ln2(product, 1023)
    complement = exp_reduced(high, low) * (power_of_two(word) * ERFC_0)
    return copysign(select(small, magnitude + product, 1.0 - complement), x)


@maths(1, ulp=2.6)
def erfinv(x: Value) -> Value:
    """Inverse of erf on [-1, 1], +-inf at the ends, NaN outside.

    w = -log(1 - x^2) straightens both the middle and the tails (Giles 2012); x or sqrt w carries most of the result,
    and a rational function in w or sqrt w adds the rest. No Newton step: erf itself is no more accurate than this. The
    worst is just below 2, where w, the sum, the product and the result are all rounded at their coarsest; 1.8 ulp
    elsewhere.
    """
    magnitude = absolute(x)
    k, m = split_normal((1.0 - magnitude) * (1.0 + magnitude), TWO_THIRDS_BITS)
    w = -log_of(k, m - 1.0)
    s = sqrt(w - TAIL_SHIFT)
    middle = w < 7.5
    variable = select(middle, w, s - 2.5)
    numerator = estrin_of_two(variable, middle, INVERSE_P, TAIL_P)
    ratio = numerator / estrin_of_two(variable, middle, INVERSE_Q, TAIL_Q)
    result = select(middle, magnitude, s) + select(middle, magnitude * (0.25 * w + ratio), ratio)
    result = select(magnitude < 1.0, result, select(magnitude.equals(1.0), INFINITY, NAN))
    return copysign(result, x)
