"""The simple DCU's waveforms: each channel is known by one sample, by its spectrum and by its shape."""

import numpy as np
import pytest

from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.ring.pace import Pace
from motionbase.ring.waveforms import AMPLITUDE, REPEAT_S, SHAPES, frequency, recognised, records, waveform

SCHEMA = hexapod_schema()
CHANNELS = len(SCHEMA.channels)
RATE = 100.0  # the slowest of the seed's rates
ROWS = records(SCHEMA, 0, round(REPEAT_S * RATE), 1 / RATE)


def test_t_and_tick_are_right() -> None:
    rows = records(SCHEMA, 1000, 5, 0.0005, every=20)
    np.testing.assert_array_equal(rows[:, SCHEMA.index["tick"]], [1000, 1020, 1040, 1060, 1080])
    np.testing.assert_array_equal(rows[:, 0], np.array([1000, 1020, 1040, 1060, 1080]) * 0.0005)


def test_a_single_sample_tells_its_channel() -> None:
    assert (recognised(ROWS)[:, 2:] == np.arange(2, CHANNELS)).all()


def test_the_largest_spectral_line_tells_the_channel() -> None:
    """Over 20 s every fundamental falls on a line of its own: number 2 + k."""
    lines = np.abs(np.fft.rfft(ROWS - ROWS.mean(axis=0), axis=0)).argmax(axis=0)
    np.testing.assert_array_equal(lines[2:], 2 + np.arange(2, CHANNELS))


@pytest.mark.parametrize(
    ("shape", "rms"), [("sine", 0.5**0.5), ("square", 1.0), ("triangle", 1 / 3**0.5), ("sawtooth", 1 / 3**0.5)]
)
def test_shapes_have_their_root_mean_square(shape: str, rms: float) -> None:
    """The closed forms of a continuous wave; 2000 samples of a 20 s period differ by less than 1 in 1000."""
    k = np.arange(list(SHAPES).index(shape), 8, len(SHAPES))
    t = np.arange(200_000.0)[:, np.newaxis] * 1e-4
    unit = (waveform(k, t) - k) / AMPLITUDE
    np.testing.assert_allclose(np.sqrt((unit**2).mean(axis=0)), rms, rtol=1e-3)


def test_triangle_and_sawtooth_differ_by_their_jumps() -> None:
    t = np.arange(20_000.0)[:, np.newaxis] * 1e-3
    steps = np.abs(np.diff(waveform(np.array([2, 3]), t), axis=0)).max(axis=0)
    assert steps[0] < 0.01 < 2 * AMPLITUDE * 0.99 < steps[1]


def test_every_178_channels_in_a_row_have_different_frequencies() -> None:
    assert len(np.unique(frequency(np.arange(178)))) == 178
    assert len(np.unique(frequency(np.arange(100, 278)))) == 178
    assert frequency(np.arange(178)).max() < 50 / 2  # half of it is well below half the slowest rate


def test_records_are_a_pure_function_of_the_tick() -> None:
    """Whatever the batches, to the bit: a test can compare any row with what it must be."""
    one_by_one = np.vstack([records(SCHEMA, n, 1, 0.01) for n in range(50)])
    np.testing.assert_array_equal(one_by_one, records(SCHEMA, 0, 50, 0.01))


def test_a_schema_without_tick_has_waveforms_beside_t() -> None:
    schema = Schema("pair", (Channel("t", "s", "time", "time"), Channel("x", "m", "x", "time")))
    rows = records(schema, 3, 2, 0.5)
    np.testing.assert_array_equal(rows[:, 0], [1.5, 2.0])
    assert (recognised(rows)[:, 1] == 1).all()


def test_pace_gives_every_record_once_and_forgets_long_absences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten late records come together; after more than a second away the clock goes on from now."""
    now = 100.0
    monkeypatch.setattr("motionbase.ring.pace.time.monotonic", lambda: now)
    pace = Pace(128.0)
    assert (pace.due(), pace.due()) == (1, 0)  # the first is due at once
    now += 10 / 128
    assert (pace.due(), pace.done) == (10, 11)
    now += 60.0
    assert (pace.due(), pace.held_up) == (1, 1)
    now += 1 / 128
    assert pace.due() == 1
