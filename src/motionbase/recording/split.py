"""Splits a recording into files of a given number of records or seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from motionbase import private
from motionbase.errors import RecordingError
from motionbase.recording.export import Exported, write_rows
from motionbase.recording.overview import Progress
from motionbase.recording.recording import Recording
from motionbase.recording.sinks.sink import ENDINGS
from motionbase.recording.times import rows_of
from motionbase.recording.whole import refuse_existing, trouble

MOST_FILES = 10_000


def split(
    recording: Recording,
    folder: Path,
    *,
    records: int | None = None,
    seconds: float | None = None,
    names: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
    ending: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> list[Exported]:
    """Write files NAME_part001 and so on into a folder, creating it; see `export` for names, start and stop.

    Pieces of `seconds` count from the first selected record; a piece without records has no file. The format is
    `ending`, by default that of the recording, or CSV if that format cannot be written.
    """
    ending = _ending(recording, ending)
    edges = _edges(recording, records, seconds, start, stop)
    width = max(3, len(str(len(edges) - 1)))
    paths = [folder / f"{recording.path.stem}_part{k + 1:0{width}d}{ending}" for k in range(len(edges) - 1)]
    try:
        private.make_folder(folder)
    except OSError as e:
        raise trouble(folder, e) from None
    if not force:
        for path in paths:
            refuse_existing(path)
    written: list[Exported] = []
    total = edges[-1] - edges[0]
    for path, first, last in zip(paths, edges[:-1], edges[1:], strict=True):
        before = first - edges[0]

        def done(count: int, _: int, before: int = before) -> None:
            if progress is not None:
                progress(before + count, total)

        written.append(write_rows(recording, path, names, first, last, force=force, progress=done))
    return written


def _ending(recording: Recording, ending: str | None) -> str:
    if ending is None:
        own = recording.path.suffix.lower()
        return own if own in ENDINGS else ".csv"
    if ending not in ENDINGS:
        raise RecordingError(f"format {ending!r}: it must be one of {', '.join(ENDINGS)}")
    return ending


def _edges(
    recording: Recording, records: int | None, seconds: float | None, start: float | None, stop: float | None
) -> list[int]:
    """Numbers of the first record of each file, and of the one after the last."""
    if (records is None) == (seconds is None):
        raise RecordingError("a recording is split by records or by seconds: give one of the two")
    first, last = rows_of(recording, start, stop)
    if records is not None:
        if records < 1:
            raise RecordingError(f"files of {records} records cannot be; give 1 or more")
        _check_count(math.ceil((last - first) / records))
        return [*range(first, last, records), last]
    assert seconds is not None
    if not (seconds > 0 and math.isfinite(seconds)):
        raise RecordingError(f"files of {seconds:g} s cannot be; give more than 0")
    begin, end = recording.time_of(first), recording.time_of(last - 1)
    _check_count(math.floor((end - begin) / seconds) + 1)
    cuts = (recording.rows_between(begin + k * seconds)[0] for k in range(math.floor((end - begin) / seconds) + 1))
    return sorted({first, last, *(cut for cut in cuts if first < cut < last)})


def _check_count(files: int) -> None:
    if files > MOST_FILES:
        raise RecordingError(f"this would make {files} files; {MOST_FILES} is the most, so choose larger ones")
