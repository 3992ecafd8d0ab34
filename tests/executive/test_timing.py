"""In real time: what is late, overrun or slipped is counted and recorded, whatever the machine is doing meanwhile."""

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ScheduleError
from motionbase.executive import Executive, Job, Limits, RealTime, Report, Schedule, Stop, Warnings
from motionbase.executive.timing import SPIN_ORDINARY, SlowTicks
from motionbase.record.schema import Schema
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer

DT = 2e-3
GENTLE = RealTime(priority=None, lock_memory=False)  # ordinary threads, so that a slow test harms nobody


def run(
    schema: Schema, job: Callable[[int], object], ticks: int, limits: Limits, **options: Any
) -> tuple[Report, np.ndarray]:
    """A run that records every tick, and its records."""
    jobs = (Job("job", 1, job),)
    with Writer(schema, dt=DT, capacity=4 * ticks) as writer, Reader(start="oldest") as reader:
        report = Executive(Schedule(DT, jobs), writer, limits=limits, realtime=GENTLE, **options).run(ticks=ticks)
        return report, np.array(reader.read().rows)


def bits(schema: Schema, rows: np.ndarray, flag: Warnings) -> np.ndarray:
    return np.asarray((rows[:, schema.place("warning")].astype(np.int64) & flag) != 0)


def test_overruns_are_counted_and_recorded(schema: Schema) -> None:
    slow = {10, 20, 30}
    report, rows = run(schema, lambda k: time.sleep(2.5 * DT) if k in slow else None, 50, Limits(slip=10.0))
    # each slow tick ends a period and a half late, and so does at least the tick after it, begun one period late
    assert report.overruns >= 2 * len(slow)
    assert report.late >= 2 * len(slow) and report.slips == 0
    overruns = rows[:, schema.place("overruns")]
    assert np.all(np.diff(overruns) >= 0) and all(overruns[k + 1] > overruns[k] for k in slow)
    assert bits(schema, rows, Warnings.OVERRUN)[[k + 1 for k in slow]].all()
    assert all(rows[k + 1, schema.place("compute")] >= 2.5 * DT for k in slow)
    assert all(rows[k + 1, schema.place("load")] >= 2.5 for k in slow)


def test_a_long_lag_moves_the_origin(schema: Schema) -> None:
    start = time.monotonic()
    report, rows = run(schema, lambda k: time.sleep(0.1) if k == 10 else None, 30, Limits(slip=0.03))
    took = time.monotonic() - start
    assert report.slips >= 1 and report.slipped > 0.09  # 0.1 s less the period in which the sleep began
    assert bits(schema, rows, Warnings.SLIPPED)[11]
    assert rows[11, schema.place("lateness")] > 0.09
    assert took > 30 * DT + 0.09  # given up, not caught up
    assert rows[:, 0].tolist() == [k * DT for k in range(30)]  # time of the run is the tick's, whatever was lost


def test_every_tick_is_accounted_for_on_a_busy_machine(schema: Schema) -> None:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        limits = Limits(on_time=50e-6, slip=0.01)
        report, rows = run(schema, lambda k: None, 400, limits)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert report.on_time + report.late + report.slips == report.ticks == len(rows) == 400
    late = rows[:, schema.place("lateness")] > limits.on_time
    assert late.sum() == report.late + report.slips
    assert bits(schema, rows, Warnings.LATE).tolist() == late.tolist()
    ordered = np.sort(rows[:, schema.place("lateness")])
    assert report.lateness_max == pytest.approx(ordered[-1])
    for found, exact in ((report.lateness_p50, ordered[199]), (report.lateness_p99, ordered[395])):
        assert exact * (1 - 1e-9) <= found <= exact * (1 + 1 / 16) + 1e-9  # the width of a bin
    assert str(report.overruns) in str(report)


def test_the_load_is_warned_of_before_it_overruns(schema: Schema) -> None:
    said: list[str] = []

    def long(tick: int) -> None:
        end = time.perf_counter() + 0.6 * DT
        while time.perf_counter() < end:
            pass

    report, rows = run(schema, long, 60, Limits(load=0.5), on_warning=said.append)
    assert report.load_warnings == report.ticks  # every tick computes for 60 % at least
    assert report.load_max >= 0.6 and 0.6 <= report.load_mean <= report.load_max
    assert bits(schema, rows, Warnings.LOAD)[1:].all()
    assert said and "50%" in said[0] and "job" in said[0]


