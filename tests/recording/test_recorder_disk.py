"""Disks that are slow, full, stalled or gone: the file so far opens, and every record is in a file or counted."""

import errno
import os
import resource
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.recording.mcap.write import log_times
from motionbase.recording.open import open_recording
from motionbase.recording.recorder.disk import NO_ROOM
from motionbase.recording.recorder.file_series import Pieces
from motionbase.recording.recorder.files import Names, Origin
from motionbase.recording.recorder.items import Chunk, Note, Split
from tests.recording.recorder_rig import SCHEMA, events_in, files, recorder, records_in, rows, until, writer
from tests.tier import often

OS_WRITE = "motionbase.recording.mcap.write.os.write"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


class Valve:
    """Lets writes of recordings through, or holds them, or refuses them as a full disk does, half way through."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open, self.error, self._folder, self._write = threading.Event(), 0, folder, os.write
        self.open.set()
        monkeypatch.setattr(OS_WRITE, self.write)

    def write(self, file: int, data: memoryview) -> int:
        if not os.readlink(f"/proc/self/fd/{file}").endswith(".mcap"):
            return self._write(file, data)
        self.open.wait()
        if self.error and len(data) < 2:
            raise OSError(self.error, os.strerror(self.error))
        return self._write(file, data[: len(data) // 2] if self.error else data)


@pytest.fixture
def valve(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Valve:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("needs /proc")
    return Valve(folder, monkeypatch)


@pytest.mark.parametrize("capacity", [4096, 512])
def test_while_a_disk_is_stalled_records_wait_in_the_ring_and_what_that_overwrites_is_counted_exactly(
    folder: Path, valve: Valve, capacity: int
) -> None:
    said: list[str] = []
    with writer(capacity=capacity) as ring, recorder(folder / "run.mcap", said, queue_bytes=20_000) as made:
        ring.write(rows(0, 100))
        made.look()
        until(lambda: made.status()["written"] == 100, made.look)
        valve.open.clear()
        for k in range(1, 30):
            ring.write(rows(100 * k, 100))
            made.look()  # a turn does not wait for the disk
        status = made.status()
        assert "wait in the ring" in status["trouble"] and status["waiting_bytes"] <= 20_000 + 32 * 100
        assert sum("the rest waits in the ring" in s for s in said) == 1
        assert len(records_in(folder / "run.mcap")) == 100, "what was written can be read meanwhile"
        valve.open.set()
        until(lambda: made.status()["waiting_bytes"] == 0, made.look)
        ring.write(rows(3000, 100))
        made.look()
        made.look()
        lost = made.status()["lost"]
    numbers = records_in(folder / "run.mcap")[:, 1].astype(int)
    missing = sorted(set(range(3100)) - set(numbers.tolist()))
    assert len(numbers) + lost == 3100 and len(missing) == lost and (np.diff(numbers) > 0).all()
    assert (lost > 0) == (capacity < 3000)
    told = [
        f"{lost} records lost, {n} to {missing[-1]}: the disk was too slow, the ring overwrote them" for n in missing
    ]
    assert events_in(folder / "run.mcap", "gap") == told[:1]


def test_a_disk_that_is_full_for_a_while_costs_nothing(folder: Path, valve: Valve) -> None:
    said: list[str] = []
    with writer() as ring, recorder(folder / "run.mcap", said, retry_s=0.05) as made:
        ring.write(rows(0, 500))
        made.look()
        until(lambda: made.status()["written"] == 500, made.look)
        valve.error = errno.ENOSPC
        ring.write(rows(500, 500))
        made.look()
        until(lambda: made.status()["trouble"])
        trouble = made.status()["trouble"]
        assert trouble == f"recording to {folder} fails: {os.strerror(errno.ENOSPC)}"
        with open_recording(folder / "run.mcap") as found:  # what a full disk took of a chunk is cut off again
            assert found.count == 500 and not [d for d in found.damage if "bytes" in d.text]
        valve.error = 0
        until(lambda: not made.status()["trouble"], made.look)
    np.testing.assert_array_equal(records_in(folder / "run.mcap")[:, 1], np.arange(1000))
    with open_recording(folder / "run.mcap") as found:
        assert list(found.damage) == [], "it has its end, too"
    (told,) = events_in(folder / "run.mcap", "disk")
    assert told.startswith(trouble) and events_in(folder / "run.mcap", "gap") == []
    assert sum("fails" in s for s in said) == 1 and any("recording goes on" in s for s in said)


def test_a_disk_that_stays_full_leaves_a_file_that_opens_and_tells_how_much_is_missing(
    folder: Path, valve: Valve
) -> None:
    said: list[str] = []
    with writer() as ring, recorder(folder / "run.mcap", said, retry_s=0.05) as made:
        ring.write(rows(0, 300))
        made.look()
        until(lambda: made.status()["written"] == 300, made.look)
        valve.error = errno.ENOSPC
        ring.write(rows(300, 200))
        made.look()
        until(lambda: made.status()["trouble"])
    assert not made.complete and any(s.startswith("200 records are not written: ") for s in said)
    np.testing.assert_array_equal(records_in(folder / "run.mcap")[:, 1], np.arange(300))


def test_a_disk_that_never_answers_does_not_keep_the_recorder_from_ending(folder: Path, valve: Valve) -> None:
    said: list[str] = []
    with writer() as ring, recorder(folder / "run.mcap", said, close_s=0.2) as made:
        ring.write(rows(0, 100))
        made.look()
        until(lambda: made.status()["written"] == 100, made.look)
        valve.open.clear()
        ring.write(rows(100, 250))
        begin = time.monotonic()
        made.close()
        assert time.monotonic() - begin < 5.0
    assert not made.complete and "250 records are not written: the disk does not answer" in said
    np.testing.assert_array_equal(records_in(folder / "run.mcap")[:, 1], np.arange(100))
    valve.open.set()


def test_a_share_that_is_gone_for_a_while_goes_on_in_a_new_file(folder: Path, valve: Valve) -> None:
    with writer() as ring, recorder(folder / "run.mcap", retry_s=0.05) as made:
        ring.write(rows(0, 100))
        made.look()
        until(lambda: made.status()["written"] == 100, made.look)
        valve.error = errno.ESTALE
        ring.write(rows(100, 100))
        made.look()
        until(lambda: made.status()["trouble"])
        valve.error = 0
        until(lambda: made.status()["written"] == 200, made.look)
    assert [len(records_in(p)) for p in files(folder)] == [100, 100]
    (told,) = events_in(folder / "run_001.mcap", "disk")
    assert os.strerror(errno.ESTALE) in told


def test_files_that_may_not_grow_are_followed_by_others(folder: Path) -> None:
    """A real limit of the system: RLIMIT_FSIZE makes writes short, then fail with EFBIG."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with writer() as ring, recorder(folder / "run.mcap", retry_s=0.01) as made:
        resource.setrlimit(resource.RLIMIT_FSIZE, (15_000, before[1]))
        try:
            for k in range(20):
                ring.write(rows(100 * k, 100))
                made.look()
            until(lambda: made.status()["written"] == 2000, made.look)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    found = files(folder)
    assert len(found) > 3 and all(p.stat().st_size <= 15_000 for p in found[:-1])
    np.testing.assert_array_equal(np.concatenate([records_in(p)[:, 1] for p in found]), np.arange(2000))


