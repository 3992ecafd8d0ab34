"""The one writer of a ring. It never waits for a reader and does not know whether there is one."""

from __future__ import annotations

import ctypes
import time
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import RingError
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend, Device, find
from motionbase.ring.layout import BEAT, DEFAULT_BYTES, PAGE, STATUS, UNSAVED, Layout, Status
from motionbase.ring.lock import FileLock
from motionbase.ring.native import Port, native
from motionbase.ring.schema import Schema
from motionbase.ring.segment import create

Row: TypeAlias = NDArray[np.float64]


@final
class Writer:
    """Makes the ring, then publishes records.

    `record` is the row to fill; `publish()` makes it the newest record. That is the quickest way from Python; `write`
    takes one row or many.

    Args:
        capacity: records; the default fills 64 MB
        dt: period of a tick [s]; every: ticks between records
        platform: text that describes the platform, for viewers
        program: who writes, for people
        mode: permissions of the shared memory
        utc_ns: the UTC from which t counts, for copies of another ring or of a file; without it, now
    """

    def __init__(
        self,
        schema: Schema,
        *,
        name: str = DEFAULT_NAME,
        dt: float = 0.01,
        every: int = 1,
        capacity: int | None = None,
        platform: str = "",
        program: str = "motionbase",
        mode: int = 0o600,
        utc_ns: int | None = None,
        backend: AbstractBackend | None = None,
    ) -> None:
        self.backend = backend or find(name)
        records = capacity if capacity is not None else self._default_capacity(schema, dt, every, platform)
        layout = Layout(schema, records, dt, every, platform)
        lock = FileLock(self.backend.lock_path, mode)
        if not lock.take():
            holder = lock.holder()
            lock.release()
            raise RingError(f"ring {name!r} has a writer already, process {holder}; stop it or choose another name")
        try:
            self.segment, self.header = create(self.backend, layout, program, mode, utc_ns)
        except BaseException:
            lock.release()
            raise
        self._lock: FileLock | None = lock
        self.record: Row = np.zeros(len(schema.channels))
        self._port = self._native_port(1, self.record)
        self._publish, self._address = native().write, ctypes.addressof(self._port)
        self.segment.set_counter(STATUS, Status.RUNNING)
        self.beat()

    def _default_capacity(self, schema: Schema, dt: float, every: int, platform: str) -> int:
        if not isinstance(self.backend, Device):
            return max(2, DEFAULT_BYTES // schema.record_bytes)
        room = self.backend.size // PAGE * PAGE - Layout(schema, 2, dt, every, platform).records_at
        return max(2, room // schema.record_bytes)

    def _native_port(self, count: int, rows: Row) -> Port:
        layout = self.header.layout
        return Port(
            counters=self.segment.address + PAGE,
            records=self.segment.address + layout.records_at,
            record_bytes=layout.schema.record_bytes,
            capacity=layout.capacity,
            rows=rows.ctypes.data,
            count=count,
        )

    @property
    def schema(self) -> Schema:
        """Of the records."""
        return self.header.layout.schema

    @property
    def head(self) -> int:
        """Records published since the epoch."""
        return self.segment.head

    def publish(self) -> None:
        """Make `record` the newest record."""
        self._publish(self._address)

    def write(self, rows: Row) -> None:
        """Publish one row, or the rows of a matrix in order."""
        if rows.ndim == 1:
            self.record[:] = rows
            self._publish(self._address)
            return
        wanted = len(self.record)
        if rows.ndim != 2 or rows.shape[1] != wanted:
            raise RingError(f"rows have shape {rows.shape}, (records, {wanted}) is wanted")
        whole = np.ascontiguousarray(rows, dtype=np.float64)
        port = self._native_port(len(whole), whole)
        native().write(ctypes.addressof(port))

    def native_port(self) -> Port:
        """For native loops: what `native().write` needs to publish `record`."""
        return self._port

    def beat(self) -> None:
        """Say that the writer lives although there is nothing to write, as a paused replay does."""
        self.segment.set_counter(BEAT, time.monotonic_ns())

    def mark_unsaved(self, unsaved: bool = True) -> None:
        """After an unexpected stop: the ring holds what should be saved, and is not to be removed before."""
        self.segment.set_counter(UNSAVED, int(unsaved))

    def close(self, *, failed: bool = False, remove: bool | None = None) -> None:
        """End in good order, or with the records kept because something failed.

        Args:
            remove: take the name away; readers that are attached still read to the end. Default: unless it holds
                unsaved records
        """
        if self._lock is None:
            return
        self.segment.set_counter(STATUS, Status.FAILED if failed else Status.STOPPED)
        keep = self.segment.unsaved or failed
        if not isinstance(self.backend, Device) and (not keep if remove is None else remove):
            self.backend.path.unlink(missing_ok=True)
        self._lock.release()
        self._lock = None

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(failed=kind is not None)
