"""The stop before the workspace's ends: it holds, it is smooth, nothing winds up, and no axis suffers for another.

Without limits the filters are linear, so what they would have done is a thousand times their answer to a thousandth of
the demand.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.arrays import Array
from motionbase.control.bounds import Allowed, chase_of
from motionbase.control.limits import FOLLOW
from motionbase.cueing.limits import ENDING, JERK, ONSET, SHARE, bounds
from motionbase.platform.sizing.forces import LegMotion, Motion
from tests.cueing.rig import DT, cueing, rows, run, ticks
from tests.tier import often

LIMITS, AIR = cueing().platform.limits, cueing().cue_set.air
SMALL = 1e-3
PUSH = st.tuples(st.floats(1.5, 12.0), st.floats(0.2, 6.0), st.floats(-1.0, 1.0))  # start, length, share of the most
MOST = {"f_x": 12.0, "f_y": 12.0, "f_z": 20.0, "omega_x": 1.0, "omega_y": 1.0, "omega_z": 1.0}


def pulses(pushes: list[tuple[float, float, float]], most: float = 1.0) -> Any:
    """The sum of these pushes as a function of time; their edges last 50 ms."""

    def signal(t: Array) -> Array:
        parts = [share * np.clip(np.minimum(t - start, start + long - t) / 0.05, 0, 1) for start, long, share in pushes]
        return most * np.sum(parts, axis=0) if parts else np.zeros_like(t)

    return signal


def without_limits(t: Array, channel: str, signal: Any, dof: int, **changes: Any) -> Array:
    """(n, 3) position, velocity, acceleration of a degree of freedom, as its linear filter gives them."""
    small = run(t, rows(t, **{channel: lambda t: SMALL * signal(t)}), **changes)
    return np.asarray(small["host_frame"][:, :, dof] / SMALL)


@given(st.dictionaries(st.sampled_from(sorted(MOST)), st.lists(PUSH, min_size=1, max_size=3), min_size=1))
@settings(max_examples=often(60), deadline=None)
def test_no_manoeuvre_leaves_the_workspace(manoeuvre: dict[str, list[tuple[float, float, float]]]) -> None:
    t = ticks(20.0)
    out = run(t, rows(t, **{channel: pulses(pushes, MOST[channel]) for channel, pushes in manoeuvre.items()}))
    frame = out["host_frame"]
    assert np.isfinite(frame).all()
    reach = np.asarray(LIMITS.position) * np.asarray(AIR["travel"])
    assert np.all(np.abs(frame[:, 0]) <= reach * (1 + 0.2 * DT))  # where legs act too; of first order in the period
    assert np.all(np.abs(frame[:, 1]) <= np.asarray(LIMITS.velocity) * 1.02)  # an axis that yields to a leg may add
    assert out["stroke_left"].min() > AIR["margin"][0] - DT  # of first order in the period: 0.2 mm at 2 kHz


@given(st.floats(0.2, 10.0), st.floats(0.05, 1.0), st.sampled_from([("f_x", 0), ("f_y", 1), ("f_z", 2)]))
@settings(max_examples=often(30), deadline=None)
def test_recovery_reverses_no_cue(long: float, share: float, axis: tuple[str, int]) -> None:
    """After one push the acceleration the other way is at most the filter's own without limits, or the braking."""
    (channel, dof), t = axis, ticks(30.0)
    most = AIR["saturation"][dof] / AIR["gain"][dof]
    signal = pulses([(1.5, long, share)], most)
    kept = run(t, rows(t, **{channel: signal}), cue_tilt_gain=0.0)["host_frame"][:, :, dof]
    free = without_limits(t, channel, signal, dof, cue_tilt_gain=0.0)
    back, back_free = -kept[:, 2].min(), -free[:, 2].min()
    assert back <= max(1.05 * back_free, AIR["braking"][dof])
    assert np.abs(kept[:, 2]).max() <= max(1.05 * np.abs(free[:, 2]).max(), AIR["braking"][dof])
    assert np.abs(kept[:, 1]).max() <= 1.05 * np.abs(free[:, 1]).max()
    early = t < 1.5 + min(long, 0.3)  # what the limits leave of the onset
    assert kept[early, 2].max() == pytest.approx(free[early, 2].max(), rel=0.02, abs=LIMITS.acceleration[dof] * 1e-3)


