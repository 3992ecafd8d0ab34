"""Writes CSV: a header "name [unit]", then one line per record, each number in its shortest exact form."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, final

import pyarrow as pa
import pyarrow.csv

from motionbase import private
from motionbase.arrays import Array
from motionbase.recording.ahead import THREADS
from motionbase.recording.mcap.messages import Event
from motionbase.recording.sinks.sink import Heading

LINES = 2048  # formatted together: fewer cost time per column, more leave the processor's cache
AHEAD = 2 * THREADS  # such pieces in the queue


@final
class CsvSink:
    """See `Sink`. Threads format the text; events go into a side file."""

    at_once = None

    def __init__(self, path: Path, heading: Heading) -> None:
        self._file = open(path, "xb", opener=private.opener)
        titles = (f"{c.name} [{c.unit}]" for c in heading.schema.channels)
        self._file.write(",".join(_cell(title) for title in titles).encode() + b"\n")
        self._names = list(heading.schema.index)
        self._pool = ThreadPoolExecutor(THREADS)
        self._waiting: deque[Future[Any]] = deque()

    def write(self, time: Array, rows: Array) -> None:
        """See `Sink`."""
        for at in range(0, len(rows), LINES):
            self._waiting.append(self._pool.submit(self._text, rows[at : at + LINES]))
            while len(self._waiting) > AHEAD:
                self._file.write(self._waiting.popleft().result())

    def _text(self, rows: Array) -> Any:
        table = pa.Table.from_arrays([pa.array(column) for column in rows.T], names=self._names)
        out = pa.BufferOutputStream()
        options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none", batch_size=LINES)
        pyarrow.csv.write_csv(table, out, options)
        return out.getvalue()

    def close(self, events: Sequence[Event]) -> None:
        """See `Sink`."""
        while self._waiting:
            self._file.write(self._waiting.popleft().result())
        self._file.close()
        self._pool.shutdown()

    def abandon(self) -> None:
        """See `Sink`."""
        self._pool.shutdown(cancel_futures=True)
        try:
            self._file.close()
        except OSError:
            self._file.raw.close()


def _cell(text: str) -> str:
    text = " ".join(text.split())
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"') else text
