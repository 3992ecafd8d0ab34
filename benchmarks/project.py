"""The project itself: time until a run shows a moving platform, import time, the test suite, a first set-up."""

import functools
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.harness import Benchmark, Samples, Settings, Skip
from benchmarks.peers.console_server import DATA_VARIABLE, Console, load
from benchmarks.peers.recorders import folders, unpinned
from motionbase.cli.console import free_port
from motionbase.interpreter import python

ROOT = Path(__file__).resolve().parents[1]
LAUNCHER = str(ROOT / "motionbase")
RING = "bench-project"
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"  # if set, every start compiles every module, which users do not do
Measure = Callable[[Settings], Samples]
LOOK_S = 0.02
PATIENCE_S = 120.0  # for a first run, which fills the cache


def environment(**more: str) -> dict[str, str]:
    """The environment of a user."""
    return {name: value for name, value in os.environ.items() if name != NO_BYTECODE} | more


# ---- start --------------------------------------------------------------------------------------------------------


@contextmanager
def running(disk: Path, program: str = LAUNCHER) -> Iterator[Console]:
    """`motionbase run` as users start it, in some folder, but without a browser."""
    port = free_port(0)
    command = (program, "run", "--ring", RING, "--port", str(port), "--no-browser", "--anyone-may-view",
               "--record", str(disk))  # fmt: skip
    quiet = subprocess.DEVNULL
    own = environment(**{DATA_VARIABLE: str(disk)})
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=disk, env=own) as run:
        try:
            yield Console(f"http://127.0.0.1:{port}", run.pid)
            if run.poll() is not None:
                raise RuntimeError(f"motionbase run ended with exit code {run.returncode}")
        finally:
            run.send_signal(signal.SIGINT)  # to the supervisor, which ends the others
            try:
                run.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                run.kill()


def shows_motion(console: Console) -> bool:
    """Whether the console's newest record is that of a rising platform."""
    try:
        return any(ring["base_state"] == "rising" for ring in console.status()["sources"])
    except OSError:  # no server is listening yet
        return False


def wait_for_motion(console: Console) -> None:
    """Wait until the console shows motion."""
    end = time.monotonic() + PATIENCE_S
    while not shows_motion(console):
        if time.monotonic() > end:
            raise Skip(f"the console showed no motion within {PATIENCE_S:g} s")
        time.sleep(LOOK_S)


class Ready(NamedTuple):
    """A start: elapsed time, and processor time of all its processes [s]."""

    passed: float
    computed: float


def ready(disk: Path) -> Ready:
    """From the command to a console that shows motion."""
    begin = time.monotonic()
    with running(disk) as console:
        wait_for_motion(console)
        return Ready(time.monotonic() - begin, sum(map(processor_s, family(console.pid))))


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    children = [child for path in Path(f"/proc/{pid}/task").glob("*/children") for child in path.read_text().split()]
    return [pid, *(one for child in children for one in family(int(child)))]


def processor_s(pid: int) -> float:
    """Processor time of a process and its finished children [s]; 0 if the system does not report it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@functools.cache
def starts(settings: Settings) -> tuple[Ready, ...]:
    """The first may compile; the others find caches of object code and bytecode."""
    with unpinned(), folders() as disk:
        return tuple(ready(disk) for _ in range(3 if settings.quick else 6))


def run_ready(settings: Settings) -> Samples:
    """Time until a run is ready, with warm caches."""
    first, *warm = starts(settings)
    return Samples(tuple(one.passed for one in warm), f"the first {first.passed:.1f} s; {load()}")


def run_ready_cpu(settings: Settings) -> Samples:
    """Processor time of the same starts."""
    if not Path("/proc/self/task").exists():
        raise Skip("processor time of another process is read from /proc, which this system does not have")
    first, *warm = starts(settings)
    return Samples(tuple(one.computed for one in warm), f"the first {first.computed:.1f} s")


def import_time(settings: Settings) -> Samples:
    """Duration of a process that imports motionbase."""
    command = python("-c", "import motionbase")
    values = []
    for _ in range(settings.repeats + 1):
        begin = time.perf_counter()
        subprocess.run(command, env=environment(), check=True)
        values.append(time.perf_counter() - begin)
    return Samples(tuple(values[1:]), load())


# ---- what contributors wait for -------------------------------------------------------------------------------------


def test_time(settings: Settings) -> Samples:
    """Duration of the whole suite on all cores."""
    if settings.quick:
        raise Skip("not in a quick run")
    begin = time.monotonic()
    with unpinned():
        done = subprocess.run((LAUNCHER, "test", "-q"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    last = done.stdout.strip().rpartition("\n")[2]
    if done.returncode:
        raise RuntimeError(f"the tests failed: {last}")
    return Samples(((time.monotonic() - begin) / 60,), f"{last.strip('= ')}; {load()}")


def first_setup(settings: Settings) -> Samples:
    """From a fresh clone to its first output; packages come from uv's cache if possible."""
    if settings.quick:
        raise Skip("not in a quick run")
    with unpinned(), tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "motionbase"
        begin = time.monotonic()
        for command in (("git", "clone", "--quiet", str(ROOT), str(clone)), (str(clone / "motionbase"), "--version")):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise Skip(f"{Path(command[0]).name} failed: {done.stderr.strip().rpartition(chr(10))[2]}")
        return Samples((time.monotonic() - begin,), f"the last commit; {load()}")


BENCHMARKS = [
    Benchmark(
        "project.run_ready_s", "s", "<= 5", "./motionbase run to a console that shows the platform rise", run_ready
    ),
    Benchmark("project.run_ready_cpu_s", "s", None, "processor time of all processes until then", run_ready_cpu),
    Benchmark("project.import_s", "s", "<= 0.3", "a process that imports motionbase and ends", import_time),
    Benchmark("project.test_minutes", "min", "<= 7", "./motionbase test, all cores", test_time),
    Benchmark("project.first_setup_s", "s", None, "git clone and ./motionbase --version", first_setup),
]
