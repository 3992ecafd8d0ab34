"""What every file format gives a recording: blocks of records that can be read one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.record.schema import Schema
from motionbase.recording.mcap.messages import Event

Array: TypeAlias = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Damage:
    """Something that is wrong with a file.

    Attributes:
        text: a sentence for people
        first, last: records from `first` up to `last`, without it, hold NaN for what could not be read; the same
            number twice is a place where records are missing, the number of all records the end; None concerns none
    """

    text: str
    first: int | None = None
    last: int | None = None

    @property
    def place(self) -> int:
        """Number of its first record, or of the one after it; the beginning for the file as a whole."""
        return 0 if self.first is None else self.first

    def touches(self, first: int, last: int, count: int) -> bool:
        """Whether it belongs to records `first` up to `last` of `count`."""
        if self.first is None or self.last is None or self.first == self.last:
            return first <= self.place < last or self.place == last == count
        return self.first < last and first < self.last


class Source(Protocol):
    """An open file.

    Attributes:
        kind: the format, for people
        about: what its writer says of it, by name
        starts: (blocks + 1,) number of the first record of each block, and of all
        begins, ends: (blocks,) times of the first and last record of each block [s] since the epoch
        events: what happened, in order of time [s] since the epoch
        damage: what is wrong with the file, as far as it has been read
    """

    kind: str
    path: Path
    schema: Schema
    starts: NDArray[np.int64]
    begins: Array
    ends: Array
    events: Sequence[Event]

    @property
    def about(self) -> Mapping[str, str]: ...
    @property
    def damage(self) -> Sequence[Damage]: ...

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """(records,) times and (records, places) values of a block, each channel's side by side in memory.

        NaN where the file is damaged, which `damage` then says. Threads may call it at the same time.
        """
        ...

    def read_run(self, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
        """The same of blocks `first` up to `last`, as one piece; many small blocks are read faster so."""
        ...

    def times(self, block: int) -> Array:
        """(records,) [s] since the epoch, also where `t` began anew."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


def one_by_one(source: Source, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
    """`Source.read_run` for sources with large blocks."""
    if last - first == 1:
        return source.read(first, places)
    parts = [source.read(block, places) for block in range(first, last)]
    return np.concatenate([t for t, _ in parts]), np.concatenate([values.T for _, values in parts], axis=1).T
