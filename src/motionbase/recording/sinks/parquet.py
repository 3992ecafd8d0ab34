"""Writes Parquet: one float64 column per channel, the schema and the rest in the file's metadata.

Successive numbers of a channel share sign, exponent and leading digits. Split into streams of first bytes, second bytes
and so on, they compress better and faster with zstd than whole, and better and no slower than with snappy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, final

import pyarrow as pa
import pyarrow.parquet as pq

from motionbase import private
from motionbase.arrays import Array
from motionbase.recording.mcap.messages import Event
from motionbase.recording.sinks.sink import Heading
from motionbase.recording.sources.parquet import ABOUT, EVENTS, SCHEMA, TIME

GROUP, GROUP_BYTES = 131_072, 16_000_000  # records or bytes of a row group, whichever is less
OPTIONS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": False,
    "use_byte_stream_split": True,
    "write_page_checksum": True,
}


def group_rows(columns: int) -> int:
    """Number of records in a row group."""
    return max(1, min(GROUP, GROUP_BYTES // (8 * columns)))


@final
class ParquetSink:
    """See `Sink`. Compression releases Python's lock for the threads that read ahead."""

    def __init__(self, path: Path, heading: Heading) -> None:
        schema = heading.schema
        self._time = "time" if "time" not in schema.index else "time_of_recording"
        units = [(self._time, "s"), *((c.name, c.unit) for c in schema.channels)]
        about = {**heading.about, "epoch_utc_ns": str(heading.epoch_utc_ns)}
        said = {SCHEMA: schema.json, ABOUT: json.dumps(about), TIME: self._time}
        fields = [pa.field(name, pa.float64(), nullable=False, metadata={"unit": unit}) for name, unit in units]
        fields.append(fields.pop(0))  # the record's own `t` comes first
        self._schema = pa.schema(fields, metadata=said)
        self._writer: Any = pq.ParquetWriter(private.make_file(path), self._schema, **OPTIONS)
        self.at_once = group_rows(len(units))

    def write(self, time: Array, rows: Array) -> None:
        """See `Sink`. Each call writes one or more row groups."""
        columns = [pa.array(column) for column in (*rows.T, time)]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema), row_group_size=self.at_once)

    def close(self, events: Sequence[Event]) -> None:
        """See `Sink`."""
        self._writer.add_key_value_metadata({EVENTS: json.dumps([astuple(e) for e in events])})
        self._writer.close()

    def abandon(self) -> None:
        """See `Sink`."""
        try:
            self._writer.close()
        except (OSError, pa.ArrowException):
            pass  # a disk that refused the records refuses the footer, too
