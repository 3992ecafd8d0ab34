"""The folder of ESTOP files: the newest three of every ring are kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase import private
from motionbase.errors import MotionBaseError, RecordingError
from motionbase.recording.estop.details import EXTENSION, OLD_EXTENSION, Details, details_of, file_name, ring_of
from motionbase.recording.estop.save import save
from motionbase.ring import catalogue, unsaved
from motionbase.ring.backend import Left, find
from motionbase.ring.folders import data_folder
from motionbase.ring.layout import BEAT
from motionbase.ring.parts import PART, is_left
from motionbase.ring.segment import Segment, attach, left_behind

KEEP = 3  # files of every ring


@final
@dataclass(frozen=True)
class EstopFile:
    """One file of the folder; trouble says why it cannot be read, "" if it can."""

    path: Path
    details: Details | None
    trouble: str = ""


@final
@dataclass(frozen=True)
class Saved:
    """A file that was written, and the oldest ones, which were removed for it."""

    path: Path
    details: Details
    removed: tuple[Path, ...]

    def __str__(self) -> str:
        d = self.details
        around = f", {d.before_s:.2f} s before and {d.after_s:.2f} s after" if d.before_s is not None else ""
        return f"saved {d.count} records{around}, to {self.path}: {d.cause}"


def default_folder() -> Path:
    """`estop` in the folder for data."""
    return data_folder("estop")


def files(folder: Path | None = None, ring: str | None = None) -> list[EstopFile]:
    """The ESTOP files of a folder, newest first; of one ring if it is named."""
    folder = folder or default_folder()
    try:
        there = [p for ending in (EXTENSION, OLD_EXTENSION) for p in folder.glob(f"*{ending}")]
    except OSError as error:
        raise RecordingError(f"ESTOP files are in {folder}: {error.strerror or error}") from None
    found = sorted((p for p in there if not p.name.startswith(".")), key=lambda p: p.name, reverse=True)
    return [_described(path) for path in found if ring is None or ring_of(path) == ring]


def _described(path: Path) -> EstopFile:
    try:
        return EstopFile(path, details_of(path))
    except MotionBaseError as error:
        return EstopFile(path, None, str(error))


def save_ring(
    segment: Segment,
    ring: str,
    *,
    cause: str,
    event: int | None = None,
    event_utc_ns: int | None = None,
    folder: Path | None = None,
    keep: int = KEEP,
) -> Saved:
    """Write the ring to a new file, then clear its mark, then remove the oldest file beyond `keep`."""
    folder = folder or default_folder()
    path = _free_path(_made(folder), ring, event_utc_ns or time.time_ns())
    details = save(segment, path, cause=cause, event=event, event_utc_ns=event_utc_ns, name=ring)
    with suppress(MotionBaseError):  # a ring of another user: the file is what matters
        unsaved.saved(segment)
    others = [f.path for f in files(folder, ring) if f.path != path]  # the new one stays even if the clock went back
    return Saved(path, details, tuple(p for p in others[max(0, keep - 1) :] if _removed(p)))


def rescue(ring: str, folder: Path | None = None, keep: int = KEEP) -> Saved | None:
    """Save what the last writer left unsaved, if anything, before a new one takes the name."""
    try:
        left = catalogue.entry(ring)
    except MotionBaseError:
        return None
    if not left.unsaved or left.life is catalogue.Life.ALIVE or (segment := attach(left.backend)) is None:
        return None
    cause = f"found after the writer had ended: {left.life.value}"
    name = left.backend.ring if isinstance(left.backend, Left) else ring
    when = last_life_utc_ns(segment)
    return save_ring(segment, name, cause=cause, event=left.head - 1, event_utc_ns=when, folder=folder, keep=keep)


def rescue_all(ring: str, folder: Path | None = None, keep: int = KEEP) -> Iterator[Saved]:
    """Save everything that earlier writers of the name left unsaved, one after the other."""
    kept = [left.name for left in left_behind(find(ring))]
    for name in (*kept, ring):
        if (saved := rescue(name, folder, keep)) is not None:
            yield saved


def last_life_utc_ns(segment: Segment) -> int:
    """The writer's last sign of life is the best guess at when it ended."""
    beat, age = segment.counter(BEAT), 0
    if beat:
        age = time.monotonic_ns() - beat
    return time.time_ns() - (age if 0 < age < 86_400 * 10**9 else 0)


def _made(folder: Path) -> Path:
    try:
        private.make_folder(folder)
    except OSError as error:
        raise RecordingError(f"folder {folder} for ESTOP files cannot be made: {error.strerror or error}") from None
    for part in folder.glob(f".*{PART}"):
        if is_left(part):
            _removed(part)
    return folder


def _free_path(folder: Path, ring: str, utc_ns: int) -> Path:
    while (path := folder / file_name(ring, utc_ns)).exists():
        utc_ns += 10**6
    return path


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True
