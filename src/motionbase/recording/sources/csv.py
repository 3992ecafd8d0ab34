"""Reads CSV: a header, then one line per record, the time first.

Only the offset of every 2,048th line or so, more often in wide files, is kept; numbers are parsed when they are read.
A line with anything but numbers becomes NaN, and `damage` lists it.
"""

from __future__ import annotations

import csv as plain
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.csv

from motionbase.arrays import Array, Ints
from motionbase.errors import RecordingError
from motionbase.record.schema import LARGEST
from motionbase.recording.happened import JOURNAL, side_events
from motionbase.recording.mapping import mapped, require_whole
from motionbase.recording.mcap.messages import Event
from motionbase.recording.source import Damage, one_by_one
from motionbase.recording.sources.going_on import GoingOn, usual_period
from motionbase.recording.sources.header import schema_of

BLOCK, BLOCK_BYTES = 2048, 4_000_000  # lines and bytes of a block, whichever is reached first
BLOCK_NUMBERS = 4_000_000  # limit of a block: missing cells of short lines become NaN and take memory
PIECE = 1 << 24  # [bytes] searched at once for line ends
LONGEST_HEADER = 1 << 24
LONGEST_NUMBER = 32  # characters
MOST_CELLS = 2 * LARGEST  # of the header, including commas in quoted names
MOST_SENTENCES = 20


