"""Ends that are easy to miss: between steps, a failure behind exit code 0, an edge that was overwritten."""

import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import ScheduleError
from motionbase.executive import Executive, Job, Mode, Schedule
from motionbase.executive.process import Role
from motionbase.executive.supervisor import Supervisor
from motionbase.record.schema import Channel, Schema
from motionbase.recording.estop import files as estop
from motionbase.recording.estop.watch import EstopWatch
from motionbase.ring import catalogue
from motionbase.ring.layout import HEAD
from motionbase.ring.segment import left_behind
from motionbase.ring.writer import Writer
from tests.executive.run_processes import WRITER, python

SCHEMA = Schema("stops", (Channel("t", "s", "time", "time"), Channel("estop", "-", "1 acts", "status")))
PATIENCE_S = 60.0  # for other processes to start or end, on a machine that does much else


def fails(tick: int) -> None:
    raise ZeroDivisionError("no pressure")


def test_a_report_of_a_failure_is_an_error_for_who_asks() -> None:
    failed = Executive(Schedule(1e-3, (Job("a", 1, fails),)), mode=Mode.FAST).run(ticks=3)
    assert failed.exit_code == 1
    with pytest.raises(ScheduleError, match="job 'a' failed in tick 0: ZeroDivisionError: no pressure") as caught:
        failed.raise_for_failure()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    good = Executive(Schedule(1e-3, ()), mode=Mode.FAST).run(ticks=3)
    good.raise_for_failure()
    assert good.exit_code == 0


def test_a_writer_that_failed_is_no_success_whatever_its_exit_code(tmp_path: Path) -> None:
    careless = WRITER.partition("if report.failed:")[0]  # prints the report, and ends with 0
    lines = list[str]()
    law = python("law", careless, "20", "0", role=Role.WRITER)
    ending = Supervisor([law], ring="rig", folder=tmp_path / "e", after_s=0.1, out=lines.append, err=lines.append).run()
    assert ending.code == 1
    assert ending.why == "writer 'law' ended with exit code 0; the writer of ring 'rig' failed"
    assert len(ending.files) == 1


# ---- between steps ----

