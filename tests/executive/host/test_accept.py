"""Rows of a host's process as the loop judges them: what is used, and what is counted."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.compile import Compiled, compile
from motionbase.executive.host.accept import TELL, Heard, accept
from motionbase.executive.host.rows import MOTION, TOLD, blocks_of, kind_of, status_of
from motionbase.executive.model.frames import of_joints
from motionbase.host.format import Kind
from tests.tier import often

N = MOTION[Kind.VEHICLE]


@cache
def accepting() -> Compiled:
    return compile(accept(Kind.VEHICLE))


class Loop:
    """What the loop keeps."""

    def __init__(self) -> None:
        self.heard, self.motion = np.zeros(Heard.layout.size), np.zeros(N)
        self.frames, self.lost, self.link, self.taken = 0.0, 0.0, np.zeros(6), 0

    def take(self, count: float, counters: list[float], motion: list[float], on: float = 1.0) -> None:
        self.taken += 1
        row = np.array([count, *counters, *motion])
        for _ in range(2):  # a row is judged once, though the loop sees it in every tick
            given: dict[str, Any] = {"row": row, "taken": self.taken, "on": on}
            self.heard, self.motion, frames, lost, self.link = accepting()(
                heard=self.heard, motion=self.motion, **given
            )
            self.frames, self.lost = float(frames), float(lost)


def test_a_new_count_brings_a_frame_and_counters_alone_bring_none() -> None:
    loop = Loop()
    loop.take(0, [0] * 6, [9.0] * N)
    assert loop.frames == 0 and not loop.motion.any()
    loop.take(1, [1, 0, 0, 0, 0, 0], [1.0] * N)
    assert loop.frames == 1 and (loop.motion == 1.0).all()
    loop.take(1, [1, 2, 3, 4, 5, 6], [2.0] * N)
    assert loop.frames == 1 and (loop.motion == 1.0).all()
    np.testing.assert_array_equal(loop.link, [1, 2, 3, 4, 5, 6])
    assert loop.lost == 2 + 3 + 5  # lost, late or refused, as the channel says


def test_counters_of_the_run_go_on_when_the_process_is_restarted() -> None:
    loop = Loop()
    loop.take(7, [7, 1, 0, 0, 2, 0], [1.0] * N)
    loop.take(0, [0] * 6, [0.0] * N)
    np.testing.assert_array_equal(loop.link, [7, 1, 0, 0, 2, 0])
    loop.take(2, [2, 0, 1, 0, 0, 3], [3.0] * N)
    np.testing.assert_array_equal(loop.link, [9, 1, 1, 0, 2, 3])
    assert loop.frames == 2 and (loop.motion == 3.0).all()


def test_a_dropout_that_is_tried_is_silence() -> None:
    loop = Loop()
    loop.take(1, [1, 0, 0, 0, 0, 0], [1.0] * N, on=0.0)
    assert loop.frames == 0 and not loop.motion.any() and loop.link[0] == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1, 6, 7, 6 + N])
def test_a_row_with_something_that_is_no_number_is_counted_as_malformed(bad: float, place: int) -> None:
    loop, row = Loop(), [1.0, *[1.0] * 6, *[1.0] * N]
    row[place] = bad
    loop.take(row[0], row[1:7], row[7:])
    assert loop.frames == 0 and not loop.motion.any()
    np.testing.assert_array_equal(loop.link, [0, 0, 0, 0, 1, 0])


NUMBERS = st.one_of(st.integers(0, 4).map(float), st.floats(width=64))


@settings(max_examples=often(60), deadline=None)
@given(st.lists(st.lists(NUMBERS, min_size=7 + N, max_size=7 + N), max_size=20))
def test_whatever_rows_come_all_that_leaves_is_finite_and_no_frame_comes_from_nothing(rows: list[list[float]]) -> None:
    loop, used = Loop(), 0
    for row in rows:
        before = loop.frames
        loop.take(row[0], row[1:7], row[7:])
        counts = np.array(row[:7])
        sound = bool(np.isfinite(row).all() and (counts >= 0).all() and (counts == np.floor(counts)).all())
        assert loop.frames - before in ((0, 1) if sound else (0,))
        used += int(loop.frames - before)
        assert np.isfinite(loop.motion).all() and np.isfinite(loop.link).all() and loop.frames == used


def test_a_status_is_what_the_loop_tells() -> None:
    numbers = np.arange(12.0).reshape(6, 2)
    told = compile(TELL)(tick=40.0, t=0.02, pose_hat=numbers, state=5.0, fault=0.0, warning=17.0, mode_used=1.0)
    status = status_of(told)
    assert len(told) == 2 + TOLD
    assert (status.tick, status.t, status.state, status.warning, status.mode) == (40, 0.02, 5, 17, 1)
    assert status.pose == tuple(numbers[:, 0]) and status.velocity == tuple(numbers[:, 1])


def test_an_exchange_tells_what_its_host_tells() -> None:
    assert all(kind_of(blocks_of(kind)) is kind for kind in MOTION)
    assert kind_of(of_joints(6).blocks) is None