def test_an_axis_at_its_end_comes_back_when_the_demand_falls() -> None:
    """Five minutes against the stop leave no memory: the way back begins within a quarter of a second."""
    t = ticks(340.0)
    push = pulses([(2.0, 300.0, 0.3)], MOST["f_x"])
    surge = run(t, rows(t, f_x=push), cue_tilt_gain=0.0)["host_frame"][:, :, 0]
    reach = LIMITS.position[0] * AIR["travel"][0]
    held = t < 301.9
    assert surge[held][-1, 0] == pytest.approx(reach, rel=1e-3) and abs(surge[held][-1, 1]) < 1e-9
    assert np.all(surge[t > 302.25, 1][:100] < 0)
    assert abs(surge[-1, 0]) < 1e-3


def test_heave_does_not_saturate_for_ever() -> None:
    t = ticks(120.0)
    heave = run(t, rows(t, f_z=pulses([(2.0, 20.0, 1.0), (25.0, 15.0, -1.0)], 20.0)))["host_frame"][:, 0, 2]
    assert np.abs(heave).max() > 0.99 * LIMITS.position[2] and abs(heave[-1]) < 1e-3


def test_a_stop_is_smooth_and_within_its_deceleration() -> None:
    t = ticks(10.0)
    surge = run(t, rows(t, f_x=pulses([(1.5, 8.0, 1.0)], 10.0)), cue_tilt_gain=0.0)["host_frame"][:, :, 0]
    stopping = (t > 2.0) & (t < 9.0)
    # braking sets in at ONSET, from the acceleration of the demand to the deceleration
    jerk = np.abs(np.diff(surge[stopping, 2])) / DT
    most = AIR["saturation"][0]
    assert jerk.max() < ONSET * (most + AIR["braking"][0])
    assert surge[stopping, 2].min() > -1.05 * AIR["braking"][0]


def test_pitch_and_roll_together_give_no_jolt_near_mid_stroke() -> None:
    """Each alone and both at once: no limit acts, so the legs' accelerations are as smooth (SimHub's tracker, 2207)."""
    t = ticks(12.0)

    def wave(t: Array) -> Array:
        return 0.25 * np.sin(3 * t) * np.clip(t - 1.5, 0, 1)

    def steepest(**signals: Any) -> Array:
        out = run(t, rows(t, **signals))
        assert out["stroke_left"].min() > 0.2
        return np.asarray(np.abs(np.diff(out["host_frame"][:, 2], axis=0)).max(axis=0) / DT)

    alone = steepest(omega_x=wave) + steepest(omega_y=wave)
    both = steepest(omega_x=wave, omega_y=wave)
    assert both[3:5] == pytest.approx(alone[3:5], rel=0.05)  # the angles' coupling
    assert both.max() < 1.05 * alone.max()


def test_the_limiters_of_the_law_need_not_act() -> None:
    """Fast weaving: axes and legs stay below the platform's own limits, and are braked without too much jerk for it."""
    t = ticks(12.0)

    def weave(t: Array) -> Array:
        return 12.0 * np.sin(2 * t) * np.clip(t - 1.5, 0, 1)

    platform = cueing().platform
    x, x_dot, x_ddot = np.moveaxis(run(t, rows(t, f_x=weave, f_y=weave), cue_gain=1.0)["host_frame"], 1, 0)
    speed = np.abs(LegMotion(platform, Motion.of_dof(platform, x, x_dot, x_ddot)).l_dot).max() / LIMITS.leg_velocity
    assert np.abs(x_dot / np.array(LIMITS.velocity)).max() == pytest.approx(SHARE, abs=1e-4)
    assert speed == pytest.approx(SHARE, abs=0.005)
    # jerk up to 1.5 times that of a chase is followed; half of it where each tick brings a parabola
    most = 0.75 * chase_of(platform) / Allowed.layout.find("jerk_time").start_values.item()
    assert (np.abs(np.diff(x_ddot, axis=0)).max(axis=0) / DT < most).all()


