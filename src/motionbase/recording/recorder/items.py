"""What a recorder is told, and what goes through its queue to the disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, final

from motionbase.recording.mcap.rows import Rows
from motionbase.recording.recorder.files import Origin
from motionbase.recording.recorder.time import Stamps
from motionbase.ring.backend import DEFAULT_NAME

QUEUE_BYTES = 100_000_000  # that may wait for a slow disk
RETRY_S = 1.0  # between tries to write to a disk that refuses
CLOSE_S = 10.0  # for what still waits at the end


class Split(NamedTuple):
    """When a new file begins by itself; 0 for never.

    Attributes:
        bytes: as soon as a file has so many; it ends with the chunk that reaches them
        ns: with the first record so much after a file's first [ns]
    """

    bytes: int = 0
    ns: int = 0


@final
@dataclass(frozen=True)
class Settings:
    """How to record.

    Attributes:
        out: a file, a folder, or None for the default folder
        wait: begin when somebody asks, `motionbase record-control start`
        note: the first event of the recording
        oldest: begin with the oldest record that the ring has and no file of the place, not with the next that comes
        after: the whole run that follows the one of this epoch, from its first record on; 0 where none was before
        queue_bytes: that may wait for a slow disk
        retry_s: between tries to write to a disk that refuses [s]
        close_s: for what still waits when the recorder ends [s]
    """

    ring: str = DEFAULT_NAME
    out: Path | None = None
    split: Split = Split()
    wait: bool = False
    note: str = ""
    oldest: bool = False
    after: int | None = None
    queue_bytes: int = QUEUE_BYTES
    retry_s: float = RETRY_S
    close_s: float = CLOSE_S


@final
@dataclass(eq=False)
class Chunk:
    """Records that follow each other.

    Attributes:
        first: number of the first since the writer's epoch
        done: records of it that are in a file already
        notes: what happened at these records, in order of time; those in a file already are gone from it
    """

    rows: Rows
    first: int
    utc_ns: Stamps
    origin: Origin
    done: int = 0
    notes: list[Note] = field(default_factory=list)


@final
@dataclass(frozen=True)
class Note:
    """Something to be noted beside the records; utc_ns 0: at the first record of the file. See `Event`."""

    kind: str
    text: str
    utc_ns: int = 0
    tick: int | None = None
    person: str = ""
    is_bad: bool = False


@final
@dataclass(eq=False)
class Owed:
    """Records that a file has lost again, to be written once more from the ring.

    Attributes:
        first, stop: numbers of the first, and after the last
        rows: how many of them are still missing
        utc_ns: of the last of them
        why: what became of the file, for the gap that remains
    """

    origin: Origin
    first: int
    stop: int
    rows: int
    utc_ns: int
    why: str
