"""A recording of ours, as a source: its blocks are its chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.read import open_mcap
from motionbase.recording.mcap.records import Cut
from motionbase.recording.source import Array

LARGEST_NS = 2**62  # UTC in the year 2116: what is beyond is no time


@final
class McapSource:
    """See `Source`."""

    kind = "MCAP"

    def __init__(self, path: Path) -> None:
        self._file = open_mcap(path)
        chunks, self.path, self.about = self._file.chunks, path, self._file.about
        self.schema = self._file.layout.schema
        self.starts = np.concatenate([[0], np.cumsum(self._file.rows_in)]).astype(np.int64)
        self._epoch = self._epoch_ns(chunks["start_time"])
        self.begins, self.ends = self._seconds(chunks["start_time"]), self._seconds(chunks["end_time"])
        self.events: Sequence[Event] = self._events()
        self.damage: list[str] = list(self._file.damage)
        self._spoilt: set[int] = set()

    def _epoch_ns(self, starts: NDArray[np.uint64]) -> int:
        try:
            if abs(given := int(self.about["epoch_utc_ns"])) < LARGEST_NS:
                return given
        except (KeyError, ValueError):
            pass
        return int(starts[0]) if len(starts) else 0

    def _seconds(self, utc_ns: NDArray[np.uint64]) -> Array:
        """Divided, not multiplied: the double nearest to the decimal."""
        return np.asarray((np.minimum(utc_ns, np.uint64(LARGEST_NS)).astype(np.int64) - self._epoch) / 1e9)

    def _events(self) -> list[Event]:
        utc = self._seconds(np.array([when for when, _ in self._file.events], dtype=np.uint64))
        found = [replace(event, t=float(t)) for t, (_, event) in zip(utc, self._file.events, strict=True)]
        return sorted(found, key=lambda event: event.t)

    def _decoded(self, block: int) -> NDArray[np.void] | None:
        try:
            return self._file.decoded(block)
        except Cut as e:
            if block not in self._spoilt:
                self._spoilt.add(block)
                first, last = self.starts[block], self.starts[block + 1]
                self.damage.append(f"records {first} to {last - 1} could not be read: {e}")
            return None

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        decoded = self._decoded(block)
        if decoded is None:
            return self._even(block), np.full((int(np.diff(self.starts)[block]), len(places)), np.nan)
        return self._seconds(decoded["group0"]["log_time"]), self._file.layout.columns(decoded, places).T

    def times(self, block: int) -> Array:
        """See `Source`."""
        decoded = self._decoded(block)
        return self._even(block) if decoded is None else self._seconds(decoded["group0"]["log_time"])

    def _even(self, block: int) -> Array:
        return np.linspace(self.begins[block], self.ends[block], int(self.starts[block + 1] - self.starts[block]))

    def close(self) -> None:
        """See `Source`."""
        self._file.close()
