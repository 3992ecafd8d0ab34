"""`motionbase dcu`: a digital control unit reduced to what readers see of it, records of known waveforms."""

import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.errors import UsageError

if TYPE_CHECKING:
    import threading

    from motionbase.record.schema import Schema
    from motionbase.ring.writer import Writer

FASTEST_HZ = 100_000.0
MOST_AT_ONCE = 4096  # records
REFRESH_S = 0.5


def dcu(
    ring: Annotated[str, typer.Option(help="Name of the ring.")] = "motionbase",
    rate: Annotated[float, typer.Option(help="Records per second: 0.01 to 100000; usual are 100 to 1000.")] = 100.0,
    duration: Annotated[float | None, typer.Option(help="Stop after so many seconds; without it, at Ctrl-C.")] = None,
    schema: Annotated[
        Path | None, typer.Option(help="Channels from a JSON file; without it, the 178 of a hexapod.")
    ] = None,
    capacity: Annotated[
        int | None, typer.Option(help="Records that the ring holds; without it, 64 MB of them.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end and nothing else.")] = False,
) -> None:
    """Write records of a different waveform in every channel, to try whatever reads a ring.

    Channel k (from 0) is k plus 0.45 times a sine, square, triangle or sawtooth (k modulo 4) of 0.05 (2 + k) Hz, so the
    nearest whole number of a sample tells its channel; above 178 channels the frequencies repeat. t and tick are right.

    Example: motionbase dcu --rate 1000 --duration 10
    """
    from motionbase.cli.stopping import stop_requested
    from motionbase.ring.writer import Writer

    if not 0.01 <= rate <= FASTEST_HZ:
        raise UsageError(f"--rate is {rate:g}, it must be 0.01 to {FASTEST_HZ:g} records per second")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    channels = _schema(schema)
    # the signals first: nothing can then end the process between making the ring and removing it
    with (
        stop_requested() as stop,
        Writer(channels, name=ring, dt=1 / rate, capacity=capacity, program="motionbase dcu") as writer,
    ):
        if writer.replaced:
            print(f"motionbase dcu: {writer.replaced}", file=sys.stderr, flush=True)
        if not as_json:
            size = f"{len(channels.channels)} channels, {writer.header.layout.capacity} records"
            print(f"ring {ring!r}: {writer.backend}; {size}; {rate:g} Hz; Ctrl-C stops", flush=True)
        wall, held_up = _write(writer, rate, math.inf if duration is None else round(duration * rate), stop)
        count = writer.head
    if as_json:
        result = {"ring": ring, "backend": str(writer.backend), "records": count, "wall_s": wall, "held_up": held_up}
        print(json.dumps(result, indent=2))
    else:
        away = f"; fell more than a second behind {held_up} times" if held_up else ""
        print(f"stopped after {count} records in {wall:.1f} s, {count / max(wall, 1e-9):.1f} per second{away}")


def _schema(path: Path | None) -> "Schema":
    from motionbase.record.hexapod import hexapod_schema
    from motionbase.record.schema import Schema

    if path is None:
        return hexapod_schema()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--schema {str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
    return Schema.from_json(text)


def _write(writer: "Writer", rate: float, total: float, stop: "threading.Event") -> tuple[float, int]:
    """Until `total` records or a stop; returns the time it took [s], and how often the process was away too long."""
    from rich.console import Console
    from rich.live import Live

    from motionbase.ring.pace import Pace
    from motionbase.ring.waveforms import records

    screen = Console(stderr=True, highlight=False, markup=False)
    begin = time.monotonic()
    pace, written, look, seen = Pace(rate), 0, begin + REFRESH_S, 0
    with Live(console=screen, transient=True, auto_refresh=False, redirect_stdout=False) as live:
        while written < total and not stop.is_set():
            due = int(min(pace.due(), total - written))
            while due:
                count = min(due, MOST_AT_ONCE)
                writer.write(records(writer.schema, written, count, 1 / rate))
                written, due = written + count, due - count
            if (now := time.monotonic()) >= look and screen.is_terminal:
                actual = (written - seen) / (now - look + REFRESH_S)
                live.update(f"{writer.backend.kind}: {written} records, {actual:.1f} per second", refresh=True)
                look, seen = now + REFRESH_S, written
            if written < total:
                pace.rest(stop)
    return time.monotonic() - begin, pace.held_up
