"""The rings of this machine: which there are, who writes them, what may be removed."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import final

import numpy as np

from motionbase.errors import MotionBaseError, RingError
from motionbase.ring.backend import PREFIX, AbstractBackend, Device, Emulation, find, shared_folder
from motionbase.ring.layout import BEAT, HEAD, STATUS, UNSAVED, Header, Status
from motionbase.ring.lock import FileLock, is_held
from motionbase.ring.reader import Reader, ReaderState
from motionbase.ring.segment import Segment, attach

PROBE = "probe"  # any valid name: it only asks whether hardware is there
DEVICE_LOOK_S = 0.1  # a writer on another machine holds no lock here; its head moves


class Life(Enum):
    """What is known of a ring's writer."""

    ALIVE = "alive"  # it holds the lock
    DEAD = "dead"  # it holds no lock any more and never said that it stopped
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


@final
@dataclass(frozen=True)
class Outcome:
    """What cleaning did with one file, and why."""

    path: Path
    removed: bool
    why: str


def entries() -> list[Entry]:
    """Every ring of this machine, by name, the device first; nothing that lies there can make it fail."""
    device = _device()
    return [*([_entry("device", device)] if device else []), *(_entry(name, Emulation(name)) for name in _names())]


def entry(name: str) -> Entry:
    """One ring as the tools would find it."""
    backend = find(name)
    if not backend.path.exists() and not backend.path.is_symlink():
        known = ", ".join(_names()) or "none"
        raise RingError(f"no ring {name!r} ({backend}); rings: {known}")
    return _entry(name, backend)


def mark_saved(backend: AbstractBackend) -> None:
    """After its records were written to a file: the ring of a writer that ended may be removed from now on."""
    with FileLock(backend.lock_path) as lock:
        if not lock.take():
            raise RingError(f"{backend} has a writer, process {lock.holder()}; it says itself what is saved")
        segment = attach(backend, writable=True)
        if segment is None:
            raise RingError(f"{backend} is not there any more")
        segment.set_counter(STATUS, Status.STOPPED)
        segment.set_counter(UNSAVED, 0)


def lateness(e: Entry) -> dict[str, float] | None:
    """Median, 99th percentile and greatest of the channel `lateness` [s] in the records still there."""
    if e.header is None or "lateness" not in e.header.layout.schema.index:
        return None
    with Reader(e.name, start="oldest", backend=e.backend) as reader:
        parts, end = [], e.head
        while reader.state is not ReaderState.NO_SEGMENT and reader.tail < end:
            batch = reader.read()
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
    """Remove the segments of writers that have ended, and what they left beside them.

    A ring with a writer is never removed; one with unsaved records, or that cannot be read, only by `force`.

    Args:
        names: these rings only; all without
    """
    if missing := [n for n in names if n not in {*_names(), *_left_over_names()}]:
        raise RingError(f"no ring {missing[0]!r} in {shared_folder()}; rings: {', '.join(_names()) or 'none'}")
    wanted = names or tuple(sorted({*_names(), *_left_over_names()}))
    return [outcome for name in wanted for outcome in _cleaned(name, force)]


def _cleaned(name: str, force: bool) -> Iterator[Outcome]:
    backend = Emulation(name)
    path = backend.path
    try:
        lock = FileLock(backend.lock_path)
    except RingError as error:
        yield Outcome(path, False, str(error))
        return
    with lock:
        if not lock.take():  # held while files are removed: no writer can begin here meanwhile
            yield Outcome(path, False, f"its writer is alive, process {lock.holder()}")
            return
        kept = False
        if path.exists() or path.is_symlink():
            found = _entry(name, backend, locked=True)
            reason = found.trouble or (f"{found.records} unsaved records" if found.unsaved else "")
            if reason and not force:
                kept = True
                yield Outcome(path, False, f"{reason}; --force removes it")
            else:
                yield (outcome := _removed(path, reason or f"writer {found.life.value}"))
                kept = not outcome.removed
        for left in _left_overs(name):
            if left == backend.lock_path:
                continue
            if left.suffix == ".lock" and is_held(left):
                kept = True
                yield Outcome(left, False, "somebody holds it")
            elif left.suffix == ".new" or not kept:
                yield _removed(left, "left over")
        if not kept:
            yield _removed(backend.lock_path, "left over")


def _removed(path: Path, why: str) -> Outcome:
    try:
        path.unlink()
        return Outcome(path, True, why)
    except OSError as error:
        return Outcome(path, False, f"{error.strerror or error}")


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
    alive = not locked and (is_held(backend.lock_path) or (isinstance(backend, Device) and _moves(segment)))
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


def _device() -> Device | None:
    backend = find(PROBE)
    return backend if isinstance(backend, Device) else None


def _files() -> list[str]:
    """What lies in the folder after our prefix."""
    try:
        return sorted(p.name.removeprefix(PREFIX) for p in shared_folder().glob(f"{PREFIX}*"))
    except OSError as error:
        raise RingError(f"rings are in {shared_folder()}: {error.strerror or error}") from None


def _names() -> list[str]:
    return [f for f in _files() if _is_name(f)]


def _left_over_names() -> set[str]:
    return {base for f in _files() if f.endswith((".lock", ".new")) and _is_name(base := f.partition(".")[0])}


def _left_overs(name: str) -> list[Path]:
    files = [f for f in _files() if f.startswith(f"{name}.") and f.endswith((".lock", ".new"))]
    return [shared_folder() / f"{PREFIX}{f}" for f in files]


def _is_name(text: str) -> bool:
    try:
        Emulation(text)
    except RingError:
        return False
    return True
