"""One zero-phase low pass for everything: values, rates and second derivatives through the same Gaussian window.

A regression compares filtered signals only if both sides went through the same filter. The derivative of a signal is
taken as the derivative of the window, so that it is exactly the derivative of the filtered value, and nothing noisy is
differentiated by differences.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array

REACH = 5.0  # standard deviations on each side; the window is 4e-6 of its middle there


@final
@dataclass(frozen=True)
class Smoother:
    """A Gaussian window.

    Attributes:
        dt: period of the samples [s]
        sigma: standard deviation of the window [s]; half the power passes at 0.13 / sigma; derivatives are exact from
            two samples on
        every: keep one of this many values
    """

    dt: float
    sigma: float
    every: int = 1

    @property
    def reach(self) -> int:
        """Samples on each side of a value; so many values are missing at either end."""
        return math.ceil(REACH * self.sigma / self.dt)

    @cached_property
    def _windows(self) -> tuple[Array, Array, Array]:
        """Weights for value, rate and second derivative: exact for constants, ramps and parabolas."""
        t = self.dt * np.arange(-self.reach, self.reach + 1)
        g = np.exp(-0.5 * (t / self.sigma) ** 2)
        g /= g.sum()
        rate = g * t
        second = g * ((t / self.sigma) ** 2 - 1)
        second -= g * second.sum()
        return g, rate / (rate @ t), second / (second @ (0.5 * t * t))

    def value(self, x: Array) -> Array:
        """The filtered signal, of (n, ...) samples."""
        return self._through(x, 0)

    def rate(self, x: Array) -> Array:
        """Rate of the filtered signal."""
        return self._through(x, 1)

    def second(self, x: Array) -> Array:
        """Second derivative of the filtered signal."""
        return self._through(x, 2)

    def times(self, t: Array) -> Array:
        """Times of the values."""
        return t[self.reach : len(t) - self.reach : self.every]

    def fits(self, n: int) -> bool:
        """Whether n samples give a value."""
        return n > 2 * self.reach

    def _through(self, x: Array, order: int) -> Array:
        """Correlation of the samples with a window, by the fast Fourier transform."""
        n, middle = len(x), np.mean(x, axis=0)  # without the mean, rounding is relative to the variation
        size = 1 << (n + 2 * self.reach).bit_length()
        window = np.fft.rfft(self._windows[order][::-1], size)
        spectrum = np.fft.rfft(x - middle, size, axis=0) * window.reshape(-1, *([1] * (x.ndim - 1)))
        found = np.fft.irfft(spectrum, size, axis=0)[2 * self.reach : n : self.every]
        return np.asarray(found + middle if order == 0 else found)
