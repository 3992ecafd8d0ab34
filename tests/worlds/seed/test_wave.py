"""The simple mode's surface: what is published of it, and that nothing jumps."""

import math

import numpy as np
import pytest

from motionbase.worlds.seed.wave import LOOP_S, UNITS, Progression, Wave

T = np.linspace(0.0, 20.0, 401)


def test_the_float_goes_from_0_over_half_to_500_in_ten_seconds() -> None:
    """Published: 0 % at the start, 50 % in the middle, 100 % at the end; the range is 0 to 500."""
    way = Progression()
    assert way.at(0.0)[0] == 0.0 and way.at(5.0)[0] == pytest.approx(250.0)
    assert way.at(10.0 - 1e-9)[0] == pytest.approx(500.0) and way.at(10.0)[0] == 0.0
    values = [way.at(t)[0] for t in np.linspace(0, 9.99, 100)]
    assert all(a < b for a, b in zip(values, values[1:], strict=False))


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0, 1.6])
def test_nothing_jumps_where_the_loop_closes(slope: float) -> None:
    way = Progression(slope=slope)
    before, after = way.at(LOOP_S - 1e-7), way.at(LOOP_S + 1e-7)
    assert before[0] - UNITS == pytest.approx(after[0], abs=1e-4)
    assert before[1:] == pytest.approx(after[1:], abs=1e-4)


def test_rate_and_change_are_derivatives_of_the_float() -> None:
    """Central differences over 1 ms: their error is below 1e-4 of a float of hundreds and its rate of tens."""
    way, h = Progression(), 1e-3
    for t in (0.7, 3.3, 5.0, 9.1):
        low, (_, rate, change), high = way.at(t - h), way.at(t), way.at(t + h)
        assert (high[0] - low[0]) / (2 * h) == pytest.approx(rate, abs=1e-4)
        assert (high[1] - low[1]) / (2 * h) == pytest.approx(change, abs=1e-4)


def test_the_surface_repeats_in_the_loop_and_has_its_significant_height() -> None:
    """Four times the standard deviation over a large field; a field of 2 km holds hundreds of the longest waves."""
    wave = Wave(height=1.2, seed=3)
    places = np.random.default_rng(0).uniform(-1000, 1000, (4000, 2))
    still = np.zeros_like(places)
    begin, end = wave.under(0.0, places, still, still), wave.under(LOOP_S, places, still, still)
    np.testing.assert_allclose(begin.now, end.now, atol=1e-9)
    assert 4 * float(np.std(begin.now)) == pytest.approx(1.2, rel=0.05)


def test_derivatives_under_a_moving_point_are_exact() -> None:
    """A point on a circle; central differences over 0.1 ms are good to 1e-5 here."""
    wave, h, w, r = Wave(), 1e-4, 0.7, 5.0

    def at(t: float) -> tuple[float, float, float]:
        p = r * np.array([[math.cos(w * t), math.sin(w * t)]])
        v = r * w * np.array([[-math.sin(w * t), math.cos(w * t)]])
        found = wave.under(t, p, v, -w * w * p)
        return float(found.now[0]), float(found.rate[0]), float(found.change[0])

    for t in (0.2, 4.9, 9.99, 13.0):
        low, (_, rate, change), high = at(t - h), at(t), at(t + h)
        assert (high[0] - low[0]) / (2 * h) == pytest.approx(rate, abs=1e-5)
        assert (high[1] - low[1]) / (2 * h) == pytest.approx(change, abs=1e-5)
