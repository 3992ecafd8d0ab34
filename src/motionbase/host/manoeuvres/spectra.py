"""Random motion as sums of sines, with phases from a fixed seed: exact derivatives at any sampling rate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motionbase.arrays import Array, Complex
from motionbase.host.manoeuvres.signals import Signal, exponentials


class Tones:
    """Frequencies [rad/s], and for each spectrum tones with phases of their own."""

    def __init__(self, least: float, most: float, count: int, seed: int) -> None:
        edges = np.geomspace(least, most, count + 1)
        self.width: Array = np.diff(edges)
        self._random = np.random.Generator(np.random.PCG64(seed))
        # anywhere within its interval, so that the sum does not repeat itself
        self.omega: Array = edges[:-1] + self.width * self._random.uniform(0.2, 0.8, count)

    def of(self, spectrum: Array) -> Complex:
        """Complex amplitudes for a one-sided spectrum at `omega`, whose integral is the mean square."""
        phases = self._random.uniform(0, 2 * np.pi, len(self.omega))
        made: Complex = np.sqrt(2 * spectrum * self.width) * np.exp(1j * phases)
        return made

    def signal(self, amplitudes: Complex, omega: Array | None = None) -> Signal:
        """Their sum over time."""
        return exponentials(amplitudes, 1j * (self.omega if omega is None else omega))


def lag(time: float) -> Callable[[Array], Complex]:
    """Response of a first-order lag."""
    return lambda omega: np.asarray(1 / (1 + 1j * omega * time), complex)


def oscillator(omega_0: float, damping: float) -> Callable[[Array], Complex]:
    """Response of a second-order system whose gain is 1 at rest."""
    return lambda omega: np.asarray(omega_0**2 / (omega_0**2 - omega**2 + 2j * damping * omega_0 * omega), complex)


def dryden_along(omega: Array, sigma: float, L: float, V: float) -> Array:
    """Gusts along the path: MIL-F-8785C, Dryden form, as a spectrum over time at speed V [m^2/s^2 per rad/s]."""
    return np.asarray(sigma**2 * 2 * L / (np.pi * V) / (1 + (L * omega / V) ** 2))


def dryden_across(omega: Array, sigma: float, L: float, V: float) -> Array:
    """Gusts across it, vertical or sideways."""
    x2 = (L * omega / V) ** 2
    return np.asarray(sigma**2 * L / (np.pi * V) * (1 + 3 * x2) / (1 + x2) ** 2)


def dryden_roll(omega: Array, sigma: float, L: float, V: float, b: float) -> Array:
    """Rolling gusts over a wing of span b [rad^2/s^2 per rad/s]."""
    scale = 0.8 * (np.pi * L / (4 * b)) ** (1 / 3)
    return np.asarray(sigma**2 / (L * V) * scale / (1 + (4 * b * omega / (np.pi * V)) ** 2))


def bretschneider(omega: Array, height: float, period: float) -> Array:
    """Waves of a significant height [m] and peak period [s]: the two-parameter form of Pierson and Moskowitz 1964."""
    peak = 2 * np.pi / period
    return np.asarray(5 / 16 * height**2 * peak**4 / omega**5 * np.exp(-1.25 * (peak / omega) ** 4))


def iso_8608(omega: Array, G_d: float, V: float) -> Array:
    """Unevenness of a road met at speed V [m^2 per rad/s]; G_d at 0.1 cycles/m [m^3], 64e-6 for class B."""
    n = omega / (2 * np.pi * V)  # cycles a metre
    return np.asarray(G_d * (n / 0.1) ** -2 / (2 * np.pi * V))
