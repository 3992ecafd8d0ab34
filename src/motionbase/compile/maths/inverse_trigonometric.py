"""asin, acos, atan and atan2 of all doubles, special values as in C99 Annex F (Muller, "Elementary Functions")."""

from motionbase.compile.block import Value, absolute, copysign, select, sqrt
from motionbase.compile.maths.registry import maths
from motionbase.compile.maths.shared import INFINITY, SIGN, coefficients, halves, paired, quotient_excess

# constants as a sum of two doubles
ZERO = (0.0, 0.0)
PI = (float.fromhex("0x1.921fb54442d18p+1"), float.fromhex("0x1.1a62633145c07p-53"))
HALF_PI = (PI[0] / 2, PI[1] / 2)
QUARTER_PI = (PI[0] / 4, PI[1] / 4)
ATAN_HALF = (float.fromhex("0x1.dac670561bb4fp-2"), float.fromhex("0x1.a2b7f222f65e2p-56"))
ATAN_TWO = (float.fromhex("0x1.1b6e192ebbe44p+0"), float.fromhex("0x1.b1b466a88828ep-54"))

# (asin s - s) / s^3 in t = s^2 on [0, 1/4]; weight t: asin within 2^-55.9, relative
ASIN = coefficients(
    "0x1.5555555555385p-3",
    "0x1.333333336faf3p-4",
    "0x1.6db6db41c586fp-5",
    "0x1.f1c72c6fbaf65p-6",
    "0x1.6e89ef620e56cp-6",
    "0x1.1c6c27c63637bp-6",
    "0x1.c6f890201b0b4p-7",
    "0x1.8ee3d4520cdb6p-7",
    "0x1.aabcfb043a449p-8",
    "0x1.40aa66ce2c01cp-6",
    "-0x1.0ae7ce540c770p-6",
    "0x1.05c98f121538dp-5",
)
# (u - atan u) / u^3 in z = u^2 on [0, 1/16]; weight z: atan within 2^-57.5, relative
ATAN = coefficients(
    "0x1.55555555554c7p-2",
    "-0x1.999999997546cp-3",
    "0x1.2492490b3b6cbp-3",
    "-0x1.c71c60aa98e9ep-4",
    "0x1.7459e33b1b814p-4",
    "-0x1.3ab9d4b9b7b26p-4",
    "0x1.0b4cadfe64848p-4",
    "-0x1.797be18a5cec8p-5",
)


def _arc(x: Value) -> tuple[Value, Value, Value, Value]:
    """Whether |x| > 1/2; if not, p with asin(x) = x + x p; if so, d and e with acos(|x|) = d + e.

    acos(a) = 2 asin(sqrt((1 - a) / 2)) maps the larger half to the same polynomial; the root gives NaN for a > 1. The
    square of its leading bits d / 2 is exact, so its rounding error can be compensated.
    """
    a = absolute(x)
    large = a > 0.5
    t = select(large, (1.0 - a) * 0.5, x * x)
    p = t * paired(t, t * t, ASIN)
    s = sqrt(t)
    high, _ = halves(s)
    c = (t - high * high) / ((s + high) + 1e-100)  # never 0 / 0; does not change a root, which is at least 2^-27
    e = c + s * p
    return large, p, high + high, e + e


@maths(1, ulp=0.9)
def asin(x: Value) -> Value:
    """Arc sine; NaN for |x| > 1."""
    large, p, d, e = _arc(x)
    a = absolute(x)
    return copysign(select(large, (HALF_PI[0] - d) - (e - HALF_PI[1]), a + a * p), x)


@maths(1, ulp=0.9)
def acos(x: Value) -> Value:
    """Arc cosine; NaN for |x| > 1."""
    large, p, d, e = _arc(x)
    outer = select(x < 0.0, (PI[0] - d) - (e - PI[1]), d + e)
    return select(large, outer, HALF_PI[0] - (x + (x * p - HALF_PI[1])))


def _angle(m: Value, n: Value, steep: Value, sign: Value | None = None) -> Value:
    """atan(m / n) for m <= n, n between 2^-974 and 2^994; subtracted from pi/2 if `steep`; from pi if `sign`.

    `sign` is a word, the sign bit or 0. atan(m/n) = atan c + atan((m - c n) / (n + c m)) with c = 0, 1/2 or 1 leaves an
    argument u of at most 1/4; m - c n is exact. One division gives u, which is then corrected by about 20 more bits.
    """
    middle, near = m > n * 0.25, m > n * 0.75
    c = select(near, 1.0, select(middle, m.builder.constant(0.5), 0.0))
    # the angle is k + atan(u)
    k, k_low = (
        select(
            near,
            QUARTER_PI[i],
            select(middle, _either(steep, ATAN_TWO, ATAN_HALF, i), _either(steep, HALF_PI, ZERO, i)),
        )
        for i in (0, 1)
    )
    cn, cm = c * n, c * m
    numerator = select(steep, cn - m, m - cn)
    if sign is not None:
        numerator = (numerator.bits() ^ sign).from_bits()
        other = PI[0] - k
        right = sign.equals(0)
        k, k_low = select(right, k, other), select(right, k_low, ((PI[0] - other) - k) + (PI[1] - k_low))
    denominator = n + cm
    denominator_low = cm - (denominator - n)
    inverse = 1.0 / denominator
    u = numerator * inverse
    excess = (quotient_excess(u, numerator, denominator) + u * denominator_low) * inverse
    z = u * u
    small = (z * u) * paired(z, z * z, ATAN) + excess
    angle = k + u
    return angle + ((u - (angle - k)) + (k_low - small))


def _either(condition: Value, if_true: tuple[float, float], if_false: tuple[float, float], part: int) -> Value:
    return select(condition, if_true[part], if_false[part])


@maths(1, ulp=0.8)
def atan(x: Value) -> Value:
    """Arc tangent of any double; pi/2 with the sign of x if it is infinite."""
    a = absolute(x)
    steep = a > 1.0
    large = select(a > 2.0**100, 2.0**100, a)  # no infinity, and still pi/2
    return copysign(_angle(select(steep, 1.0, a), select(steep, large, 1.0), steep), x)


@maths(2, ulp=0.8)
def atan2(y: Value, x: Value) -> Value:
    """The angle of the point (x, y) in [-pi, pi], also if either is a signed zero or infinite (C99 Annex F)."""
    ax, ay = absolute(x), absolute(y)
    steep = ax < ay
    m, n = select(steep, ax, ay), select(steep, ay, ax)
    # a power of two protects the division and its correction from overflow and underflow; m is exact if m / n is not 0
    scale = select(n < 2.0**100, x.builder.constant(2.0**100), 2.0**-30)
    # n is 0 or infinite: replace it by 1, and m by 1 if it is infinite too, else by 0 (or NaN)
    special = (n + n).equals(n)
    m = select(special, select(m.equals(INFINITY), 1.0, m * 0.0), m * scale)
    n = select(special, 1.0, n * scale)
    return copysign(_angle(m, n, steep, x.bits() & SIGN), y)
