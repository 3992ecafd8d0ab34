"""The host link in real time, with real processes: from a frame to the valves, and a flood of nonsense."""

import functools
import os
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Benchmark, Samples, Settings, Skip
from motionbase.executive.host.source import with_port
from motionbase.interpreter import motionbase_command, python
from motionbase.record.states import State
from motionbase.ring.backend import FOLDER_VARIABLE, shared_folder
from motionbase.ring.reader import Reader

NAME, HZ = "bench-host", 2000  # every tick is recorded
FRAME_HZ = 100.0
ON_TIME_S = 100e-6
SLIP_S = 5e-3  # lateness at which the loop gives up time
PATIENCE_S = 120.0
NONSENSE_HZ = 10_000
SLICE_S = 2.5
WARM_S = 2.0  # of a flood before memory is looked at

FLOOD = f"""
import random, socket, sys, time
port, chance = int(sys.argv[1]), random.Random(1)
sizes = [0, 1, 3, 40, 183, 184, 185, 936, 1400, 8000]
nonsense = [chance.randbytes(size) for size in sizes] + [b"MBHP" + chance.randbytes(180)] * 6
own, strange = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.bind(("127.0.0.1", int(sys.argv[2])))  # as if it came from the host
print("ready", flush=True)
while True:
    seconds = float(sys.stdin.readline())
    begun, sent = time.monotonic(), 0
    while (now := time.monotonic() - begun) < seconds:
        while sent < now * {NONSENSE_HZ}:
            (own if chance.random() < 0.5 else strange).sendto(nonsense[sent % len(nonsense)], ("127.0.0.1", port))
            sent += 1
        time.sleep(5e-4)
    print(sent, flush=True)
"""


HOST = f"""
import math, os, random, socket, sys, time
from contextlib import suppress
from motionbase.host.format import Frame, Kind
from motionbase.host.protocol.own import encoded
to, chance, k = ("127.0.0.1", int(sys.argv[1])), random.Random(2), 0
own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.bind(("127.0.0.1", int(sys.argv[2])))
with suppress(OSError):  # else the loop, on this processor, decides when frames can leave: just after a tick
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
with open(sys.argv[3], "w", buffering=1) as times:
    while True:
        time.sleep(chance.uniform(0.5, 1.5) / {FRAME_HZ})
        k, t, row = k + 1, time.monotonic(), [0.0] * 18
        row[2], row[3] = 1e-6 * (k % 20_000), 0.03 * math.sin(3.0 * t)  # heave tells the number of the frame
        row[9], row[15] = 0.09 * math.cos(3.0 * t), -0.27 * math.sin(3.0 * t)
        data = encoded(Frame(tuple(row), k, t, 1), Kind.POSE)
        t = time.monotonic()
        own.sendto(data, to)
        times.write(f"{{k}} {{t}}\\n")
"""


