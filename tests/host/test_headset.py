"""What a headset is told, against a motion in closed form."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.arrays import Array
from motionbase.host.headset import ALL, FURTHEST_S, Ages, Headset, Judge, Motion, motion_at, pose_at
from tests.tier import often

HEAD = (0.3, -0.2, 1.2)
W = 2 * math.pi * 0.5
AMPLITUDE = (0.2, 0.1, 0.15, 0.1, -0.12, 0.2)
DT = 0.01


def motion(t: float) -> Motion:
    """A sine of half a hertz in all axes, each with a phase of its own."""
    angles = [W * t + k for k in range(6)]
    return Motion(
        t,
        tuple(a * math.sin(x) for a, x in zip(AMPLITUDE, angles, strict=True)),
        tuple(a * W * math.cos(x) for a, x in zip(AMPLITUDE, angles, strict=True)),
        tuple(-a * W * W * math.sin(x) for a, x in zip(AMPLITUDE, angles, strict=True)),
    )


def rotation(roll: float, pitch: float, yaw: float) -> Array:
    c, s = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    made: Array = (
        np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
        @ np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
        @ np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    )
    return made


@settings(max_examples=often(100))
@given(st.lists(st.floats(-1.5, 1.5), min_size=6, max_size=6))
def test_the_head_is_moved_and_turned_with_the_platform(dof: list[float]) -> None:
    found = pose_at(tuple(dof), HEAD)
    wanted = np.array(dof[:3]) + rotation(*dof[3:]) @ HEAD - HEAD
    assert found[:3] == pytest.approx(wanted.tolist(), abs=1e-12) and found[3:] == tuple(dof[3:])


def test_a_parabola_is_carried_forward_exactly_and_not_for_ever() -> None:
    given = Motion(1.0, (1.0,) * 6, (2.0,) * 6, (3.0,) * 6)
    assert given.at(1.1) == pytest.approx((1 + 0.2 + 0.015,) * 6)
    assert given.at(100.0) == given.at(1.0 + FURTHEST_S)


def test_velocities_at_the_head_are_those_of_the_motion() -> None:
    """Central differences over 2 ms of a motion of half a hertz: h^2 / 6 W^3 is 5e-6."""
    t, h = 0.7, 1e-5
    row = motion_at(motion(t), t, HEAD, ALL)
    exact = [np.array(pose_at(motion(t + k * h).p, HEAD)) for k in (-1, 0, 1)]
    assert row[:6] == pytest.approx(exact[1].tolist(), abs=1e-12)
    assert row[6:12] == pytest.approx(((exact[2] - exact[0]) / (2 * h)).tolist(), abs=2e-5)
    assert row[12:] == pytest.approx(((exact[2] - 2 * exact[1] + exact[0]) / h**2).tolist(), abs=2e-4)


def test_shares_of_axes() -> None:
    shares = (1.0, 0.8, 0.0, 1.0, 0.5, 0.0)
    whole, part = motion_at(motion(0.3), 0.35, HEAD, ALL), motion_at(motion(0.3), 0.35, HEAD, shares)
    assert part == pytest.approx([x * s for x, s in zip(whole, shares * 3, strict=True)])


@pytest.mark.parametrize("ahead", [0.0, 0.02, 0.05])
def test_what_is_said_comes_true(ahead: float) -> None:
    """Records every 10 ms arrive 2 ms late at least, frames every 5 ms.

    The parabola leaves x''' h^3 / 6, at most, of each axis; the arm of 1.25 m adds that of three angles. Between
    records the comparison is linear: x'' dt^2 / 8. Sent as they are, records are wrong by x' h.
    """
    headset = Headset(HEAD, ahead)
    frames, records = 600, 0
    for k in range(frames):
        now = 100 + 0.005 * k
        while records * DT + 0.002 <= now - 100:
            headset.take(motion(records * DT), now)
            records += 1
        frame = headset.frame(now)
        if frame is not None:
            assert frame.stamp == pytest.approx(now - 100 - 0.002 + ahead, abs=0.0051)
    errors = headset.judge.errors
    assert errors.compared > 500
    h = ahead + DT
    size = math.hypot(*AMPLITUDE[:3]) + 1.25 * math.hypot(*AMPLITUDE[3:])
    bound = size * (W**3 * h**3 / 6 + W**2 * DT**2 / 8)
    assert errors.place < bound and errors.angle < bound
    assert errors.plain_place > 0.2 * size * W * ahead and errors.plain_place < size * W * h
    assert 0 <= headset.mean_age < DT and headset.oldest <= DT + 0.005


def test_ages_are_relative_to_the_quickest_record() -> None:
    ages = Ages()
    for t, now in ((0.0, 50.010), (0.01, 50.013), (0.02, 50.030), (0.03, 50.05)):
        ages.seen(t, now)
    assert ages.age(0.03, 50.05) == pytest.approx(0.017)
    ages.seen(10.0, 60.0405)  # the clocks drift: what was quickest is forgotten after some seconds
    assert ages.age(10.0, 60.0405) == 0.0


def test_a_ring_that_begins_again_is_a_new_motion() -> None:
    headset = Headset(HEAD, 0.02)
    for k in range(100):
        headset.take(motion(k * DT), k * DT)
        headset.frame(k * DT)
    before = headset.judge.errors
    headset.take(Motion(0.0, (5.0,) * 6, (0.0,) * 6, (0.0,) * 6), 1.0)
    headset.take(Motion(0.01, (5.0,) * 6, (0.0,) * 6, (0.0,) * 6), 1.01)
    frame = headset.frame(1.01)
    assert frame is not None and frame.row[0] > 4
    assert headset.judge.errors == before  # what was said about the run before is not held against this one


def test_nothing_is_said_before_the_first_record() -> None:
    assert Headset(HEAD, 0.02).frame(1.0) is None and Judge(HEAD).errors.compared == 0
