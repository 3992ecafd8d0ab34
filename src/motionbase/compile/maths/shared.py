"""Common parts of the maths functions: constants, halves and error-free sums (Dekker 1971, Knuth), and polynomials."""

from collections.abc import Sequence

from motionbase.compile.block import WORD, Operand, Value

INFINITY = float("inf")
NAN = float("nan")
SIGN = 1 << 63
HIGH_HALF = WORD ^ ((1 << 27) - 1)
# adding this rounds a double below 2^50 to a whole number, stored in the lowest bits (in two's complement)
SHIFT = float.fromhex("0x1.8p52")


def coefficients(*literals: str) -> tuple[float, ...]:
    """Hexadecimal literals as doubles, lowest power first; `scripts/fit_maths.py` makes them."""
    return tuple(float.fromhex(literal) for literal in literals)


def upper_half(a: Value) -> Value:
    """a with 26 of its 53 bits: products of two such are exact (Dekker's split, by a mask: no overflow)."""
    return (a.bits() & HIGH_HALF).from_bits()


def halves(a: Value) -> tuple[Value, Value]:
    """a as its leading 26 bits and the other 27."""
    high = upper_half(a)
    return high, a - high


def fast_two_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """a + b as the rounded sum and its exact error, if |a| >= |b| or a = 0."""
    s = a + b
    return s, b - (s - a)


def quotient_excess(q: Value, numerator: Value, denominator: Value) -> Value:
    """q * denominator - numerator to 20 bits or more, for a quotient q within an ulp or two; +0 for q = -0.

    The product of the high halves is exact and so near the numerator that the first difference is exact (Sterbenz).
    """
    qh, ql = halves(q)
    dh, dl = halves(denominator)
    return (((qh * dh - numerator) + qh * dl) + ql * dh) + ql * dl


def paired(z: Value, z2: Value, coefficients: Sequence[float]) -> Value:
    """The polynomial in z as one in z2 = z^2 with pairs as coefficients: Horner's operations, half the chain length."""
    assert len(coefficients) % 2 == 0
    result: Value | None = None
    for k in range(len(coefficients) - 2, -1, -2):
        pair = z * coefficients[k + 1] + coefficients[k]
        result = pair if result is None else result * z2 + pair
    assert result is not None
    return result


def estrin(x: Value, coefficients: Sequence[Operand]) -> Value:
    """The polynomial in pairs of pairs: the shortest chain, at the cost of a few more products and roundings."""
    terms = list(coefficients)
    power = x
    while len(terms) > 1:
        pairs: list[Operand] = [power * terms[k + 1] + terms[k] for k in range(0, len(terms) - 1, 2)]
        if len(terms) % 2:
            pairs.append(terms[-1])
        terms = pairs
        if len(terms) > 1:
            power = power * power
    assert isinstance(terms[0], Value)
    return terms[0]
