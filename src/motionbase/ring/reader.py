"""Reader of a ring: it keeps its own tail and reports stops and restarts of the writer."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from enum import Enum
from typing import Literal, NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RingError
from motionbase.record.schema import Schema
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend, Device, find
from motionbase.ring.layout import BEAT, CLAIM, HEAD, PAGE, Header, Status
from motionbase.ring.native_records import RESTARTED, Port, native
from motionbase.ring.segment import Segment, attach

BATCH = 4096  # largest number of records in one read, by default
LOOK_AGAIN_S = 0.05  # between checks of the file system while no record comes


class ReaderState(Enum):
    """State of the writer, as seen by a reader."""

    NO_SEGMENT = "no segment"
    NOT_INITIALISED = "not initialised"
    WAITING = "waiting for the first record"
    LIVE = "live"
    STOPPED = "writer stopped"
    RESTARTED = "writer restarted"


class Batch(NamedTuple):
    """Result of one read.

    Attributes:
        rows: (n, channels), a view that the next read overwrites
        first: number of the first row since the writer's epoch
        lost: records overwritten before they could be read
        state: RESTARTED in the one batch that is the first of a new writer
    """

    rows: Array
    first: int
    lost: int
    state: ReaderState


@final
class Reader:
    """Follows a ring by name, through stops and restarts of its writer.

    Args:
        start: "head" reads only new records, "oldest" also those still in the ring, "first" the whole run, where
            overwritten records count as lost
        skip: epoch of a finished run whose ring is ignored; 0 for none
        timeout: without a record or heartbeat for this long [s], the writer counts as stopped
        batch: largest number of records in one read
        schema: required schema of the records; None accepts any
    """

    def __init__(
        self,
        name: str = DEFAULT_NAME,
        *,
        start: Literal["head", "oldest", "first"] = "head",
        skip: int = 0,
        timeout: float = 1.0,
        batch: int = BATCH,
        schema: Schema | None = None,
        backend: AbstractBackend | None = None,
    ) -> None:
        if start not in ("head", "oldest", "first"):
            raise RingError(f"start is {start!r}, it must be 'head', 'oldest' or 'first'")
        if batch < 1 or not timeout > 0:
            raise RingError(f"batch is {batch} and timeout {timeout} s; both must be above 0")
        self.name, self.backend, self.timeout = name, backend or find(name), timeout
        self.state, self.lost, self.restarts = ReaderState.NO_SEGMENT, 0, 0
        self._start: str = start
        self._restarted = False  # noticed, and not yet reported
        self._batch, self._wanted = batch, schema
        self._skip, self._skipped = skip, None
        self._segment: Segment | None = None
        self._header: Header | None = None
        self._port, self._rows, self._empty = Port(), np.empty((0, 0)), np.empty((0, 0))
        self._moved, self._looked, self._seen = time.monotonic(), -np.inf, (0, 0)
        self._attach(self._start)

    _skipped: Segment | None  # ring of the run to skip: while it is mapped, its inode cannot be reused

    # ---- the ring it is attached to ----

    @property
    def header(self) -> Header:
        """Header of the ring; an error while there is none."""
        if self._header is None:
            raise RingError(f"ring {self.name!r} ({self.backend}): {self.state.value}")
        return self._header

    @property
    def schema(self) -> Schema:
        """Schema of the ring."""
        return self.header.layout.schema

    @property
    def tail(self) -> int:
        """Number of the next record to read."""
        return int(self._port.tail)

    @property
    def behind(self) -> int:
        """Number of records published and not yet read."""
        segment = self._segment
        if segment is None or self._header is None or segment.cut[0]:
            return 0
        return max(0, segment.head - self.tail)

    def _attach(self, start: str) -> bool:
        """Attach to the ring; False if there is none or it is not ready."""
        self._looked = time.monotonic()
        if self._skipped is not None and self._is_at(self._skipped):
            return False
        segment = attach(self.backend)
        if segment is None:
            self.state = ReaderState.NO_SEGMENT
            return False
        header = segment.header()
        if header is None:
            self.state = ReaderState.NOT_INITIALISED
            return False
        if header.epoch == self._skip:
            self.state = ReaderState.NO_SEGMENT
            self._skipped = None if isinstance(self.backend, Device) else segment
            return False
        layout = header.layout
        if self._wanted is not None and layout.schema.hash != self._wanted.hash:
            raise RingError(
                f"ring {self.name!r} has records of schema {layout.schema.name!r} with {len(layout.schema.channels)} "
                f"channels, {self._wanted.name!r} with {len(self._wanted.channels)} is wanted"
            )
        head, claim = segment.counter(HEAD), segment.counter(CLAIM)
        self._segment, self._header, self._skipped = segment, header, None
        self._rows = np.empty((min(self._batch, layout.capacity), len(layout.schema.channels)))
        self._empty = self._rows[:0]
        tail = {"head": head, "oldest": max(0, claim - layout.capacity), "first": 0}[start]
        self._port = _port(segment, header, self._rows, tail)
        self._address, self._read, self._cut = ctypes.addressof(self._port), native().read, segment.cut
        self._moved, self._seen = time.monotonic(), (head, segment.counter(BEAT))
        self.state = ReaderState.WAITING
        return True

    def seek(self, number: int) -> None:
        """Continue at that record of this run, at most at the next new one; overwritten records count as lost."""
        if self._segment is not None and self._header is not None:
            self._port.tail = max(0, min(number, self._segment.head))

    # ---- reading ----

    def read(self) -> Batch:
        """Records since the last read, at most one batch; never waits."""
        if self._header is None:
            if time.monotonic() - self._looked < LOOK_AGAIN_S or not self._attach(self._start):
                return self._nothing()
        self._take()
        if self._port.status == RESTARTED or (self._port.count == 0 and self._superseded()):
            self.restarts += not self._restarted
            # from now on, missed records of the new writer count as lost; it may not be ready yet
            self._header, self._start, self._restarted = None, "first", True
            if not self._attach(self._start):
                return self._nothing()
            self._take()
            if self._port.status == RESTARTED:
                self._header = None
                return self._nothing()
        return self._batched()

    def _take(self) -> None:
        self._port.count = len(self._rows)
        self._read(self._address)
        if self._cut[0]:
            self._header = None
            segment, self._segment = self._segment, None
            assert segment is not None
            segment.require_whole()

    def _nothing(self) -> Batch:
        return Batch(self._empty, 0, 0, self.state)

    def _batched(self) -> Batch:
        port, restarted, self._restarted = self._port, self._restarted, False
        count, start, lost = port.count, port.start, port.lost
        self.lost += lost
        if count:
            self._moved, self.state = time.monotonic(), ReaderState.LIVE
        elif self._segment is not None:
            self._watch(self._segment)
        state = ReaderState.RESTARTED if restarted else self.state
        return Batch(self._rows[start:count], port.tail - count + start, lost, state)

    def _watch(self, segment: Segment) -> None:
        """Watchdog: update the state by whether the writer's head or heartbeat moved within the timeout."""
        now, seen = time.monotonic(), (segment.counter(HEAD), segment.counter(BEAT))
        if segment.status in (Status.STOPPED, Status.FAILED):
            self.state = ReaderState.STOPPED
        elif seen != self._seen:
            self._seen, self._moved = seen, now
            if self.state is ReaderState.STOPPED:
                self.state = ReaderState.LIVE if seen[0] else ReaderState.WAITING
        elif now - self._moved > self.timeout:
            self.state = ReaderState.STOPPED

    def _superseded(self) -> bool:
        """Whether another writer has taken the name; called when all records of the old one have been read."""
        now = time.monotonic()
        if self._segment is None or isinstance(self.backend, Device) or now - self._looked < LOOK_AGAIN_S:
            return False
        self._looked = now
        return not self._is_at(self._segment, or_nothing=True)

    def _is_at(self, segment: Segment, or_nothing: bool = False) -> bool:
        """Whether this memory has the ring's name; with `or_nothing`, also if no ring has the name."""
        try:
            return os.stat(self.backend.path).st_ino == segment.inode
        except OSError:
            return or_nothing

    def recalled(self, epoch: int, first: int, stop: int) -> Iterator[tuple[int, Array]]:
        """Read records `first` up to `stop` of a run again, from any thread, without moving the tail.

        Yields only the records that the ring still holds, and none if another run has begun.

        Yields:
            number of the first row, and the rows: a view that the next step overwrites
        """
        segment, header = self._segment, self._header
        if segment is None or header is None or header.epoch != epoch:
            return
        rows = np.empty((min(self._batch, header.layout.capacity), len(header.layout.schema.channels)))
        port = _port(segment, header, rows, first)
        while port.tail < min(stop, segment.head):
            port.count = len(rows)
            native().read(ctypes.addressof(port))
            if port.status == RESTARTED or segment.cut[0]:
                return
            number = port.tail - port.count + port.start
            if number < stop:
                yield number, rows[port.start : min(port.count, port.start + stop - number)]

    def wait(self, seconds: float) -> Batch:
        """As `read`, but wait for records, sleeping."""
        end, pause = time.monotonic() + seconds, 1e-4
        while True:
            batch = self.read()
            left = end - time.monotonic()
            if len(batch.rows) or batch.lost or batch.state is ReaderState.RESTARTED or left <= 0:
                return batch
            time.sleep(min(pause, left))
            pause = min(2 * pause, 5e-3)

    def spin(self, seconds: float) -> Batch:
        """As `wait`, but without sleep: the delay is a microsecond, at the cost of a whole processor."""
        if self._header is not None:
            self._port.deadline = time.monotonic_ns() + int(seconds * 1e9)
            native().wait(self._address)
        return self.read()

    def native_port(self) -> Port:
        """For native loops: the argument of `native().read` and `native().wait` for this ring."""
        if self._header is None:
            raise RingError(f"ring {self.name!r} ({self.backend}): {self.state.value}")
        return self._port

    def close(self) -> None:
        """Unmap the ring; the writer is not affected."""
        self._segment, self._skipped, self._header, self._port = None, None, None, Port()
        self.state = ReaderState.NO_SEGMENT

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _port(segment: Segment, header: Header, rows: Array, tail: int) -> Port:
    """Port that reads from record `tail` on into `rows`."""
    layout = header.layout
    return Port(
        counters=segment.address + PAGE,
        records=segment.address + layout.records_at,
        record_bytes=layout.schema.record_bytes,
        capacity=layout.capacity,
        rows=rows.ctypes.data,
        epoch=header.epoch,
        tail=tail,
    )
