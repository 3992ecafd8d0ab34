"""Unexpected stops are saved, whatever they are; three files are kept; no trouble with the disk loses a ring."""

import errno
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from motionbase.executive import Executive, Job, Mode, Schedule, Stop, recording_on
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.estop import files as estop
from motionbase.recording.estop import watch as estop_watch
from motionbase.recording.estop.watch import EstopWatch, window
from motionbase.ring import catalogue
from motionbase.ring.backend import shared_folder
from motionbase.ring.layout import Layout
from motionbase.ring.parts import here
from motionbase.ring.writer import Writer
from tests.recording.estop.stops import PATIENCE_S, rows, until, writer_of
from tests.recording.files import all_values


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "estop"


def watch_of(folder: Path, **options: object) -> EstopWatch:
    return EstopWatch("rig", folder=folder, after_s=1.0, say=lambda text: None, **options)  # type: ignore[arg-type]


def is_unsaved(writer: Writer) -> bool:
    return writer.segment.unsaved


def waiting(watch: EstopWatch) -> bool:
    return watch.pending


# ---- rules ----


@pytest.mark.parametrize(("rate", "before", "after"), [(100, 419.43, 30.0), (1000, 14.943, 30.0), (2000, 5.6, 16.9)])
def test_the_window_of_the_standard_ring(rate: float, before: float, after: float) -> None:
    """64 MB of 178 doubles: 7 minutes before at 100 Hz, 15 s at 1 kHz; at 2 kHz 30 s would be more than the ring."""
    found = window(Layout(hexapod_schema(), 44_943, 1 / rate, 1))
    assert found == pytest.approx((before, after), rel=5e-3)
    assert sum(found) == pytest.approx(44_943 / rate)


def test_an_emergency_stop_is_saved_with_what_comes_after(folder: Path) -> None:
    with writer_of() as writer:
        watch = watch_of(folder)
        writer.write(rows(0, 500))
        assert watch.look() is None and not waiting(watch)
        writer.write(rows(500, 20, estop=1))
        assert watch.look() is None and waiting(watch)
        assert is_unsaved(writer)  # nobody may remove it now
        writer.write(rows(520, 80, estop=1))
        assert not watch.look()
        writer.write(rows(600, 1, estop=1))
        assert (saved := watch.look()) is not None and not is_unsaved(writer) and not waiting(watch)
        d = saved.details
        assert (d.event, d.event_t, d.first, d.count) == (500, 5.0, 0, 601)
        assert (d.before_s, d.after_s, d.ring, d.cause) == (5.0, 1.0, "rig", "emergency stop in record 500")
        np.testing.assert_array_equal(all_values(saved.path)[:, 1], np.arange(601))
        assert d.event_utc_ns is not None and abs(d.event_utc_ns - time.time_ns()) < PATIENCE_S * 1e9
        assert [f.details for f in estop.files(folder)] == [d]

        writer.write(rows(601, 50))  # released
        writer.write(rows(651, 200, estop=1))
        again = watch.look()
        assert again is not None and again.details.event == 651
        assert watch_of(folder).look() is None  # a new watch finds that both are saved
    assert len(estop.files(folder, "rig")) == 2 and estop.files(folder, "other") == []


def test_a_new_watch_finds_what_the_last_one_left(folder: Path) -> None:
    with writer_of() as writer:
        writer.write(rows(0, 300))
        writer.write(rows(300, 400, estop=1))
        saved = watch_of(folder).look()
    assert saved is not None and saved.details.event == 300


def test_a_stop_that_was_there_from_the_beginning_is_none(folder: Path) -> None:
    with writer_of() as writer:
        writer.write(rows(0, 700, estop=1))
        watch = watch_of(folder)
        assert watch.look() is None and not watch.pending
    assert watch.look() is None and watch.finish() is None and not folder.exists()


def test_a_writer_may_mark_its_ring_itself(folder: Path) -> None:
    with writer_of() as writer:
        writer.write(rows(0, 300))
        watch = watch_of(folder)
        watch.look()
        writer.mark_unsaved()
        assert watch.look() is None and watch.pending
        writer.write(rows(300, 100))
        saved = watch.look()
        assert saved is not None and "marked" in saved.details.cause and saved.details.event == 299
        assert watch.look() is None and not writer.segment.unsaved
    assert not (shared_folder() / "motionbase-rig").exists()


