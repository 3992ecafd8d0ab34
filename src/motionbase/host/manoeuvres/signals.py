"""Functions of time that know all their derivatives: smooth steps, sums of exponentials, and their algebra."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np
from numpy.polynomial import Polynomial

from motionbase.arrays import Array

SMOOTH = 4  # derivatives of a step that are continuous: a path, its acceleration, and a lean that follows it, with jerk
STEEPEST = (
    math.factorial(2 * SMOOTH + 1) / math.factorial(SMOOTH) ** 2 / 4**SMOOTH
)  # greatest rate of a step, over its mean


@final
@dataclass(frozen=True)
class Signal:
    """A function of time.

    Attributes:
        of: (t, k) -> its k-th derivative; k = -1 and below are integrals from t = 0, which products do not have
    """

    of: Callable[[Array, int], Array]

    def __call__(self, t: Array, k: int = 0) -> Array:
        return self.of(t, k)

    def __add__(self, other: Signal | float) -> Signal:
        with_other = signal(other)
        return Signal(lambda t, k: self(t, k) + with_other(t, k))

    def __neg__(self) -> Signal:
        return Signal(lambda t, k: -self(t, k))

    def __sub__(self, other: Signal | float) -> Signal:
        return self + -signal(other)

    def __mul__(self, other: Signal | float) -> Signal:
        """By a number, or by a signal with Leibniz's rule."""
        if not isinstance(other, Signal):
            return Signal(lambda t, k: other * self(t, k))

        def product(t: Array, k: int) -> Array:
            if k < 0:
                raise ValueError("products of signals have no integral")
            return sum((math.comb(k, i) * self(t, i) * other(t, k - i) for i in range(k + 1)), np.zeros_like(t))

        return Signal(product)

    __radd__, __rmul__ = __add__, __mul__

    @property
    def rate(self) -> Signal:
        """Its derivative."""
        return Signal(lambda t, k: self(t, k + 1))

    @property
    def integral(self) -> Signal:
        """Its integral from t = 0."""
        return Signal(lambda t, k: self(t, k - 1))

    def through(self, function: Callable[[Array], tuple[Array, Array, Array]]) -> Signal:
        """A function of it that tells its value and two derivatives; so it has two itself."""

        def chained(t: Array, k: int) -> Array:
            if not 0 <= k <= 2:
                raise ValueError(f"a function of a signal has derivatives 0 to 2, not {k}")
            value, slope, bend = function(self(t))
            return (value, slope * self(t, 1), bend * self(t, 1) ** 2 + slope * self(t, 2))[k]

        return Signal(chained)


def signal(value: Signal | float) -> Signal:
    """A constant as a signal."""
    if isinstance(value, Signal):
        return value
    number = float(value)
    return Signal(lambda t, k: number * t**-k / math.factorial(-k) if k <= 0 else np.zeros_like(t))


def arctan(x: Array) -> tuple[Array, Array, Array]:
    """For `Signal.through`."""
    slope = 1 / (1 + x**2)
    return np.arctan(x), slope, -2 * x * slope**2


@cache
def _smooth_step(smooth: int) -> Polynomial:
    """From 0 at 0 to 1 at 1, with this many derivatives zero at both ends."""
    n = smooth
    tail = [math.comb(n + k, k) * math.comb(2 * n + 1, n - k) * (-1) ** k for k in range(n + 1)]
    return Polynomial([0.0] * (n + 1) + [float(c) for c in tail])


def step(at: float, length: float, smooth: int = SMOOTH) -> Signal:
    """From 0 to 1 within `length` [s] from `at` on."""
    shape = _smooth_step(smooth)

    def value(t: Array, k: int) -> Array:
        x = np.clip((t - at) / length, 0.0, 1.0)
        if k > 0:
            return np.asarray(shape.deriv(k)(x) / length**k)
        made = np.asarray(shape.integ(-k)(x)) * length**-k
        after = np.maximum(t - at - length, 0.0)
        for j in range(-k):  # beyond its end, an integral goes on as Taylor's series
            end = shape.integ(-k - j)(1.0) * length ** (-k - j)
            made = made + np.where(after > 0, end * after**j / math.factorial(j) - (end if j == 0 else 0.0), 0.0)
        return np.asarray(made + (np.where(after > 0, after**-k / math.factorial(-k), 0.0) if k < 0 else 0.0))

    return Signal(value)


def pulse(at: float, rise: float, hold: float, fall: float, smooth: int = SMOOTH) -> Signal:
    """To 1 within `rise` [s], there for `hold`, back to 0 within `fall`."""
    return step(at, rise, smooth) - step(at + rise + hold, fall, smooth)


def exponentials(amplitudes: Sequence[complex] | Any, s: Sequence[complex] | Any, at: float = 0.0) -> Signal:
    """Real part of the sum of c exp(s (t - at)): sines for imaginary s. Decaying ones must be switched on at `at`."""
    c, rates = np.atleast_1d(np.asarray(amplitudes, complex)), np.atleast_1d(np.asarray(s, complex))

    def value(t: Array, k: int) -> Array:
        since = np.maximum(t - at, 0.0) if (rates.real < 0).any() else t - at
        made = np.zeros_like(t)
        for one, rate in zip(c, rates, strict=True):  # one after the other: a table of all would not fit the cache
            made += (one * rate**k * np.exp(rate * since)).real
        for j in range(-k):  # integrals start at zero
            made -= (c * rates ** (k + j) * np.exp(-rates * at)).sum().real * t**j / math.factorial(j)
        return made

    return Signal(value)


def sine(frequency: float, at: float = 0.0) -> Signal:
    """sin(2 pi frequency (t - at)), frequency in Hz."""
    return exponentials(-1j, 2j * math.pi * frequency, at)


def ringing(at: float, frequency: float, damping: float, onset: float = 0.1) -> Signal:
    """A damped oscillation that begins at `at` within `onset` [s]: the frequency in Hz, and the damping ratio."""
    omega = 2 * math.pi * frequency
    return exponentials(-1j, omega * (-damping + 1j * math.sqrt(1 - damping**2)), at) * step(at, onset)
