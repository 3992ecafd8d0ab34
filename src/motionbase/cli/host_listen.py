"""`motionbase host listen`: what arrives from simulators, which format it is, what it tells, and the rest test."""

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration, Force, JsonAtEnd, check_new, check_writable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.cli.host_listener import Listener
    from motionbase.host.rest import Rest

REST_S = 6.0  # of a rest test without --duration, from the first datagram
TABLES = (".csv", ".parquet", ".mcap")


def listen(
    url: Annotated[
        str | None,
        typer.Argument(
            metavar="[URL]",
            help="Where to listen, such as udp://127.0.0.1:4444 or 'udp://0.0.0.0:5300?from=192.168.1.20'; without it, "
            "the usual ports of all simulators on this machine.",
        ),
    ] = None,
    duration: Duration = None,
    rest: Annotated[
        bool, typer.Option("--rest", help="Let the vehicle stand; tell whether gravity is in it, and which way is up.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the vehicle's motion: .csv, .parquet or .mcap, for `motionbase cue`."),
    ] = None,
    force: Force = False,
    as_json: JsonAtEnd = False,
) -> None:
    """Show what arrives from a simulator: rate, gaps, its format, and the motion that it tells.

    The format is guessed unless the URL names it. At the end stands the URL for `motionbase run --host`. In a pipe a
    line is printed every second.

    Example: motionbase host listen

    Example: motionbase host listen 'udp://127.0.0.1:4444?format=beamng' --rest

    Example: motionbase host listen udp://127.0.0.1:5300 --record drive.csv --duration 60
    """
    from motionbase.cli.host_listener import Listener
    from motionbase.cli.host_view import Picture, line
    from motionbase.executive.host.sinks import motion_file
    from motionbase.host.format import Kind

    if duration is not None and not 0 < duration < 1e7:
        raise UsageError(f"--duration is {duration:g} s, it must be above 0")
    check_writable(record, TABLES)
    check_new((record,), force)
    with ExitStack() as stack:
        listener = stack.enter_context(Listener.at(url))
        if record is not None:
            if listener.given is not None and listener.given.kind is not Kind.VEHICLE:
                raise UsageError(f"--record writes a vehicle's motion, and format {listener.given.name} tells none")
            listener.record = stack.enter_context(motion_file(record, Kind.VEHICLE, force))
        until = REST_S if rest and duration is None else None
        listener.listen(duration, until, None if as_json else line, None if as_json else Picture())
        verdict = listener.main.rest() if rest and listener.main.form is not None else None
    if as_json:
        print(json.dumps(_data(listener, verdict), indent=2))
    else:
        _report(listener, verdict, rest)
    if record is not None and not as_json:
        print(f"wrote {listener.written} samples to {record}")
    if not listener.main.count:
        raise typer.Exit(1)


def _report(listener: "Listener", verdict: "Rest | None", rest: bool) -> None:
    """What is left on the screen at the end."""
    from motionbase.cli.host_view import nothing_came

    heard = listener.main
    if not heard.count:
        terminal.console().print(nothing_came(listener))
        return
    for sentence in listener.sentences():
        print(sentence)
    if rest and verdict is None:
        found = heard.unknown_gravity()
        for kind, byte, one in found[:3]:
            words = f"{'little' if kind[0] == '<' else 'big'}-endian {'float32' if kind[1] == 'f' else 'float64'}"
            axis, way = ("first", "second", "third")[one.axis], "up" if one.sign > 0 else "down"
            print(f"three {words} from byte {byte} may be an acceleration in {one.unit}; the {axis} points {way}")
        if not found:
            print("no three neighbouring numbers look like gravity")
    if verdict is not None:
        for note in verdict.notes:
            print(f"rest test: {note}")
        if verdict.still and not verdict.query:
            print("rest test: nothing needs to be changed")
    if heard.form is not None:
        print(f"use it: motionbase run simona --host '{listener.url(verdict)}'")


def _data(listener: "Listener", verdict: "Rest | None") -> dict[str, Any]:
    from motionbase.host.counting import Verdict
    from motionbase.record.vehicle import VEHICLE

    heard = listener.main
    counts = heard.receiver.counts if heard.receiver is not None else []
    return {
        "address": listener.address,
        "port": listener.port,
        "datagrams": heard.count,
        "rate_hz": heard.rate,
        "jitter_s": heard.jitter,
        "largest_gap_s": heard.largest_gap,
        "sizes": dict(heard.sizes),
        "senders": dict(heard.senders),
        "format": heard.form.name if heard.form else None,
        "guesses": [{"format": g.form.name, "score": g.score, "why": g.why} for g in heard.guesses],
        "link": {verdict.name.lower(): counts[verdict] for verdict in Verdict} if counts else None,
        "row": dict(zip((c.name for c in VEHICLE), heard.frame.row, strict=False)) if heard.frame else None,
        "rest": None if verdict is None else {**verdict.__dict__, "query": verdict.query},
        "url": listener.url(verdict) if heard.form else None,
        "recorded": listener.written,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
