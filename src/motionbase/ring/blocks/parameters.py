"""Current parameters of the control law: a block that the ring's writer updates; clients that read and tune them.

The block has a sequence lock like the others. It holds, for every number in the order of the table, the current value
and the goal that it moves to. Only the ring's writer writes it, so it needs no file lock; clients tune by commands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import CommandError, RingError
from motionbase.record.parameters import LARGEST, ParameterTable
from motionbase.record.requests import Command, Kind, Reason
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend
from motionbase.ring.blocks.commands import TIMEOUT_S, CommandSender
from motionbase.ring.blocks.mapping import attached
from motionbase.ring.blocks.seqlock import Outcome, SeqlockReader, SeqlockWriter
from motionbase.ring.layout import VALUE_BYTES, Layout
from motionbase.ring.segment import Segment

KIND, FORMAT = b"MBPV", 1
PATIENCE_S = 0.5  # [s] that a client waits for a write in progress
assert 16 * LARGEST <= VALUE_BYTES - 128  # value and goal of each parameter


@final
@dataclass(frozen=True, eq=False)
class Parameters:
    """The parameters of a ring at one instant.

    Attributes:
        values: (n,) current values, in the order of the table
        goals: (n,) values that they move to; equal to `values` where no tuning is in progress
        version: of the block, 0 before the writer's first write; both then have their design values
    """

    table: ParameterTable
    values: Array
    goals: Array
    version: int

    def of(self, name: str) -> Array:
        """The current numbers of one parameter."""
        start = self.table.starts[name]
        return self.values[start : start + self.table.parameter(name).size]

    @property
    def tuned(self) -> dict[str, tuple[float, ...]]:
        """Goals of the parameters that differ from their design values."""
        goals = {p.name: self.goals[self.table.starts[p.name] :][: p.size] for p in self.table.parameters}
        return {
            p.name: tuple(goals[p.name].tolist()) for p in self.table.parameters if tuple(goals[p.name]) != p.designed
        }


@final
class ParameterPublisher:
    """Publishes the parameters; used by the ring's writer.

    Args:
        segment: the ring, mapped for writing, whose layout holds the table's text
    """

    def __init__(self, segment: Segment, layout: Layout, size: int) -> None:
        self._rows = np.zeros((2, size), "<f8")
        self._block = SeqlockWriter(segment.address + layout.values_at, KIND, FORMAT, self._rows.nbytes, None)

    def publish(self, values: Array, goals: Array) -> None:
        """Publish values and goals; bounded work without a lock, so a job of the executive may call it."""
        self._rows[0], self._rows[1] = values, goals
        self._block.write(self._rows.tobytes())


def table_of(layout: Layout, where: str) -> ParameterTable:
    """The table of parameters of a ring; an error if it has none."""
    if not layout.parameters:
        raise RingError(f"{where} has no parameters to tune; motionbase run makes a ring that has")
    return ParameterTable.from_json(layout.parameters)


def current(segment: Segment, layout: Layout) -> Parameters:
    """The current parameters of a ring."""
    where = str(segment.backend)
    table = table_of(layout, where)
    block = SeqlockReader(segment.address + layout.values_at, KIND, FORMAT, 16 * table.size)
    outcome = block.wait(PATIENCE_S)
    if outcome is Outcome.UNFINISHED:
        raise RingError(f"{where}: the writer of the parameters died in the middle")
    if outcome is Outcome.REFUSED:
        raise RingError(f"{where}: the parameters are refused: {block.reason}")
    if block.version == 0:
        designed = np.array(table.designed)
        return Parameters(table, designed, designed.copy(), 0)
    rows = np.frombuffer(block.payload, "<f8").astype(np.float64).reshape(2, table.size)
    if not np.isfinite(rows).all():
        raise RingError(f"{where}: the parameters are refused: {table.places[_first_bad(rows)][0].name} is no number")
    return Parameters(table, rows[0], rows[1], block.version)


def _first_bad(rows: Array) -> int:
    return int(np.argmax(~np.isfinite(rows).all(axis=0)))


def shown(name: str = DEFAULT_NAME) -> tuple[Parameters, Segment]:
    """The parameters of a ring by name, mapped read only."""
    segment, header = attached(name)
    return current(segment, header.layout), segment


@final
class ParameterClient:
    """Reads and tunes the parameters of a ring, for consoles and commands."""

    def __init__(self, name: str = DEFAULT_NAME, *, sender: str, backend: AbstractBackend | None = None) -> None:
        self.sender = CommandSender(name, sender=sender, backend=backend)
        self.table = self.read().table

    def read(self) -> Parameters:
        """The current parameters."""
        return current(self.sender.map.segment, self.sender.map.header.layout)

    def tune(self, wanted: Mapping[int, float], timeout: float = TIMEOUT_S) -> None:
        """Tune parameters by place with one command each; stops with an error at the first that is refused.

        All values are checked before the first is sent.
        """
        for place, value in wanted.items():
            if not 0 <= place < self.table.size:
                raise CommandError(f"place {place} is not there; the parameters have places 0 to {self.table.size - 1}")
            parameter, k = self.table.places[place]
            if problem := parameter.problem(k, value):
                raise CommandError(problem)
        for done, (place, value) in enumerate(wanted.items()):
            ack = self.sender.request(Command(Kind.TUNE, (float(place), value)), timeout)
            if not ack.accepted:
                parameter, k = self.table.places[place]
                why = "it may be changed only while the base rests" if ack.reason is Reason.WRONG_STATE else str(ack)
                before = f"; {done} of {len(wanted)} numbers were changed before it" if done else ""
                raise CommandError(f"{parameter.label(k)} stays as it is: {why}{before}")
