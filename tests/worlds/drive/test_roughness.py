"""Roads of ISO 8608: spectral density of their classes, coherence of wheel paths, the same every lap."""

import math

import numpy as np
import pytest
from scipy.special import k1

from motionbase.worlds.drive import roughness
from motionbase.worlds.drive.course import Bend, Course, Straight
from motionbase.worlds.drive.roads import NAMES, road_of


def test_the_density_is_that_of_the_class() -> None:
    """In octave bands, the mean over 32 lanes; paths are coherent, so a band of m wave numbers has 4 m numbers or more
    that are independent, and its estimate a deviation of 1 / sqrt(2 m) at most: three of them are allowed."""
    z = roughness.surface()
    n = np.fft.rfftfreq(roughness.NODES, roughness.PERIOD / roughness.NODES)
    G = 2 * roughness.PERIOD * (np.abs(np.fft.rfft(z, axis=0) / roughness.NODES) ** 2).mean(axis=1)
    for low in 0.0125 * 2.0 ** np.arange(8):
        band = (n >= low) & (n < 2 * low)
        ratio = (G[band] / roughness.density(n[band])).mean()
        assert abs(ratio - 1) < 3 / math.sqrt(2 * band.sum()), low


def test_classes_are_four_times_as_dense_each() -> None:
    """Table C.1 of ISO 8608: 16, 64, 256, 1024, 4096 e-6 m^3 at 0.1 cycles/m."""
    for k, name in enumerate("ABCDE"):
        G = roughness.amplitude(name) ** 2 * float(roughness.density(np.array(0.1)))
        assert G == pytest.approx(16e-6 * 4**k)


def test_the_coherence_is_that_of_the_formula() -> None:
    """SciPy's Bessel function, to the last digits of the sum."""
    n = np.geomspace(1e-3, 4.0, 60)
    x = 2 * math.pi * n * 1.5
    np.testing.assert_allclose(roughness.coherence(n, 1.5), x * k1(x), rtol=1e-9, atol=1e-14)


def test_wheel_paths_are_coherent_as_on_an_isotropic_surface() -> None:
    """In bands of 20 wave numbers of 4 surfaces, for paths 1.5 m apart; what remains random is about 0.06."""
    n, lanes = np.fft.rfftfreq(roughness.NODES, roughness.PERIOD / roughness.NODES), 6
    auto, cross = np.zeros(len(n)), np.zeros(len(n))
    for seed in range(4):
        Z = np.fft.rfft(roughness.surface(seed), axis=0)
        auto += (np.abs(Z) ** 2).sum(axis=1)
        cross += (Z * np.roll(Z, lanes, axis=1).conj()).real.sum(axis=1)
    for at in (0.08, 0.2, 0.35, 0.5):
        band = np.abs(n - at) < 0.05
        weighed = auto[band] * roughness.coherence(n[band], lanes * roughness.ACROSS / roughness.LANES)
        assert cross[band].sum() / auto[band].sum() == pytest.approx(weighed.sum() / auto[band].sum(), abs=0.12)


@pytest.mark.parametrize("name", NAMES)
def test_courses_close_and_their_samples_lie_on_a_smooth_line(name: str) -> None:
    """Rows are places, headings and curvatures of one line: each follows from the one before, to 1e-6 m."""
    course = road_of(name).course
    rows = course.samples
    if course.closed:
        end = course.at(course.length - 1e-9)
        assert math.hypot(end[0], end[1]) < 1e-6 and math.sin(end[2] / 2) == pytest.approx(0.0, abs=1e-6)
    step = rows[1, 0]
    turned = np.diff(rows[:, 3]) - step * (rows[:-1, 4] + rows[1:, 4]) / 2
    assert np.abs(turned).max() < 2e-4  # where a clothoid begins within a step: h^2 / 8 of its change
    assert np.abs(np.hypot(*np.diff(rows[:, 1:3], axis=0).T) - step).max() < 1e-4
    for s in np.linspace(1.0, course.length - 1, 50):
        x, y, _ = course.at(float(s))
        k = int(s / step)
        assert math.hypot(x - rows[k, 1], y - rows[k, 2]) <= step * 1.001


def test_the_surface_fits_the_road_a_whole_number_of_times() -> None:
    course = road_of("circuit").course
    grid = roughness.Grid.on(course.length)
    assert course.length / grid.step / roughness.NODES == pytest.approx(round(course.length / 204.8), rel=1e-12)


def test_a_road_that_cannot_close_is_refused() -> None:
    with pytest.raises(Exception, match="turn by 90 deg, a closed road turns by 360"):
        _ = Course((Straight(100.0, free=True), Bend(90, 50, 20), Straight(100.0, free=True))).lengths
    with pytest.raises(Exception, match="the transition is 200 m"):
        _ = Course((Bend(30, 50, 200),), closed=False).length
