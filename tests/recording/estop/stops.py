"""A ring with an emergency stop, for tests."""

import time
from collections.abc import Callable

import numpy as np

from motionbase.record.schema import Channel, Schema
from motionbase.ring.writer import Writer

SCHEMA = Schema(
    "stops",
    (
        Channel("t", "s", "time", "time"),
        Channel("number", "-", "of the record", "time"),
        Channel("estop", "-", "1 while the emergency stop acts", "status"),
    ),
)
PATIENCE_S = 20.0  # for other processes to start or end


def writer_of(capacity: int = 1000, name: str = "rig", rate: float = 100.0) -> Writer:
    return Writer(SCHEMA, name=name, dt=1 / rate, capacity=capacity, program="test")


def rows(first: int, count: int, estop: float = 0.0) -> np.ndarray:
    numbers = np.arange(first, first + count, dtype=np.float64)
    return np.stack([numbers / 100, numbers, np.full(count, estop)], axis=1)


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S:g} s: {what}"
        time.sleep(0.01)
