"""Functions with a removable or harmless singularity, whose derivatives stay finite there, in both modes of AD.

A select after the singular operation is not enough: the derivative of the branch not taken may be multiplied by zero,
and zero times infinity is NaN. (CasADi moves a select out of products, but not out of sums.) So each function also
selects a harmless argument *before* the operation ("double where").
A NaN argument still gives NaN, so that a fault monitor sees it.
"""

import math

import casadi as ca

# Below 1/2 the series is used: its first dropped term is 4e-17 in the second derivative. Above, the quotient's second
# derivative loses 4 eps / x^2 by cancellation: 4e-15.
SERIES_BELOW = 0.5
SINC_SERIES = tuple((-1) ** n / math.factorial(2 * n + 1) for n in range(8))  # in x^2


def sqrt_guarded(x: ca.SX) -> ca.SX:
    """Square root; 0 with derivative 0 for x <= 0."""
    zero = x <= 0
    return ca.if_else(zero, 0, ca.sqrt(ca.if_else(zero, 1, x)))


def norm(v: ca.SX) -> ca.SX:
    """Euclidean norm; 0 with derivative 0 for the zero vector. Components must lie within 1e-150 to 1e150 (squares)."""
    return sqrt_guarded(ca.sumsqr(v))


def sinc(x: ca.SX) -> ca.SX:
    """sin(x) / x, 1 at 0; value and first two derivatives to 1e-14."""
    near = ca.fabs(x) < SERIES_BELOW
    small, large = ca.if_else(near, x, 0), ca.if_else(near, 1, x)
    z = small * small
    series = ca.SX(SINC_SERIES[-1])
    for coefficient in reversed(SINC_SERIES[:-1]):
        series = series * z + coefficient
    return ca.if_else(near, series, ca.sin(large) / large)


def one_minus_cos_over_x2(x: ca.SX) -> ca.SX:
    """(1 - cos x) / x^2, 1/2 at 0; value and first two derivatives to 1e-14."""
    return 0.5 * sinc(0.5 * x) ** 2  # 1 - cos x = 2 sin^2(x / 2): nothing cancels


def safe_divide(a: ca.SX, b: ca.SX) -> ca.SX:
    """a / b; 0 with derivatives 0 where b is 0."""
    zero = b == 0
    return ca.if_else(zero, 0, a / ca.if_else(zero, 1, b))
