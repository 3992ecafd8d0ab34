"""Whole records of a recording, for pages that replay it by themselves; docs/console_protocol.md has the frame."""

from __future__ import annotations

import numpy as np

from motionbase.console.live.frames import body, head
from motionbase.errors import UsageError
from motionbase.recording.recording import Recording

MOST_ROWS, MOST_READ = 64, 4096  # limits of records sent, and of records read for them
MOST_NUMBERS = 1 << 20


def rows(recording: Recording, at: float | None, first: int | None, count: int, every: int) -> bytes:
    """Every `every`-th record from a time [s] or a number on; beyond the end, the last record."""
    if (at is None) == (first is None):
        raise UsageError("records begin at a time or at a number; give one of `at` and `first`")
    if not 1 <= count <= MOST_ROWS or not 1 <= every <= MOST_READ or count * every > MOST_READ:
        raise UsageError(
            f"count is {count} and every {every}: count must be 1 to {MOST_ROWS}, and both together {MOST_READ} at most"
        )
    width = len(recording.schema.channels)
    if not recording.count:
        raise UsageError(f"recording {recording.path.name!r} has no records")
    begin = _at(recording, at) if at is not None else int(first or 0)
    begin = min(max(begin, 0), recording.count - 1)
    most = max(1, min(count, MOST_NUMBERS // max(1, width)))
    last = min(begin + (most - 1) * every + 1, recording.count)
    names = [channel.name for channel in recording.schema.channels]
    t, values = [], []
    for piece_t, piece in recording.pieces(names, begin, last):
        t.append(piece_t)
        values.append(piece)
    times, records = np.concatenate(t)[::every], np.concatenate(values)[::every]
    header = {"kind": "rows", "first": begin, "every": every, "count": len(times), "width": width}
    return head(header) + body(times, records)


def _at(recording: Recording, t: float) -> int:
    """Number of the record shown at a time: the last one that is not later."""
    if not np.isfinite(t):
        raise UsageError(f"at is {t}; give seconds since the recording's epoch")
    return recording.rows_between(None, t)[1] - 1
