"""Roughness of roads by ISO 8608, as an isotropic random surface that repeats along the road.

The spectral density of the height along any line is G(n) = G(n0) (n / n0)^-2 with n0 = 0.1 cycles/m. The
geometric mean of class A is G(n0) = 16e-6 m^3, and each class has four times the density of the one before
(ISO 8608:2016, annex C). Wheel paths side by side are coherent as on an isotropic surface (Dodds & Robson 1973; for
this spectrum Kamash & Robson 1978):

    coherence of two paths at the distance B:  gamma(n) = x K1(x),  x = 2 pi n B,  K1 the modified Bessel function

The surface is synthesised wave by wave along the road; across it, each wave has the covariance gamma by circulant
embedding (Dietrich & Newsam 1997), exact up to half the period. Wavelengths are 0.25 m to 100 m: longer ones are the
hills, and shorter ones vanish in the contact of a tyre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from motionbase.arrays import Array, Complex

CLASSES = ("A", "B", "C", "D", "E")
N0, G0 = 0.1, 16e-6  # [cycles/m], [m^3] of class A
LONGEST, SHORTEST = 100.0, 0.25  # wavelengths [m]
NODES, LANES = 2048, 32  # of the grid along and across
PERIOD, ACROSS = 204.8, 8.0  # of the surface as it is made [m]


def amplitude(name: str) -> float:
    """Heights of a class over those of class A."""
    return 2.0 ** CLASSES.index(name)


def density(n: Array) -> Array:
    """One-sided spectral density of class A [m^3] at wave numbers n [cycles/m]."""
    return G0 * (n / N0) ** -2.0


def coherence(n: Array, distance: float) -> Array:
    """Of two paths side by side: x K1(x) is the integral of x cosh t exp(-x cosh t) over t from 0 on.

    The trapezoidal rule converges faster than any power here; 1e-12 from x = 1e-4 on.
    """
    x = 2 * math.pi * np.maximum(np.abs(n * distance), 1e-4)
    t = np.linspace(0.0, 14.0, 281)
    y = x[..., None] * np.cosh(t)
    f = y * np.exp(-y)
    found: Array = (f.sum(axis=-1) - f[..., 0] / 2) * t[1]
    return found


@cache
def surface(seed: int = 8608) -> Array:
    """(NODES, LANES) heights of class A on the grid [m]; periodic in both directions."""
    found: Array = np.fft.ifft2(_spectrum(seed)).real * NODES * LANES
    return found


@cache
def weights(seed: int = 8608) -> Array:
    """(NODES, LANES) weights of splines, cubic along and quadratic across, that pass through the heights."""
    along = (2 + np.cos(2 * math.pi * np.fft.fftfreq(NODES))) / 3
    across = (3 + np.cos(2 * math.pi * np.fft.fftfreq(LANES))) / 4
    found: Array = np.fft.ifft2(_spectrum(seed) / np.outer(along, across)).real * NODES * LANES
    return found


@cache
def _spectrum(seed: int) -> Complex:
    """Complex amplitudes of the surface."""
    random = np.random.default_rng(seed)
    n = np.fft.fftfreq(NODES, PERIOD / NODES)
    used = (np.abs(n) >= 1 / LONGEST) & (np.abs(n) <= 1 / SHORTEST)
    lanes = np.minimum(np.arange(LANES), LANES - np.arange(LANES)) * ACROSS / LANES
    variance = np.zeros((NODES, LANES))
    for i in np.flatnonzero(used):
        gamma = coherence(abs(n[i]) * lanes, 1.0)
        share = np.maximum(np.fft.fft(gamma).real, 0.0)
        variance[i] = share / share.sum() * density(np.abs(n[i])) / 2 / PERIOD
    noise = np.fft.fft2(random.standard_normal((NODES, LANES))) / math.sqrt(NODES * LANES)
    found: Complex = noise * np.sqrt(variance)
    return found


@final
@dataclass(frozen=True)
class Grid:
    """The surface stretched along a road so that it repeats a whole number of times.

    Attributes:
        step: spacing of nodes along the road [m]
        scale: of heights, so that the stretched surface has the same density
    """

    step: float
    scale: float

    @staticmethod
    def on(length: float) -> Grid:
        """On a closed road of this length [m]; 0 means an open road."""
        period = length / max(1, round(length / PERIOD)) if length else PERIOD
        return Grid(period / NODES, math.sqrt(period / PERIOD))
