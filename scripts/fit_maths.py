"""Fit every set of coefficients of `motionbase.compile.maths` again and compare it with the one in the package.

Example: uv run python -m scripts.fit_maths              (all of them, about a minute)
         uv run python -m scripts.fit_maths EXP_Q ATAN   (prints coefficients, error and "equal" or what differs)

The error is the largest weighted one at the nodes of the fit, in the sense of the comment above each set: relative to
the function unless said otherwise. The exit code is 1 if a set differs.
"""

import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import NamedTuple

import mpmath as mp

from motionbase.compile.maths import error_function, exponential, hyperbolic, inverse_trigonometric, trigonometric
from scripts.fit_polynomial import fit, fit_least_squares, fit_rational

WIDER = 1.0001  # fits reach a little beyond the interval, since reduced arguments do
HALF_LN2 = float(mp.log(2) / 2) * WIDER
SQRT_2_LIMIT = float(((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2) * WIDER  # s^2 at m = sqrt 2
QUARTER_PI_SQUARED = float((mp.pi / 4) ** 2) * WIDER
Sets = tuple[Sequence[float], ...]


class Fitted(NamedTuple):
    """Sets of coefficients, lowest power first, and the error of the approximation."""

    sets: Sets
    error: float


def polynomial(fitted: tuple[list[float], float]) -> Fitted:
    """The result of a polynomial fit as one set."""
    return Fitted((fitted[0],), fitted[1])


# ---- exp, log, pow -------------------------------------------------------------------------------------------------


def exp_tail(r: mp.mpf) -> mp.mpf:
    """(e^r - 1 - r - r^2/2) / r^3."""
    if abs(r) < mp.mpf(1e-9):
        return mp.mpf(1) / 6 + r / 24 + r * r / 120
    return (mp.expm1(r) - r - r * r / 2) / r**3


def exp_q() -> Fitted:
    """Error relative to e^r."""
    return polynomial(fit_least_squares(exp_tail, -HALF_LN2, HALF_LN2, 8, weight=lambda r: abs(r) ** 3 / mp.exp(r)))


def expm1_q() -> Fitted:
    """Error relative to e^r - 1."""

    def weight(r: mp.mpf) -> mp.mpf:
        return abs(r) ** 3 / abs(mp.expm1(r)) if r else mp.mpf(0)

    return polynomial(fit_least_squares(exp_tail, -HALF_LN2, HALF_LN2, 9, weight=weight))


def log_tail(z: mp.mpf) -> mp.mpf:
    """(log((1 + s) / (1 - s)) - 2 s) / s^3 in z = s^2."""
    with mp.workdps(70):
        s = mp.sqrt(z)
        return (2 * mp.atanh(s) - 2 * s) / s**3


def log_p() -> Fitted:
    """On |s| <= 0.2, which is |f| <= 1/3."""
    return polynomial(fit_least_squares(log_tail, 1e-12, 0.04001, 7, weight=lambda z: z / 2))


def fast_log_p() -> Fitted:
    """On |s| <= 3 - sqrt 8, which is sqrt 1/2 <= m <= sqrt 2."""
    return polynomial(fit_least_squares(log_tail, 1e-12, SQRT_2_LIMIT, 6, weight=lambda z: z / 2))


def pow_p() -> Fitted:
    """The logarithm less 2 s + (2/3) s^3."""

    def tail(z: mp.mpf) -> mp.mpf:
        with mp.workdps(90):
            s = mp.sqrt(z)
            return (2 * mp.atanh(s) - 2 * s - 2 * s**3 / 3) / s**5

    return polynomial(fit_least_squares(tail, 1e-9, SQRT_2_LIMIT, 6, weight=lambda z: z * z / 2, digits=70))


# ---- sin, cos, asin, atan ------------------------------------------------------------------------------------------


def sin_p() -> Fitted:
    """(r - sin r) / r^3 in z = r^2."""
    return polynomial(
        fit(
            lambda z: (mp.sqrt(z) - mp.sin(mp.sqrt(z))) / mp.sqrt(z) ** 3,
            1e-9,
            QUARTER_PI_SQUARED,
            5,
            weight=lambda z: z,
        )
    )


def cos_p() -> Fitted:
    """(cos r - 1 + r^2/2) / r^4 in z = r^2."""
    return polynomial(
        fit(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, 1e-9, QUARTER_PI_SQUARED, 5, weight=lambda z: z**2)
    )


def fast_cos_p() -> Fitted:
    """(cos r - 1) / r^2 in z = r^2."""
    return polynomial(fit(lambda z: (mp.cos(mp.sqrt(z)) - 1) / z, 1e-9, QUARTER_PI_SQUARED, 5, weight=lambda z: z))


def asin_p() -> Fitted:
    """(asin s - s) / s^3 in t = s^2."""
    return polynomial(
        fit_least_squares(
            lambda t: (mp.asin(mp.sqrt(t)) - mp.sqrt(t)) / mp.sqrt(t) ** 3, 1e-9, 0.25, 11, weight=lambda t: t
        )
    )


def atan_p() -> Fitted:
    """(u - atan u) / u^3 in z = u^2."""
    return polynomial(
        fit_least_squares(
            lambda z: (mp.sqrt(z) - mp.atan(mp.sqrt(z))) / mp.sqrt(z) ** 3, 1e-9, 0.0626, 7, weight=lambda z: z
        )
    )


# ---- sinh, cosh, atanh ---------------------------------------------------------------------------------------------


def sinh_p() -> Fitted:
    """(sinh r - r) / r^3 in z = r^2."""

    def tail(z: mp.mpf) -> mp.mpf:
        with mp.workdps(70):
            r = mp.sqrt(z)
            return (mp.sinh(r) - r) / r**3

    return polynomial(fit_least_squares(tail, 1e-9, HALF_LN2 * HALF_LN2, 4, weight=lambda z: z, refits=4))


def cosh_p() -> Fitted:
    """(cosh r - 1) / r^2 in z = r^2; the error is absolute."""

    def tail(z: mp.mpf) -> mp.mpf:
        with mp.workdps(70):
            return (mp.cosh(mp.sqrt(z)) - 1) / z

    return polynomial(fit_least_squares(tail, 1e-9, HALF_LN2 * HALF_LN2, 4, weight=lambda z: z, refits=4))


def atanh_p() -> Fitted:
    """(atanh s - s) / s^3 in z = s^2."""

    def tail(z: mp.mpf) -> mp.mpf:
        with mp.workdps(70):
            s = mp.sqrt(z)
            return (mp.atanh(s) - s) / s**3

    return polynomial(fit_least_squares(tail, 1e-12, 0.2728**2, 8, weight=lambda z: z))


# ---- erf, erfinv ---------------------------------------------------------------------------------------------------


def erf_p() -> Fitted:
    """ERF_0 = 2 / sqrt(pi) - 1, and the rest after the quarter of z."""
    with mp.workdps(60):
        first = float(2 / mp.sqrt(mp.pi) - 1)

    def tail(z: mp.mpf) -> mp.mpf:
        with mp.workdps(90):
            x = mp.sqrt(z)
            return (mp.erf(x) / x - 1 - mp.mpf(first)) / z + mp.mpf(1) / 4

    def weight(z: mp.mpf) -> mp.mpf:
        return z * mp.sqrt(z) / mp.erf(mp.sqrt(z))

    coefficients, error = fit_least_squares(tail, 1e-6, 1, 11, weight=weight, sweeps=30)
    return Fitted(((first,), coefficients), error)


def erfc_g() -> Fitted:
    """ERFC_0 = erfc(15/16), and the logarithm of the rest over t; the error is absolute."""
    border = mp.mpf(error_function.BORDER)
    with mp.workdps(60):
        first = float(mp.erfc(border))

    def exponent(t: mp.mpf) -> mp.mpf:
        with mp.workdps(80):
            return mp.log(mp.erfc(border + t) / mp.mpf(first)) / t

    coefficients, error = fit_least_squares(
        exponent, 1e-6, 6.0 - error_function.BORDER, 16, weight=lambda t: t * mp.erfc(border + t), sweeps=60, refits=5
    )
    return Fitted(((first,), coefficients), error)


@cache
def inverse(w: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """erfinv x and x = sqrt(1 - e^-w), by Halley's iteration on erfc, which keeps 1 - x."""
    x = mp.sqrt(-mp.expm1(-w))
    complement = mp.exp(-w) / (1 + x)
    y = mp.sqrt(w) * mp.mpf(0.95) if w > 1 else x * mp.mpf(0.8862) * (1 + mp.mpf(0.26) * x * x)
    for _ in range(60):
        d = (mp.erfc(y) - complement) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        step = d / (1 - y * d) if abs(y * d) < 0.5 else d / 2
        y += step
        if abs(step) < mp.mpf(10) ** -48 * y:
            break
    return y, x


def inverse_middle() -> Fitted:
    """erfinv x / x - 1 - w/4 in w = -log(1 - x^2), up to x = TAIL_BORDER."""
    with mp.workdps(60):
        high = float(-mp.log(1 - mp.mpf(error_function.TAIL_BORDER) ** 2)) * WIDER

    def ratio(w: mp.mpf) -> mp.mpf:
        y, x = inverse(w)
        return y / x

    p, q, error = fit_rational(lambda w: ratio(w) - 1 - w / 4, 1e-20, high, 7, weight=lambda w: 1 / ratio(w), sweeps=30)
    return Fitted((p, q), error)


def inverse_tail() -> Fitted:
    """erfinv x - s in s - TAIL_CENTRE, s = sqrt(-log(1 - x) - TAIL_SHIFT), from TAIL_BORDER to 1 - 2^-53, over s."""
    shift, centre = mp.mpf(error_function.TAIL_SHIFT), mp.mpf(error_function.TAIL_CENTRE)

    def rest(u: mp.mpf) -> mp.mpf:
        s = u + centre
        complement = mp.exp(-(s * s + shift))
        return inverse(-mp.log(complement * (2 - complement)))[0] - s

    with mp.workdps(60):
        low = float(mp.sqrt(-mp.log(1 - mp.mpf(error_function.TAIL_BORDER)) - shift) - centre) - 1e-4
        high = float(mp.sqrt(53 * mp.log(2) - shift) - centre) + 1e-4
    p, q, error = fit_rational(rest, low, high, 8, weight=lambda u: 1 / (u + centre), sweeps=30)
    return Fitted((p, q), error)


class Recipe(NamedTuple):
    """Names of the sets of a fit in the package, and the function that computes them."""

    module: ModuleType
    names: tuple[str, ...]
    make: Callable[[], Fitted]


FITS = {
    "EXP_Q": Recipe(exponential, ("EXP_Q",), exp_q),
    "EXPM1_Q": Recipe(exponential, ("EXPM1_Q",), expm1_q),
    "LOG_P": Recipe(exponential, ("LOG_P",), log_p),
    "FAST_LOG_P": Recipe(exponential, ("FAST_LOG_P",), fast_log_p),
    "POW_P": Recipe(exponential, ("POW_P",), pow_p),
    "SIN": Recipe(trigonometric, ("SIN",), sin_p),
    "COS": Recipe(trigonometric, ("COS",), cos_p),
    "FAST_COS": Recipe(trigonometric, ("FAST_COS",), fast_cos_p),
    "ASIN": Recipe(inverse_trigonometric, ("ASIN",), asin_p),
    "ATAN": Recipe(inverse_trigonometric, ("ATAN",), atan_p),
    "SINH_P": Recipe(hyperbolic, ("SINH_P",), sinh_p),
    "COSH_P": Recipe(hyperbolic, ("COSH_P",), cosh_p),
    "ATANH_P": Recipe(hyperbolic, ("ATANH_P",), atanh_p),
    "ERF": Recipe(error_function, ("ERF_0", "ERF_P"), erf_p),
    "ERFC": Recipe(error_function, ("ERFC_0", "ERFC_G"), erfc_g),
    "INVERSE": Recipe(error_function, ("INVERSE_P", "INVERSE_Q"), inverse_middle),
    "TAIL": Recipe(error_function, ("TAIL_P", "TAIL_Q"), inverse_tail),
}


def report(name: str) -> bool:
    """Fit, print, and return whether the package has the same bits."""
    module, names, make = FITS[name]
    start = time.perf_counter()
    fitted = make()
    seconds = time.perf_counter() - start
    print(f"{name}: error 2^{float(mp.log(fitted.error, 2)):.1f}, fitted in {seconds:.1f} s")
    equal = True
    for attribute, coefficients in zip(names, fitted.sets, strict=True):
        kept = getattr(module, attribute)
        package = list(kept) if isinstance(kept, tuple) else [kept]
        same = package == list(coefficients)
        equal = equal and same
        where = f"{module.__name__.rpartition('.')[2]}.{attribute}"
        print(f"  {where}: {'equal' if same else 'DIFFERS from the package in the coefficients marked *'}")
        for k, c in enumerate(coefficients):
            mark = "" if k < len(package) and package[k] == c else "  *"
            print(f"    {c.hex()}{mark}")
    return equal


def main(names: Sequence[str]) -> int:
    """Fit the named sets, or all."""
    unknown = [name for name in names if name not in FITS]
    if unknown:
        print(f"fit_maths: no set {', '.join(unknown)}; there are {', '.join(FITS)}", file=sys.stderr)
        return 2
    return 0 if all([report(name) for name in names or FITS]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
