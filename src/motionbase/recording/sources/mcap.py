"""Reads our MCAP recordings; blocks are their chunks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array, Bytes, Unsigned
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.read import open_mcap
from motionbase.recording.mcap.records import Cut
from motionbase.recording.source import Damage

LARGEST_NS = 2**62  # UTC in the year 2116; later times are invalid
AT_ONCE_BYTES = 2_000_000  # of unpacked chunks, so that they stay in the processor's cache

_of_thread = threading.local()


def _room(size: int) -> Bytes:
    """Memory of this thread, valid until the next call; unusually large blocks are not kept."""
    if size > AT_ONCE_BYTES:
        return np.empty(size, np.uint8)
    if not hasattr(_of_thread, "room"):
        _of_thread.room = np.empty(AT_ONCE_BYTES, np.uint8)
    room: Bytes = _of_thread.room
    return room[:size]


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
        self.damage: list[Damage] = list(self._file.damage)
        self._spoilt: set[int] = set()
        self._at_once = AT_ONCE_BYTES // self._file.layout.dtype.itemsize

    def _epoch_ns(self, starts: Unsigned) -> int:
        try:
            if abs(given := int(self.about["epoch_utc_ns"])) < LARGEST_NS:
                return given
        except (KeyError, ValueError):
            pass
        return int(starts[0]) if len(starts) else 0

    def _seconds(self, utc_ns: Unsigned) -> Array:
        """Seconds by division, not multiplication, which gives the double nearest to the decimal."""
        return np.asarray((np.minimum(utc_ns, np.uint64(LARGEST_NS)).astype(np.int64) - self._epoch) / 1e9)

    def _events(self) -> list[Event]:
        utc = self._seconds(np.array([when for when, _ in self._file.events], dtype=np.uint64))
        found = [replace(event, t=float(t)) for t, (_, event) in zip(utc, self._file.events, strict=True)]
        return sorted(found, key=lambda event: event.t)

    def _damaged(self, block: int, why: Cut) -> None:
        if block not in self._spoilt:
            self._spoilt.add(block)
            first, last = int(self.starts[block]), int(self.starts[block + 1])
            self.damage.append(Damage(f"records {first} to {last - 1} could not be read: {why}", first, last))

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        return self.read_run(block, block + 1, places)

    def read_run(self, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        count = int(self.starts[last] - self.starts[first])
        time, values = np.empty(count), np.empty((len(places), count))
        self.read_into(first, last, places, time, values)
        return time, values.T

    def read_into(self, first: int, last: int, places: Sequence[int], time: Array, values: Array) -> None:
        """See `InPlace`."""
        self._file.expect(first, last)
        starts = self.starts[first : last + 1] - self.starts[first]
        begin = 0
        while begin < last - first:
            end = max(begin + 1, int(np.searchsorted(starts, starts[begin] + self._at_once, "right")) - 1)
            part = slice(starts[begin], starts[end])
            self._unpack(first + begin, first + end, places, time[part], values[:, part])
            begin = end

    def _unpack(self, first: int, last: int, places: Sequence[int], time: Array, values: Array) -> None:
        """Unpack chunks into reused memory one after the other, then copy all numbers at once."""
        size = self._file.layout.dtype.itemsize
        room, starts, lost = _room(size * len(time)), self.starts[first : last + 1] - self.starts[first], []
        for k in range(last - first):
            try:
                self._file.decode_into(room[size * starts[k] : size * starts[k + 1]], first + k)
            except Cut as e:
                self._damaged(first + k, e)
                lost.append(k)
        rows = room.view(self._file.layout.dtype)
        self._file.layout.columns(rows, places, values)
        time[:] = self._seconds(rows["group0"]["log_time"])
        for k in lost:
            part = slice(starts[k], starts[k + 1])
            time[part], values[:, part] = self._even(first + k), np.nan

    def times(self, block: int) -> Array:
        """See `Source`."""
        self._file.expect(block, block + 1)
        try:
            return self._seconds(self._file.decoded(block)["group0"]["log_time"])
        except Cut as e:
            self._damaged(block, e)
            return self._even(block)

    def _even(self, block: int) -> Array:
        return np.linspace(self.begins[block], self.ends[block], int(self.starts[block + 1] - self.starts[block]))

    def close(self) -> None:
        """See `Source`."""
        self._file.close()
