"""Real processes: a writer at full speed with readers, killed a hundred times."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import RingError
from motionbase.ring.backend import DEVICE_VARIABLE
from motionbase.ring.reader import LOOK_AGAIN_S, Reader, ReaderState
from motionbase.ring.writer import Writer
from tests.ring.children import CAPACITY, CHANNELS
from tests.ring.rings import small_schema
from tests.tier import often

ROOT = Path(__file__).parents[2]


@contextmanager
def child(*args: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.ring.children", *args]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


class Nursery:
    """Orders to the process that forks writers."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def __call__(self, order: str) -> None:
        assert self.process.stdin and self.process.stdout
        print(order, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "done\n"


def checked(reader: Reader, seconds: float) -> tuple[int, bool]:
    """Records read, all of them whole, and whether a restart was reported."""
    count, restarted, end = 0, False, time.monotonic() + seconds
    while time.monotonic() < end:
        batch = reader.read()
        restarted |= batch.state is ReaderState.RESTARTED
        numbers = np.arange(batch.first, batch.first + len(batch.rows), dtype=np.float64)
        assert (batch.rows == numbers[:, None]).all()
        count += len(batch.rows)
    return count, restarted


@pytest.mark.parametrize(("place", "deaths"), [("memory", often(100)), ("device", often(30))])
def test_killed_while_writing(place: str, deaths: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No record is torn, and the reader says after every death that there is a new writer."""
    if place == "device":
        (tmp_path / "card").write_bytes(bytes(4_000_000))
        monkeypatch.setenv(DEVICE_VARIABLE, str(tmp_path / "card"))
    rng = random.Random(1)
    with child("nursery") as process:
        order = Nursery(process)
        reader, read = Reader(start="oldest", batch=64, timeout=0.2), 0
        for death in range(deaths):
            order("start")
            end, told, before = time.monotonic() + 20, death == 0, read  # the first start is no restart
            while not (told and read > before + 10 and (death or reader.lost)):  # the first writer laps the reader
                count, restarted = checked(reader, 0.002)
                read += count
                told |= restarted
                time.sleep(0.0 if death else 0.01)
                assert time.monotonic() < end, f"death {death}: {reader.state}"
            read += checked(reader, rng.uniform(0, 0.002))[0]
            order("kill")
        while len(reader.read().rows):
            pass
        time.sleep(0.3)
        assert reader.read().state is ReaderState.STOPPED
    assert reader.restarts == deaths - 1
    assert read > 10 * deaths


def test_three_readers_of_a_writer_at_full_speed() -> None:
    with child("write"), child("check", "60000") as a, child("check", "60000") as b, child("check", "60000") as c:
        for process in (a, b, c):
            assert process.stdout
            bad, good, lost, tail = map(int, process.stdout.readline().split())
            assert bad == 0 and good >= 60_000
            assert good + lost <= tail


def test_two_writers_in_two_processes() -> None:
    with child("nursery") as process:
        order = Nursery(process)
        order("start")
        reader = Reader(timeout=20.0)
        while reader.wait(1.0).state is not ReaderState.LIVE:
            assert reader.state in (ReaderState.NO_SEGMENT, ReaderState.NOT_INITIALISED, ReaderState.WAITING)
        with pytest.raises(RingError, match="has a writer already, process"):
            Writer(small_schema())
        order("kill")
        with Writer(small_schema(CHANNELS), capacity=CAPACITY) as writer:  # the lock died with its holder
            writer.record[:] = 0.0
            writer.publish()
            time.sleep(2 * LOOK_AGAIN_S)
            states = [reader.read().state for _ in range(20)]
            assert ReaderState.RESTARTED in states
