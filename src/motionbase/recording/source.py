"""The interface of all input formats: blocks of records that can be read one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, final

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.record.schema import Schema
from motionbase.recording.mcap.messages import Event


@final
@dataclass(frozen=True)
class Damage:
    """A defect of a file.

    Attributes:
        text: a sentence for the user
        first, last: records `first` up to, but not including, `last` hold NaN where they could not be read. Equal
            numbers mark a place where records are missing, the record count the end; None concerns no records
    """

    text: str
    first: int | None = None
    last: int | None = None

    @property
    def place(self) -> int:
        """Number of its first record, or of the one after the defect; 0 if it concerns the whole file."""
        return 0 if self.first is None else self.first

    def touches(self, first: int, last: int, count: int) -> bool:
        """Whether it belongs to records `first` up to `last` of `count`."""
        if self.first is None or self.last is None or self.first == self.last:
            return first <= self.place < last or self.place == last == count
        return self.first < last and first < self.last


class Source(Protocol):
    """An open file.

    Attributes:
        kind: name of the format, for display
        about: metadata by name
        starts: (blocks + 1,) number of the first record of each block, then the record count
        begins, ends: (blocks,) times of the first and last record of each block [s] since the epoch
        events: in order of time [s] since the epoch
        damage: defects found so far
    """

    kind: str
    path: Path
    schema: Schema
    starts: Ints
    begins: Array
    ends: Array
    events: Sequence[Event]

    @property
    def about(self) -> Mapping[str, str]: ...
    @property
    def damage(self) -> Sequence[Damage]: ...

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """(records,) times and (records, places) values of a block, each channel contiguous.

        NaN where the file is damaged, which is then added to `damage`. Thread-safe.
        """
        ...

    def read_run(self, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
        """As `read`, for blocks `first` up to `last` in one piece, which is faster for many small blocks."""
        ...

    def times(self, block: int) -> Array:
        """(records,) times since the epoch [s], continuous even if `t` restarted."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


def one_by_one(source: Source, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
    """`Source.read_run` for sources with large blocks."""
    if last - first == 1:
        return source.read(first, places)
    parts = [source.read(block, places) for block in range(first, last)]
    return np.concatenate([t for t, _ in parts]), np.concatenate([values.T for _, values in parts], axis=1).T
