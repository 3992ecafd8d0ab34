"""Motions that are played frame by frame."""

import time

import numpy as np

from motionbase.host.format import Frame, Kind
from motionbase.host.motions import Series
from motionbase.host.pacing import Paced


def test_frames_are_numbered_by_the_clock() -> None:
    t = np.linspace(0, 0.2, 21)
    paced = Paced(Series(Kind.POSE, t, np.outer(t, np.ones(18))), 200.0, run=7)
    got: list[Frame] = []
    until = time.monotonic() + 20
    while not paced.is_over and time.monotonic() < until:
        time.sleep(paced.due_in())
        if (frame := paced.frame()) is not None:
            got.append(frame)
    assert paced.is_over and paced.frame() is None and got[0] == Frame((0.0,) * 18, 1, 0.0, 7)
    assert all(frame.stamp == ((frame.sequence or 0) - 1) / 200 for frame in got)
    assert len(got) + paced.skipped == 41  # a busy machine skips frames
