"""The ring: records per second against memcpy and public peers, latency between processes, and torn records."""

import ctypes
import functools
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, Skip, interleaved, per_evaluation
from benchmarks.peers.messaging import beside, iceoryx2_sender, zmq_sender
from benchmarks.peers.ring_loops import loops
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.native_records import native
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer

CHANNELS = 178
PYTHON_RECORDS = 20_000  # per measurement


def address_of(function: Any) -> int:
    """Address of a ctypes function, for a native loop to call."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@contextmanager
def ring(what: str, **options: Any) -> Iterator[Writer]:
    """A ring of the standard size under its own name, removed afterwards."""
    writer = Writer(hexapod_schema(), name=f"bench-{what}-{os.getpid()}", program="bench", **options)
    try:
        yield writer
    finally:
        writer.close(remove=True)
        writer.backend.lock_path.unlink(missing_ok=True)


@functools.cache
def native_writers(settings: Settings) -> Rounds:
    """Publishing records one by one from a native loop, and memcpy of the same bytes into a ring of equal size."""
    with ring("native") as writer:
        layout = writer.header.layout
        room = np.zeros(layout.capacity * CHANNELS)
        port = ctypes.addressof(writer.native_port())
        write = address_of(native().write)
        row = writer.record.ctypes.data
        count = layout.capacity  # once around
        sides = {
            "ring": per_evaluation(lambda n: loops().again(write, port, n), count),
            "memcpy": per_evaluation(
                lambda n: loops().memcpy(room.ctypes.data, row, 8 * CHANNELS, layout.capacity, n), count
            ),
        }
        return interleaved(sides, settings)


@functools.cache
def python_writers(settings: Settings) -> Rounds:
    """One record after another from Python, each method with one receiver in another process."""
    row = np.arange(float(CHANNELS))
    with ExitStack() as stack:
        writer = stack.enter_context(ring("python"))
        stack.enter_context(beside(_drain, writer.backend.path.name.removeprefix("motionbase-")))
        bare = np.zeros((writer.header.layout.capacity, CHANNELS))
        sides = {
            "publish": _publishing(writer),
            "write": _writing(writer, row),
            "assignment": _assignments(bare, row),
        }
        peers = {"iceoryx2": iceoryx2_sender, "zmq": zmq_sender}
        for name, sender in peers.items():
            try:
                sides[name] = per_evaluation(stack.enter_context(sender()), PYTHON_RECORDS)
            except Skip:
                continue
        return interleaved(sides, settings)


def _publishing(writer: Writer) -> Callable[[], float]:
    def loop(n: int) -> None:
        for _ in range(n):
            writer.publish()

    return per_evaluation(loop, PYTHON_RECORDS)


def _writing(writer: Writer, row: np.ndarray) -> Callable[[], float]:
    def loop(n: int) -> None:
        for _ in range(n):
            writer.write(row)

    return per_evaluation(loop, PYTHON_RECORDS)


def _assignments(ring_rows: np.ndarray, row: np.ndarray) -> Callable[[], float]:
    capacity = len(ring_rows)

    def loop(n: int) -> None:
        for i in range(n):
            ring_rows[i % capacity] = row

    return per_evaluation(loop, PYTHON_RECORDS)


def _drain(ready: Any, stop: Any, name: str) -> None:
    with Reader(name) as reader:
        ready.set()
        while not stop.is_set():
            reader.wait(0.05)


def against(peer: str) -> Callable[[Settings], Samples]:
    """The peer's time over ours."""

    def measure(settings: Settings) -> Samples:
        rounds = python_writers(settings)
        if peer not in rounds.seconds:
            raise Skip(f"{peer} is not installed")
        return rounds.ratio(peer, "publish")

    return measure


# ---- latency -------------------------------------------------------------------------------------------------------


@functools.cache
def delays(settings: Settings) -> np.ndarray:
    """Delays [us] from before publishing to receiving the record, with a native polling reader in another process."""
    if (os.cpu_count() or 1) < 2:
        raise Skip("needs two processors")
    count = 5_000 if settings.quick else 50_000
    context = multiprocessing.get_context("spawn")
    answer, go = context.Queue(), context.Event()
    with ring("latency") as writer:
        name = writer.backend.path.name.removeprefix("motionbase-")
        process = context.Process(target=_receive_stamped, args=(name, count, go, answer), daemon=True)
        process.start()
        try:
            if not go.wait(30):
                raise Skip("the receiving process did not start")
            time.sleep(0.05)
            port = ctypes.addressof(writer.native_port())
            write = address_of(native().write)
            loops().stamped(write, port, writer.record.ctypes.data, 20_000, count + 1000)
            found = answer.get(timeout=30)
        finally:
            process.kill()
            process.join()
    return np.asarray(found) / 1e3


