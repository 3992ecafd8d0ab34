"""The motion cueing test of systems whose frequency response is known."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.cueing.omct.measure import LANES, Course, Curve, Tone, excitations, measured
from motionbase.cueing.omct.motions import FREQUENCIES, TESTS, Amplitudes, Excitation
from motionbase.errors import SimulationError, UsageError
from motionbase.record.axes import ANGULAR
from motionbase.record.vehicle import G
from tests.cueing.filtered import DT, Answer, bilinear, delayed

TILTED = (7, 9)  # tests that look at the platform's attitude
SHORT = Course(settle=5.0, least=8.0, shortest_fade=2.0)  # no slow modes: one period of fade is enough
FEW = (0.251, 1.585, 15.849)


def by_number(curves: tuple[Curve, ...]) -> dict[int, Curve]:
    return {curve.test.number: curve for curve in curves}


def test_the_tests_are_those_of_icao_9625() -> None:
    assert [f"{t.moved} {t.seen}" for t in TESTS] == [
        "pitch pitch", "pitch surge", "roll roll", "roll sway", "yaw yaw", "surge surge", "surge pitch", "sway sway",
        "sway roll", "heave heave",
    ]  # fmt: skip
    np.testing.assert_allclose(FREQUENCIES, 10 ** (np.arange(12) / 5 - 1), atol=5e-4)  # printed with three digits


@pytest.mark.parametrize("axis", ["surge", "sway", "heave", "roll", "pitch", "yaw"])
def test_the_vehicle_moves_as_a_body(axis: str) -> None:
    """Rates are those of the attitude, specific force is acceleration less gravity: finite differences of the place.

    The lever of the point that is not moved is 2 m; differences over 2 h with h = 1 ms are exact to h^2 w^3 / 6.
    """
    sine, h, lever = Excitation(axis, 2.0, 0.3, 4.0), 1e-3, np.array([1.6, -0.4, 1.1])
    t = np.arange(0, 9, h)
    rows = sine.rows(t, (1.6, -0.4, 1.1))
    attitude = Rotation.from_euler("ZYX", rows[:, [11, 10, 9]])
    turned = (attitude[:-1].inv() * attitude[1:]).as_rotvec() / h
    np.testing.assert_allclose(turned, (rows[1:, 3:6] + rows[:-1, 3:6]) / 2, atol=1e-6)
    np.testing.assert_allclose(np.diff(rows[:, 3:6], axis=0) / h, (rows[1:, 6:9] + rows[:-1, 6:9]) / 2, atol=1e-5)
    place = attitude.apply(lever)  # of the head, from the point of the test, which only a translation accelerates
    acceleration = (place[2:] - 2 * place[1:-1] + place[:-2]) / h**2
    own = sine.rows(t)[1:-1, :3] - attitude.inv().apply([0, 0, G])[1:-1]
    assert np.abs(own).max() < 1e-12 if axis in ANGULAR else np.ptp(own) == pytest.approx(0.6, rel=1e-3)
    f = attitude.inv()[1:-1].apply(acceleration + [0, 0, G]) + own
    np.testing.assert_allclose(rows[1:-1, :3], f, atol=1e-4)  # the end of the fade has a corner in its third derivative
    np.testing.assert_array_equal(rows[0, 3:], 0)  # from rest


@pytest.mark.parametrize(("axis", "along", "about", "sign"), [("pitch", 0, 7, 1), ("roll", 1, 6, -1)])
def test_ratios_to_angular_accelerations_follow_as_documented(axis: str, along: int, about: int, sign: int) -> None:
    """Gravity's share is g / w^2 times the angular acceleration: in phase with it for pitch, against it for roll."""
    rows = Excitation(axis, 3.0, 1e-3, 1.0).rows(np.linspace(1.0, 5.0, 50))
    np.testing.assert_allclose(rows[:, along], sign * G / 9.0 * rows[:, about], rtol=1e-6, atol=1e-9)


def test_a_pure_gain_gives_that_gain() -> None:
    """All ten tests at all frequencies: gain and phase to 1e-6, the size of the residual that the sums leave."""
    system = Answer(lambda u: 0.7 * u)
    for curve in measured(system, course=SHORT):
        wanted = 0.0 if curve.test.number in TILTED else 0.7
        np.testing.assert_allclose(curve.gain, wanted, rtol=1e-6, atol=1e-9)
        if wanted:
            np.testing.assert_allclose(curve.phase, 0.0, atol=1e-4)
            if curve.test.number not in (2, 4):  # gravity in axes of a vehicle is the sine of a sine
                assert curve.residual.max() < 1e-6 and not curve.doubtful.any() and curve.coherence.min() > 0.999999


def test_eight_sines_run_side_by_side_and_slow_ones_together() -> None:
    system = Answer(lambda u: u)
    shares: list[float] = []
    measured(system, course=SHORT, omegas=FEW, progress=shares.append)
    assert [lanes for lanes, _ in system.runs] == [LANES, LANES, 2]  # six axes at three frequencies
    durations = [duration for _, duration in system.runs]
    assert durations == sorted(durations, reverse=True) and durations[0] == SHORT.duration(0.251)
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0, abs=1e-3)


