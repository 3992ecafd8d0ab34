"""`motionbase dcu` and `mirror`: write rings of test waveforms, or copies from another machine."""

import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration, JsonAtEnd, Ring
from motionbase.errors import UsageError

if TYPE_CHECKING:
    import threading

    from motionbase.record.schema import Schema
    from motionbase.ring.mirror import Mirror, Server
    from motionbase.ring.writer import Writer

FASTEST_HZ = 100_000.0
MOST_AT_ONCE = 4096  # records written together


def dcu(
    ring: Ring = "motionbase",
    rate: Annotated[float, typer.Option(help="Records per second, 0.01 to 100000; 100 to 1000 is usual.")] = 100.0,
    duration: Duration = None,
    schema: Annotated[
        Path | None, typer.Option(help="Channels from a JSON file; default: the 178 of a hexapod.")
    ] = None,
    capacity: Annotated[int | None, typer.Option(help="Records that the ring holds; default: 64 MB of them.")] = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Write records with a different waveform in every channel, to test programs that read rings.

    Channel k (from 0) is k plus 0.45 times a sine, square, triangle or sawtooth (k modulo 4) of 0.05 (2 + k) Hz, so a
    sample rounds to the number of its channel; above 178 channels the frequencies repeat. t and tick have their usual
    meaning.

    Example: motionbase dcu --rate 1000 --duration 10
    """
    from motionbase.ring.gentle import stop_requested
    from motionbase.ring.writer import Writer

    if not 0.01 <= rate <= FASTEST_HZ:
        raise UsageError(f"--rate is {rate:g}, it must be 0.01 to {FASTEST_HZ:g} records per second")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    channels = _channels(schema)
    # first, so that no signal can end the process between creating the ring and removing it
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


def _channels(path: Path | None) -> "Schema":
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
    """Write `total` records or until a stop; returns the time taken [s], and the number of long interruptions."""
    from rich.console import Console
    from rich.live import Live

    from motionbase.ring.pace import Pace
    from motionbase.ring.waveforms import records

    screen = Console(stderr=True, highlight=False, markup=False)
    begin = time.monotonic()
    pace, written, look, seen = Pace(rate), 0, begin + terminal.REFRESH_S, 0
    with Live(console=screen, transient=True, auto_refresh=False, redirect_stdout=False) as live:
        while written < total and not stop.is_set():
            due = int(min(pace.due(), total - written))
            while due:
                count = min(due, MOST_AT_ONCE)
                writer.write(records(writer.schema, written, count, 1 / rate))
                written, due = written + count, due - count
            if (now := time.monotonic()) >= look and screen.is_terminal:
                actual = (written - seen) / (now - look + terminal.REFRESH_S)
                live.update(f"{writer.backend.kind}: {written} records, {actual:.1f} per second", refresh=True)
                look, seen = now + terminal.REFRESH_S, written
            if written < total:
                pace.rest(stop)
    return time.monotonic() - begin, pace.held_up


def mirror(
    source: Annotated[
        str,
        typer.Argument(metavar="serve|HOST:PORT", help="serve: serve a ring; HOST:PORT: copy the ring served there."),
    ],
    ring: Annotated[str, typer.Option(help="The ring to serve, or to write the copy to.")] = "motionbase",
    listen: Annotated[
        str, typer.Option(help="serve: address to listen on; port 0 takes any free one.")
    ] = "127.0.0.1:7178",
    oldest: Annotated[
        bool, typer.Option("--oldest", help="Copy: begin with the oldest record instead of the newest.")
    ] = False,
    capacity: Annotated[
        int | None, typer.Option(help="Copy: records in the ring; default: as in the source, at most 64 MB.")
    ] = None,
    duration: Duration = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Copy a live ring to another machine over TCP.

    Run `motionbase mirror serve` on the machine of the writer and `motionbase mirror HOST:PORT` on the other. The copy
    follows restarts of the writer and reconnects after a lost connection; every missing record is counted. It is read
    only: generator settings and operator commands are not sent back.

    By default the server listens on loopback only. Nothing is encrypted, and everybody who reaches the port can read
    the ring: on a shared network use a tunnel, such as ssh -L 7178:localhost:7178 HOST.

    Example: motionbase mirror 192.168.1.20:7178 --ring remote
    """
    if duration is not None and not duration > 0:
        raise UsageError(f"--duration is {duration:g} s, it must be above 0")
    if capacity is not None and capacity < 2:
        raise UsageError(f"--capacity is {capacity}, it must be 2 or more records")
    if source == "serve":
        _serve(ring, listen, duration, as_json)
    else:
        _copy(source, ring, oldest, capacity, duration, as_json)


def _serve(ring: str, listen: str, duration: float | None, as_json: bool) -> None:
    from motionbase.ring.backend import find
    from motionbase.ring.gentle import stop_after, stop_requested
    from motionbase.ring.mirror.link import address, is_loopback
    from motionbase.ring.mirror.server import Server

    host, port = address(listen, "--listen")
    server = Server(ring, host, port, say=_say)
    at = "{}:{}".format(*server.address) if ":" not in server.address[0] else "[{}]:{}".format(*server.address)
    _say(f"serving ring {ring!r} ({find(ring)}) on {at}; read only; Ctrl-C stops")
    if not is_loopback(server.address[0]):
        _say("everybody who reaches this port can read the ring")
    with terminal.status_line(lambda: _server_line(server)), stop_requested() as stop, stop_after(duration, stop):
        server.run(stop)
    if as_json:
        print(json.dumps({"ring": ring, "listen": at, "sent": server.sent, "lost": server.lost}, indent=2))


def _copy(source: str, ring: str, oldest: bool, capacity: int | None, duration: float | None, as_json: bool) -> None:
    from motionbase.ring.gentle import stop_after, stop_requested
    from motionbase.ring.mirror.client import Mirror
    from motionbase.ring.mirror.frames import Begin
    from motionbase.ring.mirror.link import address

    host, port = address(source, "the server's address")
    copy = Mirror(host, port, ring, begin=Begin.OLDEST if oldest else Begin.HEAD, capacity=capacity, say=_say)
    _say(f"mirror of {host}:{port} to ring {ring!r} ({copy.backend}); Ctrl-C stops")
    with terminal.status_line(lambda: _client_line(copy)), stop_requested() as stop, stop_after(duration, stop):
        copy.run(stop)
    runs = [
        {"first": r.ring.first, "received": r.received, "missing": r.missing, "gaps": [vars(g) for g in r.gaps]}
        for r in copy.runs
    ]
    result = {"ring": ring, "received": copy.received, "missing": copy.missing, "runs": runs}
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        times = f"{len(runs)} run{'' if len(runs) == 1 else 's'}"
        print(f"received {copy.received} records in {times} of the writer, missing {copy.missing}")


def _server_line(server: "Server") -> str:
    return f"{server.clients} clients; {server.sent} records sent, {server.lost} lost to slow connections"


def _client_line(copy: "Mirror") -> str:
    state = "not connected" if copy.source is None else copy.source.value
    return f"{state}; {copy.received} records, {copy.missing} missing, {len(copy.runs)} runs"


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
