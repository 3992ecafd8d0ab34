"""Writes MCAP, in chunks of about a megabyte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.sinks.sink import Heading

CHUNK_BYTES = 1_000_000


@final
class McapSink:
    """See `Sink`."""

    at_once = None

    def __init__(self, path: Path, heading: Heading) -> None:
        self._epoch, self._next = heading.epoch_utc_ns, heading.first
        about = {**heading.about, "epoch_utc_ns": str(heading.epoch_utc_ns)}
        self._writer = McapWriter(path, heading.schema, about)
        self._chunk = max(1, CHUNK_BYTES // self._writer.layout.dtype.itemsize)
        self._waiting: list[tuple[Array, Array]] = []

    def write(self, time: Array, rows: Array) -> None:
        """See `Sink`."""
        self._waiting.append((time, rows))
        if sum(len(t) for t, _ in self._waiting) >= self._chunk:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        time, rows = (np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        self._waiting.clear()
        for at in range(0, len(time), self._chunk):
            log_time = log_times(self._epoch, time[at : at + self._chunk])
            self._writer.write_rows(rows[at : at + self._chunk], self._next, log_time)
            self._next += len(log_time)

    def close(self, events: Sequence[Event]) -> None:
        """See `Sink`."""
        self._flush()
        when = log_times(self._epoch, np.array([e.t for e in events], dtype=np.float64))
        self._writer.write_events(events, [int(ns) for ns in when])
        self._writer.close()

    def abandon(self) -> None:
        """See `Sink`."""
        self._writer.abandon()
