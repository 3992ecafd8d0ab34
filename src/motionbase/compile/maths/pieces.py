"""Halves by masking, the error of a quotient, and polynomials in pairs: what the trigonometric functions share."""

from collections.abc import Sequence

from motionbase.compile.block import WORD, Value

SIGN = 1 << 63
HIGH_HALF = WORD ^ ((1 << 27) - 1)


def halves(a: Value) -> tuple[Value, Value]:
    """a as its leading 26 bits and the other 27: two operations where `exact.split` takes four, and no overflow."""
    high = (a.bits() & HIGH_HALF).from_bits()
    return high, a - high


def quotient_excess(q: Value, numerator: Value, denominator: Value) -> Value:
    """q * denominator - numerator to 20 bits or more, where q is the quotient within an ulp or two; +0 for q = -0.

    The product of the high halves is exact and so near the numerator that the first difference is exact (Sterbenz).
    """
    qh, ql = halves(q)
    dh, dl = halves(denominator)
    return (((qh * dh - numerator) + qh * dl) + ql * dh) + ql * dl


def paired(z: Value, z2: Value, coefficients: Sequence[float]) -> Value:
    """The polynomial in z as one in z2 = z^2 whose coefficients are pairs: Horner's operations, half its chain."""
    assert len(coefficients) % 2 == 0
    result: Value | None = None
    for k in range(len(coefficients) - 2, -1, -2):
        pair = z * coefficients[k + 1] + coefficients[k]
        result = pair if result is None else result * z2 + pair
    assert result is not None
    return result
