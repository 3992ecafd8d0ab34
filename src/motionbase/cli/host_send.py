"""`motionbase host send`: motion of a file, a ring, a manoeuvre or another host, to a base, a file or a ring."""

import json
import math
import secrets
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration, Force, JsonAtEnd, check_duration
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.host.format import Kind
    from motionbase.host.relay import Sink
    from motionbase.host.sending import Sender
    from motionbase.host.url import Source, Stored, Udp

REPEATS, REPEAT_S = 3, 0.05  # a set of generators may be lost on its way, so it is sent again
LONG_RUN = 2**63
HEARD_HZ = 60.0  # rate that a ring states whose frames come from a host


def send(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A file or manoeuvre, or a URL: file://PATH?rate=60, ring://NAME, manoeuvre://NAME?rate=60&loop=yes, "
            "or udp://ADDRESS:PORT?format=NAME, whose frames are passed on.",
        ),
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="udp://ADDRESS:PORT?format=NAME, file://PATH or ring://NAME.")
    ],
    duration: Duration = None,
    ask: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="Also ask the base to go to off, down, standby or drive, step by step."),
    ] = None,
    generators: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="First set these function generators; formats of our own only."),
    ] = None,
    force: Force = False,
    as_json: JsonAtEnd = False,
) -> None:
    """Send motion to a base, and show what it answers and how long that takes; or into a file or a ring.

    The base does what its operator allows: requests and generators need requests=yes in its own URL. Files and
    manoeuvres of a vehicle also tell what comes in the next 2 s, which predictive cueing with --forecast preview uses.

    Example: motionbase host send landing "udp://127.0.0.1:8730?format=motionbase-vehicle"

    Example: motionbase host send "udp://:4444?format=beamng" "udp://127.0.0.1:8730?format=motionbase-vehicle"
    """
    from motionbase.executive.host.motions import motion_of
    from motionbase.host.pacing import Paced
    from motionbase.host.relay import Hearing, pass_on
    from motionbase.host.sending import GOALS, Sender, play
    from motionbase.host.url import Udp, sink_of
    from motionbase.ring.gentle import stop_requested

    check_duration(duration)
    if ask is not None and ask not in GOALS:
        raise unknown("state", ask, GOALS)
    url, to = _source(source), sink_of(target)
    if not isinstance(to, Udp) and (ask or generators):
        raise UsageError("--ask and --generators are for a base; give udp://ADDRESS:PORT?format=NAME")
    with ExitStack() as stack:
        if isinstance(url, Udp):
            hearing, kind, rate = stack.enter_context(Hearing(url)), url.kind, HEARD_HZ
        else:
            motion = motion_of(url)
            stack.callback(motion.close)
            kind, rate = motion.kind, url.rate
            if not isinstance(to, Udp) and url.scheme != "ring" and duration is None and motion.duration == math.inf:
                raise UsageError(f"{source!r} has no end; give --duration")
        is_live = isinstance(url, Udp) or url.scheme == "ring"
        sink = stack.enter_context(sink_to(source, to, kind, rate, is_live, force))
        stop = stack.enter_context(stop_requested())
        begin = sink.clock()

        def stopped() -> bool:
            return stop.is_set() or (duration is not None and sink.clock() - begin >= duration)

        stack.enter_context(terminal.status_line(lambda: _line(sink)))
        skipped = 0
        if isinstance(sink, Sender) and generators is not None:
            _send_generators(sink, generators)
        if isinstance(url, Udp):
            pass_on(hearing, sink, stopped)
        else:
            paced = Paced(motion, rate, secrets.randbelow(LONG_RUN), sink.clock, ahead=isinstance(to, Udp))
            play(paced, sink, stopped, None if ask is None else GOALS[ask])
            skipped = paced.skipped
    found = _found(sink, target, skipped)
    print(json.dumps(found, indent=2) if as_json else _sentence(found))


