"""The one writer of a ring. It never waits for a reader and does not know whether there is one."""

from __future__ import annotations

import ctypes
import os
import time
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import RingError
from motionbase.record.schema import Schema
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend, Device, Left, find
from motionbase.ring.claim import Claim
from motionbase.ring.layout import BEAT, DEFAULT_BYTES, PAGE, STATUS, UNSAVED, Layout, Status
from motionbase.ring.native_records import Port, native
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
        parameters: text that describes the parameters of the control law, of `ParameterTable`
        program: who writes, for people
        mode: permissions of the shared memory
        utc_ns: the UTC from which t counts, for copies of another ring or of a file; without it, now
        claim: of this ring, where it was made before, so that stops which come meanwhile are kept

    Attributes:
        record: (channels,) the row that `publish` takes
        publish: make `record` the newest record
        replaced: a sentence where a writer that died had left unsaved records under the name, and what became of them
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
        program: str = "motionbase",
        mode: int = 0o600,
        utc_ns: int | None = None,
        backend: AbstractBackend | None = None,
        claim: Claim | None = None,
    ) -> None:
        self.backend = backend or find(name)
        if isinstance(self.backend, Left):
            raise RingError(f"ring {name!r} holds what a dead writer left; choose another name to write to")
        smallest = Layout(schema, 2, dt, every, platform, parameters)
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
        self.record: Row = np.zeros(len(schema.channels))
        self._port = self._native_port(1, self.record)
        # the native call itself, without a Python frame around it or an argument to convert
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

    def write(self, rows: Row) -> None:
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
        """For native loops: what `native().write` needs to publish `record`."""
        return self._port

    def beat(self) -> None:
        """Say that the writer lives although there is nothing to write, as a paused replay does."""
        self._require_open()
        self.segment.set_counter(BEAT, time.monotonic_ns())
        self.segment.require_whole()

    def mark_unsaved(self, unsaved: bool = True) -> None:
        """After an unexpected stop: the ring holds what should be saved, and is not to be removed before."""
        self._require_open()
        self.segment.set_counter(UNSAVED, int(unsaved))

    def close(self, *, failed: bool = False, remove: bool | None = None) -> None:
        """End in good order, or with the records kept because something failed.

        Args:
            remove: take the name away; readers that are attached still read to the end. Default: unless it holds
                unsaved records
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
        """Whether the ring's name leads to this ring, and not to what somebody put in its place."""
        try:
            return os.stat(self.backend.path).st_ino == self.segment.inode
        except OSError:
            return False

    def _end(self, why: str) -> None:
        """Nothing of this object touches the ring from now on, native loops that have the port included."""
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
    """A forked child has the parent's memory mapped: it must neither write records nor end the ring."""
    for writer in list(_open_writers):
        writer._forget_in_child()


os.register_at_fork(after_in_child=_forget_in_child)
