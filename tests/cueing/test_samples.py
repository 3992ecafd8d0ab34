"""Samples at a host's rate become a smooth signal; silence, its end, rubbish, and the change between air and ground."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.arrays import Array
from motionbase.compile.scans import Scan
from motionbase.cueing.samples import BOUND, FADE, SILENT
from motionbase.cueing.vestibular import THRESHOLDS
from motionbase.record.vehicle import G
from tests.cueing.rig import DT, cueing, loop, rows, run, ticks
from tests.tier import often

FINE = 0.0005  # [s] period of the loop
W = 3.0


def wave(t: Array) -> Array:
    return np.asarray(np.sin(W * t))


def counted(t: Array, hertz: float, silent: tuple[float, float] = (0.0, 0.0)) -> tuple[Array, Array]:
    """Numbers of the newest sample at each tick, and times when they were taken; none within a silence."""
    numbers = np.floor(t * hertz + 1e-9)
    quiet = (t > silent[0]) & (t <= silent[1])
    numbers[quiet] = numbers[~quiet & (t <= silent[0])].max(initial=0.0)
    return numbers + 1.0, numbers / hertz


def ran(made: Scan, t: Array, samples: Array, counts: Array, dt: float = DT) -> dict[str, Array]:
    case = cueing(dt)
    return made(
        len(t), parameters=case.parameter_vector(), x=case.initial_state(), vehicle=samples, vehicle_count=counts
    )


@pytest.mark.parametrize("hertz", [40.0, 60.0, 200.0])
def test_the_delay_is_one_and_a_half_periods_less_a_tick(hertz: float) -> None:
    """The quadratic B-spline of a sine is the sine itself, later, and smaller by (w T)^2 / 6 + O(w T)^4."""
    t = ticks(8.0, FINE)
    counts, taken = counted(t - FINE, hertz)
    out = ran(loop(FINE), t, rows(taken, f_x=wave), counts, FINE)
    last = t > 3
    delay = 1.5 / hertz - FINE
    wanted = wave(t[last] - FINE - delay)  # the tick that ends at t begins, with its sample, at t - FINE
    assert np.abs(out["demand"][last, 0] - wanted).max() < (W / hertz) ** 2 / 3 + W * FINE


def test_the_signal_between_samples_is_smooth() -> None:
    """60 Hz: the slope has no jumps, where holding each sample would give jumps of the signal itself."""
    t = ticks(8.0, FINE)
    counts, taken = counted(t, 60.0)
    signal = ran(loop(FINE), t, rows(taken, f_x=wave), counts, FINE)["demand"][t > 3, 0]
    jumps = np.abs(np.diff(signal, 2)) / FINE**2
    assert jumps.max() < 4 * W**2  # the curvature of the sine is W^2


def test_samples_that_come_irregularly_are_followed() -> None:
    t, rng = ticks(10.0, FINE), np.random.default_rng(2)
    arrivals = np.cumsum(np.clip(rng.normal(1 / 60, 0.006, 600), 0.002, 0.06))
    numbers = np.asarray(np.searchsorted(arrivals, t), float)
    taken = np.concatenate([[0.0], arrivals])[numbers.astype(int)]
    signal = ran(loop(FINE), t, rows(taken, f_x=wave), numbers + 1.0, FINE)["demand"][:, 0]
    last = t > 3
    assert np.abs(signal[last] - wave(t[last] - 1.5 / 60)).max() < W * 0.04  # as late as the longest pauses
    assert np.abs(np.diff(signal[last])).max() / FINE < 4 * W  # never a jump


def test_silence_stops_the_count_and_the_platform_washes_out() -> None:
    t = ticks(40.0)
    counts, taken = counted(t, 60.0, (6.0, 25.0))
    out = ran(loop(), t, rows(taken, f_x=lambda t: 2.0 + 0 * t, omega_z=lambda t: 0.1 * wave(t)), counts)
    asked = np.diff(out["host_count"])
    heard = (t[1:] < 6.0) | (t[1:] > 25.05)
    silent = (t[1:] > 6.0 + SILENT + 0.02) & (t[1:] < 25.0)
    assert np.all(asked[heard] == 1) and np.all(asked[silent] == 0)
    assert np.abs(out["host_frame"][t > 24.5][0, 0]).max() < 0.01
    acceleration = out["host_frame"][:, 2]
    back = np.abs(np.diff(acceleration[(t > 25.0) & (t < 25.0 + FADE)], axis=0)).max() / DT
    begin = np.abs(np.diff(acceleration[t < 1.0 + FADE], axis=0)).max() / DT
    assert back < 1.5 * begin  # a return is no rougher than a start


def test_nothing_is_asked_before_the_first_sample() -> None:
    t = ticks(1.0)
    out = ran(loop(), t, rows(t, f_x=lambda t: 5.0 + 0 * t), np.asarray(0 * t))
    assert not out["host_count"].any() and not out["host_frame"].any()


@given(
    st.lists(st.tuples(st.integers(0, 799), st.integers(0, 12), st.floats(width=64)), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 799), st.floats(width=64)), max_size=5),
)
@settings(max_examples=often(60), deadline=None)
def test_rubbish_never_gets_through(numbers: list[tuple[int, int, float]], counts: list[tuple[int, float]]) -> None:
    """Any 64 bits in samples and their count: the demand stays finite, and within the workspace."""
    t = ticks(4.0)
    samples, count = rows(t, f_x=wave), np.arange(1.0, len(t) + 1)
    for row, column, value in numbers:
        samples[row, column] = value
    for row, value in counts:
        count[row] = value
    out = ran(loop(), t, samples, count)
    assert all(np.isfinite(values).all() for values in out.values())
    assert out["stroke_left"].min() > 0
    assert np.abs(out["demand"]).max() < 1.5 * BOUND


def test_air_and_ground_are_blended() -> None:
    """From the air's gain to the ground's, smoothly: twice a first-order lag of `blend`."""
    t, blend = ticks(12.0), 0.8
    samples = rows(t, on_ground=lambda t: np.asarray(t > 4.0, float))
    share = run(t, samples, cue_blend=blend, cue_ground_blend=blend)["cue_set"]
    tau = np.maximum(t - 4.0, 0) / blend
    assert share == pytest.approx(1 - np.exp(-tau) * (1 + tau), abs=2 * DT / blend)


def test_a_landing_gives_no_jolt() -> None:
    """Other gains and frequencies on the ground: the acceleration goes on where it was."""
    t = ticks(12.0)

    def steepest(on_ground: Any) -> float:
        out = run(t, rows(t, f_x=wave, f_z=wave, on_ground=on_ground), cue_ground_gain=1.0)
        return float(np.abs(np.diff(out["host_frame"][t > 3, 2], axis=0)).max() / DT)

    assert steepest(lambda t: np.asarray(t > 6.0, float)) < 1.2 * steepest(np.ones_like)


def test_the_cue_is_what_an_instrument_at_the_head_would_read() -> None:
    """Finite differences of the head's place and attitude in W."""
    from scipy.spatial.transform import Rotation

    t = ticks(6.0, FINE)
    signals: dict[str, Any] = {"f_x": wave, "f_y": lambda t: 2 * wave(2 * t), "omega_x": lambda t: 0.2 * wave(t),
                               "omega_z": lambda t: 0.2 * wave(1.5 * t)}  # fmt: skip
    out = run(t, rows(t, **signals), dt=FINE)
    frame, head = out["host_frame"], np.asarray(cueing().head_P)
    R = Rotation.from_euler("ZYX", frame[:, 0, [5, 4, 3]])
    place = frame[:, 0, :3] + R.apply(head)
    acceleration = (place[2:] - 2 * place[1:-1] + place[:-2]) / FINE**2
    f = R[1:-1].inv().apply(acceleration + [0, 0, G])
    omega = (R[:-2].inv() * R[2:]).as_rotvec() / (2 * FINE)
    smooth = t[1:-1] > 2
    # where the tilt begins or ends its acceleration, a difference over two ticks is half a step away
    assert np.quantile(np.abs(out["cue"][1:-1, :3] - f)[smooth], 0.99) < 0.02
    assert np.abs(out["cue"][1:-1, 3:] - omega)[smooth].max() < 1e-3


