"""The loop as fast as possible: which jobs on which ticks, the same numbers as a plain loop, records, no allocation."""

import numpy as np
import pytest

from motionbase.compile import Compiled
from motionbase.errors import ScheduleError
from motionbase.executive import Clock, Executive, Job, Mode, Schedule, Stop, native_job
from motionbase.executive.control import bin_top
from motionbase.executive.native_loop import native
from motionbase.executive.report import quantile
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Schema
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from tests.memory import kept_blocks

DT = 5e-4


def plain_loop(ticks: int) -> np.ndarray:
    x = np.array([1.0, 0.0])
    for tick in range(ticks):
        x = np.array([x[0] - 0.01 * x[1], x[1] + 0.01 * x[0] + 1e-6 * tick])
    return x


def test_jobs_run_in_order_on_their_ticks() -> None:
    seen: list[tuple[int, str]] = []
    rates = {"control": (1, 0), "plant": (2, 1), "host": (5, 3), "slow": (7, 0)}

    def job(name: str, every: int, phase: int) -> Job:
        return Job(name, every, lambda tick: seen.append((tick, name)), phase)

    jobs = tuple(job(name, *rate) for name, rate in rates.items())
    report = Executive(Schedule(DT, jobs), mode=Mode.FAST).run(ticks=100)
    assert seen == [(k, n) for k in range(100) for n, (every, phase) in rates.items() if k % every == phase]
    assert (report.ticks, report.stop, report.overruns, report.late, report.slips) == (100, Stop.FINISHED, 0, 0, 0)


@pytest.mark.parametrize("as_python", [False, True])
def test_a_state_is_that_of_a_plain_loop_to_the_bit(oscillator: Compiled, as_python: bool) -> None:
    """Strict code rounds as NumPy does: the same operations in the same order."""
    clock, x, x_next = Clock(), np.array([1.0, 0.0]), np.zeros(2)
    if as_python:
        bound = oscillator.bind(x=x, tick=clock.tick, x_next=x_next)

        def run(tick: int) -> None:
            bound()
            x[:] = x_next

        job = Job("step", 1, run)
    else:
        native_step = native_job(oscillator, feedback={"x": "x_next"}, x=x, tick=clock.tick, x_next=x_next)
        job = Job("step", 1, native_step)
    Executive(Schedule(DT, (job,)), mode=Mode.FAST, clock=clock).run(ticks=2000)
    assert x.tolist() == plain_loop(2000).tolist()
    assert clock.t[0] == 1999 * DT


def test_steps_add_up_to_a_run(oscillator: Compiled) -> None:
    clock, x, x_next = Clock(), np.array([1.0, 0.0]), np.zeros(2)
    job = Job("step", 1, native_job(oscillator, feedback={"x": "x_next"}, x=x, tick=clock.tick, x_next=x_next))
    with Executive(Schedule(DT, (job,)), mode=Mode.STEPPED, clock=clock) as executive:
        for ticks in (1, 0, 9, 490):
            executive.step(ticks)
        assert executive.report.ticks == 500
        assert x.tolist() == plain_loop(500).tolist()


@pytest.mark.parametrize("every", [1, 2, 20])
def test_records_have_their_tick_and_time(oscillator: Compiled, schema: Schema, every: int) -> None:
    clock, x, x_next = Clock(), np.array([1.0, 0.0]), np.zeros(2)
    job = Job("step", 1, native_job(oscillator, feedback={"x": "x_next"}, x=x, tick=clock.tick, x_next=x_next))
    with Writer(schema, dt=DT, every=every, capacity=300) as writer, Reader(start="oldest") as reader:
        Executive(Schedule(DT, (job,)), writer, Mode.FAST, clock=clock, channels={"x0": x}).run(ticks=200)
        rows = reader.read().rows
        ticks = np.arange(0, 200, every)
        assert rows[:, schema.place("tick")].tolist() == ticks.tolist()
        assert rows[:, 0].tolist() == [k * DT for k in ticks]
        assert rows[-1, schema.places(["x0", "x1"])].tolist() == plain_loop(int(ticks[-1]) + 1).tolist()
        assert np.all(rows[1:, schema.place("compute")] > 0)


def test_the_standard_schema_has_the_loops_channels(ring_folder: object) -> None:
    schema = hexapod_schema()
    with Writer(schema, dt=DT, every=20, capacity=100) as writer, Reader(start="oldest") as reader:
        lengths = np.arange(6.0)
        Executive(Schedule(DT, ()), writer, Mode.FAST, channels={"leg1_l_meas": lengths}).run(ticks=41)
        rows = reader.read().rows
        assert rows[:, schema.place("tick")].tolist() == [0.0, 20.0, 40.0]
        assert rows[2, schema.places([f"leg{k}_l_meas" for k in range(1, 7)])].tolist() == lengths.tolist()
        assert rows[2, schema.place("load")] > 0


