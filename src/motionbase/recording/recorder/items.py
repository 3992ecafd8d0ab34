"""Settings of a recorder, and the items in its queue to the disk."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, final

from motionbase.arrays import Array, Unsigned
from motionbase.recording.recorder.files import Origin
from motionbase.ring.backend import DEFAULT_NAME

QUEUE_BYTES = 100_000_000  # size of the queue to the disk
RETRY_S = 1.0  # between attempts to write to a failing disk
CLOSE_S = 10.0  # time limit for the queue at the end


class Split(NamedTuple):
    """When a new file begins automatically; 0 for never.

    Attributes:
        bytes: size of a file; it ends with the chunk that reaches it
        ns: time covered by a file [ns]
    """

    bytes: int = 0
    ns: int = 0


@final
@dataclass(frozen=True)
class Settings:
    """Settings of a recorder.

    Attributes:
        out: a file, a folder, or None for the default folder
        wait: begin only at `motionbase record-control start`
        note: the first event of the recording
        oldest: begin with the oldest record in the ring that is not in a file yet, instead of the next new one
        after: record the whole run that follows the run of this epoch; 0 if there was none before
        queue_bytes: size of the queue to the disk
        retry_s: between attempts to write to a failing disk [s]
        close_s: time limit for the queue when the recorder ends [s]
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
    """Consecutive records.

    Attributes:
        first: number of the first since the writer's epoch
        done: number of its records that are in a file already
        notes: events at these records in order of time, without those already in a file
    """

    rows: Array
    first: int
    utc_ns: Unsigned
    origin: Origin
    done: int = 0
    notes: list[Note] = field(default_factory=list)


@final
@dataclass(frozen=True)
class Note:
    """An event to be written, see `Event`; utc_ns 0 means at the first record of the file."""

    kind: str
    text: str
    utc_ns: int = 0
    tick: int | None = None
    person: str = ""
    is_bad: bool = False


@final
@dataclass(eq=False)
class Owed:
    """Records that a file has lost, to be written again from the ring.

    Attributes:
        first, stop: numbers of the first record, and after the last
        rows: how many of them are still missing
        utc_ns: of the last of them
        why: what happened to the file, for the event of a remaining gap
    """

    origin: Origin
    first: int
    stop: int
    rows: int
    utc_ns: int
    why: str