@dataclass
class Base:
    """A base that follows a host, in drive.

    Attributes:
        port: at which it hears the host, and from which the host sends
        times: file of the times at which frames were sent
        pid: of the process that hears the host
    """

    reader: Reader
    port: int
    source: int
    times: Path
    pid: int

    @property
    def sent(self) -> dict[int, float]:
        """When frames were given to the system, by their numbers [s]."""
        lines = (line.split() for line in self.times.read_text().splitlines()[:-1])
        return {int(k): float(t) for k, t in lines}

    def rows(self, seconds: float) -> NDArray[np.float64]:
        """Records of so long a time; a last column has the time of the clock at which some were seen, or inf."""
        found, end, looks = [], time.monotonic() + seconds, 0
        while time.monotonic() < end:
            time.sleep(5e-3)
            looks += 1
            found.append(self._seen(self.reader.read().rows, np.inf))
            watched = time.monotonic() + (1e-3 if looks % 10 == 0 else 0.0)
            while time.monotonic() < watched:  # the moment at which a record comes
                rows = self.reader.read().rows
                found.append(self._seen(rows, time.monotonic() if len(rows) == 1 else np.inf))
        return np.concatenate(found)

    def _seen(self, rows: NDArray[np.float64], at: float) -> NDArray[np.float64]:
        return np.column_stack([rows, np.full(len(rows), at)])

    def of(self, rows: NDArray[np.float64], channel: str) -> NDArray[np.float64]:
        return np.asarray(rows[:, self.reader.schema.place(channel)])

    def refused(self) -> int:
        """Datagrams counted as malformed or foreign so far."""
        rows = self.rows(0.3)
        return int(self.of(rows, "link_malformed")[-1] + self.of(rows, "link_foreign")[-1])

    def memory_mb(self) -> float:
        """Resident memory of the host's process."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0]) / 1024


@contextmanager
def base() -> Iterator[Base]:
    """`motionbase run simona --host` with its processes, once it drives."""
    url = with_port("udp://127.0.0.1:0")
    port = int(url.rpartition(":")[2])
    options = ("--host", url, "--rate", str(HZ), "--ring", NAME, "--no-console", "--no-record")
    with ExitStack() as undo:
        folder = undo.enter_context(tempfile.TemporaryDirectory(dir=shared_folder()))
        before = os.environ.get(FOLDER_VARIABLE)
        os.environ[FOLDER_VARIABLE] = folder
        undo.callback(_restore, before)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        run = subprocess.Popen(motionbase_command("run", "simona", *options), **quiet)  # type: ignore[call-overload]
        undo.callback(run.wait)
        undo.callback(run.send_signal, signal.SIGTERM)
        source, times = int(with_port("udp://:0").rpartition(":")[2]), Path(folder, "times")
        host = subprocess.Popen(python("-c", HOST, str(port), str(source), str(times)))
        undo.callback(host.wait)
        undo.callback(host.kill)
        end = time.monotonic() + PATIENCE_S
        while not Path(folder, f"motionbase-{NAME}").exists():
            _wait(run, end)
        reader = undo.enter_context(Reader(NAME, batch=20_000))
        state = -1.0
        while state != State.DRIVE:
            _wait(run, end)
            rows = reader.read().rows
            state = float(rows[-1, reader.schema.place("state")]) if len(rows) else state
        if not (pid := hearing(url)):
            raise Skip("no process hears the host")
        yield Base(reader, port, source, times, pid)


def _wait(run: "subprocess.Popen[bytes]", end: float) -> None:
    if run.poll() is not None or time.monotonic() > end:
        raise Skip("the base did not come to drive")
    time.sleep(0.02)


def hearing(url: str) -> int:
    """The process that hears a host for a base; 0 if there is none."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            parts = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"motionbase.executive.host" in parts and url.encode() in parts:
            return int(path.parent.name)
    return 0


def _restore(value: str | None) -> None:
    if value is None:
        os.environ.pop(FOLDER_VARIABLE, None)
    else:
        os.environ[FOLDER_VARIABLE] = value


# ---- from a frame to the valves ------------------------------------------------------------------------------------


def latencies(run: Base, seconds: int) -> tuple[float, ...]:
    """From the call that sends a frame to the record of the first tick whose valve commands follow from it [s].

    That is the tick after the one that takes the frame, as tests/executive/host/test_base.py shows. Its record is there
    at begin + tick * dt + lateness + computing; begin + computing is the least that was seen of clock - tick * dt -
    lateness within a second, so the time that it takes to see a record counts as well.
    """
    found = []
    for _ in range(seconds):
        rows = run.rows(1.0)
        t = run.of(rows, "tick") / HZ + run.of(rows, "lateness")
        begin = float(np.min(rows[:, -1] - t))
        if run.of(rows, "lateness").max() > SLIP_S or not np.isfinite(begin):
            continue  # the origin of time has moved in this second, or no record was seen to come
        sent = run.sent
        frames, number = run.of(rows, "host_frames"), np.rint(run.of(rows, "host_heave") * 1e6).astype(int)
        for k in np.flatnonzero(np.diff(frames) == 1) + 1:
            if k + 1 < len(t) and int(number[k]) in sent:
                found.append(begin + float(t[k + 1]) - sent[int(number[k])])
    if len(found) < 100:
        raise Skip(f"only {len(found)} frames were followed")
    return tuple(found)


