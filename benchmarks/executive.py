"""The real-time executive: punctuality of ticks with readers, jitter, cost of a tick; a Python loop for comparison."""

import functools
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import casadi as ca
import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from motionbase.compile import Kernel, Port, compile
from motionbase.executive import Executive, Job, Mode, NativeJob, RealTime, Report, Schedule, native_job
from motionbase.executive.model.code import ModelCode
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.robot import Robot
from motionbase.executive.model.run import ModelRun
from motionbase.interpreter import python
from motionbase.multibody.manipulator.driven import driven
from motionbase.multibody.models.robot import driven_robot
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.backend import FOLDER_VARIABLE, shared_folder
from motionbase.ring.writer import Writer

DT = 5e-4  # 2 kHz
EVERY = 2  # records at 1 kHz, the largest rate
ON_TIME_S = 100e-6
READERS = 3
NAME = "bench-executive"

READER = f"""
import os, sys
os.sched_setaffinity(0, range(os.cpu_count()))  # the benchmark's own pin is for the loop alone
from motionbase.ring.reader import Reader, ReaderState
reader, taken = Reader({NAME!r}, start="oldest", timeout=5.0), 0
print("ready", flush=True)
while reader.state is not ReaderState.STOPPED:
    taken += len(reader.wait(0.5).rows)
print(taken, reader.lost, flush=True)
"""


@dataclass(frozen=True)
class Punctuality:
    """Lateness of the executive and of a Python loop at the same rate, with the same readers."""

    ours: Report
    python_share: float
    python_p99: float
    readers: str
    machine: str

    @property
    def note(self) -> str:
        """Scheduling permissions, and the readers' results."""
        fifo = next(g for g in self.ours.settings if g.what == "priority")
        allowed = "SCHED_FIFO allowed" if fifo.allowed else "SCHED_FIFO not allowed"
        return f"{allowed}; {self.ours.ticks} ticks, {self.ours.slips} slips; {self.readers}; {self.machine}"


def oscillator() -> NativeJob:
    """A trivial native job: one step of a rotation."""
    step = Kernel(
        "turn", (Port("x", 2, "-"),), (Port("x_next", 2, "-"),), lambda x: (ca.vertcat(x[0] - x[1], x[1] + x[0]) / 2,)
    )
    return native_job(compile(step), x=np.ones(2), x_next=np.zeros(2))


@contextmanager
def ring_with_readers() -> Iterator[tuple[Writer, list[subprocess.Popen[str]]]]:
    """A ring in its own folder, with processes that follow it."""
    with ExitStack() as undo:
        folder = undo.enter_context(tempfile.TemporaryDirectory(dir=shared_folder()))
        before = os.environ.get(FOLDER_VARIABLE)
        os.environ[FOLDER_VARIABLE] = folder
        undo.callback(_restore, FOLDER_VARIABLE, before)
        writer = undo.enter_context(Writer(hexapod_schema(), name=NAME, dt=DT, every=EVERY))
        readers = []
        for _ in range(READERS):
            process = subprocess.Popen(python("-c", READER), stdout=subprocess.PIPE, text=True)
            undo.callback(process.wait)
            undo.callback(process.kill)
            readers.append(process)
        for process in readers:
            assert process.stdout is not None
            process.stdout.readline()
        yield writer, readers


