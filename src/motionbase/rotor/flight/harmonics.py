"""Steady periodic loads: harmonics of a sampled signal over whole revolutions, half peak-to-peak, and periodicity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError

FINE = 720  # azimuths at which a fitted signal is searched for its extremes
ROUNDING = 1e-12  # of the largest sample
WELL = 1e6  # condition of the least squares above which the samples do not determine the harmonics


@final
@dataclass(frozen=True, eq=False)
class Harmonics:
    """mean + sum of cos[n - 1] cos n psi + sin[n - 1] sin n psi.

    Attributes:
        mean: (...) of each signal
        cos, sin: (highest, ...)
        residual: (...) root mean square of what the harmonics leave of the samples
        revolutions: whole ones that were taken, the last of the signal
    """

    mean: Array
    cos: Array
    sin: Array
    residual: Array
    revolutions: int

    @property
    def amplitude(self) -> Array:
        """(highest, ...)."""
        return np.hypot(self.cos, self.sin)

    @property
    def complex(self) -> Complex:
        """(highest, ...) c of the real part of c exp(i n psi)."""
        return np.asarray(self.cos - 1j * self.sin)

    @property
    def half_peak_to_peak(self) -> Array:
        """(...) half of what lies between the largest and the smallest value of a revolution."""
        signal = self.at(2 * np.pi * np.arange(FINE) / FINE)
        return np.asarray((signal.max(axis=0) - signal.min(axis=0)) / 2)

    def at(self, psi: ArrayLike) -> Array:
        """(k, ...) value at (k,) azimuths [rad]."""
        waves = _waves(np.asarray(psi, dtype=np.float64), len(self.cos))
        return np.tensordot(waves, np.concatenate([self.mean[None], self.cos, self.sin]), axes=1)


def harmonics(signal: ArrayLike, psi: ArrayLike, highest: int = 10, revolutions: int | None = None) -> Harmonics:
    """By least squares over whole revolutions at the end of a signal; samples need not divide a revolution evenly.

    Args:
        signal: (n, ...) samples, in any unit
        psi: (n,) their azimuths [rad], ascending
        highest: harmonic of the rotor's speed
        revolutions: how many, counted from the end; all whole ones by default
    """
    if highest < 1:
        raise ModelError(f"harmonics: the highest is number {highest}, it must be 1 or more")
    values, azimuth = _checked(signal, psi)
    # samples stand for the azimuth before them, so n samples 2 pi / n apart are a whole revolution
    length = _length(azimuth)
    whole = int(np.floor(length / (2 * np.pi) + 1e-9))
    count = whole if revolutions is None else revolutions
    if not 1 <= count <= whole:
        raise ModelError(f"harmonics: {count} revolutions are wanted, the signal has {whole} whole ones")
    end = azimuth[-1] - 2 * np.pi * count
    return _fit(values[azimuth > end + 1e-9], azimuth[azimuth > end + 1e-9], highest, count)


def periodicity(signal: ArrayLike, psi: ArrayLike, highest: int = 10) -> Array:
    """(...) largest change from the last revolution but one to the last, over the last one's half peak-to-peak.

    Both are compared by their harmonics, so noise above `highest` does not count; 0 where the signal is constant.
    """
    values, azimuth = _checked(signal, psi)
    if _length(azimuth) < 4 * np.pi * (1 - 1e-9):
        raise ModelError(f"periodicity: {_length(azimuth) / (2 * np.pi):.3g} revolutions, at least 2 are wanted")
    fits = []
    for back in (1, 0):
        end = azimuth[-1] - 2 * np.pi * back
        own = (azimuth > end - 2 * np.pi + 1e-9) & (azimuth <= end + 1e-9)
        fits.append(_fit(values[own], azimuth[own], highest, 1))
    grid = 2 * np.pi * np.arange(FINE) / FINE
    change = np.abs(fits[1].at(grid) - fits[0].at(grid)).max(axis=0)
    size = fits[1].half_peak_to_peak
    constant = change <= ROUNDING * np.abs(values).max(axis=0)
    return np.asarray(np.where(constant, 0.0, change / np.where(size > 0, size, np.finfo(float).tiny)))


def _fit(values: Array, psi: Array, highest: int, count: int) -> Harmonics:
    waves = _waves(psi, highest)
    if len(psi) < waves.shape[1] or np.linalg.cond(waves) > WELL:
        raise ModelError(
            f"harmonics: {len(psi) / count:.4g} samples a revolution do not determine {highest} harmonics; "
            f"at most {max(0, (len(psi) // count - 1) // 2)} are possible"
        )
    flat = values.reshape(len(values), -1)
    found: Array = np.asarray(np.linalg.lstsq(waves, flat, rcond=None)[0], dtype=np.float64)
    left = np.sqrt(np.mean((flat - waves @ found) ** 2, axis=0)).reshape(values.shape[1:])
    found = found.reshape(-1, *values.shape[1:])
    return Harmonics(found[0], found[1 : highest + 1], found[highest + 1 :], left, count)


def _waves(psi: Array, highest: int) -> Array:
    """(k, 1 + 2 highest) one, cosines, sines."""
    angles = psi[:, None] * np.arange(1, highest + 1)
    return np.hstack([np.ones((len(psi), 1)), np.cos(angles), np.sin(angles)])


def _length(psi: Array) -> float:
    """Azimuth that the samples stand for [rad]."""
    return float((psi[-1] - psi[0]) * len(psi) / (len(psi) - 1))


def _checked(signal: ArrayLike, psi: ArrayLike) -> tuple[Array, Array]:
    values, azimuth = np.asarray(signal, dtype=np.float64), np.asarray(psi, dtype=np.float64)
    if azimuth.ndim != 1 or values.ndim < 1 or len(values) != len(azimuth) or len(azimuth) < 2:
        raise ModelError(
            f"harmonics: {values.shape} samples at {azimuth.shape} azimuths; one azimuth a sample is wanted"
        )
    if not (np.all(np.isfinite(values)) and np.all(np.isfinite(azimuth)) and np.all(np.diff(azimuth) > 0)):
        raise ModelError(
            "harmonics: samples must be finite and their azimuths ascending; np.unwrap those that start again"
        )
    return values, azimuth
