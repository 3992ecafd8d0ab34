"""The rings of this machine: list them, tell whether their writers live, remove those that are no longer needed."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError, RingError
from motionbase.ring.backend import LEFT_NAME, AbstractBackend, Device, Emulation, Left, find, shared_folder
from motionbase.ring.layout import BEAT, HEAD, STATUS, UNSAVED, Header, Status
from motionbase.ring.left_over import (
    RECORDER_LOCK,
    REPLAY,
    Outcome,
    beside,
    cleaned_recorder,
    device_name,
    names_beside,
    removed,
)
from motionbase.ring.living import has_writer, is_written, unnamed
from motionbase.ring.lock import FileLock, is_held
from motionbase.ring.names import device_here, left_names, left_over_names, left_overs, ring_names
from motionbase.ring.reader import Reader, ReaderState
from motionbase.ring.segment import Segment, attach

DEVICE_LOOK_S = 0.1  # [s] a writer on another machine holds no lock here, so its head is watched for this long


class Life(Enum):
    """State of a ring's writer."""

    ALIVE = "alive"  # it holds a lock, or answers on its lifeline
    DEAD = "dead"  # it does neither, and its status is not stopped
    STOPPED = "stopped"  # closed in good order
    FAILED = "failed"  # stopped by a fault; the last records are kept
    UNKNOWN = "unknown"  # the ring cannot be read


@final
@dataclass(frozen=True)
class Entry:
    """One ring, or another file in the place of a ring.

    Attributes:
        trouble: why it cannot be read; "" if it can be read
        size: of the segment [bytes]
        head: records published since the epoch
        age: time since the writer's last heartbeat [s]; None if there was none or the writer uses another clock
        unsaved: it holds records of an unplanned stop that have not been saved
    """

    name: str
    backend: AbstractBackend
    size: int
    trouble: str = ""
    header: Header | None = None
    status: Status = Status.NEW
    life: Life = Life.UNKNOWN
    head: int = 0
    age: float | None = None
    unsaved: bool = False

    @property
    def records(self) -> int:
        """Number of records that the ring still holds."""
        return min(self.head, self.header.layout.capacity) if self.header else 0

    @property
    def rate(self) -> float:
        """Nominal records per second [Hz]; 0 if unknown."""
        return 1 / (self.header.layout.dt * self.header.layout.every) if self.header else 0.0


def entries() -> list[Entry]:
    """Every ring of this machine by name, the device first. Never fails, whatever files it finds."""
    device = device_here()
    found = [_entry(name, _backend(name)) for name in sorted([*ring_names(), *left_names()])]
    return [*([_entry("device", device)] if device else []), *found]


def entry(name: str) -> Entry:
    """One ring by name, found as the tools find it."""
    backend = find(name)
    if not backend.path.exists() and not backend.path.is_symlink():
        known = ", ".join([*ring_names(), *left_names()]) or "none"
        lost = f": {why}" if (why := unnamed(backend)) else ""
        raise RingError(f"no ring {name!r} ({backend}){lost}; rings: {known}")
    return _entry(name, backend)


def left_epoch(name: str) -> int:
    """Epoch of a ring whose writer has ended; 0 if there is no such ring or its writer lives."""
    with suppress(MotionBaseError):
        found = entry(name)
        if found.header is not None and found.life in (Life.DEAD, Life.STOPPED, Life.FAILED):
            return found.header.epoch
    return 0


def mark_saved(backend: AbstractBackend) -> None:
    """Mark the ring of a writer that has ended as saved, so that it may be removed."""
    with FileLock(backend.lock_path) as lock:
        if (pid := _writer_beside(backend, lock)) is not None:
            raise RingError(f"{backend} has a writer, process {pid}; only the writer marks its records as saved")
        segment = attach(backend, writable=True)
        if segment is None:
            raise RingError(f"{backend} no longer exists")
        segment.set_counter(STATUS, Status.STOPPED)
        segment.set_counter(UNSAVED, 0)
        if isinstance(backend, Left):
            backend.lock_path.unlink(missing_ok=True)


