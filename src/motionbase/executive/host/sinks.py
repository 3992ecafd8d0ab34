"""Where frames can go besides a base: a file, or a ring of their own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, Self, final

import numpy as np

from motionbase.errors import UsageError
from motionbase.host.format import Frame, Kind, Told
from motionbase.record.hexapod import host_schema
from motionbase.record.schema import Schema
from motionbase.record.vehicle import vehicle_schema
from motionbase.recording.sinks.sink import ENDINGS, Heading, open_sink
from motionbase.recording.whole import trouble, whole_or_not
from motionbase.ring.writer import Writer

AT_ONCE = 512  # records that are written together


class Writes(Protocol):
    """Takes samples for a file."""

    def __call__(self, t: float, row: tuple[float, ...]) -> None: ...


def schema_of(kind: Kind) -> Schema:
    """Of a file or a ring with frames of that kind."""
    return vehicle_schema() if kind is Kind.VEHICLE else host_schema()


@contextmanager
def motion_file(path: Path, kind: Kind, force: bool) -> Iterator[Writes]:
    """A recording of frames, written by time and row; the file is complete or absent."""
    if path.suffix not in ENDINGS:
        raise UsageError(f"{str(path)!r}: the name must end in {', '.join(ENDINGS)}")
    rows: list[tuple[float, ...]] = []
    try:
        with whole_or_not(path, force) as part:
            sink = open_sink(part, path.suffix, Heading(schema_of(kind), {}, time.time_ns(), 0))

            def flush() -> None:
                if rows:
                    table = np.array(rows)
                    sink.write(table[:, 0], table)
                    rows.clear()

            def write(t: float, row: tuple[float, ...]) -> None:
                rows.append((t, *row))
                if len(rows) >= AT_ONCE:
                    flush()

            try:
                yield write
                flush()
                sink.close(())
            except BaseException:
                sink.abandon()
                raise
    except OSError as error:
        raise trouble(path, error) from None


@final
class FileSink:
    """A recording of frames, as a context manager.

    Args:
        is_live: frames come in real time; otherwise waiting takes no time

    Attributes:
        sent: frames written
        told: None, as nothing answers
    """

    told: Told | None

    def __init__(self, path: Path, kind: Kind, *, force: bool, is_live: bool) -> None:
        self.sent, self.told = 0, None
        self._is_live, self._now = is_live, 0.0
        self._stack, self._file = ExitStack(), motion_file(path, kind, force)

    def clock(self) -> float:
        """Time that passes by waiting [s]."""
        return time.monotonic() if self._is_live else self._now

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        if self._is_live:
            time.sleep(seconds)
        self._now += seconds

    def send(self, frame: Frame) -> None:
        """One record at the frame's stamp."""
        if frame.row:
            self._write(frame.stamp or 0.0, frame.row)
            self.sent += 1

    def __enter__(self) -> Self:
        self._write = self._stack.enter_context(self._file)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]


@final
class RingSink:
    """A ring of frames, for console, recorder and everything else that reads rings; a context manager.

    Attributes:
        sent: records written
        told: None, as nothing answers
    """

    told: Told | None

    def __init__(self, name: str, kind: Kind, rate: float) -> None:
        self.sent, self.told = 0, None
        self._writer = Writer(schema_of(kind), name=name, dt=1 / rate, program="motionbase host send")

    def clock(self) -> float:
        """Time by which frames are due [s]."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def send(self, frame: Frame) -> None:
        """One record at the frame's stamp."""
        if frame.row:
            self._writer.write(np.array((frame.stamp or 0.0, *frame.row)))
            self.sent += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()