def test_a_writer_that_stands_still_is_saved_in_the_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with writer_of() as writer:
        watch = watch_of(folder)
        writer.write(rows(0, 10))
        watch.look()
        writer.write(rows(10, 1, estop=1))
        watch.look()
        later = time.monotonic() + 60
        monkeypatch.setattr(time, "monotonic", lambda: later)
        saved = watch.look()
    assert saved is not None and saved.details.after_s == 0


def test_a_failed_writer_is_saved_at_once(folder: Path) -> None:
    writer = writer_of()
    watch = watch_of(folder)
    writer.write(rows(0, 1234))
    watch.look()
    writer.close(failed=True)
    saved = watch.look()
    assert saved is not None and saved.details.cause.startswith("the writer failed: test, process")
    assert (saved.details.first, saved.details.count, saved.details.after_s) == (234, 1000, 0.0)
    assert watch.look() is None
    assert not catalogue.entry("rig").unsaved and all(o.removed for o in catalogue.clean(("rig",)))


def test_a_good_end_saves_nothing(folder: Path) -> None:
    for _ in range(2):  # and a second writer of the same name is watched, too
        watch = watch_of(folder)
        with writer_of() as writer:
            writer.write(rows(0, 50))
            watch.look()
        assert watch.look() is None and watch.finish() is None
    with writer_of() as writer:
        writer.write(rows(0, 5))
        watch.look()
        writer.close(failed=True)
        assert watch.look() is not None


