"""Derivatives, gravity and the lever, against closed forms."""

from itertools import pairwise

import numpy as np
import pytest

from motionbase.host.format import Frame, Options
from motionbase.host.telemetry.motion import LONGEST_GAP, Motion

ZERO = (0.0, 0.0, 0.0)


def turning(motion: Motion, stamp: float | None, rate: float) -> Frame:
    frame = motion.frame(stamp, ZERO, (0.0, 0.0, rate), 0.0, 0.0, 0.0, 1.0)
    assert frame is not None
    return frame


def test_a_ramp_of_rate_has_its_slope() -> None:
    """Differences of stamps, not of arrivals: the steps may differ."""
    motion = Motion(Options(), gravity=True)
    stamps = np.cumsum([0.016, 0.017, 0.033, 0.016, 0.010, 0.016, 0.02])
    found = [turning(motion, t, 1.5 * t).row[8] for t in stamps]
    assert found[0] == 0.0  # the median of three differences needs two
    np.testing.assert_allclose(found[2:], 1.5, rtol=1e-9)


def test_one_wrong_frame_is_not_felt() -> None:
    motion = Motion(Options(), gravity=True)
    rates = [0.1] * 5 + [30.0] + [0.1] * 5
    found = [turning(motion, k / 60, rate).row[8] for k, rate in enumerate(rates)]
    np.testing.assert_allclose(found, 0.0)


def test_after_a_gap_derivatives_start_again() -> None:
    motion = Motion(Options(), gravity=True)
    for k in range(5):
        turning(motion, k / 60, k / 60)
    assert turning(motion, 5 / 60 + 2 * LONGEST_GAP, 40.0).row[8] == 0.0
    assert turning(motion, 0.0, -40.0).row[8] == 0.0  # the simulator was restarted


def test_a_stamp_twice_keeps_the_last_value() -> None:
    motion = Motion(Options(), gravity=True)
    for k in range(5):
        turning(motion, k / 60, k / 60)
    assert turning(motion, 4 / 60, 9.0).row[8] == pytest.approx(1.0)
    assert turning(motion, 5 / 60, 5 / 60).row[8] == pytest.approx(1.0)


def test_without_stamps_the_mean_period_counts() -> None:
    """Frames of 50 Hz that arrive in pairs: differences of arrivals alone would be wrong by factors."""
    arrivals = iter([0.04 * (k // 2) + 0.0005 * (k % 2) for k in range(400)])
    motion = Motion(Options(clock=lambda: next(arrivals)), gravity=True)
    found = [turning(motion, None, 0.02 * k).row[8] for k in range(400)]
    np.testing.assert_allclose(found[200:], 1.0, rtol=0.1)


@pytest.mark.parametrize("before", [0, 100])
def test_a_burst_does_not_exaggerate(before: int) -> None:
    """Frames of 60 Hz; some are held up, at the beginning or later, and come all at once."""
    times = np.arange(300) / 60
    held = slice(before, before + 12)
    times[held] = times[held][-1] + 1e-5 * np.arange(12)
    arrivals = iter(times)
    motion = Motion(Options(clock=lambda: next(arrivals)), gravity=True)
    found = np.array([turning(motion, None, k / 60).row[8] for k in range(300)])
    assert found.min() >= 0.0 and found.max() < 2.5
    np.testing.assert_allclose(found[-50:], 1.0, rtol=0.05)


def test_a_head_far_away_is_not_plausible() -> None:
    motion = Motion(Options(lever=(2.0, 0.0, 0.0)), gravity=True)
    assert motion.frame(0.0, ZERO, (0.0, 0.0, 20.0), 0.0, 0.0, 0.0, 1.0) is not None
    assert motion.frame(0.1, ZERO, (0.0, 0.0, 40.0), 0.0, 0.0, 0.0, 1.0) is None


def test_rigid_body() -> None:
    """f + alpha x r + omega x (omega x r), with NumPy's products."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        f, omega, alpha, lever = rng.normal(size=(4, 3))
        motion = Motion(Options(lever=tuple(lever)), gravity=True)
        frame = motion.frame(0.0, tuple(f), tuple(omega), 0.0, 0.0, 0.0, 0.0, tuple(alpha))
        assert frame is not None
        expected = f + np.cross(alpha, lever) + np.cross(omega, np.cross(omega, lever))
        np.testing.assert_allclose(frame.row[:3], expected, rtol=1e-12, atol=1e-12)
        assert frame.row[6:9] == tuple(alpha)


def test_headings_stay_within_a_turn() -> None:
    motion = Motion(Options(), gravity=True)
    rows = [motion.frame(0.0, ZERO, ZERO, 0.0, 0.0, yaw, 1.0) for yaw in np.linspace(-20, 20, 41)]
    yaws = [r.row[11] for r in rows if r is not None]
    assert len(yaws) == 41 and all(abs(y) <= np.pi for y in yaws)
    assert all(abs((b - a) % (2 * np.pi) - 1.0) < 1e-9 for a, b in pairwise(yaws))