def lateness(e: Entry) -> dict[str, float] | None:
    """Median, 99th percentile and greatest of the channel `lateness` [s] in the records still there."""
    if e.header is None or "lateness" not in e.header.layout.schema.index:
        return None
    with Reader(e.name, start="oldest", backend=e.backend) as reader:
        parts, end, left = list[Array](), e.head, e.header.layout.capacity
        while reader.state is not ReaderState.NO_SEGMENT and reader.tail < end and left > 0:
            batch = reader.read()
            left -= len(batch.rows) + batch.lost  # in a damaged ring the head may be any number
            if batch.state is ReaderState.RESTARTED or not len(batch.rows):
                break
            parts.append(batch.rows[:, e.header.layout.schema.index["lateness"]].copy())
    values = np.concatenate(parts) if parts else np.empty(0)
    if not (values := values[np.isfinite(values)]).size:
        return None
    return {
        "records": float(values.size),
        "median_s": float(np.median(values)),
        "p99_s": float(np.percentile(values, 99)),
        "largest_s": float(values.max()),
    }


def clean(names: tuple[str, ...] = (), *, force: bool = False) -> list[Outcome]:
    """Remove the segments of writers that have ended, and the files that they, recorders and replays left beside them.

    Files of a living recorder stay. A ring with a writer is never removed; one with unsaved records, or one that cannot
    be read, only with `force`. A device cannot be removed; with `force` its records no longer count as unsaved.

    Args:
        names: rings to clean, `device` for the device; all if empty
    """
    device, left = device_here(), set(left_names())
    rings = {*ring_names(), *left_over_names(), *names_beside()}
    if missing := [n for n in names if n not in rings | left and device is None]:
        listed = ", ".join(sorted(rings | left)) or "none"
        raise RingError(f"no ring {missing[0]!r} in {shared_folder()}; rings: {listed}")
    done = [
        outcome for name in names or sorted(rings | left) if name in rings | left for outcome in _cleaned(name, force)
    ]
    if device is not None and (not names or set(names) - rings - left):
        done += _cleared(device, force)
    return done


def _cleared(device: Device, force: bool) -> list[Outcome]:
    return [*cleaned_recorder(device_name(device)), *_given_up(device, force)]


def _given_up(device: Device, force: bool) -> list[Outcome]:
    found = _entry("device", device)
    if not found.unsaved:
        return []
    if found.life is Life.ALIVE or not force:
        kept = f"{found.records} unsaved records; --force discards them"
        return [Outcome(device.path, False, "its writer is alive" if found.life is Life.ALIVE else kept)]
    try:
        mark_saved(device)
    except RingError as error:
        return [Outcome(device.path, False, str(error))]
    return [Outcome(device.path, True, f"{found.records} unsaved records are discarded; the device stays")]


def _backend(name: str) -> Emulation | Left:
    return Left(name) if LEFT_NAME.fullmatch(name) else Emulation(name)


def _cleaned_left(left: Left, force: bool) -> Iterator[Outcome]:
    yield from cleaned_recorder(left.name)
    if not left.path.exists() and not left.path.is_symlink():
        return
    found = _entry(left.name, left)
    reason = found.trouble or (f"{found.records} unsaved records of a dead writer" if found.unsaved else "")
    if reason and not force:
        yield Outcome(left.path, False, f"{reason}; --force removes it")
        return
    yield removed(left.path, reason or "its records were saved")
    with suppress(OSError):
        left.lock_path.unlink()