def _source(text: str) -> "Source":
    """The URL of a source; a name alone is a file or a manoeuvre."""
    from motionbase.host.manoeuvres import is_manoeuvre
    from motionbase.host.url import source_of

    if "://" not in text:
        scheme = "manoeuvre" if is_manoeuvre(text) else "file"
        text = f"{scheme}://{text}"
    return source_of(text)


def sink_to(source: str, to: "Udp | Stored", kind: "Kind", rate: float, is_live: bool, force: bool) -> "Sink":
    """Where the frames go; raises `UsageError` if that is no place for them."""
    from motionbase.executive.host.sinks import FileSink, RingSink
    from motionbase.host.format import Kind
    from motionbase.host.sending import Sender
    from motionbase.host.url import Udp

    if kind is Kind.LEGS:
        raise UsageError(f"{source!r} tells displacements of legs, of which only a base of theirs makes a pose")
    if not isinstance(to, Udp):
        if to.scheme == "ring":
            return RingSink(to.name, kind, rate)
        return FileSink(to.path, kind, force=force, is_live=is_live)
    if kind is not to.kind:
        takes = "displacements of legs" if to.kind is Kind.LEGS else f"a {to.kind.value}"
        raise UsageError(f"{source!r} tells a {kind.value}, and format {to.form.name} takes {takes}")
    return Sender(to)


def _send_generators(sender: "Sender", path: Path) -> None:
    from motionbase.host.format import Frame
    from motionbase.host.protocol import own
    from motionbase.ring.blocks.files import load

    if sender.target.form not in own.FORMATS:
        names = " and ".join(form.name for form in own.FORMATS)
        raise UsageError(f"--generators needs a format that has frames for them: {names}")
    rows = tuple(map(tuple, load(path).values.tolist()))
    run = secrets.randbelow(LONG_RUN)
    for k in range(REPEATS):
        sender.send(Frame((), k + 1, 0.0, run, None, rows))
        sender.wait(REPEAT_S)


def _found(sink: "Sink", target: str, skipped: int) -> dict[str, Any]:
    from motionbase.host.sending import Sender

    found: dict[str, Any] = {"target": target, "sent": sink.sent, "skipped": skipped}
    if not isinstance(sink, Sender):
        return found
    found |= {
        "answered": sink.answered, "unheard": sink.unheard, "base": None if sink.told is None else sink.told.text,
    }  # fmt: skip
    if trips := sorted(sink.trips):
        found |= {"trip_ms_p50": _ms(trips, 0.5), "trip_ms_p99": _ms(trips, 0.99), "trip_ms_max": _ms(trips, 1.0)}
    return found


def _ms(trips: list[float], share: float) -> float:
    return round(1e3 * trips[min(len(trips) - 1, int(share * len(trips)))], 4)


def _line(sink: "Sink") -> str:
    from motionbase.host.sending import Sender

    if not isinstance(sink, Sender):
        return f"wrote {sink.sent} frames"
    base = "no answer yet" if sink.told is None else sink.told.text
    trip = f", round trip {terminal.seconds(sink.trips[-1])}" if sink.trips else ""
    return f"sent {sink.sent}, answered {sink.answered}{trip}; base: {base}"


def _sentence(found: dict[str, Any]) -> str:
    if "answered" not in found:
        text = f"wrote {found['sent']} frames to {found['target']}"
    else:
        text = f"sent {found['sent']} frames, {found['answered']} answered"
    if found["skipped"]:
        text += f", {found['skipped']} skipped because they could not be sent in time"
    if found.get("unheard"):
        text += f", nobody listened {found['unheard']} times"
    if "trip_ms_p50" in found:
        text += (
            f"; round trip {found['trip_ms_p50']:g} ms (median), {found['trip_ms_p99']:g} ms (99 %), "
            f"{found['trip_ms_max']:g} ms (longest)"
        )
    return text + (f"; the base is in {found['base']}" if found.get("base") else "")
