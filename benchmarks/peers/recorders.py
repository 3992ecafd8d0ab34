"""Recorders as real processes with a writer, in a separate ring folder; their files are on a real disk."""

import json
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.harness import Skip
from benchmarks.peers.recording_files import cache_folder
from motionbase.interpreter import motionbase_command
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.open import open_recording
from motionbase.recording.recorder.process import command as recorder_command
from motionbase.ring.backend import DEVICE_VARIABLE, FOLDER_VARIABLE, shared_folder
from motionbase.ring.pace import Pace
from motionbase.ring.waveforms import REPEAT_S, records
from motionbase.ring.writer import Writer

NAME = "bench-recorder"
PATIENCE_S = 30.0
STARTED_BYTES = 200_000  # size of a file past its header, with some chunks
KEPT_UP = 0.98  # fraction of the nominal rate that a writer must have reached to count


@contextmanager
def unpinned() -> Iterator[None]:
    """Use all processors, for work that needs several; the runner pins this thread to one."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def folders() -> Iterator[Path]:
    """A folder on the disk, and one in memory for rings, which this process and its children use until the end."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    before = {name: os.environ.pop(name, None) for name in (FOLDER_VARIABLE, DEVICE_VARIABLE)}
    with (
        tempfile.TemporaryDirectory(dir=shared_folder()) as rings,
        tempfile.TemporaryDirectory(dir=cache_folder()) as disk,
    ):
        os.environ[FOLDER_VARIABLE] = rings
        try:
            yield Path(disk)
        finally:
            del os.environ[FOLDER_VARIABLE]
            os.environ.update({name: value for name, value in before.items() if value is not None})


@contextmanager
def process(*command: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed at the end if it still runs."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as started:
        try:
            yield started
        finally:
            if started.poll() is None:
                started.kill()


def dcu(rate: float, seconds: float) -> tuple[str, ...]:
    """The command of a writer of 178 channels."""
    options = ("--ring", NAME, "--rate", str(rate), "--duration", str(seconds), "--json")
    return motionbase_command("dcu", *options)


def until(done: Callable[[], bool], what: str) -> None:
    """Wait until `done()`; raises `Skip` after a time limit."""
    end = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > end:
            raise Skip(f"{what} within {PATIENCE_S:g} s")
        time.sleep(0.002)


def _has_grown(path: Path) -> bool:
    return path.exists() and path.stat().st_size > STARTED_BYTES


# ---- processor time and losses --------------------------------------------------------------------------------------


def core_share(seconds: float) -> float:
    """Processor time of a recorder over elapsed time, 1 kHz, from when its file grows."""
    if not Path("/proc/self/stat").exists():
        raise Skip("processor time of another process is read from /proc, which this system does not have")
    with (
        folders() as disk,
        process(*recorder_command(NAME, out=disk / "a.mcap")) as ours,
        process(*dcu(1000, seconds + PATIENCE_S)),
    ):
        until(lambda: _has_grown(disk / "a.mcap"), "the recorder wrote nothing")
        cpu, wall = _cpu_s(ours.pid), time.monotonic()
        time.sleep(seconds)
        return (_cpu_s(ours.pid) - cpu) / (time.monotonic() - wall)


def _cpu_s(pid: int) -> float:
    """Processor time of all threads, user and system [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Rung:
    """A recorder and a writer at a rate [Hz] for a time span."""

    rate: float
    reached: float
    written: int
    recorded: int

    @property
    def is_lossless(self) -> bool:
        """Whether every record is in the file, and they were written at the nominal rate."""
        return self.recorded == self.written and self.reached >= KEPT_UP * self.rate


def rung(rate: float, seconds: float) -> Rung:
    """All records of a run, counted at both ends."""
    with folders() as disk, process(*recorder_command(NAME, out=disk / "a.mcap")) as ours:
        until(lambda: any(Path(os.environ[FOLDER_VARIABLE]).glob("*.recorder.json")), "the recorder did not start")
        with process(*dcu(rate, seconds)) as writer:
            said = json.loads(writer.communicate(timeout=seconds + PATIENCE_S)[0])
        ours.send_signal(signal.SIGTERM)
        ours.communicate(timeout=PATIENCE_S)
        with open_recording(disk / "a.mcap") as found:
            return Rung(rate, said["records"] / said["wall_s"], said["records"], found.count)


# ---- kills ----------------------------------------------------------------------------------------------------------


def kill_losses(count: int, within_s: float) -> list[float]:
    """Time that recorders at 1 kHz had lost when killed at random instants [s]; every file must open.

    Args:
        within_s: after the first records; a chunk takes 0.1 s, a sync comes every second
    """
    moments, lost = random.Random(5), []
    with folders() as disk, Writer(hexapod_schema(), name=NAME, dt=1e-3) as ring, _writing(ring):
        for turn in range(count):
            path = disk / f"{turn}.mcap"
            with process(*motionbase_command("record", "--ring", NAME, "--out", str(path))) as ours:
                until(partial(_has_grown, path), "the recorder wrote nothing")
                time.sleep(moments.uniform(0.0, within_s))
                ours.kill()
                head = ring.head
            with open_recording(path) as found:
                ticks = found.columns("tick")["tick"]
            if list(ticks) != list(range(int(ticks[0]), int(ticks[0]) + len(ticks))):
                raise RuntimeError(f"{path.name}: records are missing in the middle")
            lost.append(max(0.0, float(head - 1 - ticks[-1]) * 1e-3))
            path.unlink()
    return lost


@contextmanager
def _writing(ring: Writer) -> Iterator[None]:
    """Write records in real time from a thread; prepared beforehand, so that it needs little of this process's time."""
    rows = records(ring.schema, 0, round(REPEAT_S * 1000), 1e-3)
    tick, stop = ring.schema.index["tick"], threading.Event()

    def run() -> None:
        pace = Pace(1000)
        while not stop.is_set():
            done = pace.done
            for k in range(done, done + pace.due()):
                row = rows[k % len(rows)]
                row[0], row[tick] = k * 1e-3, k
                ring.write(row)
            pace.rest(stop)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
