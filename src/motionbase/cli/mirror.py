"""`motionbase mirror`: a live ring on another machine."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.ring.mirror import Mirror, Server

REFRESH_S = 0.5


def mirror(
    source: Annotated[
        str, typer.Argument(metavar="serve|HOST:PORT", help="Serve a ring, or copy the one served there.")
    ],
    ring: Annotated[str, typer.Option(help="The ring to serve, or to write the copy to.")] = "motionbase",
    listen: Annotated[str, typer.Option(help="serve: where to listen; port 0 takes a free one.")] = "127.0.0.1:7178",
    oldest: Annotated[
        bool, typer.Option("--oldest", help="Copy: begin with the oldest record, not the newest.")
    ] = False,
    capacity: Annotated[
        int | None, typer.Option(help="Copy: records in the ring; as the source, 64 MB at most.")
    ] = None,
    duration: Annotated[float | None, typer.Option(help="Stop after so many seconds; without it, at Ctrl-C.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object at the end and nothing else.")] = False,
) -> None:
    """Copy a live ring to another machine over TCP.

    On the machine of the writer run `motionbase mirror serve`, on the other one `motionbase mirror HOST:PORT`. The copy
    follows restarts of the writer and comes back after a lost connection; every record that is missing is counted.
    It is read only: generator settings and operator commands are not sent back.

    The server listens on this machine only unless --listen says otherwise. Nothing is encrypted and everybody who
    reaches the port can read the ring: on a shared network use a tunnel, as ssh -L 7178:localhost:7178 makes one.

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
    from motionbase.ring.mirror.link import address, is_loopback
    from motionbase.ring.mirror.server import Server

    host, port = address(listen, "--listen")
    server = Server(ring, host, port, say=_say)
    at = "{}:{}".format(*server.address) if ":" not in server.address[0] else "[{}]:{}".format(*server.address)
    _say(f"serving ring {ring!r} ({find(ring)}) on {at}; read only; Ctrl-C stops")
    if not is_loopback(server.address[0]):
        _say("everybody who reaches this port can read the ring")
    with _status(lambda: _server_line(server)), _stop_after(duration) as stop:
        server.run(stop)
    if as_json:
        print(json.dumps({"ring": ring, "listen": at, "sent": server.sent, "lost": server.lost}, indent=2))


def _copy(source: str, ring: str, oldest: bool, capacity: int | None, duration: float | None, as_json: bool) -> None:
    from motionbase.ring.mirror.client import Mirror
    from motionbase.ring.mirror.frames import Begin
    from motionbase.ring.mirror.link import address

    host, port = address(source, "the server's address")
    copy = Mirror(host, port, ring, begin=Begin.OLDEST if oldest else Begin.HEAD, capacity=capacity, say=_say)
    _say(f"mirror of {host}:{port} to ring {ring!r} ({copy.backend}); Ctrl-C stops")
    with _status(lambda: _client_line(copy)), _stop_after(duration) as stop:
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


@contextmanager
def _status(line: Callable[[], str]) -> Iterator[None]:
    """A line on a terminal that tells how things stand; a pipe gets the sentences only."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    screen = Console(stderr=True)
    if not screen.is_terminal:
        yield
        return
    with Live(console=screen, transient=True, refresh_per_second=1 / REFRESH_S, get_renderable=lambda: Text(line())):
        yield


@contextmanager
def _stop_after(duration: float | None) -> Iterator[threading.Event]:
    """An event set by Ctrl-C, a polite kill, or time."""
    from motionbase.cli.stopping import stop_requested

    with stop_requested() as stop:
        timer = threading.Timer(duration, stop.set) if duration is not None else None
        if timer:
            timer.start()
        try:
            yield stop
        finally:
            if timer:
                timer.cancel()
