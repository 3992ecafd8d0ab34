"""A recording as Parquet: one float64 column a channel, the schema and all else in the file's metadata.

Neighbouring numbers of a channel share sign, exponent and leading digits. Split into streams of first bytes, second
bytes and so on, they pack better and quicker under zstd than whole, and better and no slower than under snappy.
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
from motionbase.recording.mcap.messages import Event
from motionbase.recording.sinks.sink import Heading
from motionbase.recording.source import Array
from motionbase.recording.sources.parquet import ABOUT, EVENTS, SCHEMA, TIME

GROUP, GROUP_BYTES = 131_072, 16_000_000  # records of a row group, and bytes, whichever is less
OPTIONS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": False,
    "use_byte_stream_split": True,
    "write_page_checksum": True,
}


def group_rows(columns: int) -> int:
    """Records of a row group."""
    return max(1, min(GROUP, GROUP_BYTES // (8 * columns)))


@final
class ParquetSink:
    """See `Sink`. Packing lets the threads run that read the next records."""

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
        """See `Sink`. Records given together are a row group, or several."""
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
            pass  # the disk that would not take the records does not take the end, either