def _receive_stamped(name: str, count: int, go: Any, answer: Any) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(range(max(1, (os.cpu_count() or 2) - 1))))
    reader = Reader(name)
    found = np.zeros(count, np.int64)
    port = reader.native_port()
    port.deadline = time.monotonic_ns() + 60_000_000_000
    n = native()
    loops()
    go.set()
    args = (address_of(n.wait), address_of(n.read), ctypes.addressof(port), port.rows, found.ctypes.data, count)
    loops().delays(*args)
    answer.put(found)


def percentile(p: float) -> Callable[[Settings], Samples]:
    """A percentile of the delays."""
    return lambda settings: Samples((float(np.percentile(delays(settings), p)),))


# ---- torn records --------------------------------------------------------------------------------------------------

READERS = 3


@functools.cache
def torn(settings: Settings) -> tuple[int, int, int]:
    """Torn, read and lost records: three readers against a native writer at full speed, every word checked."""
    wanted = 1_000_000 if settings.quick else 100_000_000
    context = multiprocessing.get_context("spawn")
    stop, answers = context.Event(), context.Queue()
    counted = [context.Value("q", 0) for _ in range(READERS)]
    with ring("torn", capacity=1024) as writer:  # small: readers are lapped all the time
        name = writer.backend.path.name.removeprefix("motionbase-")
        readers = [context.Process(target=_check, args=(name, stop, answers, c), daemon=True) for c in counted]
        for process in readers:
            process.start()
        port, row = ctypes.addressof(writer.native_port()), writer.record.ctypes.data
        write, done = address_of(native().write), 0
        while sum(c.value for c in counted) < wanted:
            loops().hammer(write, port, row, CHANNELS, done, 200_000)
            done += 200_000
            if not all(p.is_alive() for p in readers):
                raise RuntimeError("a reader ended early")
        stop.set()
        found = np.sum([answers.get(timeout=30) for _ in readers], axis=0)
        for process in readers:
            process.join()
    return int(found[0]), int(found[1]), int(found[2])


def _check(name: str, stop: Any, answers: Any, counted: Any) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(range(os.cpu_count() or 1)))
    bad = good = 0
    with Reader(name, start="oldest", batch=256) as reader:
        while not stop.is_set():
            batch = reader.read()
            rows = batch.rows
            wanted = np.arange(batch.first, batch.first + len(rows), dtype=np.float64)
            wrong = int(np.count_nonzero((rows != wanted[:, None]).any(axis=1)))
            bad, good = bad + wrong, good + len(rows)
            counted.value = good
        answers.put((bad, good, reader.lost))


def torn_records(settings: Settings) -> Samples:
    """Number of torn records among all that were read."""
    bad, good, lost = torn(settings)
    return Samples((float(bad),), f"{good:.3g} records checked, {lost:.3g} lost to lapping")


BENCHMARKS = [
    Benchmark("ring.records_per_s", "1/s", ">= 5000000", "178 doubles each, one by one from a native loop",
              lambda s: native_writers(s).rate("ring")),
    Benchmark("ring.memcpy_ratio", "x", ">= 0.7", "write throughput over plain memcpy of the same bytes",
              lambda s: native_writers(s).ratio("memcpy", "ring")),
    Benchmark("ring.python_records_per_s", "1/s", ">= 1000000", "from Python: fill `record`, `publish()`",
              lambda s: python_writers(s).rate("publish")),
    Benchmark("ring.python_write_per_s", "1/s", None, "from Python: `write(row)`",
              lambda s: python_writers(s).rate("write")),
    Benchmark("ring.python_vs_assignment", "x", None, "a bare NumPy row assignment / ours",
              lambda s: python_writers(s).ratio("assignment", "publish")),
    Benchmark("ring.vs_iceoryx2", "x", ">= 2", "records per second from Python over iceoryx2's send_copy",
              against("iceoryx2")),
    Benchmark("ring.vs_zmq", "x", ">= 2", "records per second from Python over pyzmq PUB on ipc", against("zmq")),
    Benchmark("ring.latency_us_p50", "us", "<= 2", "native polling reader in another process", percentile(50)),
    Benchmark("ring.latency_us_p99", "us", None, "the same", percentile(99)),
    Benchmark("ring.torn", "-", "<= 0", "torn records, three readers against a writer at full speed", torn_records),
]  # fmt: skip
