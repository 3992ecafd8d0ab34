"""Exports channels and stretches of a recording to a file of any format."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from motionbase import private
from motionbase.errors import RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.happened import JOURNAL, Along, initial, is_complete, side_path, side_text
from motionbase.recording.mcap.messages import Event
from motionbase.recording.overview import Progress
from motionbase.recording.recording import Recording
from motionbase.recording.sinks.sink import ENDINGS, Heading, open_sink
from motionbase.recording.times import rows_of
from motionbase.recording.whole import refuse_existing, trouble, whole_or_not

DAMAGE = "damage"  # kind of events that report unreadable parts of the source
NOT_COPIED = ("schema", "seal")  # written anew by the new file


@final
@dataclass(frozen=True)
class Exported:
    """An exported file.

    Attributes:
        count: records; channels: of each; bytes: of the file
        beside: the file of its events, if the format cannot hold events
    """

    path: Path
    count: int
    channels: int
    bytes: int
    beside: Path | None = None


def export(
    recording: Recording,
    path: Path,
    names: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Export all or the named channels, with `t` first, between two times [s]; the file's ending gives the format."""
    first, last = rows_of(recording, start, stop)
    return write_rows(recording, path, names, first, last, force=force, progress=progress)


def write_rows(
    recording: Recording,
    path: Path,
    names: Sequence[str] | None,
    first: int,
    last: int,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write records `first` up to `last` with their events; an incomplete file is removed."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise RecordingError(f"{str(path)!r}: the name must end in {', '.join(ENDINGS)}")
    if path.exists() and path.samefile(recording.path):
        raise RecordingError(f"{str(path)!r} is the recording itself; choose another name")
    side = side_path(path) if ending == ".csv" else None
    if side is not None and not force:
        refuse_existing(side)
    wanted = with_time(names if names is not None else tuple(recording.schema.index))
    heading = Heading(_schema(recording.schema, wanted), _about(recording), _epoch(recording), first)
    try:
        with whole_or_not(path, force) as part:
            events = _copy(recording, part, ending, heading, wanted, first, last, progress)
        size = path.stat().st_size
        if side is not None and not events:
            side.unlink(missing_ok=True)
            side = None
        if side is not None:
            with whole_or_not(side, force) as part:
                private.write_file(part, side_text(events).encode())
    except OSError as e:
        raise trouble(path, e) from None
    return Exported(path, last - first, len(wanted), size, side)


def _copy(
    recording: Recording, part: Path, ending: str, heading: Heading, names: Sequence[str], first: int, last: int,
    progress: Progress | None,
) -> list[Event]:  # fmt: skip
    """Copy the records and return the events in order of time, also those found in records without a journal."""
    done, watch, seen = 0, None if is_complete(recording.source) else Along(recording), list[Event]()
    sink = open_sink(part, ending, heading)
    try:
        for t, rows in recording.pieces([*names, *(watch.names if watch else ())], first, last, sink.at_once):
            sink.write(t, rows[:, : len(names)])
            if watch is not None:
                seen.extend(watch.take(t, rows[:, len(names) :]))
            done += len(t)
            if progress is not None:
                progress(done, last - first)
        own = _events(recording, first, last)
        seen = seen if watch is not None else initial(recording, first, own)
        happened = sorted([*own, *seen, *_damage(recording, first, last)], key=lambda event: event.t)
        sink.close(happened)
        return happened
    except BaseException:
        with suppress(OSError):
            sink.abandon()
        raise


def with_time(names: Sequence[str]) -> tuple[str, ...]:
    """The names with `t` first, which every file has."""
    return ("t", *(name for name in dict.fromkeys(names) if name != "t"))


def _schema(schema: Schema, names: Sequence[str]) -> Schema:
    if tuple(names) == tuple(schema.index):
        return schema
    return Schema(schema.name, tuple(schema.channels[place] for place in schema.places(names)))


def _about(recording: Recording) -> dict[str, str]:
    said = {k: v for k, v in recording.source.about.items() if k not in NOT_COPIED}
    return {**said, "exported_from": recording.path.name, JOURNAL: "1"}


def _epoch(recording: Recording) -> int:
    """UTC from which times count [ns]; if unknown, early enough for times below zero."""
    try:
        return int(recording.source.about["epoch_utc_ns"])
    except (KeyError, ValueError):
        return int(np.ceil(max(0.0, -recording.start)) * 10**9)


def _events(recording: Recording, first: int, last: int) -> list[Event]:
    """Events from the first record up to the one after the last; at either end of the recording, also those beyond."""
    begin = recording.time_of(first) if first > 0 else -np.inf
    end = recording.time_of(last) if last < recording.count else np.inf
    return [event for event in recording.events if begin <= event.t < end]


def _damage(recording: Recording, first: int, last: int) -> list[Event]:
    """Unreadable parts of records `first` up to `last` as events, each at the time of its first record."""
    return [
        Event(recording.time_of(min(max(found.place, first), last - 1)), DAMAGE, found.text, is_bad=True)
        for found in recording.damage
        if found.touches(first, last, recording.count)
    ]
