"""Velocity and acceleration from positions alone, against closed forms."""

import math
import random

import numpy as np
import pytest

from motionbase.host.differences import PAUSE_S, Differences

RATE, OMEGA = 60.0, 2 * math.pi * 0.5


def of_sine(jitter: float, exact: bool) -> list[float]:
    """Relative errors of velocity and acceleration of a sine of half a hertz, after its start has faded."""
    draw, made, errors = random.Random(1), Differences(exact), []
    for k in range(600):
        t = k / RATE
        x = math.sin(OMEGA * t)
        row = made(t + jitter * draw.random(), (x,) + (0.0,) * 5)
        assert row[0] == x  # positions are never smoothed
        errors.append((row[6] / OMEGA - math.cos(OMEGA * t), row[12] / OMEGA**2 + x))
    rms: list[float] = np.sqrt(np.mean(np.square(errors[60:]), axis=0)).tolist()
    return rms


def test_a_slow_sine_is_followed() -> None:
    """The fit leaves the third derivative: the acceleration is late by four frames, 4/60 s x 2 pi/2 s = 0.21."""
    velocity, acceleration = of_sine(0.0, True)
    assert velocity < 0.02 and acceleration < 0.22


def test_jitter_of_arrival_hardly_matters() -> None:
    """5 ms of 16.7: intervals are counted in smoothed periods, which is better than to take them as they are."""
    velocity, acceleration = of_sine(5e-3, False)
    assert velocity < 0.02 and acceleration < 0.22
    assert of_sine(5e-3, True)[1] > 1.3 * acceleration


def test_lost_frames_are_longer_intervals() -> None:
    made = Differences()
    for k in (k for k in range(200) if k % 7 not in (2, 3)):
        row = made(k / RATE, (0.3 * k / RATE,) + (0.0,) * 5)
    assert row[6] == pytest.approx(0.3, rel=1e-3)


def test_after_a_pause_motion_begins_at_rest() -> None:
    made = Differences()
    for k in range(20):
        row = made(k / RATE, (0.01 * k,) + (0.0,) * 5)
    assert row[6] > 0.1
    assert made(19 / RATE + 1.01 * PAUSE_S, (5.0,) * 6)[6:] == (0.0,) * 12
    assert made(0.0, (1.0,) * 6)[6:] == (0.0,) * 12  # time went back


def test_the_same_instant_twice_is_no_infinite_velocity() -> None:
    made = Differences(exact=True)
    for _ in range(5):
        row = made(1.0, (0.2,) * 6)
    assert row == (0.2,) * 6 + (0.0,) * 12


def test_a_jump_is_another_beginning_and_spoils_nothing() -> None:
    """A wild frame, however wild, is told as it is; what follows is a motion that begins at rest."""
    for wild in (1.0, -1e308, 1e308):
        made = Differences()
        for k in range(40):
            x = wild if k == 20 else 0.2 * k / RATE
            row = made(k / RATE, (x,) + (0.0,) * 5)
            assert all(map(math.isfinite, row)) and abs(row[6]) < 0.5 and abs(row[12]) < 20
        assert row[6] == pytest.approx(0.2, rel=1e-2)


def test_a_slow_begin_does_not_stay() -> None:
    made, t = Differences(), 0.0
    for k in range(60):
        t += 0.2 if k == 1 else 1 / RATE
        row = made(t, (0.3 * t,) + (0.0,) * 5)
    assert row[6] == pytest.approx(0.3, rel=0.02)