STEPPED = """
import sys, time
from pathlib import Path
from motionbase.executive import Executive, Job, Mode, Schedule
from motionbase.record.schema import Channel, Schema
from motionbase.ring.writer import Writer
with Writer(Schema("s", (Channel("t", "s", "time", "time"),)), name="rig", dt=1e-3, capacity=100) as writer:
    close = Job("close", 1, lambda tick: Path(sys.argv[1]).touch())
    executive = Executive(Schedule(1e-3, ()), writer, Mode.STEPPED, safe_stop=[close])
    executive.step(10)
    print("paused", flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, -signal.SIGINT)])
def test_a_signal_between_steps_is_a_safe_end(number: signal.Signals, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", STEPPED, str(tmp_path / "safe")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == "paused\n"
        child.send_signal(number)
        assert child.wait(PATIENCE_S) == code
    finally:
        child.kill()
        child.communicate()
    assert (tmp_path / "safe").exists() and catalogue.entries() == []


@pytest.mark.parametrize("ends", ["closed", "failed", "forgotten"])
def test_a_stepped_run_gives_the_handlers_back(ends: str) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
    before = [signal.getsignal(n) for n in numbers]
    executive = Executive(Schedule(1e-3, (Job("a", 1, fails, 0),) if ends == "failed" else ()), mode=Mode.STEPPED)
    try:
        executive.step()
        if ends == "forgotten":
            del executive
        else:
            executive.close()
        assert [signal.getsignal(n) for n in numbers] == before
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


# ---- ESTOP files ----


def rows(count: int, stopped: float = 0.0) -> np.ndarray:
    return np.stack([np.zeros(count), np.full(count, stopped)], axis=1)


def watched(folder: Path, said: list[str]) -> EstopWatch:
    return EstopWatch("rig", folder=folder, after_s=0.01, say=said.append)


def test_an_edge_that_was_overwritten_is_an_event(tmp_path: Path) -> None:
    said = list[str]()
    with Writer(SCHEMA, name="rig", dt=1e-3, capacity=100) as writer:
        watch = watched(tmp_path / "e", said)
        writer.write(rows(50))
        assert watch.look() is None
        writer.write(np.concatenate([rows(100), rows(200, 1.0)]))  # the edge, and twice the ring after it
        saved = watch.look()
        assert saved is not None and saved.details.event == 250
        assert "emergency stop in record 250 or before, in one that was overwritten" in said[0]
        writer.write(rows(300, 1.0))
        assert watch.look() is None  # it still acts: no second event
        writer.write(np.concatenate([rows(10), rows(20, 1.0)]))
        saved = watch.look()
        assert saved is not None and saved.details.cause == "emergency stop in record 660"


def test_a_good_end_stays_one_when_another_writer_comes(tmp_path: Path) -> None:
    said = list[str]()
    first = Writer(SCHEMA, name="rig", capacity=100)
    watch = watched(tmp_path / "e", said)
    first.write(rows(50))
    watch.look()
    first.close(remove=False)
    with Writer(SCHEMA, name="rig", capacity=100) as second:
        second.publish()
        assert watch.look() is None and watch.look() is None and said == []


@pytest.mark.parametrize("wild", [2**40, 2**63 + 7, 2**64 - 1])
def test_a_wild_head_keeps_the_watch_for_a_moment_only(wild: int, tmp_path: Path) -> None:
    with Writer(SCHEMA, name="rig", dt=1e-3, capacity=100) as writer:
        watch = watched(tmp_path / "e", [])
        writer.write(rows(50))
        watch.look()
        writer.segment.set_counter(HEAD, wild)
        begin = time.monotonic()
        watch.look()
        assert time.monotonic() - begin < 10
        writer.segment.set_counter(HEAD, 50)
        watch.look()
        writer.write(rows(30, 1.0))
        saved = watch.look()
        assert saved is not None and saved.details.event == 50


def test_rotation_keeps_to_its_ring(tmp_path: Path) -> None:
    for name in ("x", "rigZ_x", "x", "rigZ_x", "x"):
        with Writer(SCHEMA, name=name, capacity=10) as writer:
            writer.publish()
            saved = estop.save_ring(writer.segment, name, cause="a test", folder=tmp_path, keep=2)
            assert stat.S_IMODE(saved.path.stat().st_mode) == 0o600  # as private as the ring
    kept = {name: len(estop.files(tmp_path, name)) for name in ("x", "rigZ_x")}
    assert kept == {"x": 2, "rigZ_x": 2}


def test_everything_that_was_left_is_rescued_with_the_time_of_its_end(tmp_path: Path) -> None:
    for count in (3, 4):
        writer = Writer(SCHEMA, name="rig", capacity=10)
        writer.write(rows(count))
        assert writer._lock is not None
        writer._lock.release()
    ended = time.time_ns()
    time.sleep(0.3)
    saved = list(estop.rescue_all("rig", tmp_path / "e"))
    assert [s.details.count for s in saved] == [3, 4]
    for each in saved:
        assert each.details.event_utc_ns is not None and each.details.ring == "rig"
        assert each.details.event_utc_ns < ended + 0.1e9  # the last sign of life was before, the rescue 0.3 s after
    (left,) = left_behind(catalogue.entry("rig").backend)
    assert not catalogue.entry(left.name).unsaved and not catalogue.entry("rig").unsaved


def test_a_watch_that_saves_a_replaced_ring_frees_what_was_kept(tmp_path: Path) -> None:
    first = Writer(SCHEMA, name="rig", capacity=100)
    first.write(rows(50))
    watch = watched(tmp_path / "e", [])
    watch.look()
    assert first._lock is not None
    first._lock.release()
    with Writer(SCHEMA, name="rig", capacity=100) as second:
        (left,) = left_behind(second.backend)
        saved = watch.look()
        assert saved is not None and saved.details.count == 50 and "the writer died" in saved.details.cause
        assert not catalogue.entry(left.name).unsaved


def test_a_full_disk_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said = list[str]()
    writer = Writer(SCHEMA, name="rig", capacity=100)
    writer.write(rows(5))
    writer.close(failed=True)
    watch = watched(tmp_path / "file" / "e", said)
    for look in (watch.look, watch.try_again, watch.finish):
        assert look() is None
    assert len([line for line in said if "cannot be made" in line]) == 1
