"""Parameters as they are now: a block that the ring's writer keeps up to date, and clients that read and tune.

The block has the sequence lock of the others and, for every number in the order of the table, its value and the goal it
is on the way to. Only the ring's writer writes it, so it needs no file lock; tuning is a command.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import CommandError, RingError
from motionbase.record.parameters import LARGEST, ParameterTable
from motionbase.record.requests import Command, Kind, Reason
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend
from motionbase.ring.blocks.commands import TIMEOUT_S, CommandSender
from motionbase.ring.blocks.mapping import attached
from motionbase.ring.blocks.seqlock import Outcome, SeqlockReader, SeqlockWriter
from motionbase.ring.layout import VALUE_BYTES, Layout
from motionbase.ring.segment import Segment

Values: TypeAlias = NDArray[np.float64]
KIND, FORMAT = b"MBPV", 1
PATIENCE_S = 0.5  # [s] that a client gives the writer at work
assert 16 * LARGEST <= VALUE_BYTES - 128  # value and goal of each


@final
@dataclass(frozen=True, eq=False)
class Parameters:
    """What a ring says of its parameters.

    Attributes:
        values: (n,) as they are now, in the order of the table
        goals: (n,) where those that were tuned just now are going
        version: of the block, 0 where the writer has not said anything yet; then both are as designed
    """

    table: ParameterTable
    values: Values
    goals: Values
    version: int

    def of(self, name: str) -> Values:
        """The numbers of one parameter now."""
        start = self.table.starts[name]
        return self.values[start : start + self.table.parameter(name).size]

    @property
    def tuned(self) -> dict[str, tuple[float, ...]]:
        """Goals of the parameters that are not as designed."""
        goals = {p.name: self.goals[self.table.starts[p.name] :][: p.size] for p in self.table.parameters}
        return {
            p.name: tuple(goals[p.name].tolist()) for p in self.table.parameters if tuple(goals[p.name]) != p.designed
        }


@final
class ParameterPublisher:
    """The side of the ring's writer.

    Args:
        segment: the ring, mapped for writing, made with the table's text
    """

    def __init__(self, segment: Segment, layout: Layout, size: int) -> None:
        self._rows = np.zeros((2, size), "<f8")
        self._block = SeqlockWriter(segment.address + layout.values_at, KIND, FORMAT, self._rows.nbytes, None)

    def publish(self, values: Values, goals: Values) -> None:
        """Show them to everybody; bounded work without a lock, so that a slow job may call it."""
        self._rows[0], self._rows[1] = values, goals
        self._block.write(self._rows.tobytes())


def table_of(layout: Layout, where: str) -> ParameterTable:
    """The parameters that a ring has."""
    if not layout.parameters:
        raise RingError(f"{where} has no parameters to tune; motionbase run makes a ring that has")
    return ParameterTable.from_json(layout.parameters)


def current(segment: Segment, layout: Layout) -> Parameters:
    """What a ring says now."""
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


def _first_bad(rows: Values) -> int:
    return int(np.argmax(~np.isfinite(rows).all(axis=0)))


def shown(name: str = DEFAULT_NAME) -> tuple[Parameters, Segment]:
    """The parameters of a ring by name, without the right to write."""
    segment, header = attached(name)
    return current(segment, header.layout), segment


@final
class ParameterClient:
    """A console or command that reads and tunes the parameters of a ring."""

    def __init__(self, name: str = DEFAULT_NAME, *, sender: str, backend: AbstractBackend | None = None) -> None:
        self.sender = CommandSender(name, sender=sender, backend=backend)
        self.table = self.read().table

    def read(self) -> Parameters:
        """As they are now."""
        return current(self.sender.map.segment, self.sender.map.header.layout)

    def tune(self, wanted: Mapping[int, float], timeout: float = TIMEOUT_S) -> None:
        """Ask for values by place, one command each; the first that is refused is an error and ends it.

        What is asked for is checked before anything is sent.
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
