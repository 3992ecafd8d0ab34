"""Cueing over a series: the same bits alone, on lanes and interpreted; any rate of samples; what a run comes to."""

from functools import cache

import numpy as np
import pytest

import motionbase.cueing.run
from motionbase.arrays import Array
from motionbase.compile import scan
from motionbase.cueing.run import Cued, cue, cue_many, fed
from motionbase.cueing.summary import Summary
from motionbase.cueing.vestibular import THRESHOLDS
from motionbase.errors import MotionBaseError
from motionbase.record.cueing import tried_schema
from tests.cueing.rig import cueing, rows, run, ticks

DT = 0.005


def swaying(t: Array) -> Array:
    """Samples of a vehicle that sways, rolls and heaves."""
    return rows(
        t, f_x=lambda t: 1.0 * np.sin(0.7 * t), f_y=lambda t: 1.5 * np.sin(1.3 * t) ** 3,
        f_z=lambda t: np.sin(3.0 * t), omega_x=lambda t: 0.1 * np.sin(2.0 * t),
        on_ground=lambda t: np.asarray(t > 4, float),
    )  # fmt: skip


@cache
def done(**changes: float) -> Cued:
    t = np.arange(0, 8.0, 1 / 60)
    return cue(cueing(), t, swaying(t), cueing().parameter_vector(**changes))


def test_every_tick_hears_the_newest_sample() -> None:
    t = np.array([3.0, 3.02, 3.021, 3.05])
    heard = fed(t, np.arange(4.0)[:, None] * np.ones(13), 0.01)
    np.testing.assert_allclose(heard.t, [3.0, 3.01, 3.02, 3.03, 3.04, 3.05])
    np.testing.assert_array_equal(heard.number, [1, 1, 2, 3, 3, 4])
    np.testing.assert_array_equal(heard.vehicle[:, 0], [0, 0, 1, 2, 2, 3])


def test_single_runs_equal_the_loop_of_other_tests() -> None:
    t = ticks(2.0)
    series = cue(cueing(), t, swaying(t))
    once = run(t, swaying(t))
    for name in ("host_frame", "cue", "felt_cue", "cue_error", "stroke_left"):
        np.testing.assert_array_equal(series[name], once[name])


def test_lanes_have_the_bits_of_single_runs() -> None:
    """Eleven vectors: a full group of lanes, and one that is filled up."""
    t = np.arange(0, 3.0, 1 / 60)
    vectors = [cueing().parameter_vector(cue_gain=gain) for gain in np.linspace(0.1, 1.1, 11)]
    many = cue_many(cueing(), t, swaying(t), vectors, ("host_frame", "cue_error"))
    assert many["host_frame"].shape == (11, len(fed(t, swaying(t), DT).t), 3, 6)
    for k in (0, 7, 8, 10):
        one = cue(cueing(), t, swaying(t), vectors[k])
        for name, found in many.items():
            np.testing.assert_array_equal(found[k], one[name])


