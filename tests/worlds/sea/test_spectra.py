"""Spectra against closed forms, their other published forms, and fits of the literature."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gamma as Gamma

from motionbase.errors import MotionBaseError
from motionbase.worlds.sea.spectra import (
    Spectrum,
    by_wind,
    fully_developed_period,
    ittc,
    jonswap,
    peak_period,
    pierson_moskowitz,
    ratio,
    wind_for,
)
from motionbase.worlds.sea.waves import G

OMEGA = np.geomspace(0.3, 4.0, 60)


@pytest.mark.parametrize("n", [-1, 0, 1, 2, 3])
def test_moments_of_bretschneider_are_gamma_functions(n: int) -> None:
    """m_n = Hs^2 / 16 omega_p^n (5/4)^(n/4) Gamma(1 - n/4); tables with 24,000 steps of log x, so 1e-7."""
    s = Spectrum(3.0, 9.0)
    wanted = 9 / 16 * s.omega_p**n * 1.25 ** (n / 4) * Gamma(1 - n / 4)
    assert s.moment(n) == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize("gamma", [1.0, 3.3, 7.0])
def test_moments_are_integrals_of_the_density(gamma: float) -> None:
    s = Spectrum(2.0, 8.0, gamma)
    for n in (0, 1, 2):

        def weighted(w: float, n: int = n) -> float:
            return w**n * float(s.density(w))

        parts = [quad(weighted, a, b, limit=400)[0] for a, b in ((0.1, 1.0), (1.0, 40.0))]
        assert s.moment(n) == pytest.approx(sum(parts), rel=2e-3 if n == 2 else 1e-4)  # the tail beyond 40 rad/s
    assert 4 * math.sqrt(s.moment(0)) == pytest.approx(2.0, rel=1e-12)


def test_energy_up_to_a_frequency_is_the_closed_form() -> None:
    s = Spectrum(2.0, 8.0)
    wanted = 4 / 16 * np.exp(-1.25 * (s.omega_p / OMEGA) ** 4)
    np.testing.assert_allclose(s.energy_up_to(OMEGA), wanted, rtol=1e-5, atol=1e-9)
    assert float(s.energy_up_to(1e4)) == pytest.approx(4 / 16, rel=1e-9)


def test_periods_are_told_apart() -> None:
    """Of one sea T1 is 0.772 Tp and Tz 0.710 Tp; who takes one for another makes another sea."""
    assert ratio("t1") == pytest.approx(1 / (1.25**0.25 * Gamma(0.75)), rel=1e-7)
    assert ratio("tz") == pytest.approx(1 / math.sqrt(1.25**0.5 * Gamma(0.5)), rel=1e-7)
    s = jonswap(2.0, 8.0)
    for kind, value in (("tp", 8.0), ("t1", s.t1), ("tz", s.tz), ("te", s.te)):
        assert peak_period(value, kind, 3.3) == pytest.approx(8.0, rel=1e-12)
    assert s.t1 == pytest.approx(2 * math.pi * s.moment(0) / s.moment(1), rel=1e-12)
    assert s.tz == pytest.approx(2 * math.pi * math.sqrt(s.moment(0) / s.moment(2)), rel=1e-12)


@pytest.mark.parametrize("gamma", [1.0, 2.0, 3.3, 5.0, 7.0])
def test_periods_and_factor_of_jonswap_are_the_fits_of_the_literature(gamma: float) -> None:
    """Fits in gamma as offshore standards have them, three to four digits."""
    tz = 0.6673 + 0.05037 * gamma - 0.00623 * gamma**2 + 0.0003341 * gamma**3
    t1 = 0.7303 + 0.04936 * gamma - 0.006556 * gamma**2 + 0.0003610 * gamma**3
    assert ratio("tz", gamma) == pytest.approx(tz, rel=4e-3)
    assert ratio("t1", gamma) == pytest.approx(t1, rel=4e-3)
    s, flat = Spectrum(2.0, 8.0, gamma), Spectrum(2.0, 8.0)
    factor = float(s.density(3.0) / flat.density(3.0))  # far from the peak only A(gamma) differs
    assert factor == pytest.approx(1 - 0.287 * math.log(gamma), rel=0.02)


def test_pierson_moskowitz_by_wind_is_its_published_form() -> None:
    U = 15.0
    wanted = 0.0081 * G**2 * OMEGA**-5 * np.exp(-0.74 * (G / (U * OMEGA)) ** 4)
    np.testing.assert_allclose(by_wind(U).density(OMEGA), wanted, rtol=1e-6)
    assert by_wind(U).height == pytest.approx(0.21 * U**2 / G, rel=0.01)
    assert wind_for(by_wind(U).height) == pytest.approx(U, rel=1e-12)
    assert by_wind(U).period == pytest.approx(fully_developed_period(by_wind(U).height), rel=1e-12)
    assert pierson_moskowitz(4.0).period == pytest.approx(10.0, rel=0.005)  # 0.4 sqrt(g / Hs)


def test_ittc_by_mean_period_is_its_published_form() -> None:
    """S = 173 Hs^2 / T1^4 omega^-5 exp(-691 / (T1 omega)^4): three digits."""
    Hs, T1 = 3.5, 7.0
    wanted = 173 * Hs**2 / T1**4 * OMEGA**-5 * np.exp(-691 / (T1 * OMEGA) ** 4)
    np.testing.assert_allclose(ittc(Hs, T1).density(OMEGA), wanted, rtol=0.01, atol=1e-9)


def test_the_form_of_jonswap_with_the_mean_period() -> None:
    """155, 944, 0.191 and 5.24 are for T1, with Tp = 1.200 T1; as if for Tp, the peak would be a fifth off."""
    Hs, T1 = 3.5, 7.0
    sigma = np.where(OMEGA <= 5.24 / T1, 0.07, 0.09)
    Y = np.exp(-(((0.191 * OMEGA * T1 - 1) / (math.sqrt(2) * sigma)) ** 2))
    wanted = 155 * Hs**2 / (T1**4 * OMEGA**5) * np.exp(-944 / (T1 * OMEGA) ** 4) * 3.3**Y
    s = jonswap(Hs, peak_period(T1, "t1", 3.3))
    assert s.period == pytest.approx(1.2 * T1, rel=2e-3)
    np.testing.assert_allclose(s.density(OMEGA), wanted, atol=0.03 * wanted.max())
    wrong = jonswap(Hs, T1).density(OMEGA)
    assert np.abs(wrong - wanted).max() > 0.5 * wanted.max()


@pytest.mark.parametrize(
    ("height", "period", "gamma", "said"),
    [(-1.0, 8.0, 1.0, "height"), (2.0, 0.0, 1.0, "period"), (2.0, 8.0, math.nan, "gamma"), (2.0, 8.0, 0.5, "gamma")],
)
def test_impossible_spectra_are_refused(height: float, period: float, gamma: float, said: str) -> None:
    with pytest.raises(MotionBaseError, match=f"the .*{said}.* is"):
        Spectrum(height, period, gamma)