def test_the_error_is_in_thresholds() -> None:
    t = ticks(3.0)
    out = run(t, rows(t, f_z=wave))
    apart = (out["felt_vehicle"] - out["felt_cue"]) / THRESHOLDS
    assert out["cue_error"] == pytest.approx(np.sqrt((apart**2).mean(axis=1)), rel=1e-12)
    assert out["cue_error"].max() > 0.5


@pytest.mark.long("compiles two more periods")
def test_halving_the_period_quarters_the_error() -> None:
    """The same smooth signal, a sample each tick: the trapezoidal rule is of second order."""

    def rise(t: Array) -> Array:
        return np.asarray(np.clip(t - 2, 0, None) ** 3)

    ends = []
    for dt in (0.02, 0.01, 0.005):
        t = ticks(4.0, dt)
        # the mean of two samples stands for the signal half a tick ago
        samples = rows(t + dt / 2, f_x=lambda t: 0.2 * rise(t), omega_z=lambda t: 0.01 * rise(t))
        out = run(t, samples, dt=dt, cue_tilt_rate=1.0, cue_tilt_acceleration=10.0)
        ends.append(out["host_frame"][-1, 0, [0, 4, 5]])
    order = np.log2(np.abs((ends[0] - ends[1]) / (ends[1] - ends[2])))
    assert np.all((order > 1.7) & (order < 2.3))
