"""Recordings: cost and losses of the recorder, opening, drawing and reading an hour, export against pyarrow."""

import functools
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, Skip, interleaved
from benchmarks.peers.recorders import core_share, kill_losses, rung, unpinned
from benchmarks.peers.recording_files import recording_file
from motionbase.interpreter import python
from motionbase.recording.export import export
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.recording.sinks.parquet import OPTIONS, group_rows
from motionbase.ring.backend import shared_folder

HOUR_S, QUICK_S = 3600, 360  # length of the recording
LADDER = (40_000, 20_000, 10_000, 5_000)  # [Hz]
PIXELS = 2000
CHANNEL = "leg1_f_meas"
SEED = 3

DRAW = f"""
import sys, time
import numpy
from motionbase.recording.open import open_recording
begin = time.perf_counter()
with open_recording(sys.argv[1]) as recording:
    picture = recording.envelope({CHANNEL!r}, pixels={PIXELS})
    print(1e3 * (time.perf_counter() - begin), len(picture.t))
"""


def file(settings: Settings) -> Path:
    """A recording of an hour, six minutes in a quick run."""
    return recording_file(QUICK_S if settings.quick else HOUR_S)


# ---- the recorder ---------------------------------------------------------------------------------------------------


def recorder_core_share(settings: Settings) -> Samples:
    """Processor share of a recorder, three times."""
    with unpinned():
        return Samples(tuple(core_share(1.0 if settings.quick else 10.0) for _ in range(1 if settings.quick else 3)))


def max_rate(settings: Settings) -> Samples:
    """From the highest rate downwards, to the first at which everything is recorded."""
    seen: list[str] = []
    with unpinned():
        for rate in LADDER:
            found = rung(rate, 1.5 if settings.quick else 3.0)
            if found.is_lossless:
                return Samples((float(rate),), "; ".join(seen))
            missing = found.written - found.recorded
            seen.append(f"{rate} Hz: {missing} of {found.written} records lost, written at {found.reached:.0f} Hz")
    return Samples((0.0,), "; ".join(seen))


def kill_loss(settings: Settings) -> Samples:
    """The largest loss of all kills."""
    with unpinned():
        lost = kill_losses(10, 0.2) if settings.quick else kill_losses(100, 1.2)
    return Samples((max(lost),), f"{len(lost)} kills, median {statistics.median(lost):.3f} s; every file opened")


# ---- opening, drawing, reading --------------------------------------------------------------------------------------


def open_draw_cold(settings: Settings) -> Samples:
    """In a new process each time, with the files evicted from the page cache if the system permits it."""
    path = file(settings)
    found, note = [], ""
    for _ in range(3 if settings.quick else 9):
        note = _forget(path)
        command = python("-c", DRAW, str(path))
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        if int(out[1]) < PIXELS // 2:
            raise RuntimeError(f"the picture has {out[1]} of {PIXELS} pixels")
        found.append(float(out[0]))
    return Samples(tuple(found), note)


def _forget(path: Path) -> str:
    if not hasattr(os, "posix_fadvise"):
        return "the system may have had the files in its memory"
    for one in (path, path.with_name(f"{path.name}.pyramid")):
        number = os.open(one, os.O_RDONLY)
        try:
            os.fsync(number)
            os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(number)
    return "read from the disk"


def _repeated(what: Callable[[Recording, random.Random], object], settings: Settings) -> Samples:
    """Time of each of many calls [ms]."""
    at, found = random.Random(SEED), []
    with unpinned(), open_recording(file(settings)) as recording:
        what(recording, at)
        for _ in range(20 if settings.quick else 100):
            begin = time.perf_counter()
            what(recording, at)
            found.append(1e3 * (time.perf_counter() - begin))
    return Samples(tuple(found))


def draw_warm(settings: Settings) -> Samples:
    """Draw one channel after the other, the whole length."""
    return _repeated(lambda r, at: r.envelope(at.choice(tuple(r.schema.index)), pixels=PIXELS), settings)


