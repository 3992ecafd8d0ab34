"""Reads Parquet; blocks are its row groups."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

import pyarrow as pa

from motionbase.arrays import Array
from motionbase.errors import RecordingError, SchemaError
from motionbase.record.schema import Schema
from motionbase.recording.mcap.messages import Event
from motionbase.recording.source import Damage, one_by_one
from motionbase.recording.sources.group_times import GroupTimes
from motionbase.recording.sources.header import schema_of
from motionbase.recording.sources.row_groups import RowGroups

SCHEMA, ABOUT, EVENTS, TIME = (f"motionbase.{key}" for key in ("schema", "about", "events", "time"))
"""Keys of the file's metadata: the schema's JSON, metadata of the recording, events, name of the column of times."""


@final
class ParquetSource:
    """See `Source`."""

    kind = "Parquet"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._groups = RowGroups(path)
        fields, said, self.starts = self._groups.fields, self._groups.said, self._groups.starts
        time_column = said.get(TIME) if said.get(TIME) in fields.names else None
        self._columns = [name for name in fields.names if name != time_column]
        self.schema = self._schema(fields, said)
        self.about = _texts(said.get(ABOUT), {k: v for k, v in said.items() if k.isidentifier()})
        self.events: Sequence[Event] = _events(said.get(EVENTS))
        self._times = GroupTimes(self._groups, time_column, self._columns[0])
        self.begins, self.ends = self._times.begins, self._times.ends

    @property
    def damage(self) -> list[Damage]:
        """See `Source`."""
        return self._groups.damage + self._times.damage

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

    def read(self, block: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        found = self._groups.read(block, [self._times.column(block), *(self._columns[p] for p in places)])
        return self._times.time(block, found[0]), found[1:].T

    def read_run(self, first: int, last: int, places: Sequence[int]) -> tuple[Array, Array]:
        """See `Source`."""
        return one_by_one(self, first, last, places)

    def times(self, block: int) -> Array:
        """See `Source`."""
        return self._times.time(block, self._groups.read(block, [self._times.column(block)])[0])

    def close(self) -> None:
        """See `Source`."""
        self._groups.close()


def _texts(text: str | None, otherwise: dict[str, str]) -> dict[str, str]:
    try:
        given = json.loads(text) if text is not None else otherwise
        return {str(k): str(v) for k, v in given.items()}
    except (ValueError, AttributeError, RecursionError):
        return otherwise


def _event(t: float, kind: str, what: str, tick: int | None = None, person: str = "", is_bad: bool = False) -> Event:
    """An event as stored in the file; older files have only the first three fields."""
    return Event(float(t), str(kind), str(what), None if tick is None else int(tick), str(person), is_bad is True)


def _events(text: str | None) -> tuple[Event, ...]:
    try:
        return tuple(_event(*given) for given in json.loads(text or "[]"))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return ()
