"""hypot without intermediate overflow or underflow, and the exact IEEE remainder."""

from motionbase.compile.block import Value, absolute, fmod, select, sqrt
from motionbase.compile.maths.registry import maths
from motionbase.compile.maths.shared import INFINITY, SIGN, halves

# the exponent without its three lowest bits: the scale is a power of two within 2^4 of the larger side
EXPONENT = 0x7F8 << 52


@maths(2, ulp=0.95)
def hypot(x: Value, y: Value) -> Value:
    """sqrt(x^2 + y^2) for all doubles; infinite if a side is, even if the other is NaN (C99 Annex F).

    The sum of squares is rounded once: at most 0.36 ulp of the root, which is itself rounded to half an ulp. A denormal
    result is rounded again: half an ulp and half of those 0.86.
    """
    ax, ay = absolute(x), absolute(y)
    first = ay < ax
    large, small = select(first, ax, ay), select(first, ay, ax)
    # back = 2^k near the larger side and scale = 2^-k: both are normal numbers, for every exponent from 0 to 2047
    back = (large.bits() & EXPONENT) + (4 << 52)
    scale = (x.builder.word(2046 << 52) - back).from_bits()
    large, small = large * scale, small * scale
    # a^2 = h^2 + l (a + h) with h^2 exact
    h1, l1 = halves(large)
    h2, l2 = halves(small)
    a, b = h1 * h1, h2 * h2
    s = a + b
    rest = (b - (s - a)) + (l1 * (large + h1) + l2 * (small + h2))
    root = sqrt(s + rest) * back.from_bits()
    return select(ax.equals(INFINITY) | ay.equals(INFINITY), INFINITY, root)


@maths(2, ulp=0.0)
def remainder(x: Value, y: Value) -> Value:
    """x - n y, exact, with n = x / y rounded to the nearest whole number, ties to even (IEEE 754 remainder).

    A zero has the sign of x; NaN if x is infinite or y is zero; x itself if y is infinite. |x| modulo 2 |y|
    keeps the parity of n (2 |y| may overflow: fmod(x, inf) = x), and every later difference is exact (Sterbenz).
    """
    a = absolute(y)
    r = fmod(absolute(x), a + a)
    once = r - a
    nearest = select(r + r > a, select(once + once >= a, once - a, once), r)
    return (nearest.bits() ^ (x.bits() & SIGN)).from_bits()