def test_a_pure_delay_gives_that_delay() -> None:
    """Phase -omega T to 1e-4 degrees; at 15.8 rad/s and 0.24 s it has turned by more than half a circle."""
    T = 12 * DT
    for number, curve in by_number(measured(delayed(12), course=SHORT)).items():
        if number not in TILTED:
            np.testing.assert_allclose(curve.gain, 1.0, rtol=1e-5)
            turns = np.degrees(curve.omega * T) - (360 if curve.phase[0] > 180 else 0)
            np.testing.assert_allclose(curve.phase, -turns, atol=2e-3)


def test_a_linear_filter_gives_its_frequency_response() -> None:
    """A washout of second order: scipy's response of the same discrete filter. What is left of the start after one
    period of fade and 20 s is exp(-0.8 * 20), a ten-millionth."""
    system, response = bilinear([0.6, 0, 0], [1, 1.6, 0.64])
    for number, curve in by_number(measured(system, course=Course(settle=20.0), omegas=FEW)).items():
        if number not in TILTED:
            np.testing.assert_allclose(
                curve.response, response(curve.omega), atol=2e-6 if number not in (2, 4) else 2e-5
            )


def test_tilt_is_told_as_specific_force() -> None:
    """A platform that leans by half of the specific force, at once: gain 0.5, phase 0; nose up for a push forward.

    The rates are differences to the sample before: of a tone, (1 - exp(-jwT)) / jwT of the true rate.
    """

    def leaning(u: np.ndarray) -> np.ndarray:
        y, lean_rate = np.zeros_like(u), np.diff(0.5 * u[:, :2] / G, axis=0, prepend=np.zeros((1, 2))) / DT
        y[:, 4], y[:, 3] = -lean_rate[:, 0], lean_rate[:, 1]
        return y

    found = by_number(measured(Answer(leaning), course=SHORT, omegas=FEW))
    for number in TILTED:
        jwT = 1j * found[number].omega * DT
        np.testing.assert_allclose(found[number].response, 0.5 * (1 - np.exp(-jwT)) / jwT, atol=1e-6)


def test_saturation_shows_as_residual() -> None:
    """A sine cut at half its height: the describing function of a saturation, and the rms of the harmonics.

    Corners lie between samples, and within one period harmonics above the seventh look a little like a drift.
    """
    r, angle = 0.5, np.linspace(0, math.tau, 200_001)[:-1]
    gain = 2 / math.pi * (math.asin(r) + r * math.sqrt(1 - r**2))
    rest = math.sqrt(np.mean(np.clip(np.sin(angle), -r, r) ** 2) - gain**2 / 2)
    system = Answer(lambda u: np.clip(u, -r, r))
    surge = by_number(measured(system, course=SHORT, tests=TESTS[5:6], omegas=(0.251, 1.0)))[6]
    np.testing.assert_allclose(surge.gain, gain, rtol=3e-3)
    np.testing.assert_allclose(surge.residual, math.sqrt(2) * rest / gain, rtol=1e-2)
    assert np.all(surge.harmonics <= surge.residual) and np.all(surge.harmonics > 0.95 * surge.residual)  # 2nd to 7th
    assert surge.doubtful.all() and np.all(surge.coherence < 0.98)
    half = by_number(measured(system, Amplitudes(0.4), SHORT, TESTS[5:6], (1.0,)))[6]
    assert half.gain[0] == pytest.approx(1.0) and not half.doubtful.any()


def test_mean_and_drift_are_no_tone() -> None:
    """Over whole periods a line has a component of the sine; fitted along with it, it leaves none."""
    w, t = 2.0, np.arange(0, 30, DT)
    tone = Tone(w, 5.0, 30.0)
    assert (tone.end - tone.begin) * w / math.tau == pytest.approx(7) and tone.begin >= 5.0
    tone.add(t, np.column_stack([3 + 0.4 * t + 0.1 * np.sin(w * t + 0.3), np.cos(w * t)]))
    amplitude, harmonics, rest = tone.found()
    np.testing.assert_allclose(amplitude, [0.1 * np.exp(0.3j), 1j], atol=1e-9)
    assert rest.max() < 1e-6 and harmonics.max() < 1e-9


def test_amplitudes_of_rotations_stay_within_all_three_limits() -> None:
    most = Amplitudes()
    for omega in FREQUENCIES:
        a = most.of("pitch", omega)
        used = a / most.angle, a * omega / most.angular_rate, a * omega**2 / most.angular_acceleration
        assert max(used) == pytest.approx(1.0)
        assert most.of("heave", omega) == 1.0
    assert {e.axis for e in excitations(most, Course(), TESTS[1:2], FEW)} == {"pitch"}


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(UsageError, match="amplitudes: angle is 0.7 rad, it must be above 0 and at most 0.5"):
        Amplitudes(angle=0.7)
    with pytest.raises(UsageError, match="sines settle for -1 s"):
        Course(settle=-1)
    tone = Tone(1.0, 0.0, 10.0)
    tone.add(np.arange(5.0), np.zeros((5, 1)))
    with pytest.raises(SimulationError, match="samples are too few for a tone of 1 rad/s"):
        tone.found()