def test_a_limit_too_small_for_any_file_leaves_none_behind(folder: Path) -> None:
    said: list[str] = []
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with writer() as ring, recorder(folder / "out", said, retry_s=0.01) as made:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, before[1]))  # the head of a file fits, no chunk does
        try:
            ring.write(rows(0, 300, channels=4))
            made.look()
            until(lambda: made.status()["trouble"], made.look)
            time.sleep(0.1)
            assert len(files(folder / "out")) <= 1, "tries leave no files behind"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        until(lambda: made.status()["written"] == 300, made.look)
    (only,) = files(folder / "out")
    np.testing.assert_array_equal(records_in(only)[:, 1], np.arange(300))
    assert "started" in events_in(only, "recording"), "notes of a file that was given up are in the next"


def test_a_slow_sync_does_not_keep_records_from_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, go_on, fsync = threading.Event(), threading.Event(), os.fsync

    def slow(file: int) -> None:
        if threading.current_thread().name.endswith("sync"):
            waiting.set()
            go_on.wait(20)
        fsync(file)

    monkeypatch.setattr("motionbase.recording.recorder.disk.SYNC_S", 0.01)
    monkeypatch.setattr("motionbase.recording.mcap.write.os.fsync", slow)
    with writer() as ring, recorder(folder / "run.mcap") as made:
        ring.write(rows(0, 100))
        made.look()
        until(waiting.is_set, made.look)
        ring.write(rows(100, 100))
        made.look()
        until(lambda: made.status()["written"] == 200, made.look)
        assert len(records_in(folder / "run.mcap")) == 200
        go_on.set()


@settings(max_examples=often(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    counts=st.lists(st.integers(1, 120), min_size=1, max_size=8),
    split=st.sampled_from([Split(), Split(ns=50_000_000), Split(bytes=5_000)]),
    failures=st.lists(st.tuples(st.integers(1, 30), st.sampled_from([errno.ENOSPC, errno.EFBIG, errno.EIO]))),
    notes=st.sets(st.integers(0, 7)),
)
def test_every_record_is_written_once_whatever_writes_fail(
    counts: list[int], split: Split, failures: list[tuple[int, int]], notes: set[int]
) -> None:
    """Writes fail half way, by their number; every task is tried again, as the disk's thread does."""
    due, calls, pending, write = dict(failures), 0, 0, os.write

    def failing(file: int, data: memoryview) -> int:
        nonlocal calls, pending
        if pending:
            error, pending = pending, 0
            raise OSError(error, os.strerror(error))
        calls += 1
        pending = due.pop(calls, 0)
        return write(file, data[: len(data) // 2 or 1] if pending else data)

    origin = Origin(SCHEMA, 0, {})
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(OS_WRITE, failing)
        pieces, first = Pieces(Names(Path(folder), "run"), split), 0
        for k, count in enumerate(counts):
            part = rows(first, count)
            chunk = Chunk(part, first, log_times(0, part[:, 0]), origin)
            _insisted(pieces, lambda chunk=chunk: pieces.write(chunk))  # type: ignore[misc]
            if k in notes:
                _insisted(pieces, lambda k=k: pieces.note(Note("note", str(k))))  # type: ignore[misc]
            first += count
        with suppress(OSError):
            pieces.finish()
        found = files(Path(folder))
        numbers = [n for p in found for n in records_in(p)[:, 1].astype(int).tolist()]
        assert numbers == list(range(first)) and pieces.records == first and pieces.files == len(found)
        texts = {int(e) for p in found for e in events_in(p, "note")}
        assert texts | {int(n.text) for n in pieces._held} == {k for k in notes if k < len(counts)}


def _insisted(pieces: Pieces, task: Callable[[], None]) -> None:
    while True:
        try:
            return task()
        except OSError as error:
            if error.errno not in NO_ROOM:
                pieces.leave()
