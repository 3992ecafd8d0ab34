"""Finds the files of a killed recorder, so that the next one continues without missing a record.

Every file names the run of the ring's writer that its records belong to, and every record has its number in that run.
So the last number on the disk tells which record comes next, and the ring usually still has it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

import numpy as np

from motionbase.recording.mcap.tail import Tail, tail
from motionbase.recording.mcap.write import log_times
from motionbase.recording.recorder.files import EXTENSION, Names, Place
from motionbase.recording.recorder.items import Settings
from motionbase.ring.backend import AbstractBackend, Device
from motionbase.ring.catalogue import left_epoch
from motionbase.ring.parts import PART, is_left
from motionbase.ring.reader import Reader, ReaderState

CLOCK_S = 3600  # largest difference between the clocks of a share and this machine
NO_RING = (ReaderState.NO_SEGMENT, ReaderState.NOT_INITIALISED)
BATCH = 2048  # records in a read
SEQUENCE = 2**32  # message numbers are modulo this
DIGITS = 19  # most digits of a time [ns]


@final
@dataclass(frozen=True)
class Before:
    """Where the files of a run end.

    Attributes:
        path: of the file with the last record
        next: number of the record after it
        utc_ns: of the last record; shift_ns: by how much the recording's time was ahead of `t` there
        ended: whether the file was finished; else its recorder was killed
        names, piece: of the file that continues the recording
    """

    path: Path
    next: int
    utc_ns: int
    shift_ns: int
    ended: bool
    names: Names
    piece: int


def recorded(place: Place, epoch: int, head: int) -> Before | None:
    """The last record in files of this place, of a run with `head` published records; None if there is none."""
    found = [b for path in _candidates(place, epoch) if (b := _before(path, place, epoch, head)) is not None]
    return max(found, key=lambda b: b.next, default=None)


def _candidates(place: Place, epoch: int) -> list[Path]:
    """Files with names of this place that changed after the run began; `epoch` is a time [ns of UTC]."""
    found = []
    with suppress(OSError):
        for entry in os.scandir(place.folder):
            stem = entry.name.removesuffix(EXTENSION)
            named = stem == place.base or stem.startswith(f"{place.base}_") if place.base else place.ring in stem
            if named and entry.name.endswith(EXTENSION) and not entry.name.startswith("."):
                with suppress(OSError):
                    if entry.is_file() and entry.stat().st_mtime_ns >= epoch - CLOCK_S * 10**9:
                        found.append(Path(entry.path))
    return found


def _before(path: Path, place: Place, epoch: int, head: int) -> Before | None:
    last = tail(path)
    if last is None or last.sequence is None or not _is_of(last, place.ring, epoch):
        return None
    number = head - 1 - (head - 1 - last.sequence) % SEQUENCE
    if number < 0:
        return None
    plain = int(log_times(int(last.about["epoch_utc_ns"]), np.array([last.t]))[0])
    names, piece = Names(path.parent, last.about["recording"]), int(last.about["piece"]) + 1
    return Before(path, number + 1, last.utc_ns, max(0, last.utc_ns - plain), last.ended, names, piece)


def _is_of(last: Tail, ring: str, epoch: int) -> bool:
    """Whether a file belongs to this ring and run, with valid metadata: the stem must not lead to another folder."""
    about = last.about
    name, numbers = about.get("recording", ""), (about.get("epoch_utc_ns", ""), about.get("piece", ""))
    if not name or Path(name).name != name or name == ".." or not name.isprintable():
        return False
    are_numbers = all(n.isascii() and n.isdigit() and len(n) <= DIGITS and int(n) < 2**63 for n in numbers)
    return (about.get("ring"), about.get("epoch")) == (ring, str(epoch)) and are_numbers


def sweep_heads(folder: Path) -> None:
    """Remove files that a killed recorder had not renamed yet; unfinished overviews stay."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.endswith(PART) and f"{EXTENSION}." in entry.name and ".pyramid." not in entry.name:
                if is_left(part := Path(entry.path)):
                    part.unlink(missing_ok=True)


# ---- where a recorder begins ----------------------------------------------------------------------------------------


def attached(settings: Settings, backend: AbstractBackend, say: Callable[[str], object]) -> Reader:
    """A reader: a ring that starts later is read from its first record, an existing one from now on or as set."""

    def reader(start: Literal["head", "oldest", "first"]) -> Reader:
        return Reader(settings.ring, start=start, skip=skip or 0, batch=BATCH, backend=backend)

    skip = settings.after
    if skip is None and not isinstance(backend, Device):  # the writer of a device may be on another machine
        skip = left_epoch(settings.ring)
        if settings.oldest and skip:
            save = f"motionbase ring save {settings.ring}"
            say(f"ring {settings.ring!r} was left by a run that has ended: it is not recorded; to save it: {save}")
    found = reader("first" if settings.after is not None else "oldest" if settings.oldest else "head")
    return reader("first") if found.state in NO_RING else found


def gone_before(reader: Reader, place: Place, settings: Settings) -> Before | None:
    """What files already have of this run; the reader then continues after it.

    The recording of a killed recorder, whose file is unfinished, is continued. After a finished one a new recording
    begins, without the records that are in files.
    """
    if reader.state in NO_RING or settings.wait:
        return None
    head = reader.tail + reader.behind
    before = recorded(place, reader.header.epoch, head)
    by_hand = settings.after is None and not settings.oldest
    if before is None or (by_hand and (before.ended or head - before.next > reader.header.layout.capacity)):
        return None  # started by hand: a new recording
    reader.seek(before.next)
    return before
