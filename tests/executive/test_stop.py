"""Every end is a safe one: a job that fails, a signal, a parent that dies, a stop asked for by a job."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from motionbase.compile import Compiled
from motionbase.errors import ScheduleError
from motionbase.executive import Executive, Job, Mode, RealTime, Schedule, Stop, Warnings, native_job
from motionbase.record.schema import Schema
from motionbase.ring.backend import find
from motionbase.ring.layout import Status
from motionbase.ring.reader import Reader
from motionbase.ring.segment import Segment, attach
from motionbase.ring.writer import Writer

DT = 5e-4
GENTLE = RealTime(priority=None, lock_memory=False)
MODES = [Mode.FAST, Mode.REAL_TIME]
PATIENCE_S = 60.0  # for other processes to start or end, on a machine that does much else


def fails_at(tick: int) -> Job:
    def run(k: int) -> None:
        if k == tick:
            raise ZeroDivisionError("no pressure")

    return Job("pressure", 1, run)


@pytest.mark.parametrize("mode", MODES)
def test_a_failing_job_ends_in_a_safe_stop(schema: Schema, mode: Mode) -> None:
    valve, after = np.ones(1), list[int]()
    closing = Job("close", 1, lambda k: valve.__setitem__(0, 0.0))
    schedule = Schedule(DT, (Job("before", 1, lambda k: None), fails_at(7), Job("after", 1, after.append)))
    writer = Writer(schema, dt=DT, every=3, capacity=100)
    reader = Reader(start="oldest")
    report = Executive(schedule, writer, mode, channels={"valve": valve}, safe_stop=[closing], realtime=GENTLE).run(
        ticks=100
    )
    assert (report.stop, report.ticks, report.failed) == (Stop.FAILED, 8, True)
    assert isinstance(report.error, ZeroDivisionError)
    assert "job 'pressure' failed in tick 7: ZeroDivisionError: no pressure" in report.why
    assert after == list(range(7))
    rows = reader.read().rows
    assert rows[:, schema.place("tick")].tolist() == [0, 3, 6, 7, 8]  # the failing tick, then the safe stop
    assert rows[:, schema.place("valve")].tolist() == [1, 1, 1, 1, 0]
    failed = rows[:, schema.place("warning")].astype(int) & Warnings.FAILED
    assert failed.astype(bool).tolist() == [False, False, False, True, True]
    segment = attach(find())  # still there, for somebody to save
    assert segment is not None and segment.status is Status.FAILED and segment.unsaved
    assert Reader(start="oldest").read().rows[-1, schema.place("valve")] == 0


def test_a_native_job_may_be_the_safe_stop(schema: Schema, oscillator: Compiled) -> None:
    arrays = oscillator.arrays()
    arrays["x"][:] = 1.0, 2.0
    stop = Job("rest", 1, native_job(oscillator, feedback={"x": "x_next"}, **arrays))
    Executive(Schedule(DT, ()), mode=Mode.FAST, safe_stop=[stop]).run(ticks=3)
    assert arrays["x"].tolist() == [1.0 - 0.01 * 2.0, 2.0 + 0.01 * 1.0]


def test_a_failing_safe_stop_does_not_keep_the_others(schema: Schema) -> None:
    closed = list[int]()
    stops = [Job("first", 1, lambda k: 1 // 0), Job("second", 1, closed.append)]
    report = Executive(Schedule(DT, (fails_at(2),)), mode=Mode.FAST, safe_stop=stops).run(ticks=10)
    assert closed == [3] and report.failed
    assert "'pressure' failed in tick 2" in report.why and "safe stop 'first' failed" in report.why


@pytest.mark.parametrize("mode", MODES)
def test_a_job_may_stop_the_run(mode: Mode) -> None:
    seen = list[int]()

    def run(k: int) -> None:
        seen.append(k)
        if k == 5:
            executive.stop()

    executive = Executive(Schedule(DT, (Job("a", 1, run),)), mode=mode, realtime=GENTLE)
    report = executive.run()
    assert seen == list(range(6)) and report.stop is Stop.ASKED and not report.failed


def test_a_stop_is_heard_in_a_long_period() -> None:
    executive = Executive(Schedule(60.0, ()), realtime=GENTLE)
    threading.Timer(0.2, executive.stop).start()
    start = time.monotonic()
    report = executive.run()
    assert report.stop is Stop.ASKED and time.monotonic() - start < 10.0


def test_a_failing_warning_is_a_failure_too() -> None:
    executive = Executive(
        Schedule(DT, (Job("a", 1, lambda k: time.sleep(DT)),)), realtime=GENTLE, on_warning=lambda text: 1 // 0
    )
    report = executive.run()
    assert report.failed and isinstance(report.error, ZeroDivisionError)


def test_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    run = Job("a", 1, lambda k: os.kill(os.getpid(), signal.SIGINT) if k == 3 else time.sleep(1e-3))
    report = Executive(Schedule(DT, (run,)), mode=Mode.FAST).run(duration=1000.0)
    assert report.stop is Stop.SIGNAL and report.why == "SIGINT came"
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_it_runs_outside_the_main_thread() -> None:
    reports = []
    thread = threading.Thread(target=lambda: reports.append(Executive(Schedule(DT, ()), realtime=GENTLE).run(ticks=5)))
    thread.start()
    thread.join()
    assert reports[0].ticks == 5


def test_a_stepped_run_ends_with_a_failure(schema: Schema) -> None:
    closed = list[int]()
    executive = Executive(Schedule(DT, (fails_at(4),)), mode=Mode.STEPPED, safe_stop=[Job("close", 1, closed.append)])
    assert executive.step(4).stop is Stop.FINISHED and closed == []
    assert executive.step(4).failed and closed == [5]
    with pytest.raises(ScheduleError, match="has ended"):
        executive.step()
    assert executive.close().failed and closed == [5]


CHILD = """
import os, sys
import numpy as np
from motionbase.executive import Executive, Job, Mode, RealTime, Schedule
from motionbase.record.schema import Channel, Schema
from motionbase.ring.writer import Writer

