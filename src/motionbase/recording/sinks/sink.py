"""What every format can be asked to write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, final

from motionbase.errors import RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.mcap.messages import Event
from motionbase.recording.source import Array

ENDINGS = (".mcap", ".csv", ".parquet")


@final
@dataclass(frozen=True)
class Heading:
    """What a file says before its records.

    Attributes:
        about: of the writer, by name
        epoch_utc_ns: from which times count [ns since 1970]
        first: number of the first record in the file it comes from
    """

    schema: Schema
    about: Mapping[str, str]
    epoch_utc_ns: int
    first: int


class Sink(Protocol):
    """A file that takes records.

    Attributes:
        at_once: how many of them it takes best in one call; None where that does not matter
    """

    @property
    def at_once(self) -> int | None: ...

    def write(self, time: Array, rows: Array) -> None:
        """(n,) times [s] since the epoch and (n, channels) records."""
        ...

    def close(self, events: Sequence[Event]) -> None:
        """The end; events only where the format has a place for them, else `export` writes them beside it."""
        ...

    def abandon(self) -> None:
        """Let go of the file, whatever state it is in."""
        ...


def open_sink(path: Path, ending: str, heading: Heading) -> Sink:
    """A file to be written in the format of an ending; imported when it is needed."""
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