def to_valve(settings: Settings) -> Samples:
    """Medians of groups of frames, so that quartiles tell how they scatter."""
    found = [1e3 * s for s in measured(settings)[0]]
    groups = [statistics.median(found[k::9]) for k in range(9)]
    p99 = np.percentile(found, 99)
    return Samples(tuple(groups), f"{len(found)} frames; all: {np.median(found):.2f} ms, 99 %: {p99:.2f} ms")


# ---- a flood -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Flooded:
    """Late ticks of quiet and flooded slices of a run, and growth of the host process."""

    quiet: tuple[int, ...]
    flooded: tuple[int, ...]
    growth_mb: float
    sent: int
    counted: int
    frames: int


def flooded(run: Base, pairs: int) -> Flooded:
    """Slices without and with the flood take turns, and the host sends its frames all the while."""
    quiet, loud, sent, frames = [], [], 0, 0.0
    with _flooder(run.port, run.source) as flooder:
        assert flooder.stdin is not None and flooder.stdout is not None
        tell, answer = flooder.stdin, flooder.stdout

        def flood(seconds: float) -> tuple[NDArray[np.float64], int]:
            tell.write(f"{seconds}\n")
            tell.flush()
            rows = run.rows(seconds)
            return rows, int(answer.readline())

        flood(WARM_S)
        first, before = run.refused(), run.memory_mb()
        for _ in range(pairs):
            quiet.append(_late(run, run.rows(SLICE_S)))
            rows, more = flood(SLICE_S)
            loud.append(_late(run, rows))
            frames += float(np.ptp(run.of(rows, "host_frames")))
            sent += more
        counted = run.refused() - first
        return Flooded(tuple(quiet), tuple(loud), run.memory_mb() - before, sent, counted, int(frames))


@functools.cache
def measured(settings: Settings) -> tuple[tuple[float, ...], Flooded]:
    """All of one run: half a minute in a quick one, mostly to compile and to rise."""
    with base() as run:
        return latencies(run, 3 if settings.quick else 10), flooded(run, 2 if settings.quick else round(60 / SLICE_S))


@contextmanager
def _flooder(port: int, source: int) -> "Iterator[subprocess.Popen[str]]":
    pipe = subprocess.PIPE
    with subprocess.Popen(python("-c", FLOOD, str(port), str(source)), stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            process.kill()


def _late(run: Base, rows: NDArray[np.float64]) -> int:
    return int((run.of(rows, "lateness") > ON_TIME_S).sum())


def late_ticks(settings: Settings) -> Samples:
    """Of each pair of slices: late ticks of the flooded one beyond the quiet one."""
    found = measured(settings)[1]
    more = tuple(float(max(0, b - a)) for a, b in zip(found.quiet, found.flooded, strict=True))
    note = (
        f"late ticks of {round(SLICE_S * HZ)} in each slice: quiet {_span(found.quiet)}, flooded "
        f"{_span(found.flooded)}; {found.sent} datagrams sent, {found.counted} counted as malformed or foreign; "
        f"{found.frames} good frames taken during the flood"
    )
    return Samples(more, note)


def _span(counts: tuple[int, ...]) -> str:
    return f"{sum(counts)} in all, median {statistics.median(counts):g}, at most {max(counts)}"


def growth(settings: Settings) -> Samples:
    """Resident memory of the process that hears the host, from the first seconds of the flood to its end."""
    return Samples((measured(settings)[1].growth_mb,))


BENCHMARKS = [
    Benchmark(
        "host.frame_to_valve_ms_p50",
        "ms",
        "<= 1",
        "from sending a frame over UDP to the record of the first tick whose valve commands follow from it, 2 kHz",
        to_valve,
    ),
    Benchmark(
        "host.flood_late_ticks",
        "-",
        "<= 0",
        "10,000 malformed datagrams a second: late ticks beyond those of a quiet slice beside it, median of all pairs",
        late_ticks,
    ),
    Benchmark("host.flood_rss_growth_mb", "MB", "< 5", "growth of the host's process in that flood", growth),
]