def test_warning_bits_of_jobs_are_kept(schema: Schema) -> None:
    with Writer(schema, dt=DT, capacity=10) as writer, Reader(start="oldest") as reader:
        place = schema.place("warning")
        jobs = (Job("warn", 1, lambda k: writer.record.__setitem__(place, 5.0 + (1 << 18))),)
        Executive(Schedule(DT, jobs), writer, Mode.FAST).run(ticks=3)
        assert reader.read().rows[:, place].tolist() == [5.0, 5.0, 5.0]  # bit 18 is the executive's: no overrun here


def test_the_loop_allocates_nothing(oscillator: Compiled, schema: Schema) -> None:
    clock, x, x_next = Clock(), np.array([1.0, 0.0]), np.zeros(2)
    job = Job("step", 1, native_job(oscillator, feedback={"x": "x_next"}, x=x, tick=clock.tick, x_next=x_next))
    with Writer(schema, dt=DT, capacity=100) as writer:
        with Executive(Schedule(DT, (job,)), writer, Mode.STEPPED, clock=clock) as executive:
            loop = executive.loop
            loop.run(100)
            kept = kept_blocks(lambda: loop.run(100_100))
        assert writer.head == 100_100
    assert kept < 20  # one block in 5000 ticks would be more


def test_lateness_goes_to_the_right_bin() -> None:
    tops = [bin_top(k) for k in range(400)]
    assert tops == sorted(set(tops)) and tops[:33] == [*range(32), 33]
    counts = np.zeros(960, np.int64)
    counts[10], counts[100] = 90, 10
    assert quantile(counts, 0.5) == 10 and quantile(counts, 0.95) == bin_top(100)
    assert quantile(np.zeros(960, np.int64), 0.5) == 0
    assert all(bin_top(k) <= bin_top(k - 1) * (1 + 1 / 16) + 1 for k in range(33, 400))


def test_prefaulting_survives() -> None:
    native().prefault(1024 * 1024)


def nothing(tick: int) -> None:
    pass


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Job("", 1, nothing), "name"),
        (lambda: Job("a", 0, nothing), "every is 0"),
        (lambda: Job("a", 2.0, nothing), "every is 2.0"),  # type: ignore[arg-type]
        (lambda: Job("a", 2, nothing, 2), "phase 2"),
        (lambda: Job("a", 1, 5), "5 is neither"),  # type: ignore[arg-type]
        (lambda: Schedule(0.0, ()), "dt is 0.0"),
        (lambda: Schedule(DT, (Job("a", 1, nothing), Job("a", 2, nothing))), "two jobs are called 'a'"),
        (lambda: Executive(Schedule(DT, ()), mode=Mode.FAST, channels={"x": np.zeros(1)}), "no writer"),
        (lambda: Executive(Schedule(DT, ()), mode=Mode.FAST).run(ticks=-1), "-1 ticks"),
        (lambda: Executive(Schedule(DT, ()), mode=Mode.FAST).run(1.0, ticks=1), "give one"),
        (lambda: Executive(Schedule(DT, ()), mode=Mode.FAST).run(float("nan")), "duration is nan"),
        (lambda: Executive(Schedule(DT, ()), mode=Mode.FAST).step(1), "FAST"),
        (lambda: Executive(Schedule(DT, ()), mode=Mode.STEPPED).run(ticks=1), "step"),
    ],
)
def test_what_cannot_be_run_gets_a_sentence(make: object, message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        make()  # type: ignore[operator]


def test_a_run_is_once(oscillator: Compiled) -> None:
    executive = Executive(Schedule(DT, ()), mode=Mode.FAST)
    executive.run(ticks=1)
    with pytest.raises(ScheduleError, match="has run already"):
        executive.run(ticks=1)


def test_kernels_that_cannot_be_scheduled(oscillator: Compiled) -> None:
    from motionbase.compile import compile

    arrays = oscillator.arrays()
    with pytest.raises(ScheduleError, match="takes no tick"):
        Job("a", 1, oscillator.bind(**arrays))  # type: ignore[arg-type]
    with pytest.raises(ScheduleError, match="'python'"):
        native_job(compile(oscillator.unit, "python"), feedback=None, **arrays)
    with pytest.raises(ScheduleError, match="feedback names 'y'"):
        native_job(oscillator, feedback={"x": "y"}, **arrays)
    with pytest.raises(ScheduleError, match="1 numbers|has 1"):
        native_job(oscillator, feedback={"tick": "x_next"}, **arrays)


def test_channels_must_fit(schema: Schema) -> None:
    schedule = Schedule(DT, ())
    with Writer(schema, dt=DT, capacity=10) as writer:
        for channels, message in (
            ({"x0": np.zeros(3)}, "3 numbers do not fit"),
            ({"x0": np.zeros(2, np.float32)}, "float64"),
            ({"x0": np.zeros(2), "x1": np.zeros(1)}, "overlap"),
        ):
            with pytest.raises(ScheduleError, match=message):
                Executive(schedule, writer, Mode.FAST, channels=channels)  # type: ignore[arg-type]
        with pytest.raises(ScheduleError, match="the same dt"):
            Executive(Schedule(2 * DT, ()), writer, Mode.FAST)
