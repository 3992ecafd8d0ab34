"""Recorders without a process: the tests turn them, so nothing depends on when a thread comes to run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from motionbase.record.schema import Channel, Schema
from motionbase.recording.open import open_recording
from motionbase.recording.recorder.items import Settings
from motionbase.recording.recorder.recorder import Recorder
from motionbase.ring.writer import Writer

PATIENCE_S = 90.0  # a busy machine starts processes slowly; nothing waits longer than it has to
DT = 0.001
SCHEMA = Schema(
    "small",
    (
        Channel("t", "s", "time", "time"),
        Channel("number", "-", "number of the record", "time"),
        Channel("x", "m", "a number", "numbers"),
        Channel("y", "m", "another", "numbers"),
    ),
)
OTHER = Schema("other", (Channel("t", "s", "time", "time"), Channel("z", "m", "a number", "numbers")))


def rows(first: int, count: int, channels: int = 4, dt: float = DT) -> np.ndarray:
    """Records first, first + 1, ...; the last columns are noise, so that chunks have a size."""
    out = np.random.default_rng(first).standard_normal((count, channels))
    out[:, 0] = np.arange(first, first + count) * dt
    out[:, 1] = np.arange(first, first + count)
    return out


def writer(name: str = "rig", capacity: int = 4096, schema: Schema = SCHEMA, **options: Any) -> Writer:
    return Writer(schema, name=name, dt=DT, capacity=capacity, **options)


@contextmanager
def recorder(out: Path, said: list[str] | None = None, **options: Any) -> Iterator[Recorder]:
    made = Recorder(Settings(ring="rig", out=out, **options), (said if said is not None else []).append)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def turning(made: Recorder) -> Iterator[None]:
    """Its loop in a thread, for tests of who talks to it; it ends with the block, and with it the recording."""
    stop = threading.Event()
    thread = threading.Thread(target=made.run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def until(done: Callable[[], object], turn: Callable[[], object] = lambda: None) -> None:
    end = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < end, "it did not come"
        turn()
        time.sleep(2e-3)


def records_in(path: Path) -> np.ndarray:
    """All records of a file, (n, channels)."""
    with open_recording(path) as found:
        columns = found.columns()
        return np.stack([columns[name] for name in found.schema.index], axis=1)


def times_in(path: Path) -> np.ndarray:
    with open_recording(path) as found:
        return found.columns("t")["time"]


def events_in(path: Path, *kinds: str) -> list[str]:
    with open_recording(path) as found:
        return [e.text for e in found.events if not kinds or e.kind in kinds]


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.mcap"))
