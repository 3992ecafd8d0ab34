"""The rings of this machine: which there are, who writes them, what may be removed."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

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

Values: TypeAlias = NDArray[np.float64]
DEVICE_LOOK_S = 0.1  # a writer on another machine holds no lock here; its head moves


class Life(Enum):
    """What is known of a ring's writer."""

    ALIVE = "alive"  # it holds a lock, or answers
    DEAD = "dead"  # it does neither any more and never said that it stopped
    STOPPED = "stopped"  # it said so
    FAILED = "failed"  # it said so; the last records are kept
    UNKNOWN = "unknown"  # the ring cannot be read


@final
@dataclass(frozen=True)
class Entry:
    """One ring, or what lies where one would be.

    Attributes:
        trouble: why it cannot be read; "" if it can
        size: of the segment [bytes]
        head: records published since the epoch
        age: of the writer's last sign of life [s]; None where there was none or its clock is not ours
        unsaved: it holds records of a stop that was not planned, and nobody has saved them
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
        """Records that are still there."""
        return min(self.head, self.header.layout.capacity) if self.header else 0

    @property
    def rate(self) -> float:
        """Records per second, as the writer means it [Hz]; 0 where nobody knows."""
        return 1 / (self.header.layout.dt * self.header.layout.every) if self.header else 0.0


def entries() -> list[Entry]:
    """Every ring of this machine, by name, the device first; nothing that lies there can make it fail."""
    device = device_here()
    found = [_entry(name, _backend(name)) for name in sorted([*ring_names(), *left_names()])]
    return [*([_entry("device", device)] if device else []), *found]


def entry(name: str) -> Entry:
    """One ring as the tools would find it."""
    backend = find(name)
    if not backend.path.exists() and not backend.path.is_symlink():
        known = ", ".join([*ring_names(), *left_names()]) or "none"
        lost = f": {why}" if (why := unnamed(backend)) else ""
        raise RingError(f"no ring {name!r} ({backend}){lost}; rings: {known}")
    return _entry(name, backend)


def left_epoch(name: str) -> int:
    """Of the ring that a writer has left which has ended; 0 where there is none, or its writer lives."""
    with suppress(MotionBaseError):
        found = entry(name)
        if found.header is not None and found.life in (Life.DEAD, Life.STOPPED, Life.FAILED):
            return found.header.epoch
    return 0


def mark_saved(backend: AbstractBackend) -> None:
    """After its records were written to a file: the ring of a writer that ended may be removed from now on."""
    with FileLock(backend.lock_path) as lock:
        if (pid := _writer_beside(backend, lock)) is not None:
            raise RingError(f"{backend} has a writer, process {pid}; it says itself what is saved")
        segment = attach(backend, writable=True)
        if segment is None:
            raise RingError(f"{backend} is not there any more")
        segment.set_counter(STATUS, Status.STOPPED)
        segment.set_counter(UNSAVED, 0)
        if isinstance(backend, Left):
            backend.lock_path.unlink(missing_ok=True)


def lateness(e: Entry) -> dict[str, float] | None:
    """Median, 99th percentile and greatest of the channel `lateness` [s] in the records still there."""
    if e.header is None or "lateness" not in e.header.layout.schema.index:
        return None
    with Reader(e.name, start="oldest", backend=e.backend) as reader:
        parts, end, left = list[Values](), e.head, e.header.layout.capacity
        while reader.state is not ReaderState.NO_SEGMENT and reader.tail < end and left > 0:
            batch = reader.read()
            left -= len(batch.rows) + batch.lost  # the head of a ring that was spoilt may be anything
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
    """Remove the segments of writers that have ended, and what they, recorders and replays left beside them.

    What a living recorder uses stays. A ring with a writer is never removed; one with unsaved records, or that cannot
    be read, only by `force`. A device is not removed: it does not count as unsaved afterwards.

    Args:
        names: these rings only, `device` for the device; all without
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
        kept = f"{found.records} unsaved records; --force gives them up"
        return [Outcome(device.path, False, "its writer is alive" if found.life is Life.ALIVE else kept)]
    try:
        mark_saved(device)
    except RingError as error:
        return [Outcome(device.path, False, str(error))]
    return [Outcome(device.path, True, f"{found.records} unsaved records are given up; the device stays")]


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
                yield Outcome(left, False, "somebody holds it")
            elif left.suffix == ".new" or left.name.endswith(REPLAY) or not kept:
                yield removed(left, "left over")
        if not kept:
            yield removed(backend.lock_path, "left over")


def _writer_beside(backend: AbstractBackend, lock: FileLock) -> int | None:
    """The writer's process, 0 where nobody knows it; None where there is none, and none can begin: the lock is ours."""
    if not lock.take():
        return lock.holder() or 0
    # a lock file that somebody removed says nothing of a writer that lives: it has its ring's file and its lifeline
    return None if isinstance(backend, Left) or (pid := has_writer(backend, but_lock=True)) is None else pid


def _retire(backend: AbstractBackend) -> None:
    """Whoever still has the ring of a dead writer mapped is told that nobody reads there."""
    with suppress(MotionBaseError):
        segment = attach(backend, writable=True)
        if segment is not None and segment.header() is not None and segment.status in (Status.NEW, Status.RUNNING):
            segment.set_counter(STATUS, Status.RETIRED)


def _entry(name: str, backend: AbstractBackend, *, locked: bool = False) -> Entry:
    """What there is to say of a ring.

    Args:
        locked: this process holds the writer's lock, so there is no writer
    """
    size = 0
    try:
        info = os.lstat(backend.path)
        size = backend.size if isinstance(backend, Device) else info.st_size
        if not isinstance(backend, Device) and not stat.S_ISREG(info.st_mode):
            return Entry(name, backend, size, f"{backend.path} is not a file")  # opening a pipe would wait for ever
        segment = attach(backend)
        header = segment.header() if segment else None
    except OSError as error:
        return Entry(name, backend, size, f"{backend.path}: {error.strerror or error}")
    except MotionBaseError as error:
        return Entry(name, backend, size, str(error))
    if segment is None:
        return Entry(name, backend, size, f"{backend.path} has just been removed")
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