def _restore(variable: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = value


def python_loop(writer: Writer, ticks: int) -> list[float]:
    """The usual loop with time.sleep; lateness of every tick [s]. It skips a long lag, like the executive."""
    lateness, due = [], time.monotonic() + 0.002
    for tick in range(ticks):
        delay = due - time.monotonic()
        if delay > 0:
            time.sleep(delay)
        late = time.monotonic() - due
        lateness.append(late)
        if tick % EVERY == 0:
            writer.record[0] = tick * DT
            writer.publish()
        due += DT + (late if late > 10 * DT else 0.0)
    return lateness


def stolen_ms() -> float:
    """Time that a hypervisor gave to others although this machine was ready to run, all processors together [ms]."""
    with open("/proc/stat", encoding="ascii") as stat:
        fields = stat.readline().split()
    return 1e3 * int(fields[8]) / os.sysconf("SC_CLK_TCK") if len(fields) > 8 else 0.0


def gaps(seconds: float = 0.8) -> str:
    """Gaps in a thread that only watches the clock: the floor for every loop on this machine."""
    found: list[int] = []

    def watch() -> None:
        RealTime().thread()
        last = time.perf_counter_ns()
        end = last + int(1e9 * seconds)
        while last < end:
            now = time.perf_counter_ns()
            if now - last > 1e9 * ON_TIME_S:
                found.append(now - last)
            last = now

    thread = threading.Thread(target=watch)
    thread.start()
    thread.join()
    worst = f", the longest {max(found) / 1e3:.0f} us" if found else ""
    return f"a thread that only watches the clock met {len(found)} gaps above 100 us in {seconds} s{worst}"


@functools.cache
def punctuality(settings: Settings) -> Punctuality:
    """10 s of each (2 s in a quick run)."""
    ticks = round((2.0 if settings.quick else 10.0) / DT)
    with ring_with_readers() as (writer, readers):
        floor, before = gaps(), stolen_ms()
        report = Executive(Schedule(DT, (Job("turn", 1, oscillator()),)), writer).run(ticks=ticks)
        machine = (
            f"{stolen_ms() - before:.0f} ms stolen by the hypervisor, load average {os.getloadavg()[0]:.1f}; {floor}"
        )
        lateness = np.array(python_loop(writer, ticks))
        published = writer.head
        writer.close()
        counts = [process.communicate(timeout=20)[0].split() for process in readers]
    lost = sum(int(lost) for _, lost in counts)
    missing = sum(published - int(taken) for taken, _ in counts) - lost
    assert missing == 0, f"{missing} records were neither read nor reported lost"
    share = float(np.mean(lateness <= ON_TIME_S))
    seen = f"{READERS} readers, {published} records each, {lost} lost"
    return Punctuality(report, share, float(np.quantile(lateness, 0.99)), seen, machine)


def _punctual(value: Callable[[Punctuality], float]) -> Callable[[Settings], Samples]:
    def measure(settings: Settings) -> Samples:
        found = punctuality(settings)
        return Samples((value(found),), found.note)

    return measure


@functools.cache
def costs(settings: Settings) -> Rounds:
    """Time per tick [s] at full speed: one native job; one Python job; the native one with a record of 178."""
    native, schema = oscillator(), hexapod_schema()
    sides: dict[str, Callable[[], float]] = {}

    def side(name: str, job: Job, writer: Writer | None = None) -> None:
        executive = Executive(Schedule(DT, (job,)), writer, Mode.STEPPED)
        sides[name] = per_evaluation(executive.step)

    with tempfile.TemporaryDirectory(dir=shared_folder()) as folder:
        before = os.environ.get(FOLDER_VARIABLE)
        os.environ[FOLDER_VARIABLE] = folder
        try:
            with Writer(schema, name=NAME, dt=DT) as writer:
                side("native", Job("turn", 1, native))
                side("python", Job("nothing", 1, lambda tick: None))
                side("record", Job("turn", 1, native), writer)
                return interleaved(sides, settings)
        finally:
            _restore(FOLDER_VARIABLE, before)


@functools.cache
def robot_ticks(settings: Settings) -> Rounds:
    """Time per tick [s] at full speed of the robot of `motionbase run robot`, law in the loop, a record every tick."""
    code = ModelCode.of(Robot(driven(driven_robot())), Timing(DT, 0.1, True))
    with tempfile.TemporaryDirectory(dir=shared_folder()) as folder:
        before = os.environ.get(FOLDER_VARIABLE)
        os.environ[FOLDER_VARIABLE] = folder
        try:
            with Writer(code.plant.schema, name=NAME, dt=DT, parameters=code.plant.parameters.json) as writer:
                run = ModelRun(code, writer, print)
                executive = Executive(run.schedule, writer, Mode.STEPPED, channels=run.shown, clock=run.clock)
                return interleaved({"robot": per_evaluation(executive.step)}, settings)
        finally:
            _restore(FOLDER_VARIABLE, before)


def _difference(more: str, less: str) -> Callable[[Settings], Samples]:
    def measure(settings: Settings) -> Samples:
        rounds = costs(settings)
        pairs = zip(rounds.side(more, 1e6).values, rounds.side(less, 1e6).values, strict=True)
        return Samples(tuple(a - b for a, b in pairs), "")

    return measure


BENCHMARKS = [
    Benchmark(
        "executive.on_time_share",
        "-",
        ">= 0.999",
        f"ticks begun within {1e6 * ON_TIME_S:.0f} us of their due time, 2 kHz, records of 178 doubles at 1 kHz",
        _punctual(lambda p: p.ours.on_time_share),
    ),
    Benchmark(
        "executive.python_loop_on_time_share",
        "-",
        None,
        "the same for a Python loop with time.sleep that computes nothing",
        _punctual(lambda p: p.python_share),
    ),
    Benchmark(
        "executive.jitter_us_p99",
        "us",
        None,
        "lateness that 99 % of the ticks keep below, to a sixteenth",
        _punctual(lambda p: 1e6 * p.ours.lateness_p99),
    ),
    Benchmark(
        "executive.python_loop_jitter_us_p99",
        "us",
        None,
        "the same for the Python loop",
        _punctual(lambda p: 1e6 * p.python_p99),
    ),
    Benchmark(
        "executive.tick_overhead_us",
        "us",
        "<= 1",
        "a tick with one trivial native job, as fast as possible",
        lambda s: costs(s).side("native", 1e6),
    ),
    Benchmark(
        "executive.record_us", "us", None, "a record of 178 doubles in a tick, more", _difference("record", "native")
    ),
    Benchmark(
        "executive.python_job_us",
        "us",
        None,
        "an empty Python job instead of the native one, more",
        _difference("python", "native"),
    ),
    Benchmark(
        "executive.robot_tick_us",
        "us",
        "<= 100",
        "a tick of the six-axis robot with friction, its controllers and a record, of 500 us at 2 kHz",
        lambda s: robot_ticks(s).side("robot", 1e6),
    ),
]
