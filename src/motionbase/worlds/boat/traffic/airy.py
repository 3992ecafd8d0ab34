"""Airy's function and its derivative in compiled code, where waves of two kinds meet: Ai(-x) and Ai'(-x) to 3e-6.

Near the origin a polynomial (of Chebyshev points, converted), beyond it on the side of the waves the asymptotic series
(NIST, Digital Library of Mathematical Functions, 9.7.9 and 9.7.10), on the other side nothing: there Ai < 4e-4.
"""

from __future__ import annotations

import math
from typing import Any

import casadi as ca

SX = ca.SX
END = 4.5  # of the polynomial
FADE = 1.0  # before the end on the quiet side, in which both go to zero
SERIES = (
    0.3550280538878, -1.164687324631, 1.340893840407e-08, 5.391989349405, -8.844345708889, -2.364600548743e-05,
    16.37820826671, -19.18874034923, -0.0006147318665644, 20.72610603303, -19.42400802707, 0.01158718838717,
    14.28542935947, -11.3827223942, 0.07885085957249, 6.270198575023, -4.480306617056, -0.06168965032791,
    2.100008236772, -1.132589019866, -0.2433415119751, 0.4442130218796, -0.0798029447534, -0.05955304929994,
    0.02113626797898,
)  # fmt: skip
"""Coefficients of Ai(END u), from u^0 on."""
U = (1.0, 5 / 72, 385 / 10368, 85085 / 2239488, 37182145 / 644972544, 5391411025 / 46438023168)
V = (1.0, *(-(6 * k + 1) / (6 * k - 1) * U[k] for k in range(1, 6)))


def horner(x: SX, coefficients: tuple[float, ...]) -> SX:
    """A polynomial, the coefficient of x^0 first."""
    value = SX(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value


def smooth(x: SX) -> SX:
    """0 below 0, 1 above 1, with two continuous derivatives."""
    x = ca.fmin(ca.fmax(x, 0.0), 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))


def airy(x: SX) -> tuple[Any, Any]:
    """Ai(-x) and Ai'(-x)."""
    u = ca.fmin(ca.fmax(-x / END, -1.0), 1.0)
    quiet = smooth((x + END) / FADE)
    ai = quiet * horner(u, SERIES)
    ai_prime = quiet * horner(u, tuple(k * c / END for k, c in enumerate(SERIES) if k))
    far = ca.fmax(x, END)
    root = ca.sqrt(far)
    zeta = 2 / 3 * far * root
    c, s = ca.cos(zeta - math.pi / 4), ca.sin(zeta - math.pi / 4)
    w = 1 / (zeta * zeta)

    def even(of: tuple[float, ...]) -> SX:
        return of[0] + w * (-of[2] + w * of[4])

    def odd(of: tuple[float, ...]) -> SX:
        return (of[1] + w * (-of[3] + w * of[5])) / zeta

    quarter = ca.sqrt(root)
    ai_far = (c * even(U) + s * odd(U)) / (math.sqrt(math.pi) * quarter)
    ai_prime_far = (s * even(V) - c * odd(V)) * quarter / math.sqrt(math.pi)
    return ca.if_else(x > END, ai_far, ai), ca.if_else(x > END, ai_prime_far, ai_prime)
