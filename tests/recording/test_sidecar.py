"""Pyramids built with recordings: ready when a recording ends, continued after a kill, abandoned before records."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from motionbase.recording.open import open_recording
from motionbase.recording.overview import found_pyramid, pyramid_paths
from motionbase.recording.pyramid import BASE
from motionbase.recording.pyramid_write import PyramidWriter
from motionbase.recording.recorder.items import Split
from motionbase.recording.recorder.sidecar import Sidecar
from motionbase.ring.parts import parts
from tests.recording.pyramids import BLOCK, RECORDS, direct, levels, set_block
from tests.recording.recorder_rig import files, recorder, records_in, rows, until, writer
from tests.ring.ring_processes import command


@pytest.fixture(autouse=True)
def small_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    set_block(monkeypatch, BLOCK)
    return tmp_path


def test_a_recording_has_its_pyramid_when_it_ends(small_blocks: Path) -> None:
    count, folder = 5 * RECORDS + 33, small_blocks
    with writer(capacity=20_000) as ring, recorder(folder / "run.mcap", split=Split(ns=7_000_000_000)) as made:
        for at in range(0, count, 1000):
            ring.write(rows(at, min(1000, count - at)))
            made.look()
    first, second = files(folder)
    for path in (first, second):
        with open_recording(path) as found:
            beside = found_pyramid(path, found.stamp, 4)
            values = records_in(path)
            for mine, wanted in zip(levels(beside, len(values)), direct(values), strict=True):
                np.testing.assert_array_equal(mine, wanted)
    assert not parts(pyramid_paths(first)[0])


def test_a_short_recording_has_none_and_leaves_nothing(small_blocks: Path) -> None:
    with writer() as ring, recorder(small_blocks / "out" / "run.mcap") as made:
        ring.write(rows(0, RECORDS - 1))
        made.look()
    assert [p.name for p in (small_blocks / "out").iterdir()] == ["run.mcap"]


def test_after_a_kill_the_reader_goes_on_with_what_there_is(small_blocks: Path) -> None:
    """A process with blocks of the usual size: 131,072 records of four channels."""
    folder, usual = small_blocks, 4096 * BASE
    with writer(capacity=200_000) as ring:
        ring.write(rows(0, usual + 1000))
        out = folder / "run.mcap"
        with command(folder, "record", "--ring", "rig", "--oldest", "--out", str(out)) as process:
            until(lambda: len(parts(pyramid_paths(out)[0])) == 1 and len_of(out) == usual + 1000)
            process.send_signal(signal.SIGKILL)
            process.wait()
    (left,) = parts(pyramid_paths(out)[0])
    with pytest.MonkeyPatch.context() as patch:
        set_block(patch, 4096)
        seen: list[int] = []
        with open_recording(out) as found:
            made = found.pyramid(lambda done, _: seen.append(done))
            assert seen[0] > usual and seen[-1] == usual + 1000
            for mine, wanted in zip(levels(made, usual + 1000), direct(records_in(out)), strict=True):
                np.testing.assert_array_equal(mine, wanted)
    assert not left.exists() and pyramid_paths(out)[0].exists()


def len_of(path: Path) -> int:
    with open_recording(path) as found:
        return found.count


# ---- a disk in trouble: the pyramid first, the records never ----


def refusing(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    store = PyramidWriter._store

    def stuck(self: PyramidWriter, level: int, bins: np.ndarray) -> None:
        if self.stored:
            act()
        store(self, level, bins)

    monkeypatch.setattr(PyramidWriter, "_store", stuck)


def record(folder: Path, said: list[str], stuck: Callable[[], bool] = lambda: False) -> None:
    """Four blocks of records, no quicker than the pyramid takes them, unless it is stuck."""
    count = 4 * RECORDS
    with writer(capacity=20_000) as ring, recorder(folder / "run.mcap", said) as made:
        for at in range(0, count, RECORDS // 4):
            ring.write(rows(at, RECORDS // 4))
            made.look()
            until(lambda: made.status()["waiting_bytes"] == 0, made.look)
            until(lambda: not made._sidecar._waiting or stuck())
        until(lambda: made.status()["written"] == count, made.look)
    assert made.complete
    np.testing.assert_array_equal(records_in(folder / "run.mcap")[:, 1], np.arange(count))


def test_a_full_disk_costs_the_pyramid_alone(small_blocks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    refusing(monkeypatch, full)
    said: list[str] = []
    record(small_blocks, said)
    place = pyramid_paths(small_blocks / "run.mcap")[0]
    assert not place.exists() and not parts(place), "it makes room"
    assert [s for s in said if "no more of its overview is written, No space left" in s]


def test_a_slow_disk_costs_the_pyramid_alone_and_its_blocks_stay(
    small_blocks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        stuck.set()
        go_on.wait(20)

    refusing(monkeypatch, slow)
    monkeypatch.setattr("motionbase.recording.recorder.recorder.SIDECAR_S", 0.1)
    monkeypatch.setattr(Sidecar.__init__, "__defaults__", (8 * 4 * RECORDS,))
    said: list[str] = []
    try:
        record(small_blocks, said, stuck.is_set)
    finally:
        go_on.set()
    assert [s for s in said if "no more of its overview is written, the disk is too slow" in s]
    monkeypatch.undo()
    assert len(parts(pyramid_paths(small_blocks / "run.mcap")[0])) == 1


def test_records_that_cannot_be_written_cost_the_pyramid_first(
    small_blocks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes no more once there is a block: that is removed before the records are tried again."""
    place, write, had = pyramid_paths(small_blocks / "run.mcap")[0], os.write, threading.Event()

    def write_if_room(file: int, data: memoryview) -> int:
        if parts(place):
            had.set()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data)

    monkeypatch.setattr("motionbase.recording.mcap.write.os.write", write_if_room)
    said: list[str] = []
    with writer(capacity=20_000) as ring, recorder(small_blocks / "run.mcap", said, retry_s=0.02) as made:
        for at in range(0, 6 * RECORDS, 500):
            ring.write(rows(at, 500 if at + 500 <= 6 * RECORDS else 6 * RECORDS - at))
            made.look()
            until(lambda: made.status()["waiting_bytes"] == 0, made.look)
    assert had.is_set() and made.complete and not parts(place) and not place.exists()
    np.testing.assert_array_equal(records_in(small_blocks / "run.mcap")[:, 1], np.arange(6 * RECORDS))


def test_a_queue_that_fills_costs_the_pyramid_before_any_record(
    small_blocks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, write, said = threading.Event(), os.write, list[str]()
    go_on.set()

    def held(file: int, data: memoryview) -> int:
        go_on.wait(20)
        return write(file, data)

    monkeypatch.setattr("motionbase.recording.mcap.write.os.write", held)
    size, count = 8 * 4 * 500, RECORDS + 2000
    with writer(capacity=20_000) as ring, recorder(small_blocks / "run.mcap", said, queue_bytes=4 * size) as made:
        for at in range(0, RECORDS, 256):
            ring.write(rows(at, 256))
            made.look()
            until(lambda: made.status()["waiting_bytes"] == 0, made.look)
        until(lambda: parts(pyramid_paths(small_blocks / "run.mcap")[0]), made.look)
        go_on.clear()
        for at in range(RECORDS, count, 500):
            assert not [s for s in said if "overview" in s] or at > RECORDS + 500
            ring.write(rows(at, 500))
            made.look()
        assert [s for s in said if "no more of its overview is written, the disk is too slow" in s]
        assert made.status()["lost"] == 0
        go_on.set()
    np.testing.assert_array_equal(records_in(small_blocks / "run.mcap")[:, 1], np.arange(count))
