"""Parquet, as a source: its blocks are its row groups."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from motionbase.errors import RecordingError, SchemaError
from motionbase.recording.mcap.messages import Event
from motionbase.recording.source import Array, one_by_one
from motionbase.recording.sources.going_on import GoingOn, usual_period
from motionbase.recording.sources.header import schema_of
from motionbase.ring.schema import Schema

SCHEMA, ABOUT, EVENTS, TIME = (f"motionbase.{key}" for key in ("schema", "about", "events", "time"))
"""Keys of the file's metadata: the schema's JSON, what the writer says, events, name of the column of times."""


@final
class ParquetSource:
    """See `Source`."""

    kind = "Parquet"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()  # a reader of pyarrow serves one thread at a time
        try:
            self._file: Any = pq.ParquetFile(path, memory_map=True, page_checksum_verification=True)
            found = self._file.schema_arrow
            said = {k.decode(): v.decode() for k, v in (self._file.metadata.metadata or {}).items()}
        except (pa.ArrowException, OSError, ValueError) as e:
            raise RecordingError(f"recording {str(path)!r} cannot be read as Parquet: {_line(e)}") from None
        self.damage: list[str] = []
        self._columns = [f.name for f in found if f.name != said.get(TIME)]
        self.schema = self._schema(found, said)
        self.about = _texts(said.get(ABOUT), {k: v for k, v in said.items() if k.isidentifier()})
        self.events: Sequence[Event] = _events(said.get(EVENTS))
        self._time_column = said.get(TIME)
        counts = [self._file.metadata.row_group(k).num_rows for k in range(self._file.num_row_groups)]
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._time()

    def _schema(self, found: Any, said: dict[str, str]) -> Schema:
        for field in found:
            if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
                raise RecordingError(
                    f"recording {str(self.path)!r}: column {field.name!r} is {field.type}, a recording has numbers only"
                )
        if SCHEMA in said:
            try:
                schema = Schema.from_json(said[SCHEMA])
            except SchemaError as e:
                raise RecordingError(f"recording {str(self.path)!r}: {e}") from None
            if list(schema.index) == self._columns:
                return schema
        units = {f.name: (f.metadata or {}).get(b"unit", b"").decode(errors="replace") for f in found}
        return schema_of((f"{name} [{units[name]}]" if units[name] else name for name in self._columns), self.path)

    def _time(self) -> None:
        """Begin and end of every row group, from its times; where there are none, from `t`, which may begin anew."""
        blocks = len(self.starts) - 1
        self.begins, self.ends = np.zeros(blocks), np.zeros(blocks)
        going_on = None
        self._before: list[tuple[float, float]] = []
        for k in range(blocks):
            t = self._group(k, [self._time_column or self._columns[0]])[0]
            going_on = going_on or GoingOn(usual_period(t))
            self._before.append((going_on.last, going_on.offset))
            time = t if self._time_column else going_on.time(t)
            self.begins[k], self.ends[k] = (time[0], time[-1]) if len(time) else (going_on.last, going_on.last)
        self._period = going_on.period if going_on else 0.0

    def _group(self, block: int, names: Sequence[str]) -> Array:
        """(names, records) of a row group."""
        count = int(self.starts[block + 1] - self.starts[block])
        try:
            with self._lock:
                table = self._file.read_row_group(block, columns=list(dict.fromkeys(names)), use_threads=False)
            columns = [table.column(name).to_numpy().astype(np.float64, copy=False) for name in names]
            if table.num_rows == count:
                return np.array(columns, dtype=np.float64).reshape(len(names), count)
            why = f"{table.num_rows} records where {count} are said to be"
        except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError) as e:
            why = _line(e)
        sentence = f"records {self.starts[block]} to {self.starts[block + 1] - 1} could not be read: {why}"
        if sentence not in self.damage:
            self.damage.append(sentence)
        return np.full((len(names), count), np.nan)

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        found = self._group(block, [self._time_column or self._columns[0], *(self._columns[p] for p in places)])
        return self._going(block, found[0]), found[1:].T

    def read_run(self, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        return one_by_one(self, first, last, places)

    def times(self, block: int) -> Array:
        """See `Source`."""
        return self._going(block, self._group(block, [self._time_column or self._columns[0]])[0])

    def _going(self, block: int, t: Array) -> Array:
        if self._time_column:
            return t
        going_on = GoingOn(self._period)
        going_on.last, going_on.offset = self._before[block]
        return going_on.time(t)

    def close(self) -> None:
        """See `Source`."""
        self._file.close()


def _line(e: BaseException) -> str:
    return " ".join(str(e).split())[:200].rstrip(".")


def _texts(text: str | None, otherwise: dict[str, str]) -> dict[str, str]:
    try:
        given = json.loads(text) if text is not None else otherwise
        return {str(k): str(v) for k, v in given.items()}
    except (ValueError, AttributeError, RecursionError):
        return otherwise


def _events(text: str | None) -> tuple[Event, ...]:
    try:
        return tuple(Event(float(t), str(kind), str(what)) for t, kind, what in json.loads(text or "[]"))
    except (ValueError, TypeError, RecursionError):
        return ()
