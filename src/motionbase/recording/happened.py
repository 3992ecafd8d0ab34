"""Events of a recording: those in its file or, if it has none, those found in its records.

The recorder writes changes of state, faults and the like as events, and marks the file as having them (`journal`).
Files of older recorders, CSV files and ESTOP files have only records. In these, the pyramid of extremes shows which
stretches contain a change, and only those are read.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.journal import RecordWatch
from motionbase.recording.mcap.messages import Event
from motionbase.recording.overview import Progress
from motionbase.recording.pyramid import BASE, FACTOR, level_for

if TYPE_CHECKING:
    from motionbase.recording.recording import Recording
    from motionbase.recording.source import Source

JOURNAL = "journal"  # metadata of a file whose events are complete
SMALL = 65_536  # recordings of up to so many records are read as a whole
BINS = 4096  # smallest number of bins searched for changes
MOST_ROWS = 4_000_000  # read at most for changes; more of them are noise
SIDE_ENDING = ".events.tsv"
SIDE_COLUMNS = ("t [s]", "tick", "kind", "person", "is_bad", "text")
LARGEST_SIDE, MOST_EVENTS = 1 << 26, 1_000_000  # limits of a side file, in bytes and lines


def events_of(recording: Recording, progress: Progress | None = None) -> list[Event]:
    """All events in order of time; may have to read records or build the pyramid."""
    own = list(recording.events)
    if is_complete(recording.source):
        missing = initial(recording, 0, own)
    else:
        missing = _in_records(recording, progress)
    return sorted([*own, *missing], key=lambda event: event.t)


def is_complete(source: Source) -> bool:
    """Whether the file's events include everything that its records show."""
    return bool(source.about.get(JOURNAL))


def initial(recording: Recording, first: int, events: Sequence[Event] = ()) -> list[Event]:
    """State of the base at record `first` as events, unless `events` tell it: for a part of a longer recording."""
    if first >= recording.count:
        return []
    told = {e.kind for e in events if e.t <= recording.time_of(first)}
    watch = Along(recording)
    if not watch.names:
        return []
    time, values = next(recording.pieces(watch.names, first, first + 1))
    return [e for e in watch.take(time, values) if e.kind not in told]


@final
class Along:
    """Finds events in columns while they are read: `names` are the channels it needs, with the recording's time."""

    def __init__(self, recording: Recording) -> None:
        self._watch = RecordWatch(recording.schema)
        self._ticks = "tick" in recording.schema.index and bool(self._watch.channels)
        self.names = (*self._watch.names, *(("tick",) if self._ticks else ()))
        self.changing = self._watch.channels  # those among them whose changes are events

    def take(self, time: Array, values: Array) -> Iterator[Event]:
        """Take (n,) times and (n, `names`) values that follow those of the last call."""
        for found in self._watch.find_in(time, values[:, : len(self._watch.names)]):
            tick = float(values[found.k, -1]) if self._ticks else np.nan
            yield Event(
                float(time[found.k]), found.kind, found.text, int(tick) if 0 <= tick < 2**53 else None,
                is_bad=found.is_bad,
            )  # fmt: skip


def _in_records(recording: Recording, progress: Progress | None) -> list[Event]:
    watch, found = Along(recording), list[Event]()
    if not watch.names:
        return found
    for first, last in _stretches(recording, watch.changing, progress):
        for time, values in recording.pieces(watch.names, first, last):
            found.extend(watch.take(time, values))
    return found


def _stretches(recording: Recording, names: Sequence[str], progress: Progress | None) -> Iterator[tuple[int, int]]:
    """Ranges of records that can contain a change, and the beginning."""
    level = None if recording.count <= SMALL else level_for(recording.count, BINS)
    if level is None:
        yield 0, recording.count
        return
    size, left = BASE * FACTOR**level, MOST_ROWS
    changed = np.zeros(-(-recording.count // size), np.bool_)
    changed[0] = True
    for name in names:
        changed |= _changed(recording, name, level, len(changed), progress)
    edges = np.flatnonzero(np.diff(changed, prepend=False, append=False))
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        first, last = begin * size, min(end * size, recording.count)
        yield first, min(last, first + left)
        left -= last - first
        if left <= 0:
            return


def _changed(recording: Recording, name: str, level: int, bins: int, progress: Progress | None) -> np.ndarray:
    """(bins,) whether a channel has two values in a bin, or another value than in the bin before."""
    (place,) = recording.schema.places((name,))
    ends = recording.bins(place, level, 0, bins, progress)
    least, most = np.nan_to_num(ends[:, 0], nan=-1.0), np.nan_to_num(ends[:, 1], nan=-1.0)
    changed: np.ndarray = (least != most) | (np.diff(most, prepend=least[0]) != 0)
    return changed


# ---- side files, for formats that cannot hold events ----------------------------------------------------------------


def side_path(path: Path) -> Path:
    """Path of the events of a CSV file."""
    return path.with_name(f"{path.stem}{SIDE_ENDING}")


def side_text(events: Sequence[Event]) -> str:
    """One line per event with tab-separated columns, which spreadsheets can open."""
    out = io.StringIO()
    table = csv.writer(out, delimiter="\t", lineterminator="\n")
    table.writerow(SIDE_COLUMNS)
    for e in events:
        text = " ".join(e.text.split())
        table.writerow((repr(e.t), "" if e.tick is None else e.tick, e.kind, e.person, int(e.is_bad), text))
    return out.getvalue()


def side_events(path: Path) -> tuple[Event, ...] | None:
    """Events of a CSV file from its side file; None if there is none, or it is not one of ours."""
    side = side_path(path)
    try:
        if side.stat().st_size > LARGEST_SIDE:
            return None
        lines = csv.reader(io.StringIO(side.read_text("utf-8")), delimiter="\t")
        if tuple(next(lines, ())) != SIDE_COLUMNS:
            return None
        found = [
            Event(_time(t), kind, text, _tick(tick), person, is_bad == "1")
            for t, tick, kind, person, is_bad, text in lines
        ]
    except (OSError, ValueError, csv.Error):
        return None
    return tuple(found[:MOST_EVENTS])


def _time(text: str) -> float:
    if not math.isfinite(t := float(text)):
        raise ValueError(f"{text!r} is no time")
    return t


def _tick(text: str) -> int | None:
    """A tick, None if empty; `ValueError` for one outside the recorder's range."""
    if text and not (text.isascii() and text.isdigit() and len(text) < 17 and int(text) < 2**53):
        raise ValueError(f"{text!r:.40} is no tick")
    return int(text) if text else None
