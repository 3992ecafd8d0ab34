"""A base at 2 kHz with a console: late ticks with and without many viewers, and a viewer that stops reading."""

import functools
import json
import statistics
import time
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import Settings, Skip
from benchmarks.peers.console_ring import SHOWN
from benchmarks.peers.console_server import Console, load, program, served
from benchmarks.peers.console_viewers import dropped_after
from benchmarks.peers.recorders import PATIENCE_S, folders, process, unpinned, until
from motionbase.interpreter import motionbase_command
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.reader import Reader

RING = "bench-crowd"
RATE = 2000  # ticks and records per second
VIEWERS = 50
LATE_S = 0.5 / RATE
LOOK_S = 0.02  # between two polls of the ring, which holds far more
SETTLE_S = 0.5


@dataclass(frozen=True)
class Ticks:
    """Ticks of a base over a time span."""

    late: int
    all: int


@dataclass(frozen=True)
class Crowd:
    """Entry i of both sides comes from the same round; and the time until a silent viewer was dropped [s]."""

    alone: tuple[Ticks, ...]
    beside: tuple[Ticks, ...]
    dropped_s: float
    note: str

    @staticmethod
    def shares(side: tuple[Ticks, ...]) -> tuple[float, ...]:
        """Late ticks over ticks, by round."""
        return tuple(ticks.late / ticks.all for ticks in side)

    @property
    def ratio(self) -> float:
        """Median share with viewers over that without; one late tick is added on both sides, as there may be none."""
        with_viewers, without = (
            statistics.median((ticks.late + 1) / ticks.all for ticks in side) for side in (self.beside, self.alone)
        )
        return with_viewers / without


@functools.cache
def crowd(settings: Settings) -> Crowd:
    """Rounds with and without viewers alternate, and so does their order."""
    rounds, seconds = (2, 1.5) if settings.quick else (7, 8.0)
    alone, beside, rates = [], [], []
    base = motionbase_command("run", "--alone", "--ring", RING, "--rate", str(RATE))
    with unpinned(), folders() as disk, process(*base), Reader(RING) as reader:
        until(lambda: len(reader.read().rows) > 0, "the base wrote nothing")
        with served(RING, disk) as console:
            dropped = dropped_after(console, _places())
            for turn in range(rounds):
                for has_viewers in (turn % 2 == 1, turn % 2 == 0):
                    if has_viewers:
                        ticks, rate = _beside_viewers(reader, console, seconds)
                        beside.append(ticks)
                        rates.append(rate)
                    else:
                        alone.append(_ticks(reader, seconds))
    note = f"{statistics.median(rates):.0f} frames/s to each viewer; {load()}"
    return Crowd(tuple(alone), tuple(beside), dropped, note)


def _places() -> list[int]:
    index = hexapod_schema().index
    return [index[name] for name in SHOWN]


def _ticks(reader: Reader, seconds: float) -> Ticks:
    """Every tick is a record with its lateness."""
    time.sleep(SETTLE_S)
    lateness = reader.schema.index["lateness"]
    while len(reader.read().rows):
        pass
    late = count = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(LOOK_S)
        while len(rows := reader.read().rows):
            late += int(np.count_nonzero(rows[:, lateness] > LATE_S))
            count += len(rows)
    if count == 0:
        raise Skip("the base stopped")
    return Ticks(late, count)


def _beside_viewers(reader: Reader, console: Console, seconds: float) -> tuple[Ticks, float]:
    """Ticks, and the frames per second of each viewer."""
    places = ",".join(map(str, _places()))
    command = program("benchmarks.peers.console_viewers", console.socket, str(VIEWERS), places)
    with process(*command) as viewers:
        assert viewers.stdout is not None
        if viewers.stdout.readline().strip() != "ready":
            raise Skip("the viewers did not start")
        ticks = _ticks(reader, seconds)
        viewers.terminate()
        said = json.loads(viewers.communicate(timeout=PATIENCE_S)[0])
    if said["gone"]:
        raise RuntimeError(f"{said['gone']} of {VIEWERS} viewers were let go although they took everything")
    return ticks, float(said["frames_per_s"])
