"""asin, acos (below 0.9 ulp; measured 0.81), atan and atan2 (below 0.8 ulp) of all doubles, as in C99 Annex F."""

from motionbase.compile.block import Value, absolute, copysign, select, sqrt
from motionbase.compile.maths.pieces import SIGN, halves, paired, quotient_excess
from motionbase.compile.maths.registry import maths

INFINITY = float("inf")
# constants as a sum of two doubles
ZERO = (0.0, 0.0)
PI = (float.fromhex("0x1.921fb54442d18p+1"), float.fromhex("0x1.1a62633145c07p-53"))
HALF_PI = (PI[0] / 2, PI[1] / 2)
QUARTER_PI = (PI[0] / 4, PI[1] / 4)
ATAN_HALF = (float.fromhex("0x1.dac670561bb4fp-2"), float.fromhex("0x1.a2b7f222f65e2p-56"))
ATAN_TWO = (float.fromhex("0x1.1b6e192ebbe44p+0"), float.fromhex("0x1.b1b466a88828ep-54"))

# (asin s - s) / s^3 in t = s^2 on [0, 1/4]; weight t: asin within 2^-55.9, relative
ASIN = (
    0.16666666666665378,
    0.07500000000343814,
    0.04464285682313195,
    0.030381959338157034,
    0.022371753475657938,
    0.01735977062421366,
    0.013884611486183786,
    0.012173155471919422,
    0.006511508258179318,
    0.019571876903398885,
    -0.016290618412490188,
    0.03195646232112557,
)
# (u - atan u) / u^3 in z = u^2 on [0, 1/16]; weight z: atan within 2^-57.5, relative
ATAN = (
    0.33333333333332543,
    -0.19999999999587048,
    0.14285714211967213,
    -0.11111104736624575,
    0.09090603601518438,
    -0.0768373784626247,
    0.06525867430016874,
    -0.046079578884840766,
)


def _arc(x: Value) -> tuple[Value, Value, Value, Value]:
    """Whether abs(x) > 1/2; p, with asin(x) = x + x p if it is not; d and e, with acos(abs(x)) = d + e if it is.

    acos(a) = 2 asin(sqrt((1 - a) / 2)) brings the larger half to the same polynomial; NaN for a > 1, by the root. The
    root's leading bits d / 2 square exactly, so its rounding error is made good.
    """
    a = absolute(x)
    large = a > 0.5
    t = select(large, (1.0 - a) * 0.5, x * x)
    p = t * paired(t, t * t, ASIN)
    s = sqrt(t)
    high, _ = halves(s)
    c = (t - high * high) / ((s + high) + 1e-100)  # never 0 / 0; nothing is added to a root, which is 2^-27 at least
    e = c + s * p
    return large, p, high + high, e + e


@maths(1, ulp=0.9)
def asin(x: Value) -> Value:
    """Arc sine; NaN for abs(x) > 1."""
    large, p, d, e = _arc(x)
    a = absolute(x)
    return copysign(select(large, (HALF_PI[0] - d) - (e - HALF_PI[1]), a + a * p), x)


@maths(1, ulp=0.9)
def acos(x: Value) -> Value:
    """Arc cosine; NaN for abs(x) > 1."""
    large, p, d, e = _arc(x)
    outer = select(x < 0.0, (PI[0] - d) - (e - PI[1]), d + e)
    return select(large, outer, HALF_PI[0] - (x + (x * p - HALF_PI[1])))


def _angle(m: Value, n: Value, steep: Value, sign: Value | None = None) -> Value:
    """atan(m / n) for m <= n, n between 2^-974 and 2^994; pi/2 less that where `steep`; pi less that where `sign`.

    `sign` is a word, the sign bit or 0. atan(m/n) = atan c + atan((m - c n) / (n + c m)) with c = 0, 1/2 or 1 leaves an
    argument u of 1/4 at most; m - c n is exact. One division gives u, which is then corrected to some 20 bits more.
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
    """Arc tangent of any double; pi/2 with the sign of x where it is infinite."""
    a = absolute(x)
    steep = a > 1.0
    large = select(a > 2.0**100, 2.0**100, a)  # no infinity, and still pi/2
    return copysign(_angle(select(steep, 1.0, a), select(steep, large, 1.0), steep), x)


@maths(2, ulp=0.8)
def atan2(y: Value, x: Value) -> Value:
    """The angle of the point (x, y) in [-pi, pi], also where either is a signed zero or infinite (C99 F.9.1.4)."""
    ax, ay = absolute(x), absolute(y)
    steep = ax < ay
    m, n = select(steep, ax, ay), select(steep, ay, ax)
    # a power of two keeps the division and its correction from overflow and underflow, and m exact if m / n is not 0
    scale = select(n < 2.0**100, x.builder.constant(2.0**100), 2.0**-30)
    # n is 0 or infinite: take 1 for it, and 1 for m if that is infinite too, else 0 (or NaN)
    special = (n + n).equals(n)
    m = select(special, select(m.equals(INFINITY), 1.0, m * 0.0), m * scale)
    n = select(special, 1.0, n * scale)
    return copysign(_angle(m, n, steep, x.bits() & SIGN), y)
