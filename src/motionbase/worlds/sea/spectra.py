"""Spectra of wind seas by Pierson and Moskowitz, JONSWAP and ITTC, with their heights and periods.

All are one family, given by significant height Hs, period of the peak Tp and gamma, the height of its peak over that of
a fully developed sea:

    S(omega) = A(gamma) 5/16 Hs^2 omega_p^4 omega^-5 exp(-5/4 (omega_p / omega)^4) gamma^r,
    r = exp(-(omega / omega_p - 1)^2 / (2 sigma^2)),  sigma = 0.07 below the peak, 0.09 above

gamma = 1 is the two-parameter spectrum of Bretschneider and the ITTC, and with Tp = 5.0 s sqrt(Hs / m) that of Pierson
and Moskowitz; 3.3 is the mean of JONSWAP. A(gamma) makes 4 sqrt(m0) = Hs exactly.

Beware of periods: tables give the peak's Tp, the mean T1 = 2 pi m0 / m1 or that between up-crossings
Tz = 2 pi sqrt(m0 / m2), often without saying which. At gamma = 1, Tp = 1.296 T1 = 1.408 Tz. The ITTC form
with the constants 173 and 691 takes T1, and so does the JONSWAP form with 155, 944, 0.191 and 5.24. Fed with Tp, they
make the peak period 1.30 and 1.20 times too long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import WorldError, unknown
from motionbase.worlds.sea.options import JONSWAP_GAMMA
from motionbase.worlds.sea.waves import G

WIND_HEIGHT = 0.0081 / (4 * 0.74)  # m0 g^2 / U^4 of a fully developed sea, U at 19.5 m (Pierson and Moskowitz 1964)
WIND_PEAK = (4 / 5 * 0.74) ** 0.25  # omega_p U / g
SIGMA_BELOW, SIGMA_ABOVE = 0.07, 0.09
MOMENTS = range(-1, 4)
_X_LEAST, _X_MOST, _X_COUNT = 0.25, 60.0, 24001  # omega / omega_p of the tables; below, 1e-139 of the energy


class _Shape(NamedTuple):
    """The spectra of one gamma over x = omega / omega_p: variance without A, its share up to x, moments over m0."""

    whole: float
    x: Array
    share: Array
    moments: dict[int, float]


def _raw(x: Array, gamma: float) -> Array:
    """The density for Hs = 4 and omega_p = 1, without A."""
    sigma = np.where(x <= 1, SIGMA_BELOW, SIGMA_ABOVE)
    peak = gamma ** np.exp(-(((x - 1) / sigma) ** 2) / 2)
    made: Array = 5 * x**-5 * np.exp(-1.25 * x**-4) * peak
    return made


@cache
def _shape(gamma: float) -> _Shape:
    """Sums over even steps of log x; beyond them is the tail 5 x^-5 in closed form."""
    log_x = np.linspace(math.log(_X_LEAST), math.log(_X_MOST), _X_COUNT)
    x = np.exp(log_x)
    density = _raw(x, gamma)
    tails = {n: 5 * _X_MOST ** (n - 4) / (4 - n) for n in MOMENTS}
    sums = {n: float(np.trapezoid(density * x ** (n + 1), log_x)) + tails[n] for n in MOMENTS}
    values = density * x
    up_to = np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / 2 * np.diff(log_x))])
    return _Shape(sums[0], x, up_to / sums[0], {n: sums[n] / sums[0] for n in MOMENTS})


@final
@dataclass(frozen=True)
class Spectrum:
    """Density of the surface's variance over circular frequency.

    Attributes:
        height: significant height, 4 sqrt(m0) [m]
        period: of the peak [s]
        gamma: of the peak; 1 is a fully developed sea
        name: for display
    """

    height: float
    period: float
    gamma: float = 1.0
    name: str = "Bretschneider"

    def __post_init__(self) -> None:
        for name, value, least, most, unit in (
            ("significant height", self.height, 0.0, 30.0, " m"),
            ("period of the peak", self.period, 0.2, 40.0, " s"),
            ("gamma", self.gamma, 1.0, 20.0, ""),
        ):
            if not least <= value <= most:
                raise WorldError(f"spectrum: the {name} is {value:g}{unit}, it must be {least:g} to {most:g}{unit}")

    @property
    def omega_p(self) -> float:
        """Circular frequency of the peak [rad/s]."""
        return 2 * math.pi / self.period

    def density(self, omega: Array | float) -> Array:
        """S at circular frequencies [m² s/rad]."""
        x = np.asarray(omega, dtype=float) / self.omega_p
        scale = self.height**2 / 16 / self.omega_p / _shape(self.gamma).whole
        made: Array = np.where(x > _X_LEAST, _raw(np.maximum(x, _X_LEAST), self.gamma), 0.0) * scale
        return made

    def energy_up_to(self, omega: Array | float) -> Array:
        """Variance of all waves up to a frequency [m²]."""
        shape = _shape(self.gamma)
        x = np.asarray(omega, dtype=float) / self.omega_p
        beyond = 1 - 5 / 4 * np.maximum(x, _X_MOST) ** -4.0 / shape.whole
        made: Array = self.height**2 / 16 * np.where(x <= _X_MOST, np.interp(x, shape.x, shape.share), beyond)
        return made

    def moment(self, n: int) -> float:
        """Integral of omega^n S, n from -1 to 3; that of 4 is infinite [m² (rad/s)^n]."""
        if n not in MOMENTS:
            raise WorldError(f"spectrum: there are moments {MOMENTS[0]} to {MOMENTS[-1]}, not {n}")
        return self.height**2 / 16 * math.pow(self.omega_p, n) * _shape(self.gamma).moments[n]

    @property
    def t1(self) -> float:
        """Mean period 2 pi m0 / m1 [s]."""
        return self.period * ratio("t1", self.gamma)

    @property
    def tz(self) -> float:
        """Mean period between up-crossings, 2 pi sqrt(m0 / m2) [s]."""
        return self.period * ratio("tz", self.gamma)

    @property
    def te(self) -> float:
        """Period of the flow of energy, 2 pi m-1 / m0 [s]."""
        return self.period * ratio("te", self.gamma)


def ratio(kind: str, gamma: float = 1.0) -> float:
    """A period over that of the peak: t1, tz or te; 1 for tp."""
    moments = _shape(gamma).moments
    known = {"tp": 1.0, "t1": 1 / moments[1], "tz": 1 / math.sqrt(moments[2]), "te": moments[-1]}
    if kind not in known:
        raise unknown("period", kind, known)
    return known[kind]


def peak_period(period: float, kind: str, gamma: float = 1.0) -> float:
    """Tp of a sea of which another period is known: kind t1, tz, te, or tp itself [s]."""
    return period / ratio(kind, gamma)


# ---- by name -------------------------------------------------------------------------------------------------------


def fully_developed_period(height: float) -> float:
    """Tp of a fully developed sea, by its significant height: 5.01 s sqrt(Hs / m)."""
    return 2 * math.pi / (WIND_PEAK * G / wind_for(height))


def wind_for(height: float) -> float:
    """Wind at 19.5 m whose fully developed sea has this significant height [m/s]."""
    return math.sqrt(height * G / (4 * math.sqrt(WIND_HEIGHT)))


def pierson_moskowitz(height: float) -> Spectrum:
    """A fully developed sea, by its significant height [m]."""
    return Spectrum(height, fully_developed_period(height) if height > 0 else 1.0, 1.0, "Pierson-Moskowitz")


def by_wind(speed: float) -> Spectrum:
    """A fully developed sea, by the wind at 19.5 m [m/s]."""
    if not 0 <= speed <= 60:
        raise WorldError(f"spectrum: the wind is {speed:g} m/s, it must be 0 to 60 m/s")
    return pierson_moskowitz(4 * math.sqrt(WIND_HEIGHT) * speed**2 / G)


def jonswap(height: float, period: float, gamma: float = JONSWAP_GAMMA) -> Spectrum:
    """A growing sea: significant height Hs [m] and period of the peak [s]."""
    return Spectrum(height, period, gamma, "JONSWAP")


def ittc(height: float, t1: float) -> Spectrum:
    """The spectrum of the ITTC by height Hs [m] and mean period T1 [s]: S = 173 Hs^2 / T1^4 omega^-5 ..."""
    return Spectrum(height, peak_period(t1, "t1"), 1.0, "ITTC")