def test_slow_ticks_are_summed_up_not_repeated() -> None:
    """The first is said at once; then count and worst, after ever longer pauses, and what is left at the end."""
    said, now = list[str](), [0.0]
    slow = SlowTicks(5e-4, 0.8, said.append, lambda: now[0])
    slow.look(0, 0.1)
    assert said == []
    for second in range(3600):
        now[0] = float(second)
        slow.look(second + 1, 2.0 if second < 100 else 19.53)
    assert [line.split(" slow")[0] for line in said] == ["1", "61", "661"]  # at 0, 60 and 660 s
    assert "since " in said[0] and "more than 80% of their period of 0.5 ms, the worst for 200%" in said[0]
    assert "the worst for 1953%" in said[-1] and len({line[line.index("since") :][:14] for line in said}) == 1
    slow.look(3600, 19.53, is_last=True)
    slow.look(3600, 19.53, is_last=True)
    assert len(said) == 4 and said[-1].startswith("3600 slow ticks since ")


def test_ticks_take_their_time(schema: Schema) -> None:
    start = time.monotonic()
    report, _ = run(schema, lambda k: None, 100, Limits())
    assert time.monotonic() - start >= 99 * DT
    assert report.stop is Stop.FINISHED and report.ticks == 100
    assert 0 <= report.lateness_p50 <= report.lateness_p99 <= report.lateness_max


def test_the_loop_always_leaves_the_processor_for_a_while(schema: Schema) -> None:
    """A real-time thread that never sleeps is throttled by the system for 50 ms of every second."""
    used: list[float] = []

    def half(tick: int) -> None:
        used.append(time.thread_time())
        end = time.perf_counter() + 0.5 * DT
        while time.perf_counter() < end:
            pass

    start = time.monotonic()
    run(schema, half, 100, Limits(spin=DT))  # spinning all the rest of the period is asked for
    # half a period of computing and 0.3 of spinning; without the bound it is all of it. 0.1 is for waking and sleeping
    assert (used[-1] - used[0]) / (time.monotonic() - start) < 0.9


def test_wall_clock_is_in_the_header_alone(schema: Schema, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wall clock that jumps back by a day during the run changes nothing: the loop reads CLOCK_MONOTONIC."""
    today = time.time_ns()

    def jump(tick: int) -> None:
        if tick == 10:
            monkeypatch.setattr(time, "time_ns", lambda: today - 86_400_000_000_000)
            monkeypatch.setattr(time, "time", lambda: today / 1e9 - 86_400)

    with Writer(schema, dt=DT, capacity=100) as writer, Reader(start="oldest") as reader:
        Executive(Schedule(DT, (Job("jump", 1, jump),)), writer, realtime=GENTLE).run(ticks=30)
        assert reader.read().rows[:, 0].tolist() == [k * DT for k in range(30)]
        assert abs(reader.header.epoch_utc_ns - today) < 60e9


def test_what_is_refused_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    enabled = gc.isenabled()
    executive = Executive(Schedule(DT, ()), realtime=RealTime(lock_memory=False, cpus=(100_000,)))
    report = executive.run(ticks=5)
    answers = {g.what: g for g in report.settings}
    assert report.ticks == 5 and gc.isenabled() == enabled
    assert not answers["priority"].allowed and "ulimit -r" in answers["priority"].sentence
    assert not answers["cpus"].allowed and "100000" in answers["cpus"].sentence
    assert answers["timer slack"].allowed and answers["collector"].allowed
    assert executive.loop.control.margin <= 1e9 * SPIN_ORDINARY  # an ordinary thread that spins is made to wait


def test_settings_end_with_the_run() -> None:
    before = os.sched_getscheduler(0), os.sched_getaffinity(0), gc.isenabled(), gc.get_freeze_count()
    cpu = min(os.sched_getaffinity(0))
    inside: list[tuple[set[int], bool]] = []
    job = Job("look", 1, lambda k: inside.append((os.sched_getaffinity(0), gc.isenabled())))
    report = Executive(Schedule(DT, (job,)), realtime=RealTime(cpus=(cpu,))).run(ticks=3)
    assert inside == [({cpu}, False)] * 3
    assert {g.what for g in report.settings} >= {"memory", "priority", "cpus", "collector", "stack"}
    assert (os.sched_getscheduler(0), os.sched_getaffinity(0), gc.isenabled(), gc.get_freeze_count()) == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: RealTime(priority=0),
        lambda: RealTime(cpus=()),
        lambda: Limits(on_time=-1.0),
        lambda: Limits(slip=np.inf),
    ],
)
def test_settings_that_cannot_be(make: Callable[[], object]) -> None:
    with pytest.raises(ScheduleError):
        make()
