"""A recording as Parquet: one float64 column a channel, the schema and all else in the file's metadata.

Neighbouring numbers of a channel share sign, exponent and leading digits. Split into streams of first bytes, second
bytes and so on, they pack better and quicker under zstd than whole, and better and no slower than under snappy.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from motionbase.recording.mcap.messages import Event
from motionbase.recording.sinks.sink import Heading
from motionbase.recording.source import Array
from motionbase.recording.sources.parquet import ABOUT, EVENTS, SCHEMA, TIME

GROUP, GROUP_BYTES = 131_072, 32_000_000  # records of a row group, and bytes, whichever is less
OPTIONS: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 1,
    "use_dictionary": False,
    "use_byte_stream_split": True,
    "write_page_checksum": True,
}


@final
class ParquetSink:
    """See `Sink`. A thread of its own packs a row group while the next one is filled."""

    def __init__(self, path: Path, heading: Heading) -> None:
        schema = heading.schema
        self._time = "time" if "time" not in schema.index else "time_of_recording"
        units = [(self._time, "s"), *((c.name, c.unit) for c in schema.channels)]
        about = {**heading.about, "epoch_utc_ns": str(heading.epoch_utc_ns)}
        said = {SCHEMA: schema.json, ABOUT: json.dumps(about), TIME: self._time}
        fields = [pa.field(name, pa.float64(), nullable=False, metadata={"unit": unit}) for name, unit in units]
        fields.append(fields.pop(0))  # the record's own `t` comes first
        self._schema = pa.schema(fields, metadata=said)
        self._writer: Any = pq.ParquetWriter(path, self._schema, **OPTIONS)
        self._rows = max(1, min(GROUP, GROUP_BYTES // (8 * len(units))))
        self._groups, self._filled = [np.empty((len(units), self._rows)) for _ in range(2)], 0
        self._pool = ThreadPoolExecutor(1)
        self._packing: Future[None] | None = None

    def write(self, time: Array, rows: Array) -> None:
        """See `Sink`."""
        at = 0
        while at < len(time):
            n = min(len(time) - at, self._rows - self._filled)
            group, to = self._groups[0], slice(self._filled, self._filled + n)
            group[:-1, to], group[-1, to] = rows[at : at + n].T, time[at : at + n]
            at, self._filled = at + n, self._filled + n
            if self._filled == self._rows:
                self._flush()

    def _flush(self) -> None:
        if self._packing is not None:
            self._packing.result()
        self._packing = self._pool.submit(self._pack, self._groups[0][:, : self._filled])
        self._groups.reverse()
        self._filled = 0

    def _pack(self, group: Array) -> None:
        table = pa.Table.from_arrays([pa.array(column) for column in group], schema=self._schema)
        self._writer.write_table(table, row_group_size=self._rows)

    def close(self, events: Sequence[Event]) -> None:
        """See `Sink`."""
        if self._filled:
            self._flush()
        if self._packing is not None:
            self._packing.result()
        self._writer.add_key_value_metadata({EVENTS: json.dumps([[e.t, e.kind, e.text] for e in events])})
        self._writer.close()
        self._pool.shutdown()

    def abandon(self) -> None:
        """See `Sink`."""
        self._pool.shutdown(cancel_futures=True)
        try:
            self._writer.close()
        except (OSError, pa.ArrowException):
            pass  # the disk that would not take the records does not take the end, either