valve = np.ones(1)
schema = Schema("s", (Channel("t", "s", "time", "time"), Channel("valve", "-", "1 open", "valve")))
with Writer(schema, dt=1e-3, every=2, capacity=100_000) as writer:
    report = Executive(
        Schedule(1e-3, ()), writer, Mode[sys.argv[1]], channels={"valve": valve},
        safe_stop=[Job("close", 1, lambda k: valve.fill(0.0))],
        realtime=RealTime(priority=None, lock_memory=False), exit_with_parent=os.getppid(),
    ).run()
print(report.stop.name, report.why)
"""


def wait_for(what: object, reader: Reader) -> None:
    end = time.monotonic() + PATIENCE_S
    while not what():  # type: ignore[operator]
        assert time.monotonic() < end, f"nothing in {PATIENCE_S} s; the reader says {reader.state.value}"
        time.sleep(0.01)


def attached(reader: Reader) -> Segment:
    wait_for(lambda: len(reader.wait(0.1).rows), reader)
    segment = attach(find())
    assert segment is not None
    return segment


@pytest.mark.parametrize(("number", "mode"), [(signal.SIGTERM, "REAL_TIME"), (signal.SIGINT, "FAST")])
def test_signals_end_a_process_cleanly(number: signal.Signals, mode: str) -> None:
    reader = Reader(start="oldest")
    child = subprocess.Popen([sys.executable, "-c", CHILD, mode], stdout=subprocess.PIPE, text=True)
    try:
        segment = attached(reader)
        child.send_signal(number)
        said, _ = child.communicate(timeout=PATIENCE_S)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0 and said.split() == ["SIGNAL", number.name, "came"]
    assert segment.status is Status.STOPPED and not segment.unsaved
    assert last_row(reader)[1] == 0.0


def test_a_killed_parent_ends_the_child(ring_folder: Path) -> None:
    reader = Reader(start="oldest")
    script = ring_folder / "child.py"
    script.write_text(CHILD)
    parent = subprocess.Popen(["sh", "-c", f"{sys.executable} {script} REAL_TIME > {ring_folder}/said; true"])
    try:
        segment = attached(reader)
        parent.kill()
        parent.wait()
        wait_for(lambda: segment.status is Status.STOPPED, reader)
        wait_for(lambda: (ring_folder / "said").read_text().split()[:1] == ["PARENT"], reader)
    finally:
        parent.kill()
        parent.wait()
    assert last_row(reader)[1] == 0.0


def last_row(reader: Reader) -> np.ndarray:
    last = np.empty(0)
    while len(rows := reader.read().rows):
        last = rows[-1].copy()
    return last
