"""One class for recordings of every format: columns by name over any stretch of time, and envelopes at any zoom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Self, final

import numpy as np

from motionbase.arrays import Array, Ints, Singles
from motionbase.errors import RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.ahead import THREADS
from motionbase.recording.choice import chosen
from motionbase.recording.happened import events_of
from motionbase.recording.mcap.messages import Event
from motionbase.recording.overview import Progress, built_pyramid, found_pyramid
from motionbase.recording.pieces import Piece, pieces
from motionbase.recording.pyramid import BASE, FACTOR, Damaged, Pyramid, level_for
from motionbase.recording.source import Damage, Source

RUN_ROWS, RUN_BYTES = 4096, 2_000_000  # limits of small blocks read together, in records and bytes
AHEAD, AHEAD_BYTES = 8 * THREADS, 64_000_000  # limits of reading ahead: number of such pieces, and their bytes


class Envelope(NamedTuple):
    """A channel for drawing: the least and the largest value for every pixel.

    Attributes:
        t: (n,) start of each pixel [s]; least, most: (n,) values; all records if there are no more than pixels
    """

    t: Array
    least: Array
    most: Array


class Envelopes(NamedTuple):
    """Several channels over the same bins.

    Attributes:
        t: (n,) start of each bin [s]; least, most: (channels, n)
    """

    t: Array
    least: Array
    most: Array


@final
class Recording:
    """An open recording; close it, or use it in a `with` statement.

    Reading takes memory for the result and a few blocks, never for the whole file. Times are seconds since the
    recording's epoch.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._pyramid: Pyramid | None = None
        self._journal: Sequence[Event] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        if self._pyramid is not None:
            self._pyramid.close()
            self._pyramid = None
        self.source.close()

    # ---- properties ----

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.source.path

    @property
    def schema(self) -> Schema:
        """Names, units and groups."""
        return self.source.schema

    @property
    def count(self) -> int:
        """Number of records."""
        return int(self.source.starts[-1])

    @property
    def start(self) -> float:
        """Time of the first record [s]; 0 if there is none."""
        return float(self.source.begins[0]) if len(self.source.begins) else 0.0

    @property
    def end(self) -> float:
        """Time of the last record [s]."""
        return float(self.source.ends[-1]) if len(self.source.ends) else 0.0

    @property
    def events(self) -> Sequence[Event]:
        """Events in the file; `journal` has all."""
        return self.source.events

    def journal(self, progress: Progress | None = None) -> Sequence[Event]:
        """All events: those of the file and, if these are incomplete, those found in the records.

        Immediate for files of our recorder; others need the pyramid, which is built if it is missing.
        """
        if self._journal is None:
            self._journal = events_of(self, progress)
        return self._journal

    @property
    def damage(self) -> Sequence[Damage]:
        """Damage found so far, in the order of the records."""
        return sorted(self.source.damage, key=lambda damage: damage.place)

    # ---- selecting ----

    def select(
        self, patterns: Iterable[str] = (), groups: Iterable[str] = (), legs: Iterable[int] = ()
    ) -> tuple[str, ...]:
        """Names of channels in their order: those of the patterns (`leg*_f_meas`), groups and legs.

        Groups and legs together select channels that are in both; all channels if nothing is given.
        """
        return chosen(self.schema, self._owner, patterns, groups, legs)

    @property
    def _owner(self) -> str:
        return f"recording {self.path.name!r}"

    def rows_between(self, start: float | None = None, stop: float | None = None) -> tuple[int, int]:
        """Number of the first record at or after `start`, and of the first after `stop` [s]."""
        first = 0 if start is None else self._row_at(start, "left")
        last = self.count if stop is None else self._row_at(stop, "right")
        return first, max(first, last)

    def _row_at(self, t: float, side: Literal["left", "right"]) -> int:
        """Number of the record at a time; the first match if a clock was set back and blocks overlap."""
        ends = np.maximum.accumulate(self.source.ends)
        block = int(np.searchsorted(ends, t, side))
        if block >= len(ends):
            return self.count
        inside = np.searchsorted(self.source.times(block), t, side)
        return int(self.source.starts[block] + inside)

    def time_of(self, row: int) -> float:
        """Time of one record [s]."""
        block = int(np.searchsorted(self.source.starts, row, "right")) - 1
        return float(self.source.times(block)[row - int(self.source.starts[block])])

    # ---- reading ----

    def pieces(
        self, names: Sequence[str], first: int = 0, last: int | None = None, rows: int | None = None
    ) -> Iterator[Piece]:
        """(time (n,), values (n, names)) piece by piece, records `first` up to `last`, read ahead by threads.

        The values of a channel are contiguous in memory. Pieces have up to `rows` records, or one block if that has
        more; the last may have fewer.
        """
        places, last = self.schema.places(names), self.count if last is None else last
        return pieces(self.source, places, first, last, rows or self._run_rows, self._run_rows, self._ahead)

    @property
    def _run_rows(self) -> int:
        return max(1, min(RUN_ROWS, RUN_BYTES // self.schema.record_bytes))

    @cached_property
    def _ahead(self) -> int:
        """Number of runs of blocks to read ahead: few if they are large, at least one."""
        rows = max(self._run_rows, int(np.diff(self.source.starts).max(initial=1)))
        return max(2, min(AHEAD, AHEAD_BYTES // (rows * self.schema.record_bytes)))

    def columns(
        self, names: str | Sequence[str] | None = None, start: float | None = None, stop: float | None = None
    ) -> dict[str, Array]:
        """Columns by name, and `time`, between two times [s]; all channels if none is given."""
        wanted = (names,) if isinstance(names, str) else tuple(names if names is not None else self.schema.index)
        first, last = self.rows_between(start, stop)
        try:
            time, values = np.empty(last - first), np.empty((len(wanted), last - first))
        except (MemoryError, ValueError):
            size = f"{last - first} records of {len(wanted)} channels"
            raise RecordingError(f"{self._owner}: there is no memory for {size}; choose fewer, or `pieces`") from None
        at = 0
        for t, rows in self.pieces(wanted, first, last):
            time[at : at + len(t)], values[:, at : at + len(t)] = t, rows.T
            at += len(t)
        return {"time": time, **dict(zip(wanted, values, strict=True))}

    # ---- envelopes ----

    def envelope(
        self, name: str, start: float | None = None, stop: float | None = None, pixels: int = 2000,
        progress: Progress | None = None,
    ) -> Envelope:  # fmt: skip
        """Envelope of one channel for a picture `pixels` wide; no spike is lost at any zoom."""
        found = self.envelopes((name,), start, stop, pixels, progress)
        return Envelope(found.t, found.least[0], found.most[0])

    def envelopes(
        self, names: Sequence[str], start: float | None = None, stop: float | None = None, pixels: int = 2000,
        progress: Progress | None = None,
    ) -> Envelopes:  # fmt: skip
        """Envelopes of several channels for a picture `pixels` wide; each block of the file is read once."""
        if pixels < 1:
            raise RecordingError(f"{self._owner}: a picture of {pixels} pixels has no room; at least 1 is wanted")
        first, last = self.rows_between(start, stop)
        places, level = self.schema.places(names), level_for(last - first, pixels)
        if level is None:
            return envelopes_of(self.pieces(names, first, last), len(names), last - first, pixels)
        size = BASE * FACTOR**level
        low, high = first // size, -(-last // size)
        bins = np.stack([self.bins(place, level, low, high, progress) for place in places]).astype(np.float64)
        return per_pixel(self.times_of(np.arange(low, high) * size), bins[..., 0], bins[..., 1], pixels)

    def times_of(self, rows: Ints) -> Array:
        """Times of records, interpolated within each block."""
        starts = self.source.starts
        block = np.clip(np.searchsorted(starts, rows, "right") - 1, 0, len(starts) - 2)
        inside = (rows - starts[block]) / np.maximum(starts[block + 1] - starts[block] - 1, 1)
        return np.asarray(self.source.begins[block] + inside * (self.source.ends[block] - self.source.begins[block]))

    @cached_property
    def stamp(self) -> str:
        """Stamp that ties a pyramid to the present state of this file."""
        try:
            state = self.path.stat()
        except OSError as e:
            raise RecordingError(f"{self._owner} is gone: {e.strerror}") from None
        return f"{state.st_size} {state.st_mtime_ns} {self.count} {self.schema.hash.hex()}"

    def pyramid(self, progress: Progress | None = None) -> Pyramid:
        """The pyramid beside the file or in the cache; built if it is missing, stale or damaged."""
        if self._pyramid is None:
            self._pyramid = found_pyramid(self.path, self.stamp, len(self.schema.channels)) or self._built(progress)
        return self._pyramid

    def _built(self, progress: Progress | None) -> Pyramid:
        names = tuple(self.schema.index)
        return built_pyramid(
            self.path, self.stamp, len(names), lambda: (rows for _, rows in self.pieces(names)), self.count, progress
        )

    def bins(self, place: int, level: int, low: int, high: int, progress: Progress | None = None) -> Singles:
        """(high - low, 2) least and largest values of a channel in bins of a level of the pyramid."""
        try:
            return self.pyramid(progress).bins(place, level, low, high)
        except Damaged:
            self._pyramid = self._built(progress)
            return self._pyramid.bins(place, level, low, high)


def envelopes_of(found: Iterable[Piece], channels: int, records: int, pixels: int) -> Envelopes:
    """Envelopes from records piece by piece, in the memory of the picture and a few pieces."""
    starts = _pixel_starts(records, pixels)
    t, least = np.empty(len(starts)), np.full((channels, len(starts)), np.nan)
    most, at = least.copy(), 0
    for time, rows in found:
        k = int(np.searchsorted(starts, at, "right")) - 1  # pixel in which the piece begins
        upto = int(np.searchsorted(starts, at + len(time), "left"))
        inside = np.maximum(starts[k:upto] - at, 0)
        begun = starts[k:upto] >= at  # all but a pixel that began in the previous piece
        t[k:upto][begun] = time[inside[begun]]
        least[:, k:upto] = np.fmin(least[:, k:upto], np.fmin.reduceat(rows.T, inside, axis=1))
        most[:, k:upto] = np.fmax(most[:, k:upto], np.fmax.reduceat(rows.T, inside, axis=1))
        at += len(time)
    return Envelopes(t, least, most)


def _pixel_starts(n: int, pixels: int) -> Ints:
    """First of n bins or records of each pixel; all of them if there are no more than pixels."""
    if n <= pixels:
        return np.arange(n)
    return np.unique(np.linspace(0, n, pixels, endpoint=False).astype(np.int64))


def per_pixel(t: Array, least: Array, most: Array, pixels: int) -> Envelopes:
    """Bins merged to pixels; unchanged if there are no more than pixels."""
    if len(t) <= pixels:
        return Envelopes(t, least, most)
    starts = _pixel_starts(len(t), pixels)
    return Envelopes(t[starts], np.fmin.reduceat(least, starts, axis=1), np.fmax.reduceat(most, starts, axis=1))
