"""The newest record in a ring, read directly and not through a follower, which may be behind."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RingError
from motionbase.record.schema import Schema
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.mapping import absence, attached
from motionbase.ring.layout import CLAIM, Header
from motionbase.ring.segment import Segment

LOOKS = 5  # attempts to read a record that the writer overwrites meanwhile


@final
class RingHead:
    """The head of one attached ring; reading does not affect the writer."""

    def __init__(self, segment: Segment, header: Header) -> None:
        self._segment, self._header = segment, header

    @property
    def schema(self) -> Schema:
        """Schema of the ring."""
        return self._header.layout.schema

    @property
    def epoch(self) -> int:
        """Epoch of the ring, which identifies the run."""
        return self._header.epoch

    @property
    def count(self) -> int:
        """Number of records published."""
        return self._segment.head

    def newest(self) -> Array | None:
        """(channels,) a copy; None before the first record."""
        layout, size = self._header.layout, self._header.layout.schema.record_bytes
        for _ in range(LOOKS):
            if not (count := self._segment.head):
                return None
            at = layout.records_at + (count - 1) % layout.capacity * size
            row = np.frombuffer(bytes(self._segment.memory[at : at + size]), "<f8")
            if self._segment.counter(CLAIM) - (count - 1) <= layout.capacity:
                return row
        raise RingError("the ring is written faster than its newest record can be read; its capacity is too small")

    def value(self, name: str) -> float | None:
        """Value of a channel in the newest record; None if there is none."""
        row = self.newest()
        return None if row is None or name not in self.schema.index else float(row[self.schema.index[name]])

    @property
    def why_nobody_writes(self) -> str:
        """A sentence if the writer has ended; "" if it has not."""
        return absence(self._segment, self._header)


def ring_head(ring: str, backend: AbstractBackend) -> RingHead:
    """Attach to the ring that now has the name; `RingError` if there is none."""
    return RingHead(*attached(ring, backend))


def word(schema: Schema, row: Array, name: str) -> str:
    """The word of a coded channel in a record; "" if there is no such channel or the number is unknown."""
    value = float(row[schema.index[name]]) if name in schema.index else math.nan
    return (schema.channels[schema.index[name]].meaning(value) or "") if math.isfinite(value) else ""