def read_second(settings: Settings) -> Samples:
    """Read one second of all channels."""

    def read(recording: Recording, at: random.Random) -> None:
        start = at.uniform(recording.start, recording.end - 1.0)
        found = recording.columns(None, start, start + 1.0)
        assert len(found["t"]) >= 1000 and len(found) == len(recording.schema.channels) + 1

    return _repeated(read, settings)


# ---- export ---------------------------------------------------------------------------------------------------------


@contextmanager
def _memory() -> Iterator[Path]:
    """A folder in memory, so that no disk is involved."""
    with tempfile.TemporaryDirectory(dir=shared_folder()) as folder:
        yield Path(folder)


def _exporting(recording: Recording, path: Path, seconds: float) -> Callable[[], float]:
    def side() -> float:
        begin = time.perf_counter()
        export(recording, path, start=0.0, stop=seconds, force=True)
        return time.perf_counter() - begin

    return side


@functools.cache
def parquet(settings: Settings) -> Rounds:
    """Our export, and pyarrow with the same numbers from memory, in row groups of the same size."""
    seconds = 120.0  # eleven row groups: reading and compressing overlap except for the last
    with unpinned(), _memory() as folder, open_recording(file(settings)) as recording:
        columns = recording.columns(None, 0.0, seconds)
        fields = [pa.field(name, pa.float64(), nullable=False) for name in columns]
        table = pa.Table.from_arrays([pa.array(column) for column in columns.values()], schema=pa.schema(fields))

        def pyarrow() -> float:
            begin = time.perf_counter()
            with pq.ParquetWriter(folder / "theirs.parquet", table.schema, **OPTIONS) as writer:
                writer.write_table(table, row_group_size=group_rows(len(columns)))
            return time.perf_counter() - begin

        found = interleaved(
            {"ours": _exporting(recording, folder / "ours.parquet", seconds), "pyarrow": pyarrow}, settings
        )
        _check_same(folder / "ours.parquet", columns)
        return found


def _check_same(path: Path, columns: dict[str, np.ndarray]) -> None:
    with open_recording(path) as found:
        for name, values in found.columns().items():
            np.testing.assert_array_equal(values, columns[name])


@functools.cache
def csv(settings: Settings) -> Samples:
    """[MB/s] of text."""
    with unpinned(), _memory() as folder, open_recording(file(settings)) as recording:
        rounds = interleaved(
            {"csv": _exporting(recording, folder / "a.csv", 10.0 if settings.quick else 30.0)}, settings
        )
        return rounds.rate("csv", (folder / "a.csv").stat().st_size / 1e6)


def _two_cores(measure: Callable[[Settings], Samples]) -> Callable[[Settings], Samples]:
    def checked(settings: Settings) -> Samples:
        if (os.cpu_count() or 1) < 2:
            raise Skip("needs two processors")
        return measure(settings)

    return checked


BENCHMARKS = [
    Benchmark("recording.recorder_core_share", "-", "<= 0.10", "processor time / time that passes, 1 kHz, 178 channels",
              _two_cores(recorder_core_share)),
    Benchmark("recording.max_rate_hz", "1/s", ">= 20000", "of 40, 20, 10 and 5 kHz, the highest that is recorded whole",
              _two_cores(max_rate)),
    Benchmark("recording.open_draw_cold_ms", "ms", "<= 300", "fresh process: open, one channel on 2000 pixels",
              open_draw_cold),
    Benchmark("recording.draw_warm_ms", "ms", "<= 20", "another channel of the open recording, 2000 pixels", draw_warm),
    Benchmark("recording.read_1s_all_ms", "ms", "<= 20", "all channels of a second somewhere", read_second),
    Benchmark("recording.parquet_vs_pyarrow", "x", ">= 0.8", "pyarrow from memory, same options / our export from MCAP",
              _two_cores(lambda s: parquet(s).ratio("pyarrow", "ours"))),
    Benchmark("recording.csv_mb_per_s", "MB/s", ">= 100", "export from MCAP, megabytes of text", _two_cores(csv)),
    Benchmark("recording.kill_loss_s_max", "s", "<= 0.2", "the most that a killed recorder lost, 1 kHz",
              _two_cores(kill_loss)),
]  # fmt: skip
