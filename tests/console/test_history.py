"""The history against brute force over all records that ever came."""

from __future__ import annotations

import math
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.arrays import Array
from motionbase.console.live.history import History, bucket_size
from motionbase.errors import MotionBaseError

RECORDS = 64  # kept as they were: small, so that everything wraps
SIZES = [1 << k for k in range(14)]
COLUMNS = 3
ALL = np.arange(COLUMNS)


def records(count: int, seed: int, nans: float = 0.0) -> Array:
    """Time that never falls, sometimes stands still, and noise with holes and spikes."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((count, COLUMNS))
    rows[:, 0] = np.cumsum(rng.choice([0.0, 0.001, 0.01], count, p=[0.05, 0.9, 0.05]))
    rows[:, 1:][rng.random((count, COLUMNS - 1)) < nans] = np.nan
    rows[rng.integers(0, count, 1 + count // 500), 1] = 1e6
    return rows


def filled(rows: Array, pieces: list[int]) -> History:
    """Appended in pieces of these sizes, over and over."""
    history, at, k = History(COLUMNS, records=RECORDS), 0, 0
    while at < len(rows):
        size = pieces[k % len(pieces)]
        history.append(rows[at : at + size])
        at, k = at + size, k + 1
    return history


def brute(rows: Array, first: int, last: int, size: int) -> tuple[Array, Array]:
    least, most = np.full((COLUMNS, last - first), np.nan), np.full((COLUMNS, last - first), np.nan)
    for k in range(first, last):
        part = rows[k * size : (k + 1) * size]
        least[:, k - first], most[:, k - first] = np.fmin.reduce(part), np.fmax.reduce(part)
    return least, most


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 9000), seed=st.integers(0, 99), nans=st.sampled_from([0.0, 0.3, 1.0]),
    pieces=st.lists(st.sampled_from([1, 2, 15, 16, 17, 63, 64, 65, 300, 5000]), min_size=1, max_size=4),
    size=st.sampled_from(SIZES), where=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)  # fmt: skip
def test_buckets_are_the_extremes_of_all_their_records(
    count: int, seed: int, nans: float, pieces: list[int], size: int, where: tuple[float, float]
) -> None:
    if min(pieces) < 15 and count > 2000:
        count = 2000
    rows = records(count, seed, nans)
    history = filled(rows, pieces)
    whole = -(-count // size)
    first, last = sorted(int(w * whole) for w in where)
    first = max(first, -(-history.held(size) // size))
    last = max(first, last)
    found = history.buckets(first, last, size, ALL)
    least, most = brute(rows, first, last, size)
    np.testing.assert_array_equal(found.least, least)
    np.testing.assert_array_equal(found.most, most)


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 6000), seed=st.integers(0, 99), pixels=st.integers(1, 400),
    where=st.tuples(st.floats(-0.2, 1.2), st.floats(-0.2, 1.2)),
)  # fmt: skip
def test_a_window_has_every_record_of_its_time_that_is_still_shown(
    count: int, seed: int, pixels: int, where: tuple[float, float]
) -> None:
    rows = records(count, seed)
    history = filled(rows, [300])
    t = rows[:, 0]
    t0, t1 = sorted(w * t[-1] for w in where)
    window = history.window(t0, t1, pixels, ALL)
    assert window.size in SIZES
    first_t, last_t = history.bounds()
    assert (window.first_t, window.last_t) == (first_t, last_t) and last_t == t[-1]
    inside = np.flatnonzero((t >= max(t0, first_t)) & (t <= t1))
    if len(inside):
        numbers = window.first + np.arange(len(window.t))
        assert set(inside // window.size) <= set(numbers), "a record of the window is in none of its buckets"
        least, most = brute(rows, window.first, window.first + len(window.t), window.size)
        np.testing.assert_array_equal(window.least, least)
        np.testing.assert_array_equal(window.most, most)
        np.testing.assert_array_equal(window.t, least[0])
    if window.size == 1:
        np.testing.assert_array_equal(window.least, window.most)


def test_a_window_has_one_to_two_buckets_a_pixel_while_records_are_there() -> None:
    history = History(COLUMNS, records=1 << 15)
    rows = records(30_000, 1)
    rows[:, 0] = np.arange(30_000) * 1e-3
    history.append(rows)
    for seconds, pixels in ((20.0, 800), (2.0, 1600), (29.0, 300), (0.05, 100)):
        window = history.window(0.5, 0.5 + seconds, pixels, ALL)
        n = seconds * 1000
        if n >= pixels:
            assert pixels <= n / window.size < 2 * pixels
        else:
            assert window.size == 1


def test_a_spike_of_one_record_is_seen_for_hours() -> None:
    history = History(COLUMNS)
    rows = np.zeros((100_000, COLUMNS))
    for k in range(20):
        rows[:, 0] = (np.arange(100_000) + 100_000 * k) * 1e-3
        rows[:, 1] = 0.0
        if k == 3:
            rows[77_777, 1] = -42.0
        history.append(rows)
    window = history.window(0.0, 2000.0, 800, np.array([1]))
    assert window.least.min() == -42.0
    at = float(window.t[window.least[0].argmin()])
    assert abs(at - 377.777) <= window.size * 1e-3


@pytest.mark.parametrize("count", [1, 50, 64, 65, 1000, 5000])
def test_statistics_are_those_of_the_numbers_there(count: int) -> None:
    rows = records(count, 3, 0.2)
    history = filled(rows, [100])
    t0 = float(rows[max(0, count - 60), 0])
    exact, (found,) = history.statistics(t0, math.inf, [1])
    kept = rows[np.searchsorted(rows[:, 0], t0) :]
    if len(kept) <= RECORDS:
        assert exact
        good = kept[:, 1][~np.isnan(kept[:, 1])]
        assert found.n == len(good)
        wanted = [good.min(), good.max(), good.mean(), math.sqrt((good**2).mean()), good[0], good[-1]]
        np.testing.assert_allclose(found[1:], wanted, rtol=1e-12)


def test_statistics_of_records_that_are_gone_say_so_and_keep_the_extremes() -> None:
    rows = records(1000, 5)
    exact, (found,) = filled(rows, [100]).statistics(-1.0, math.inf, [1])
    assert not exact and found.most == 1e6 and math.isnan(found.mean)


def test_an_empty_history_answers_with_nothing() -> None:
    history = History(COLUMNS, records=RECORDS)
    window = history.window(0.0, 1.0, 100, ALL)
    assert len(window.t) == 0 and window.least.shape == (COLUMNS, 0) and math.isnan(window.first_t)
    assert history.newest() is None
    assert history.statistics(0.0, 1.0, [1])[1][0].n == 0


def test_a_column_that_is_added_has_the_records_that_are_there_and_nan_before() -> None:
    rows = records(3000, 7)
    history = History(COLUMNS, spare=2, records=RECORDS)
    history.append(rows)
    history.fill(3, history.rows(history.oldest, history.count, slice(1, 2))[0] * 2)
    assert history.width == 4
    kept = rows[-RECORDS:, 1] * 2
    np.testing.assert_array_equal(history.rows(0, 9999, slice(3, 4))[0], kept)
    coarse = history.buckets(0, 9999, 16, np.array([3]))
    assert np.isnan(coarse.least[0, 0]) and coarse.most[0, -2] == kept[-8 - 16 : -8].max()
    history.append(np.column_stack((rows[:40] + rows[-1, 0] + 1, np.arange(40.0))))
    assert history.newest()[3] == 39.0  # type: ignore[index]


def test_memory_is_bounded_whatever_the_channels() -> None:
    for columns in (1, 178, 65_536):
        history = History(columns)
        kept = [history._raw.data, *(c.data for level in history._levels for c in (level.least, level.most))]
        assert sum(a.nbytes for a in kept) <= 240e6
    assert History(178).records == 65_536


def test_one_thread_appends_while_another_asks() -> None:
    """Every answer is whole: column 2 is column 1 negated, in every bucket."""
    history, stop = History(COLUMNS, records=256), threading.Event()

    def write() -> None:
        k = 0
        while not stop.is_set():
            t = np.arange(k, k + 17) * 1e-3
            history.append(np.column_stack((t, np.sin(t), -np.sin(t))))
            k += 17

    thread = threading.Thread(target=write)
    thread.start()
    try:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            window = history.window(0.0, math.inf, 100, ALL)
            np.testing.assert_array_equal(window.least[1], -window.most[2])
            assert (np.diff(window.t) >= 0).all()
    finally:
        stop.set()
        thread.join()


def test_bucket_sizes() -> None:
    assert [bucket_size(n, 100) for n in (1, 100, 199, 200, 399, 400, 1000)] == [1, 1, 1, 2, 2, 4, 8]
    with pytest.raises(MotionBaseError, match="0 pixels"):
        bucket_size(10, 0)
