"""Error-free sums and products (Dekker 1971, Knuth 1969) and polynomials: the tools the maths functions share."""

from collections.abc import Sequence

from motionbase.compile.block import Operand, Value

SPLITTER = 134217729.0  # 2**27 + 1


def two_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """a + b as the rounded sum and its exact error, for any magnitudes."""
    s = a + b
    bb = s - a
    return s, (a - (s - bb)) + (b - bb)


def fast_two_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """a + b as the rounded sum and its exact error, where |a| >= |b| or a = 0."""
    s = a + b
    return s, b - (s - a)


def split(a: Value) -> tuple[Value, Value]:
    """a as a sum of two halves of at most 26 bits; |a| < 2**996."""
    c = a * SPLITTER
    high = c - (c - a)
    return high, a - high


def two_product(a: Value, b: Value) -> tuple[Value, Value]:
    """a * b as the rounded product and its exact error, without a fused multiply-add (no overflow or underflow)."""
    p = a * b
    ah, al = split(a)
    bh, bl = split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def horner(x: Value, coefficients: Sequence[float]) -> Value:
    """c0 + c1 x + c2 x^2 + ..., evaluated from the highest power down."""
    result: Operand = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        result = x * result + c
    assert isinstance(result, Value)
    return result


def estrin(x: Value, coefficients: Sequence[float]) -> Value:
    """The same polynomial in pairs of pairs: a shorter chain of dependent operations, a rounding or two more."""
    terms: list[Operand] = list(coefficients)
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