def _cleaned(name: str, force: bool) -> Iterator[Outcome]:
    backend = _backend(name)
    if isinstance(backend, Left):
        yield from _cleaned_left(backend, force)
        return
    path = backend.path
    yield from (of_recorder := list(cleaned_recorder(name)))
    try:
        lock = FileLock(backend.lock_path)
    except RingError as error:
        yield Outcome(path, False, str(error))
        return
    with lock:
        if (pid := _writer_beside(backend, lock)) is not None:
            yield Outcome(path, False, f"its writer is alive, process {pid}")
            return
        kept = False
        if path.exists() or path.is_symlink():
            found = _entry(name, backend, locked=True)
            reason = found.trouble or (f"{found.records} unsaved records" if found.unsaved else "")
            if reason and not force:
                kept = True
                yield Outcome(path, False, f"{reason}; --force removes it")
            else:
                _retire(backend)
                yield (outcome := removed(path, reason or f"writer {found.life.value}"))
                kept = not outcome.removed
        kept = kept or not all(outcome.removed for outcome in of_recorder)
        for left in [*left_overs(name), *beside(name, REPLAY)]:
            if left == backend.lock_path or left.name.endswith(RECORDER_LOCK):
                continue
            if left.suffix == ".lock" and is_held(left):
                kept = True
                yield Outcome(left, False, "a process holds it")
            elif left.suffix == ".new" or left.name.endswith(REPLAY) or not kept:
                yield removed(left, "left over")
        if not kept:
            yield removed(backend.lock_path, "left over")


def _writer_beside(backend: AbstractBackend, lock: FileLock) -> int | None:
    """Process id of the writer, 0 if unknown; None if there is none, and then `lock` is held so that none can start."""
    if not lock.take():
        return lock.holder() or 0
    # the lock file of a living writer may have been removed; it still has the lock on its ring's file and its lifeline
    return None if isinstance(backend, Left) or (pid := has_writer(backend, but_lock=True)) is None else pid


def _retire(backend: AbstractBackend) -> None:
    """Mark a dead writer's ring as retired, for processes that still have it mapped."""
    with suppress(MotionBaseError):
        segment = attach(backend, writable=True)
        if segment is not None and segment.header() is not None and segment.status in (Status.NEW, Status.RUNNING):
            segment.set_counter(STATUS, Status.RETIRED)


def _entry(name: str, backend: AbstractBackend, *, locked: bool = False) -> Entry:
    """Description of a ring.

    Args:
        locked: this process holds the writer's lock, so the ring has no writer
    """
    size = 0
    try:
        info = os.lstat(backend.path)
        size = backend.size if isinstance(backend, Device) else info.st_size
        if not isinstance(backend, Device) and not stat.S_ISREG(info.st_mode):
            return Entry(name, backend, size, f"{backend.path} is not a file")  # opening a pipe would block
        segment = attach(backend)
        header = segment.header() if segment else None
    except OSError as error:
        return Entry(name, backend, size, f"{backend.path}: {error.strerror or error}")
    except MotionBaseError as error:
        return Entry(name, backend, size, str(error))
    if segment is None:
        return Entry(name, backend, size, f"{backend.path} was removed meanwhile")
    if header is None:
        return Entry(name, backend, size, f"{backend} has no valid header: no writer has finished it, or it is damaged")
    return _read_entry(name, segment, header, locked)


def _read_entry(name: str, segment: Segment, header: Header, locked: bool) -> Entry:
    backend, beat = segment.backend, segment.counter(BEAT)
    alive = (
        not locked
        and not isinstance(backend, Left)
        and (is_written(backend, header.epoch) or (isinstance(backend, Device) and _moves(segment)))
    )
    status, head = segment.status, segment.head
    ended = {Status.STOPPED: Life.STOPPED, Status.FAILED: Life.FAILED}.get(status, Life.DEAD)
    life = Life.ALIVE if alive else ended
    unplanned = life in (Life.DEAD, Life.FAILED) and head > 0
    age = (time.monotonic_ns() - beat) * 1e-9
    return Entry(
        name,
        backend,
        segment.size,
        header=header,
        status=status,
        life=life,
        head=head,
        age=age if beat and age >= 0 else None,
        unsaved=segment.unsaved or unplanned,
    )


def _moves(segment: Segment) -> bool:
    before = segment.counter(HEAD), segment.counter(BEAT)
    time.sleep(DEVICE_LOOK_S)
    return before != (segment.counter(HEAD), segment.counter(BEAT))