def test_long_runs_are_made_of_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each goes on from the state of the one before."""
    t = np.arange(0, 3.0, 1 / 60)
    whole = cue(cueing(), t, swaying(t))
    monkeypatch.setattr(motionbase.cueing.run, "PIECE", 100)
    pieces = cue(cueing(), t, swaying(t))
    np.testing.assert_array_equal(pieces.rows, whole.rows)
    assert whole.tilts is not None and pieces.tilts is not None
    np.testing.assert_array_equal(pieces.tilts, whole.tilts)


def test_runs_have_the_bits_of_the_interpreter() -> None:
    t = np.arange(0, 0.15, 1 / 60)
    series, case = cue(cueing(), t, swaying(t + 3)), cueing()
    heard = fed(t, swaying(t + 3), DT)
    defined = scan(
        case.program, {"x": "x_next"}, per_step=("vehicle", "vehicle_count"), record=("host_frame", "cue"),
        target="python",
    )(
        len(heard.t), parameters=case.parameter_vector(), x=case.initial_state(), vehicle=heard.vehicle,
        vehicle_count=heard.number,
    )  # fmt: skip
    for name in ("host_frame", "cue"):
        np.testing.assert_array_equal(series[name], defined[name])


def test_cues_do_not_depend_on_the_rate_of_samples() -> None:
    """But for the delay of the reconstruction, 1.5 periods: 38 ms at 40 Hz of signals that change by 0.6 * 4 m/s^3.

    Without tilt, whose limiter of the rate gives pulses of its own.
    """
    still = cueing().parameter_vector(cue_tilt_gain=0.0, cue_ground_tilt_gain=0.0)
    found = {}
    for hertz in (40.0, 100.0, 200.0):
        t = np.arange(0, 8.0, 1 / hertz)
        series = cue(cueing(), t, swaying(t), still)
        found[hertz] = np.stack([np.interp(np.arange(2, 7, 0.05), series.t, series["cue"][:, k]) for k in range(6)])
    for hertz in (40.0, 100.0):
        np.testing.assert_allclose(found[hertz], found[200.0], atol=0.6 * 4 * 1.5 / hertz)


def test_legs_are_where_the_stroke_is_measured() -> None:
    """Lengths by the platform's own kinematics agree with the tick's least way to an end."""
    series, stroke = done(), cueing().platform.stroke
    left = np.minimum(series.legs - stroke.l_min, stroke.l_max - series.legs).min(axis=1)
    np.testing.assert_allclose(left, series["stroke_left"], atol=1e-12)


def test_a_recording_has_every_channel_in_order() -> None:
    series = done()
    assert series.rows.shape == (len(series.t), len(tried_schema().channels))
    np.testing.assert_array_equal(series["t"], series.t)
    np.testing.assert_array_equal(series["cue_f_y"], series["cue"][:, 1])
    np.testing.assert_array_equal(series["host_heave_dot"], series["host_frame"][:, 1, 2])
    np.testing.assert_array_equal(series["leg6_l_cmd"], series.legs[:, 5])
    assert series["cue_late"].max() == 0


def test_a_platform_without_gain_stands_still_and_leaves_the_whole_error() -> None:
    told = Summary(done(cue_gain=0.0, cue_ground_gain=0.0))
    np.testing.assert_allclose(told.error, told.at_rest, rtol=1e-12)
    assert told.share == pytest.approx(1.0) and told.used.max() < 1e-12 and told.leg_speed < 1e-12
    np.testing.assert_allclose(told.peak("cue"), 0, atol=1e-12)
    peak = np.abs(swaying(np.arange(0, 8.0, 1 / 60))[:, 1]).max()
    assert told.peak("demand")[1] == pytest.approx(peak, rel=2e-3)  # a spline between samples does not overshoot


def test_the_summary_counts_saturation_and_tilt() -> None:
    told = Summary(done(cue_saturation=0.3, cue_ground_saturation=50.0, cue_gain=1.0, cue_dead_band=0.0))
    y = told.run["demand"][:, 1]
    in_air = told.run["cue_set"] == 0
    assert told.saturated[1] >= np.mean(in_air & (np.abs(y) > 0.3)) > 0.1
    assert told.saturated[5] == 0
    assert told.tilt is not None and max(told.tilt.values()) < 1.001  # 3 deg/s is the threshold of roll
    assert told.tilt["roll"] * THRESHOLDS[3] == pytest.approx(0.0523599, rel=1e-3)
    data = told.data()
    assert data["axes"]["f_y"]["saturated_share"] == told.saturated[1] and data["ticks"] == len(told.run.t)


@pytest.mark.parametrize(
    ("t", "shape", "sentence"),
    [
        ([0.0, 1.0], (2, 12), "are wanted"),
        ([0.0], (1, 13), "at least two samples"),
        ([0.0, 0.0], (2, 13), "must be finite and ascend"),
        ([0.0, np.nan], (2, 13), "must be finite and ascend"),
        ([0.0, 1e9], (2, 13), "at most 5000000 can be run"),
    ],
)
def test_wrong_series_are_one_sentence(t: list[float], shape: tuple[int, int], sentence: str) -> None:
    with pytest.raises(MotionBaseError, match=sentence):
        cue(cueing(), t, np.zeros(shape))


@pytest.mark.parametrize("hertz", [100.0])
def test_figures_hardly_depend_on_the_period(hertz: float) -> None:
    """Curves come up to a tick earlier or later; figures over all of a run hardly notice."""
    t = np.arange(0, 8.0, 1 / 60)
    usual = Summary(cue(cueing(), t, swaying(t)))
    other = Summary(cue(cueing(1 / hertz), t, swaying(t)))
    assert other.share == pytest.approx(usual.share, rel=2e-3)
    assert other.left == pytest.approx(usual.left, abs=2e-4)
