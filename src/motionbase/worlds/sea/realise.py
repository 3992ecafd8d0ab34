"""A spectrum as waves: bands of frequency, one direction for each, random phases.

A band's wave has exactly the band's energy, and its frequency is that of the band's centre of energy. Edges of bands
follow energy and the logarithm of frequency and are then shifted at random, so the frequencies have no common divisor
and the sea does not repeat for hours. Each wave has one direction, chosen so that neighbours in frequency cover the
whole spread. Several directions for one frequency would form a stationary pattern (Jefferys 1987).
"""

from __future__ import annotations

import math

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import WorldError
from motionbase.worlds.sea.spectra import Spectrum
from motionbase.worlds.sea.waves import COMPONENTS, G, Waves, still

SHARE_OF_ENERGY = 0.35  # of the edges; the others go by the logarithm of frequency, for the slopes of short waves
LOWEST, HIGHEST = 0.55, 4.0  # frequencies over that of the peak; the rest of the energy is added in proportion
SHAKE = 0.35  # of a band's width, by which an edge may be shifted
GOLDEN = (math.sqrt(5) - 1) / 2
LARGEST_SPREAD = math.radians(60)
_FINE = 4000  # points of tables


def exponent(spread: float) -> float:
    """s of cos^2s for a spread, the standard deviation of directions sqrt(2 / (1 + s)) (Kuik et al. 1988) [rad]."""
    return 2 / spread**2 - 1


def directions(count: int, mean: float, spread: float, first: float = 0.0) -> Array:
    """(count,) directions of the density cos^2s((theta - mean) / 2), evenly spread among any few consecutive ones.

    Args:
        spread: standard deviation of directions [rad]; 0: long crests, all of one direction
        first: 0 to 1, where the sequence begins
    """
    if not 0 <= spread <= LARGEST_SPREAD:
        raise WorldError(
            f"waves: the spread of directions is {math.degrees(spread):g} deg, it must be 0 to "
            f"{math.degrees(LARGEST_SPREAD):g} deg"
        )
    if spread < 1e-3:
        return np.full(count, mean)
    theta = np.linspace(-math.pi, math.pi, _FINE)
    density = np.cos(theta / 2) ** (2 * exponent(spread))
    share = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2)])
    wanted = (first + GOLDEN * np.arange(count)) % 1.0
    made: Array = mean + np.interp(wanted, share / share[-1], theta)
    return made


def bands(spectrum: Spectrum, count: int, highest: float, rng: np.random.Generator) -> Array:
    """(count + 1,) edges of bands of frequency [rad/s]."""
    omega = spectrum.omega_p * np.geomspace(LOWEST, highest, _FINE)
    energy = spectrum.energy_up_to(omega)
    energy = (energy - energy[0]) / (energy[-1] - energy[0])
    place = SHARE_OF_ENERGY * energy + (1 - SHARE_OF_ENERGY) * np.linspace(0.0, 1.0, _FINE)
    shares = np.arange(count + 1) / count
    shares[1:-1] += rng.uniform(-SHAKE, SHAKE, count - 1) / count
    return np.interp(shares, place, omega)


def realised(
    spectrum: Spectrum, direction: float = math.pi, spread: float = 0.0, seed: int = 1,
    count: int = COMPONENTS, shortest: float = 0.0,
) -> Waves:  # fmt: skip
    """Waves of a spectrum.

    Args:
        direction: into which they travel, from x to y [rad]; against a vessel of heading 0 if it is pi
        spread: standard deviation of directions [rad]
        seed: the same number gives the same sea
        count: of waves
        shortest: shortest wavelength to be included [m]; 0: a sixteenth of the peak's
    """
    if spectrum.height == 0:
        return still()
    if not 1 <= count <= COMPONENTS:
        raise WorldError(f"waves: {count} components, there may be 1 to {COMPONENTS}")
    rng = np.random.default_rng(seed)
    highest = HIGHEST
    if shortest > 0:
        highest = min(max(math.sqrt(2 * math.pi * G / shortest) / spectrum.omega_p, 2.0), 12.0)
    edges = bands(spectrum, count, highest, rng)
    energy, omega = in_bands(spectrum, edges)
    amplitude = np.sqrt(2 * energy * (spectrum.height**2 / 16 / energy.sum()))
    return Waves(
        amplitude, omega, directions(count, direction, spread, rng.uniform()), rng.uniform(0, 2 * math.pi, count)
    )


def in_bands(spectrum: Spectrum, edges: Array) -> tuple[Array, Array]:
    """Energy of each band, and the frequency of its centre."""
    energy = np.diff(spectrum.energy_up_to(edges))
    parts = np.linspace(0.0, 1.0, 17)
    omega = edges[:-1, None] + np.diff(edges)[:, None] * parts
    density = spectrum.density(omega) + 1e-300
    centre: Array = np.asarray(np.trapezoid(density * omega, parts, axis=1) / np.trapezoid(density, parts, axis=1))
    return energy, centre
