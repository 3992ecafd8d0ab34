"""Checked stretches of a recording between two times, with the same messages everywhere."""

from __future__ import annotations

import math

from motionbase.errors import RecordingError
from motionbase.recording.recording import Recording


def check_times(start: float | None, stop: float | None) -> None:
    """Check two times since the recording's epoch [s]: numbers, and in order."""
    for what, t in (("from", start), ("to", stop)):
        if t is not None and not math.isfinite(t):
            raise RecordingError(f"{what} {t} s is no time; give seconds since the recording's epoch")
    if start is not None and stop is not None and stop < start:
        raise RecordingError(f"from {start:.9g} s to {stop:.9g} s: the second time is before the first")


def rows_of(recording: Recording, start: float | None, stop: float | None) -> tuple[int, int]:
    """Numbers of the first record between two times [s] and of the one after the last; an error if there is none."""
    check_times(start, stop)
    first, last = recording.rows_between(start, stop)
    if first < last:
        return first, last
    if not recording.count:
        raise RecordingError(f"recording {recording.path.name!r} has no records")
    asked = f"from {start:.9g} s" if start is not None else "from the start"
    asked += f" to {stop:.9g} s" if stop is not None else " to the end"
    there = f"{recording.start:.9g} to {recording.end:.9g} s"
    raise RecordingError(f"recording {recording.path.name!r} has no records {asked}; it goes from {there}")
