"""The interface of all output formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, final

from motionbase.arrays import Array
from motionbase.errors import RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.mcap.messages import Event

ENDINGS = (".mcap", ".csv", ".parquet")


@final
@dataclass(frozen=True)
class Heading:
    """Description of a file, written before its records.

    Attributes:
        about: metadata by name
        epoch_utc_ns: from which times count [ns since 1970]
        first: number of the first record in the source file
    """

    schema: Schema
    about: Mapping[str, str]
    epoch_utc_ns: int
    first: int


class Sink(Protocol):
    """A file that records are written to.

    Attributes:
        at_once: best number of records per call; None if it does not matter
    """

    @property
    def at_once(self) -> int | None: ...

    def write(self, time: Array, rows: Array) -> None:
        """Write (n, channels) records with (n,) times [s] since the epoch."""
        ...

    def close(self, events: Sequence[Event]) -> None:
        """Finish the file with its events; for formats without events, `export` writes a side file."""
        ...

    def abandon(self) -> None:
        """Close the file unfinished."""
        ...


def open_sink(path: Path, ending: str, heading: Heading) -> Sink:
    """A file in the format of an ending, whose module is imported here."""
    if ending == ".mcap":
        from motionbase.recording.sinks.mcap import McapSink

        return McapSink(path, heading)
    if ending == ".csv":
        from motionbase.recording.sinks.csv import CsvSink

        return CsvSink(path, heading)
    if ending == ".parquet":
        from motionbase.recording.sinks.parquet import ParquetSink

        return ParquetSink(path, heading)
    raise RecordingError(
        f"a recording is written as {', '.join(ENDINGS)}, not as {ending or 'a file without ending'!r}"
    )
