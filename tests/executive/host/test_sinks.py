"""Frames into files and rings."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import MotionBaseError
from motionbase.executive.host.motions import motion_of
from motionbase.executive.host.sinks import FileSink, RingSink, schema_of
from motionbase.host.format import AT_REST, Frame, Kind
from motionbase.host.url import Played, source_of
from motionbase.record.axes import DOFS
from motionbase.ring.reader import Reader

POSE = tuple(0.01 * k for k in range(18))


def test_a_ring_of_frames_is_one_that_a_base_can_follow(ring_folder: Path) -> None:
    for kind, row in ((Kind.POSE, POSE), (Kind.VEHICLE, AT_REST)):
        with RingSink("played", kind, 60.0) as sink:
            url = source_of("ring://played")
            assert isinstance(url, Played)
            motion = motion_of(url)
            sink.send(Frame((), 1, 0.0))  # holds no motion
            sink.send(Frame(row, 2, 0.25))
            assert motion.kind is kind and motion.row(0.0) == pytest.approx(row)
            rows = Reader("played", start="oldest").read().rows
            assert rows.tolist() == [[0.25, *row]] and sink.sent == 1 and sink.told is None
            motion.close()


def test_a_file_is_complete_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with pytest.raises(ZeroDivisionError), FileSink(path, Kind.POSE, force=False, is_live=False) as sink:
        sink.send(Frame(POSE, 1, 0.0))
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with FileSink(path, Kind.POSE, force=False, is_live=False) as sink:
        for k in range(600):  # more than are written at once
            sink.wait(0.01)
            sink.send(Frame(POSE, k, sink.clock()))
    url = source_of(f"file://{path}")
    assert isinstance(url, Played)
    motion = motion_of(url)
    assert motion.kind is Kind.POSE and motion.duration == pytest.approx(5.99)
    with pytest.raises(MotionBaseError, match="exists already"), FileSink(path, Kind.POSE, force=False, is_live=False):
        pass


def test_channels_are_those_that_a_base_records() -> None:
    names = list(schema_of(Kind.POSE).index)
    assert names[:2] == ["t", "host_surge"] and len(names) == 1 + 3 * len(DOFS)
    assert len(schema_of(Kind.VEHICLE).index) == 14 and np.isfinite(AT_REST).all()
