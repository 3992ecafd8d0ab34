"""Motions that are played frame by frame, by a clock of the test's own."""

import numpy as np
import pytest

from motionbase.host.format import Frame, Kind
from motionbase.host.motions import Series
from motionbase.host.pacing import Paced

T = np.linspace(0, 0.2, 21)


def test_frames_are_numbered_by_the_clock() -> None:
    now = 100.0
    paced = Paced(Series(Kind.POSE, T, np.outer(T, np.ones(18))), 200.0, run=7, clock=lambda: now)
    got: list[Frame] = []
    while not paced.is_over:
        due = paced.due_in()
        assert due <= 1 / 200 + 1e-9
        if due > 1e-9:
            assert paced.frame() is None
        now += due
        if 0.099 < now - 100 < 0.101:
            now += 0.031  # the machine is busy: six frames cannot be sent in time
        frame = paced.frame()
        assert frame is not None
        got.append(frame)
    assert {frame.preview for frame in got} == {()}  # a pose
    assert [frame.stamp for frame in got] == [k / 200 for k in range(41) if not 20 <= k < 26]
    assert paced.skipped == 6 and {frame.run for frame in got} == {7}
    assert all(frame.sequence == round((frame.stamp or 0) * 200) + 1 for frame in got)
    assert paced.frame() is None


def test_the_end_is_told_however_late_it_is() -> None:
    """Silence begins where a motion ends, not somewhere before."""
    now = 0.0
    paced = Paced(Series(Kind.POSE, T, np.outer(T, np.ones(18))), 200.0, clock=lambda: now)
    paced.due_in()
    now = 0.1
    assert paced.frame() is not None
    now = 5.0
    frame = paced.frame()
    assert frame is not None and frame.stamp == 0.2 and frame.row[:6] == pytest.approx((0.2,) * 6) and paced.is_over
    assert paced.skipped == 20 + 19 and paced.frame() is None