def test_a_dead_band_has_no_corners() -> None:
    """A rate that leaves the band turns the platform without a step of its acceleration; far away, twice it is lost."""
    t, band, slope = ticks(10.0), 0.02, 0.1

    def ramp(t: Array) -> Array:
        return slope * np.clip(t - 4.0, 0, 4)

    def yaw_of(signal: Any, band: float) -> Array:
        out = run(t, rows(t, omega_z=signal), cue_gain=1.0, cue_high_pass=0.05, cue_dead_band=band)
        return np.asarray(out["host_frame"][:, :, 5])

    yaw = yaw_of(ramp, band)
    assert np.array_equal(yaw[t < 4.0 + band / slope], np.zeros_like(yaw[t < 4.0 + band / slope]))
    # slope of the parabola's end, and the reconstruction's mean of two samples
    assert np.abs(np.diff(yaw[t < 7.0, 2])).max() < 1.1 * slope**2 / (2 * band) * DT
    whole = yaw_of(lambda t: ramp(t) - 2 * band * (t > 4.8), 0.0)
    assert yaw[t > 4.9][0, 1] == pytest.approx(whole[t > 4.9][0, 1], rel=0.1)


def test_a_sick_axis_leaves_the_others_alone() -> None:
    """Heave at its end all the time, its legs not too fast: what the angles do is the same to the bit."""
    t = ticks(15.0)

    def turns(t: Array) -> Array:
        return 0.1 * np.sin(2 * t) * np.clip(t - 1.5, 0, 1)

    healthy = {"omega_x": turns, "omega_y": turns, "omega_z": turns}
    travel = [1.0, 1.0, 0.3, 1.0, 1.0, 1.0]
    sick = run(t, rows(t, f_z=pulses([(2.0, 10.0, 1.0)], 6.0), **healthy), cue_travel=travel)
    well = run(t, rows(t, **healthy), cue_travel=travel)
    assert np.abs(sick["host_frame"][:, 0, 2]).max() > 0.99 * 0.3 * LIMITS.position[2]
    assert np.array_equal(sick["host_frame"][:, :, 3:], well["host_frame"][:, :, 3:])


def test_a_travel_that_shrinks_is_entered_again_gently() -> None:
    """A motion beyond its end goes back exponentially, at 1 / ENDING at most."""
    least, most = bounds(np.float64(0.5), np.float64(0.0), (-0.4, 0.4), 1.0, 2.0)  # type: ignore[arg-type]
    assert float(most) < 0 and float(least) < float(most)
    assert float(most) > -ONSET * 0.1 / ENDING


def test_what_a_limit_lets_go_is_caught_up_with_smoothly() -> None:
    """A rate that a filter wants at once, and a leg at its end forbade: the acceleration does not jump on release."""
    t = ticks(12.0)

    def push(t: Array) -> Array:
        return np.asarray(9.0 * np.clip(np.minimum(t - 1.5, 5.5 - t) / 0.5, 0, 1))

    out = run(t, rows(t, f_x=push, omega_y=lambda t: -0.02 * push(t)), algorithm="optimal")
    assert out["stroke_left"].min() < 0.025
    # the tilt may go from one largest acceleration to the other, which is twice that; joining at once was four times it
    assert np.abs(np.diff(out["host_frame"][:, 2, 4])).max() < 2.0 * AIR["tilt_acceleration"][0]


def test_a_slam_is_followed_by_the_law() -> None:
    """A boat slams and pitches at once, while legs are limited: no acceleration changes faster than the law can follow.

    Rotations have first-order high-passes, as in the set for boats: these want a new rate at once.
    """
    t = ticks(8.0)

    def slams(t: Array) -> Array:
        return np.asarray(60.0 * ((t > 1.5) & (t % 1.0 < 0.06)) - 9.0 * (t % 1.0 > 0.7))

    def pitching(t: Array) -> Array:
        return np.asarray(np.where(t > 1.5, 0.8 * np.sign(np.sin(2 * np.pi * t)), 0.0))

    out = run(
        t, rows(t, f_z=slams, omega_y=pitching), cue_gain=[0.4, 0.4, 0.3, 0.8, 0.8, 0.4],
        cue_high_pass=[1, 1, 0.6, 0, 0, 0], cue_first_order=[0, 0, 0, 0.15, 0.15, 0.4],
    )  # fmt: skip
    jerk = np.abs(np.diff(out["host_frame"][:, 2], axis=0)).max(axis=0) / DT
    followed = FOLLOW / 2 / Allowed.layout.find("jerk_time").start_values.item()  # [1/s], of the largest acceleration
    assert jerk[4] > 0.5 * JERK * LIMITS.acceleration[4]  # this test is about the limit
    assert (jerk < followed * np.array(LIMITS.acceleration)).all()
