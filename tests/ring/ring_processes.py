"""Writers and other commands as real processes, in a ring folder of the test's own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 90.0  # a busy machine compiles slowly; nothing waits longer than it has to

WRITER = """
import sys, time
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.writer import Writer
from motionbase.ring.waveforms import records
name, count, capacity = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
writer = Writer(hexapod_schema(), name=name, dt=0.001, capacity=capacity, program="test writer")
writer.write(records(writer.schema, 0, count, 0.001))
print("ready", flush=True)
while True:
    time.sleep(0.02)
    writer.beat()
"""


def environment(folder: Path) -> dict[str, str]:
    """Of a child that uses the rings of a folder, whatever devices there are."""
    env = {**os.environ, "MOTIONBASE_RING_FOLDER": str(folder)}
    env.pop("MOTIONBASE_RING_DEVICE", None)
    return env


@contextmanager
def command(folder: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    """`motionbase ARGS`, killed at the end if it still runs."""
    with _running([sys.executable, "-m", "motionbase", *args], folder) as process:
        yield process


@contextmanager
def writer(folder: Path, name: str, count: int, capacity: int = 1000) -> Iterator[subprocess.Popen[str]]:
    """A writer that has published so many records of waveforms and then lives on."""
    with _running([sys.executable, "-c", WRITER, name, str(count), str(capacity)], folder) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield process


@contextmanager
def _running(args: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(args, env=environment(folder), text=True, stdout=pipe, stderr=pipe) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C; what it printed."""
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=PATIENCE_S)


def until(condition: Callable[[], bool], what: str, patience: float = PATIENCE_S) -> None:
    """Wait for it, with patience."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, f"not within {patience:g} s: {what}"
        time.sleep(0.01)
