"""Seas as sums of waves: their energy, directions, statistics, and that nothing repeats."""

import math

import numpy as np
import pytest

from motionbase.errors import MotionBaseError
from motionbase.worlds.option import read_options
from motionbase.worlds.sea.choice import ChosenSea, chosen_sea, sea_scene
from motionbase.worlds.sea.options import OPTIONS
from motionbase.worlds.sea.realise import bands, directions, exponent, in_bands, realised
from motionbase.worlds.sea.spectra import jonswap
from motionbase.worlds.sea.states import STATES, sea_state, state_of
from motionbase.worlds.sea.statistics import statistics
from motionbase.worlds.sea.waves import COMPONENTS, G, encounter, regular

SEA = jonswap(1.875, 6.9)
TIMES = np.arange(0.0, 1200.0, 0.2)


def chosen(**given: str) -> ChosenSea:
    return chosen_sea(read_options("boat://x", OPTIONS, given))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_twenty_minutes_have_the_significant_height(seed: int) -> None:
    """4 sigma within 5 %. The highest third is lower, as at sea: 0.95 of it for this width of spectrum (Goda)."""
    waves = realised(SEA, spread=0.4, seed=seed)
    assert waves.significant_height == pytest.approx(SEA.height, rel=1e-12)
    found = statistics(TIMES, waves.elevation(TIMES))
    assert found.spectral_height == pytest.approx(SEA.height, rel=0.05)
    assert 0.90 < found.third_height / SEA.height < 1.02
    assert found.crossing_period == pytest.approx(SEA.tz, rel=0.08)  # 180 waves
    assert 1.3 < found.largest_height / found.third_height < 2.4  # Rayleigh: 1.6 in the mean of 180 waves


def test_every_band_has_its_energy() -> None:
    waves, rng = realised(SEA, seed=5), np.random.default_rng(5)
    edges = bands(SEA, COMPONENTS, 4.0, rng)
    energy, omega = in_bands(SEA, edges)
    assert ((waves.omega > edges[:-1]) & (waves.omega < edges[1:])).all()
    np.testing.assert_allclose(waves.energy / waves.energy.sum(), energy / energy.sum(), rtol=1e-12)
    np.testing.assert_array_equal(waves.omega, omega)
    for n, rel in ((-1, 0.005), (1, 0.015), (2, 0.07)):  # what is above four times the peak's frequency is missing
        assert float(waves.energy @ waves.omega**n) == pytest.approx(SEA.moment(n), rel=rel)


def test_nothing_repeats_within_twelve_hours() -> None:
    """The correlation of the sea with itself, t later, is sum E cos(omega t) / m0; with equal steps it comes to 1."""
    waves = realised(SEA, seed=1)
    later = np.arange(60.0, 12 * 3600.0, 0.7)
    share = waves.energy / waves.energy.sum()

    def most(omega: np.ndarray) -> float:
        return max(float((np.cos(np.outer(part, omega)) @ share).max()) for part in np.array_split(later, 20))

    assert most(waves.omega) < 0.75
    assert most(np.linspace(waves.omega[0], waves.omega[-1], COMPONENTS)) > 0.99


def test_a_seed_is_a_sea() -> None:
    one, same, other = (realised(SEA, seed=seed).elevation(TIMES[:50]) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.allclose(one, other, atol=0.1)


@pytest.mark.parametrize("spread", [0.1, 0.3, 0.6])
def test_directions_have_their_mean_and_spread(spread: float) -> None:
    """cos^2s: mean of cos is s / (s + 1), by which the spread is defined; also of every 16 neighbours, roughly."""
    s = exponent(spread)
    theta = directions(4000, 2.0, spread, 0.3) - 2.0
    assert np.cos(theta).mean() == pytest.approx(s / (s + 1), abs=2e-4)
    assert np.sin(theta).mean() == pytest.approx(0.0, abs=2e-3)
    assert math.sqrt(2 * (1 - np.cos(theta).mean())) == pytest.approx(spread, rel=2e-3)
    few = theta[100:116]
    assert np.cos(few).mean() == pytest.approx(s / (s + 1), abs=0.35 * spread)
    assert (directions(5, 1.0, 0.0) == 1.0).all()


def test_encounter() -> None:
    """A vessel that sails into a wave meets crests at omega + omega^2 U / g: counted."""
    U, T = 8.0, 7.0
    wave = regular(2.0, T, math.pi)
    t = np.arange(0.0, 600.0, 0.05)
    found = statistics(t, wave.elevation(t, U * t))
    omega_e = encounter(2 * math.pi / T, U, math.pi)
    assert omega_e == pytest.approx(2 * math.pi / T + (2 * math.pi / T) ** 2 * U / G)
    assert found.crossing_period == pytest.approx(2 * math.pi / float(omega_e), rel=1e-4)
    assert found.third_height == pytest.approx(2.0, rel=2e-3)  # 0.05 s from sample to sample


def test_sea_states_are_the_table() -> None:
    assert [state.code for state in STATES] == list(range(9))
    assert all(a.most == b.least for a, b in zip(STATES, STATES[1:], strict=False))
    assert sea_state(4).height == 1.875 and state_of(1.875).code == 4
    assert state_of(50.0).code == 8 and state_of(0.0).code == 0
    with pytest.raises(MotionBaseError, match="states are 0 to 8"):
        sea_state(9)


def test_a_sea_by_options() -> None:
    sea = chosen(sea="5", swell="2", direction="90")
    assert sea.height == pytest.approx(math.hypot(3.25, 2.0))
    waves = sea.waves()
    assert len(waves) == COMPONENTS and waves.significant_height == pytest.approx(sea.height)
    assert sea.wind.period == pytest.approx(5.0 * math.sqrt(3.25), rel=1e-3)
    assert "sea state 5" in sea.text and "swell" in sea.text
    assert chosen(sea="0").waves().significant_height == 0 and chosen(sea="0").text == "still water"
    one = chosen(spectrum="regular", height="2", period="8")
    assert len(one.waves()) == 1 and one.waves().amplitude[0] == 1.0
    assert chosen(spectrum="ittc", height="2", period="6", period_is="t1").wind.period == pytest.approx(7.774, rel=1e-3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sea": "9"}, "sea is '9'"),
        ({"sea": "3.5"}, "whole number"),
        ({"spectrum": "jonswop"}, "jonswap or pm"),
        ({"height": "5", "period": "3"}, "break; the period must be 5.7 s"),
        ({"spectrum": "pm", "period": "8"}, "use spectrum=ittc"),
        ({"spread": "nan"}, "spread is 'nan'"),
        ({"swell": "15", "swell_period": "3"}, "swell of 15 m and 3 s would break; the period must be 9.8 s"),
        ({"random": "1.5"}, "random is 1.5, it must be a whole number"),
        ({"heigth": "2"}, "height"),
    ],
)
def test_impossible_seas_are_refused(given: dict[str, str], said: str) -> None:
    with pytest.raises(MotionBaseError, match=said):
        chosen(**given)


def test_the_scene_draws_the_same_surface() -> None:
    sea = chosen(sea="3")
    waves = sea.waves()
    scene = sea_scene(sea, waves)
    rows = np.array(scene["waves"])
    assert (np.diff(rows[:, 0]) <= 0).all()
    a, kx, ky, omega, phase = rows.T
    t, x, y = 12.0, 30.0, -7.0
    assert float(np.sum(a * np.cos(kx * x + ky * y - omega * t + phase))) == pytest.approx(waves.elevation(t, x, y))
