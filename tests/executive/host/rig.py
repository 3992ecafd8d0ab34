"""A base with a host in simulated time: the test puts rows into the exchange, as the host's process does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.executive.exchange import Exchange
from motionbase.executive.executive import Executive, Mode
from motionbase.executive.hexapod import HexapodRun, LoopCode
from motionbase.executive.host.feed import LoopRow
from motionbase.executive.host.jobs import HostLink
from motionbase.executive.host.rows import blocks_of
from motionbase.executive.tuning import parameter_table
from motionbase.host.format import Frame, Kind
from motionbase.plant.fault_plan import FaultPlan
from motionbase.platform.load import load_platform
from motionbase.record.cueing import linked_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import Mode as Source
from motionbase.ring import names
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from motionbase.system.closed_loop import ClosedLoop

DT = 5e-4
EVERY = 20  # ticks between frames: 100 Hz
SCHEMA = linked_schema(hexapod_schema())
Motion = Callable[[float], Sequence[float]]


@cache
def code() -> LoopCode:
    return LoopCode.of(
        ClosedLoop.of(load_platform("simona"), tuple(c.name for c in hexapod_schema().channels)), Kind.POSE
    )


def swaying(t: float) -> list[float]:
    """Roll of 0.05 rad at 0.4 Hz, as a host that stands at t = 0."""
    w = 2 * math.pi * 0.4
    row = [0.0] * 18
    row[3::6] = [0.05 * math.sin(w * t), 0.05 * w * math.cos(w * t), -0.05 * w * w * math.sin(w * t)]
    return row


@dataclass
class Rig:
    run: HexapodRun
    executive: Executive
    reader: Reader
    told: LoopRow
    lost: int = 0
    sent: int = 0

    @property
    def t(self) -> float:
        return float(self.run.clock.t[0])

    def step(self, seconds: float, motion: Motion | None = swaying) -> Array:
        """Records of so long a time, with a host that sends all the while, or is silent."""
        for _ in range(round(seconds / DT / EVERY)):
            if motion is not None:
                self.sent += 1
                self.told.frame(Frame(tuple(motion(self.t))), (self.sent, self.lost, 0, 0, 0, 0))
            self.executive.step(EVERY)
        rows = []
        while len(found := self.reader.read().rows):
            rows.append(np.array(found))
        return np.concatenate(rows)


def of(rows: Array, name: str) -> Array:
    """A channel."""
    return rows[:, SCHEMA.place(name)]


@contextmanager
def hosted(faults: FaultPlan | None = None, schema: str = "rig") -> Iterator[Rig]:
    header: dict[str, Any] = {"dt": DT, "every": EVERY, "parameters": parameter_table(code().loop).json}
    with (
        Writer(SCHEMA, name=schema, capacity=10_000, **header) as writer,
        Exchange.made(writer.backend, blocks_of(Kind.POSE), names.HOST) as exchange,
    ):
        compiled = code().host
        assert compiled is not None
        run = HexapodRun(code(), writer, print, faults or FaultPlan(), host=(link := HostLink(compiled, exchange)))
        run.arrays["mode"][...], run.arrays["automatic"][...] = float(Source.HOST), 1.0
        settings: dict[str, Any] = {"channels": link.channels, "clock": run.clock}
        executive = Executive(run.schedule, writer, Mode.STEPPED, **settings)
        with Reader(schema, start="oldest", batch=10_000) as reader, executive:
            yield Rig(run, executive, reader, LoopRow(exchange))
