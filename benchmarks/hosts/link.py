"""The host link in real time, with real processes: from a frame to the valves, and a flood of nonsense."""

import functools
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Benchmark, Samples, Settings, Skip
from benchmarks.hosts.base import HZ, Base, base
from motionbase.interpreter import python

ON_TIME_S = 100e-6
SLIP_S = 5e-3  # lateness at which the loop gives up time
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
