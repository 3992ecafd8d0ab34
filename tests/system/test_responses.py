"""Measured responses: known answers for what evaluates them, and the loop of SIMONA."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motionbase.control.design import LinearLeg
from motionbase.control.law import ControlLaw
from motionbase.errors import SimulationError
from motionbase.plant.plant import Plant
from motionbase.platform.load import load_platform
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.margins import design
from motionbase.system.responses import FrequencyResponse, Responses, tones
from motionbase.system.runs import Run

SIMONA = load_platform("simona")


@cache
def measured() -> Responses:
    return Responses(SIMONA)


def test_step_arrives_and_stays() -> None:
    found = measured().step("heave", 0.05, duration=1.5)
    assert found.demand[0] == 0.05 and abs(found.y[0]) < 1e-4
    np.testing.assert_allclose(found.y[-200:], 0.05, atol=2e-4)  # integrator and friction settle within a few 0.1 mm
    assert found.overshoot == pytest.approx(found.y.max() / 0.05 - 1, abs=1e-12)
    assert found.settling is not None and np.all(np.abs(found.y[found.t > found.settling] - 0.05) <= 0.001)
    # full acceleration, then full braking would rise in `fastest`; bounded jerk and gentle braking take longer
    fastest = 2 * (1 - math.sqrt(0.2)) * math.sqrt(0.05 / SIMONA.limits.acceleration[2])
    assert fastest < found.rise < 3 * fastest
    assert found.crosstalk[0] < 1e-4 and found.crosstalk[1] < 1e-4  # heave is symmetric


@pytest.mark.parametrize("axis", ["surge", "sway", "heave", "roll", "pitch", "yaw"])
def test_steps_overshoot_by_less_than_five_percent(axis: str) -> None:
    """The bar of the work; with a law that knows its plant they hardly overshoot at all."""
    assert measured().step(axis, 0.05, duration=1.0).overshoot < 0.005


def test_a_heavier_payload_than_the_law_knows_is_still_carried_well() -> None:
    """20 % more mass in surge, the worst of the axes: the feed-forward lacks a fifth, the feedback makes up for it."""
    load = replace(SIMONA.payload, mass=1.2 * SIMONA.payload.mass)
    law = ControlLaw(SIMONA)
    loop = ClosedLoop(law, Plant(replace(SIMONA, payload=load), dt=law.dt))
    assert Responses(SIMONA, loop).step("surge", 0.05, duration=1.5).overshoot < 0.06


def test_step_the_other_way_is_its_mirror() -> None:
    up, down = (measured().step("sway", size, duration=0.8) for size in (0.03, -0.03))
    np.testing.assert_allclose(down.y, -up.y, atol=2e-4)  # noise of the sensors and the friction it meets


def test_tones_are_followed_beyond_the_oil_springs() -> None:
    """0.5 Hz to 1 % and 2 degrees, the bar of the work; 15 Hz, near the oil springs of heave, without ringing."""
    found = measured().frequency("heave", np.array([0.5, 2.0, 15.0]))
    assert np.all(np.abs(found.gain - 1) < [0.01, 0.01, 0.1])
    assert np.all(np.abs(found.phase) < [2.0, 2.0, 10.0])
    assert found.bandwidth is None  # none of them lags a quarter
    assert found.distortion[0] < 0.01


def test_friction_shapes_small_tones_and_not_larger_ones() -> None:
    """20 Hz of heave: with 0.1 mm the answer hangs on the amplitude, with 1 mm, within the limits, it does not.

    The friction of a leg slips at 400 N / 1e7 N/m = 0.04 mm; legs move by 0.88 of heave.
    """
    small, large = (measured().frequency("heave", np.array([20.0]), amplitude=a) for a in (1e-4, 6e-4))
    J_heave = np.sqrt(1 - (np.hypot(*(np.array(SIMONA.joints) - np.array(SIMONA.base)).T[:2]) / SIMONA.l_neutral) ** 2)
    assert small.travel[0] == pytest.approx(1e-4 * J_heave.max() / 4e-5, rel=1e-9)
    assert small.amplitude[0] == 1e-4 and small.halved[0] > 0.2 and small.by_friction.all()
    assert large.amplitude[0] == 6e-4 and large.halved[0] < 0.1 and not large.by_friction.any()
    stuck = measured().frequency("heave", np.array([20.0]), amplitude=3e-5)
    assert stuck.travel[0] < 1 and stuck.by_friction.all()  # it never slips, whatever half of it does


def test_an_amplitude_stays_within_the_limits() -> None:
    found = measured().frequency("heave", np.array([10.0]), amplitude=0.05)
    assert found.amplitude[0] == pytest.approx(0.8 * 15.0 / (20 * math.pi) ** 2)
    with pytest.raises(SimulationError, match="amplitude is 0.7 m, in heave it must not be 0 and at most 0.61 m"):
        measured().frequency("heave", np.array([10.0]), amplitude=0.7)


def test_what_is_read_beside_a_tone_of_friction() -> None:
    f, ones = np.array([1.0, 10.0, 20.0, 40.0]), np.ones(4)
    travel = np.array([100.0, 50.0, 2.0, 0.5])
    found = FrequencyResponse("heave", f, ones, ones, 0 * f, 0 * f, travel, np.array([np.nan, np.nan, 0.05, 0.0]))
    assert found.by_friction.tolist() == [False, False, False, True]
    assert found.at_friction(30.0) and not found.at_friction(15.0) and not found.at_friction(None)
    assert FrequencyResponse("heave", f, ones, ones, 0 * f, 0 * f).by_friction.tolist() == 4 * [False]


def test_friction_bumps_at_the_turnaround_and_nowhere_else() -> None:
    found = measured().turnaround("heave")
    assert found.demanded == pytest.approx(0.1 * (0.2 * math.pi) ** 2, rel=1e-3)
    assert 0 < found.elsewhere < found.bump
    # six legs' friction changes by twice the static one within a bristle's length: an upper bound of the bump
    assert found.bump < 2 * 6 * SIMONA.actuator.friction.static / SIMONA.payload.mass


def test_bandwidth_of_a_pure_delay() -> None:
    """exp(-s T) lags 90 degrees at 1 / (4 T)."""
    f, T = np.geomspace(1.0, 30.0, 60), 0.02
    response = FrequencyResponse("heave", f, np.ones(60), np.ones(60), -360 * f * T, np.zeros(60))
    assert response.bandwidth == pytest.approx(12.5, rel=1e-3)  # of 6 % between tones
    slow = FrequencyResponse("heave", f[:10], np.ones(10), np.ones(10), -360 * f[:10] * T, np.zeros(10))
    assert slow.bandwidth is None
    late = FrequencyResponse("heave", f[50:], np.ones(10), np.ones(10), -360 * f[50:] * T, np.zeros(10))
    assert late.bandwidth == f[50]  # all lag more than that: it is at most the lowest


def test_flatness_and_distortion_of_a_resonance() -> None:
    """1 / (1 - (f / f0)^2 + ...) without damping is +3 dB, 10^(3/20), at f0 sqrt(1 - 10^(-3/20)), before it lags."""
    f0, f = 20.0, np.geomspace(1.0, 19.0, 60)
    gain, distortion = 1 / (1 - (f / f0) ** 2), np.where(f > 15, 0.11, 0.1)
    found = FrequencyResponse("heave", f, np.ones(60), gain, np.zeros(60), distortion)
    assert found.flat_to == pytest.approx(f0 * math.sqrt(1 - 10**-0.15), rel=1e-3)  # tones are 5 % apart
    assert found.bandwidth is None
    np.testing.assert_array_equal(found.distorted, f > 15)
    falling = FrequencyResponse("heave", f, np.ones(60), 1 / np.hypot(1, f / 5.0), np.zeros(60), distortion)
    assert falling.flat_to == pytest.approx(5.0 * math.sqrt(10**0.3 - 1), rel=1e-3)
    flat = FrequencyResponse("heave", f, np.ones(60), np.full(60, 1.4), np.zeros(60), distortion)
    assert flat.flat_to is None  # 2.9 dB


def test_motion_has_the_angles_of_an_independent_library() -> None:
    angles = np.array([[0.1, -0.2, 0.3], [-0.3, 0.25, -0.6]])  # roll, pitch, yaw
    x, y, z, w = Rotation.from_euler("ZYX", angles[:, ::-1]).as_quat().T
    places = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])
    rows = {"p_W_next": np.asarray(SIMONA.p_neutral) + places, "Q_WP_next": np.stack([w, x, y, z], 1)}
    found = measured().motion(Run(np.zeros(2), {}, rows, {}))
    np.testing.assert_allclose(found, np.hstack([places, angles]), atol=1e-14)


def test_margins_of_every_mode_and_the_worst() -> None:
    found = design(SIMONA)
    assert isinstance(found.leg, LinearLeg)
    assert len(found.modes) == 6 and all(m.margins.stable for m in found.modes)
    assert found.worst.phase == min(m.margins.phase for m in found.modes) >= math.radians(45)
    assert found.worst.gain == min(m.margins.gain for m in found.modes) >= 2
    for mode in found.modes:
        assert (2 * math.pi * mode.frequency) ** 2 * mode.mass == pytest.approx(found.leg.stiffness, rel=1e-12)


@pytest.mark.parametrize(
    ("size", "message"),
    [(0.0, "size is 0 m, in heave it must not be 0 and at most 0.61 m"), (-0.7, "size is -0.7 m"), (math.nan, "nan m")],
)
def test_impossible_steps(size: float, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        measured().step("heave", size)


@pytest.mark.parametrize(
    "arguments", [(0.0, 10.0, 5), (5.0, 1.0, 5), (0.1, 60.0, 5), (0.1, 10.0, 1), (math.nan, 1.0, 5)]
)
def test_impossible_tones(arguments: tuple[float, float, int]) -> None:
    with pytest.raises(SimulationError, match="at least 2 are wanted, rising, above 0 and up to 50 Hz"):
        tones(*arguments)
