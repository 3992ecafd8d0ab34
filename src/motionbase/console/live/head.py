"""The newest record of a ring as it stands in the ring at this moment, past whatever a follower has read so far."""

from __future__ import annotations

import math
from typing import final

import numpy as np

from motionbase.console.live.levels import Array
from motionbase.errors import RingError
from motionbase.record.schema import Schema
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks.mapping import absence, attached
from motionbase.ring.layout import CLAIM, Header
from motionbase.ring.segment import Segment

LOOKS = 5  # at a record that its writer laps meanwhile


@final
class RingHead:
    """Of one ring that is attached; reading costs its writer nothing."""

    def __init__(self, segment: Segment, header: Header) -> None:
        self._segment, self._header = segment, header

    @property
    def schema(self) -> Schema:
        """Of the ring."""
        return self._header.layout.schema

    @property
    def epoch(self) -> int:
        """Of the ring: another one is another run."""
        return self._header.epoch

    @property
    def count(self) -> int:
        """Records published so far."""
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
        """Of a channel in the newest record; None where there is none."""
        row = self.newest()
        return None if row is None or name not in self.schema.index else float(row[self.schema.index[name]])

    @property
    def why_nobody_writes(self) -> str:
        """A sentence where the writer has ended; "" where it has not."""
        return absence(self._segment, self._header)


def ring_head(ring: str, backend: AbstractBackend) -> RingHead:
    """Attached anew, so that it is the ring which has the name now; `RingError` where there is none."""
    return RingHead(*attached(ring, backend))


def word(schema: Schema, row: Array, name: str) -> str:
    """What a channel of codes says in a record; "" where there is none, or its number says nothing."""
    value = float(row[schema.index[name]]) if name in schema.index else math.nan
    return (schema.channels[schema.index[name]].meaning(value) or "") if math.isfinite(value) else ""