@final
class CsvSource:
    """See `Source`."""

    kind = "CSV"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._raw = mapped(path)
        self.damage: list[Damage] = []
        self._lock = threading.Lock()
        beside = side_events(path)
        self.about: dict[str, str] = {} if beside is None else {JOURNAL: "1"}
        self.events: Sequence[Event] = beside or ()
        header, at = self._header()
        self.schema = schema_of(header, path)
        self._titles = [c.name for c in self.schema.channels]
        self._lines = max(1, min(BLOCK, BLOCK_NUMBERS // len(self._titles)))  # lines of a block
        self._places, self.starts = self._index(at)
        self._time()
        require_whole(self._raw, path)

    def _header(self) -> tuple[list[str], int]:
        end = self._raw.find(b"\n", 0, LONGEST_HEADER)
        if end < 0:
            raise RecordingError(f"recording {str(self.path)!r}: no line ends in it, so there is no header")
        try:
            text = self._raw[:end].decode("utf-8-sig").rstrip("\r")
        except UnicodeDecodeError:
            raise RecordingError(f"recording {str(self.path)!r}: its header is no text in UTF-8") from None
        if (columns := text.count(",") + 1) > MOST_CELLS:  # before they are split
            raise RecordingError(f"recording {str(self.path)!r} has {columns} channels, it must have 1 to {LARGEST}")
        if "\0" in text:
            raise RecordingError(f"recording {str(self.path)!r}: its header is no text")
        return next(plain.reader([text]), []), end + 1

    def _index(self, at: int) -> tuple[Ints, Ints]:
        """Offsets of the blocks and of the end [bytes]; and numbers of their first records, then the record count."""
        end = self._raw.rfind(b"\n") + 1
        cut = bool(self._raw[end:].strip())
        while end > at and not self._raw[(last := max(at, self._raw.rfind(b"\n", at, end - 1) + 1)) : end].strip():
            end = last  # an empty line
        places, starts, lines = [at], [0], 0
        for start in range(at, end, PIECE):
            piece = np.frombuffer(self._raw, np.uint8, min(PIECE, end - start), start)
            stops = np.flatnonzero(piece == ord("\n")) + start + 1
            begun = lines
            while True:
                by_bytes = int(np.searchsorted(stops, places[-1] + BLOCK_BYTES))
                k = min(starts[-1] + self._lines - begun - 1, by_bytes)
                if k >= len(stops):
                    break
                places.append(int(stops[k]))
                starts.append(begun + k + 1)
            lines = begun + len(stops)
        if lines > starts[-1] or len(places) == 1:
            places.append(end)
            starts.append(lines)
        if starts == [0, 0]:
            places, starts = [at], [0]
        if cut:
            text = "the last line has no end: it is being written or was cut, and is left out"
            self.damage.append(Damage(text, lines, lines))
        return np.array(places, np.int64), np.array(starts, np.int64)

    def _time(self) -> None:
        """Times at both ends of each block, and the state before it, from all of `t`, which may restart anywhere."""
        blocks = len(self.starts) - 1
        self.begins, self.ends = np.zeros(blocks), np.zeros(blocks)
        self._before: list[tuple[float, float]] = []  # last time and offset before each block
        going_on = GoingOn(usual_period(self._first_cells(0)) if blocks else 0.0)
        for k in range(blocks):
            self._before.append((going_on.last, going_on.offset))
            time = going_on.time(self._first_cells(k))
            self.begins[k], self.ends[k] = time[0], time[-1]
        self._period = going_on.period

    def _first_cells(self, block: int) -> Array:
        """`t` of a block, without parsing the rest of its lines."""
        at, end = int(self._places[block]), int(self._places[block + 1])
        raw = np.frombuffer(self._raw, np.uint8, end - at, at)
        ends = np.flatnonzero(raw == ord("\n"))
        begins = np.concatenate([[0], ends[:-1] + 1])
        cells = raw[np.minimum(begins[:, None] + np.arange(LONGEST_NUMBER), len(raw) - 1)]
        over = np.logical_or.accumulate((cells == ord(",")) | (cells == ord("\n")) | (cells == ord("\r")), axis=1)
        if over[:, -1].all() and not over[:, 0].any():
            try:
                return np.where(over, 0, cells).astype(np.uint8).view(f"S{LONGEST_NUMBER}")[:, 0].astype(np.float64)
            except ValueError:
                pass
        return np.asarray(self._parsed(block, [0])[0])

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        wanted = list(dict.fromkeys([0, *places]))
        row_of = {place: row for row, place in enumerate(wanted)}
        found = self._parsed(block, wanted)
        return self._going(block, found[0]), found[[row_of[p] for p in places]].T

    def read_run(self, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        return one_by_one(self, first, last, places)

    def times(self, block: int) -> Array:
        """See `Source`."""
        return self._going(block, self._parsed(block, [0])[0])

    def _going(self, block: int, t: Array) -> Array:
        going_on = GoingOn(self._period)
        going_on.last, going_on.offset = self._before[block]
        return going_on.time(t)

    def _parsed(self, block: int, places: Sequence[int]) -> Array:
        """(places, records) of a block."""
        raw = self._raw[int(self._places[block]) : int(self._places[block + 1])]
        require_whole(self._raw, self.path)
        count = int(self.starts[block + 1] - self.starts[block])
        names = [self._titles[p] for p in places]
        try:
            table: Any = pyarrow.csv.read_csv(
                pa.BufferReader(raw),
                read_options=pyarrow.csv.ReadOptions(
                    column_names=self._titles, use_threads=False, block_size=len(raw) + 1
                ),
                parse_options=pyarrow.csv.ParseOptions(newlines_in_values=False, ignore_empty_lines=False),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types={name: pa.float64() for name in self._titles},
                    include_columns=names,
                    null_values=[],
                ),
            )
            if table.num_rows == count:
                return np.array([table.column(name).to_numpy() for name in names]).reshape(len(names), count)
        except pa.ArrowInvalid:
            pass
        return self._by_line(raw, block, places, count)

    def _by_line(self, raw: bytes, block: int, places: Sequence[int], count: int) -> Array:
        """Parse line by line, with a message for each bad line."""
        out = np.full((len(places), count), np.nan)
        for k, line in enumerate(raw.split(b"\n")[:count]):
            cells = line.decode(errors="replace").strip().split(",")
            number = int(self.starts[block]) + k
            if len(cells) != len(self._titles):
                self._say(number, f"{len(cells)} numbers where {len(self._titles)} are wanted")
                continue
            for j, place in enumerate(places):
                try:
                    out[j, k] = float(cells[place].strip().strip('"'))
                except ValueError:
                    self._say(number, f"{cells[place][:40]!r} is no number")
        return out

    def _say(self, record: int, what: str) -> None:
        found = Damage(f"record {record}: {what}", record, record + 1)
        with self._lock:
            if found in self.damage:
                return
            if len(self.damage) < MOST_SENTENCES:
                self.damage.append(found)
                return
            more = self.damage[MOST_SENTENCES] if len(self.damage) > MOST_SENTENCES else found
            first, last = min(record, more.place), max(record + 1, more.last or 0)
            self.damage[MOST_SENTENCES:] = [Damage(f"more lines are wrong, records {first} to {last - 1}", first, last)]

    def close(self) -> None:
        """See `Source`."""
        with suppress(BufferError):
            self._raw.close()