def test_a_ring_on_a_device(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its writer may be on another machine and hold no lock here: it is dead when nothing moves any more."""
    (tmp_path / "card").write_bytes(bytes(1_000_000))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", str(tmp_path / "card"))
    writer = writer_of()
    watch = watch_of(folder)
    writer.write(rows(0, 100))
    watch.look()
    writer.write(rows(100, 200, estop=1))
    saved = watch.look()
    assert saved is not None and saved.details.event == 100 and "hardware" in saved.details.backend
    assert writer._lock is not None
    writer._lock.release()  # as if it were elsewhere
    writer.write(rows(300, 100))
    assert watch.look() is None
    monkeypatch.setattr(estop_watch, "DEVICE_DEAD_S", 0.1)
    until(watch.look, "the file of the dead writer")
    causes = [f.details.cause for f in estop.files(folder) if f.details]
    assert len(causes) == 2 and causes[0].startswith("the writer died") and causes[1].startswith("emergency stop")
    with writer_of() as second:  # another one takes the device
        assert watch.look() is None
        second.write(rows(0, 100))
        assert watch.look() is None
        second.write(rows(100, 200, estop=1))
        saved = watch.look()
        assert saved is not None and (saved.details.event, saved.details.first) == (100, 0)


def test_the_newest_three_are_kept(folder: Path) -> None:
    for k in range(5):
        writer = writer_of()
        writer.write(rows(k, 10))
        writer.close(failed=True)
        saved = watch_of(folder).look()
        assert saved is not None and len(saved.removed) == (k >= 3)
        other = writer_of(name="other")
        other.write(rows(k, 10))
        other.close(failed=True)
        EstopWatch("other", folder=folder, keep=1, say=lambda text: None).look()
    kept = [all_values(f.path)[0, 1] for f in estop.files(folder, "rig")]
    assert kept == [4, 3, 2]
    assert len(estop.files(folder)) == 4 and not list(folder.glob(".*"))


def test_a_clock_that_goes_back_does_not_cost_the_new_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(4):
        writer = writer_of()
        writer.write(rows(k, 10))
        if k == 3:
            monkeypatch.setattr(time, "time_ns", lambda: 10**18)  # 2001
        writer.close(failed=True)
        saved = watch_of(folder).look()
    assert saved is not None and saved.path.exists() and len(estop.files(folder)) == 3


def test_parts_of_dead_processes_are_removed(folder: Path) -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    folder.mkdir()
    mine, dead = (folder / f".x.estop.mcap.{here()}.{pid}.t0123abc.part" for pid in (os.getpid(), child.pid))
    mine.touch()
    dead.touch()
    writer = writer_of()
    writer.write(rows(0, 10))
    writer.close(failed=True)
    assert watch_of(folder).look() is not None
    assert mine.exists() and not dead.exists()


# ---- trouble with the disk ----


def test_a_full_disk_keeps_the_ring(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = list[str]()
    writer = writer_of()
    writer.write(rows(0, 10))
    writer.close(failed=True)
    watch = EstopWatch("rig", folder=folder, say=said.append)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        assert watch.look() is None and watch.look() is None
    assert len(said) == 2 and "No space left" in said[1] and "kept unsaved: motionbase ring save rig" in said[1]
    assert watch.pending and catalogue.entry("rig").unsaved and not catalogue.clean()[0].removed
    assert list(folder.iterdir()) == []
    assert watch.look() is None and watch.trouble  # only when asked
    saved = watch.try_again()
    assert saved is not None and saved.details.count == 10 and not watch.trouble and not catalogue.entry("rig").unsaved


def test_the_old_files_stay_when_a_new_one_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(4):
        writer = writer_of()
        writer.write(rows(k, 10))
        writer.close(failed=True)
        if k == 3:
            monkeypatch.setattr(os, "fsync", lambda file: os.close(10**6))  # fails with a real error of the system
        watch_of(folder).look()
    assert [all_values(f.path)[0, 1] for f in estop.files(folder)] == [2, 1, 0]
    assert catalogue.entry("rig").unsaved


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file where the folder should be: refused for every user, also for root, who may write read-only folders."""
    (tmp_path / "file").write_text("")
    said = list[str]()
    with writer_of() as writer:
        watch = EstopWatch("rig", folder=tmp_path / "file" / "estop", after_s=0.1, say=said.append)
        writer.write(rows(0, 10))
        watch.look()
        writer.write(rows(10, 100, estop=1))
        assert watch.look() is None and watch.trouble
        assert len(said) == 2 and "cannot be made: Not a directory; ring 'rig' is kept unsaved" in said[1]
        writer.write(rows(110, 100, estop=1))
        assert watch.look() is None and writer.segment.unsaved and writer.head == 210
        writer.mark_unsaved(False)  # somebody saved it by hand
        watch.look()
        assert not watch.pending and not watch.trouble


def test_a_read_only_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the system refuses it; permissions would not stop root."""
    opened = os.open

    def read_only(path: str | Path, flags: int, *more: int) -> int:
        if flags & os.O_CREAT and Path(path).parent == folder:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return opened(path, flags, *more)

    writer = writer_of()
    writer.write(rows(0, 10))
    writer.close(failed=True)
    watch = watch_of(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", read_only)
        assert watch.look() is None and "cannot be written: Read-only file system" in watch.trouble
    assert catalogue.entry("rig").unsaved and watch.finish() is not None


# ---- other runs ----


def test_what_an_earlier_run_left_is_rescued(folder: Path) -> None:
    assert estop.rescue("rig", folder) is None
    writer = writer_of()
    assert estop.rescue("rig", folder) is None
    writer.write(rows(0, 30))
    writer.close(failed=True)
    saved = estop.rescue("rig", folder)
    assert saved is not None and saved.details.count == 30 and estop.rescue("rig", folder) is None


def test_the_run_goes_on_after_an_emergency_stop_then_ends(folder: Path) -> None:
    pressed, number = np.zeros(1), np.zeros(1)

    def law(tick: int) -> None:
        pressed[0], number[0] = tick >= 250, tick

    with writer_of() as writer:
        job = Job("record on", 1, recording_on(pressed, 0.01, lambda: executive.stop(), after_s=2.0))
        executive = Executive(
            Schedule(0.01, (Job("law", 1, law), job)),
            writer,
            Mode.FAST,
            channels={"estop": pressed, "number": number},
        )
        report = executive.run(ticks=10_000)
        saved = EstopWatch("rig", folder=folder, after_s=2.0, say=lambda text: None).look()
    assert report.stop is Stop.ASKED and report.ticks == 451
    assert saved is not None and (saved.details.event, saved.details.count, saved.details.after_s) == (250, 451, 2.0)


def test_where_files_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path))
    assert estop.default_folder() == tmp_path / "estop"
    monkeypatch.delenv("MOTIONBASE_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", "/x")
    assert estop.default_folder() == Path("/x/motionbase/estop")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert estop.default_folder() == Path("/home/me/.local/share/motionbase/estop")
    (tmp_path / "estop").mkdir()
    (tmp_path / "estop" / "x.estop").write_text("not one")
    (file,) = estop.files(tmp_path / "estop")
    assert file.details is None and "too short" in file.trouble
