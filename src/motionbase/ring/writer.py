"""The one writer of a ring. It never waits for readers and does not know about them."""

from __future__ import annotations

import ctypes
import os
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RingError
from motionbase.record.schema import Schema
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend, Device, Left, find
from motionbase.ring.claim import Claim
from motionbase.ring.layout import BEAT, DEFAULT_BYTES, PAGE, STATUS, UNSAVED, Layout, Status
from motionbase.ring.native_records import Port, native
from motionbase.ring.segment import create


@final
class Writer:
    """Creates the ring, then publishes records.

    Fill the row `record`, then call `publish()` to make it the newest record; this is fastest from Python. `write`
    takes one row or many.

    Args:
        capacity: records; the default fills 64 MB
        dt: period of a tick [s]; every: ticks between records
        platform: text that describes the platform, for viewers
        parameters: text that describes the parameters of the control law, of `ParameterTable`
        world: scene of the world in which a host's vehicle moves, for viewers
        program: name of the writing program, for display
        mode: permissions of the shared memory
        utc_ns: UTC from which t counts, for copies of another ring or of a file; default: now
        claim: a claim to this ring taken earlier, so that stops requested meanwhile are kept

    Attributes:
        record: (channels,) the row that `publish` takes
        publish: make `record` the newest record
        replaced: what became of unsaved records of a dead writer under this name, as a sentence; "" if there were none
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
        parameters: str = "",
        world: str = "",
        program: str = "motionbase",
        mode: int = 0o600,
        utc_ns: int | None = None,
        backend: AbstractBackend | None = None,
        claim: Claim | None = None,
    ) -> None:
        self.backend = backend or find(name)
        if isinstance(self.backend, Left):
            raise RingError(f"ring {name!r} holds the records of a dead writer; choose another name to write to")
        smallest = Layout(schema, 2, dt, every, platform, parameters, world)
        layout = replace(smallest, capacity=self._default_capacity(smallest) if capacity is None else capacity)
        claim = claim or Claim(self.backend, mode)
        try:
            claim.lock()
            created = create(self.backend, layout, program, mode, utc_ns)
            claim.begin(created.segment, created.header)
        except BaseException:
            claim.release()
            raise
        self.segment, self.header, self.replaced = created.segment, created.header, created.replaced
        self._lock: Claim | None = claim
        self.record: Array = np.zeros(len(schema.channels))
        self._port = self._native_port(1, self.record)
        # the native function itself, without a Python frame or an argument to convert
        self.publish: Callable[[], object] = partial(native().publish, ctypes.c_void_p(ctypes.addressof(self._port)))
        self._nowhere, self._ended = np.zeros(PAGE, np.uint8), ""
        self.segment.set_counter(STATUS, Status.RUNNING)
        self.beat()
        _open_writers.add(self)

    def _default_capacity(self, layout: Layout) -> int:
        if not isinstance(self.backend, Device):
            return max(2, DEFAULT_BYTES // layout.schema.record_bytes)
        room = self.backend.size // PAGE * PAGE - layout.records_at
        return max(2, room // layout.schema.record_bytes)

    def _native_port(self, count: int, rows: Array) -> Port:
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
        """Schema of the records."""
        return self.header.layout.schema

    @property
    def head(self) -> int:
        """Number of records published since the epoch."""
        return self.segment.head

    def write(self, rows: Array) -> None:
        """Publish one row, or the rows of a matrix in order."""
        wanted = len(self.record)
        if rows.shape == (wanted,):
            self.record[:] = rows
            self.publish()
            self.segment.require_whole()
            return
        self._require_open()
        if rows.ndim != 2 or rows.shape[1] != wanted:
            raise RingError(f"rows have shape {rows.shape}, (records, {wanted}) is wanted")
        whole = np.ascontiguousarray(rows, dtype=np.float64)
        port = self._native_port(len(whole), whole)
        native().write(ctypes.addressof(port))
        self.segment.require_whole()

    def native_port(self) -> Port:
        """For native loops: the argument with which `native().write` publishes `record`."""
        return self._port

    def beat(self) -> None:
        """Send a heartbeat without a record, as a paused replay does."""
        self._require_open()
        self.segment.set_counter(BEAT, time.monotonic_ns())
        self.segment.require_whole()

    def mark_unsaved(self, unsaved: bool = True) -> None:
        """Mark the ring as holding unsaved records of an unexpected stop, so that it is not removed."""
        self._require_open()
        self.segment.set_counter(UNSAVED, int(unsaved))

    def close(self, *, failed: bool = False, remove: bool | None = None) -> None:
        """Close the ring in good order, or as failed with its records kept.

        Args:
            remove: remove the name; attached readers still read to the end. Default: unless it holds unsaved
                records
        """
        if self._lock is None:
            return
        try:
            self.segment.set_counter(STATUS, Status.FAILED if failed else Status.STOPPED)
            keep = bool(self.segment.cut[0]) or self.segment.unsaved or failed
            if not isinstance(self.backend, Device) and (not keep if remove is None else remove) and self._has_name():
                self.backend.path.unlink(missing_ok=True)
        finally:
            self._lock.release()
            self._end("is closed")

    def _has_name(self) -> bool:
        """Whether the ring's name still belongs to this ring."""
        try:
            return os.stat(self.backend.path).st_ino == self.segment.inode
        except OSError:
            return False

    def _end(self, why: str) -> None:
        """Keep this object, and native loops that have its port, from touching the ring."""
        self._lock, self._ended, self.publish = None, why, self._require_open
        self._port.count, self._port.counters = 0, self._nowhere.ctypes.data
        _open_writers.discard(self)

    def _require_open(self) -> None:
        if self._lock is None:
            raise RingError(f"the writer of {self.backend} {self._ended}; it cannot write any more")

    def _forget_in_child(self) -> None:
        self._end(f"belongs to the parent, process {self.header.writer_pid}, not to this forked process")

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(failed=kind is not None)


_open_writers: weakref.WeakSet[Writer] = weakref.WeakSet()


def _forget_in_child() -> None:
    """In a forked child, which inherits the mapping: it must neither write records nor close the ring."""
    for writer in list(_open_writers):
        writer._forget_in_child()


os.register_at_fork(after_in_child=_forget_in_child)
