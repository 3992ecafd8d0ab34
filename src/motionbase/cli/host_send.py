"""`motionbase host send`: a file, a ring or a manoeuvre to any base, as a host would send it."""

import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration, JsonAtEnd

if TYPE_CHECKING:
    from motionbase.host.pacing import Paced
    from motionbase.host.sending import Sender
    from motionbase.host.url import Played

REPEATS, REPEAT_S = 3, 0.05  # a set of generators may be lost on its way, so it is sent again
LONG_RUN = 2**63


def send(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A file or manoeuvre, or a URL: file://PATH?rate=60, ring://NAME, manoeuvre://NAME?rate=60&loop=yes.",
        ),
    ],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="udp://ADDRESS:PORT?format=NAME")],
    duration: Duration = None,
    ask: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="Also ask the base to go to off, down, standby or drive, step by step."),
    ] = None,
    generators: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="First set these function generators; formats of our own only."),
    ] = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Send motion to a base, show what it answers and how long that takes.

    The base does what its operator allows: requests and generators need requests=yes in its own URL.

    Example: motionbase host send landing "udp://127.0.0.1:8730?format=motionbase-vehicle"
    """
    from motionbase.errors import UsageError, unknown
    from motionbase.executive.host.motions import motion_of
    from motionbase.host.pacing import Paced
    from motionbase.host.sending import GOALS, Sender, play
    from motionbase.host.url import target_of
    from motionbase.ring.gentle import stop_after, stop_requested

    if ask is not None and ask not in GOALS:
        raise unknown("state", ask, GOALS)
    url, to = _played(source), target_of(target)
    motion = motion_of(url)
    if motion.kind is not to.kind:
        raise UsageError(
            f"{source!r} tells a {motion.kind.value}, and format {to.form.name} takes "
            f"{'displacements of legs' if to.kind.value == 'legs' else f'a {to.kind.value}'}"
        )
    paced = Paced(motion, url.rate, secrets.randbelow(LONG_RUN))
    with Sender(to) as sender, stop_requested() as stop, stop_after(duration, stop):
        if generators is not None:
            _send_generators(sender, generators)
        with terminal.status_line(lambda: _line(sender)):
            play(paced, sender, stop.is_set, None if ask is None else GOALS[ask])
    motion.close()
    found = _found(sender, paced)
    print(json.dumps(found, indent=2) if as_json else _sentence(found))


def _played(source: str) -> "Played":
    """The URL of a source; a name alone is a file or a manoeuvre."""
    from motionbase.errors import UsageError
    from motionbase.host.manoeuvres.library import manoeuvre_names
    from motionbase.host.url import Played, source_of

    if "://" not in source:
        name = source.partition("?")[0]
        scheme = "manoeuvre" if name in manoeuvre_names() and not Path(name).exists() else "file"
        source = f"{scheme}://{source}"
    url = source_of(source)
    if not isinstance(url, Played):
        raise UsageError(f"{source!r} is where datagrams go; a source is a file, a ring or a manoeuvre")
    return url


def _send_generators(sender: "Sender", path: Path) -> None:
    from motionbase.errors import UsageError
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


def _found(sender: "Sender", paced: "Paced") -> dict[str, Any]:
    trips = sorted(sender.trips)
    found: dict[str, Any] = {
        "target": sender.target.text, "sent": sender.sent, "answered": sender.answered, "skipped": paced.skipped,
        "unheard": sender.unheard, "base": None if sender.told is None else sender.told.text,
    }  # fmt: skip
    if trips:
        found |= {"trip_ms_p50": _ms(trips, 0.5), "trip_ms_p99": _ms(trips, 0.99), "trip_ms_max": _ms(trips, 1.0)}
    return found


def _ms(trips: list[float], share: float) -> float:
    return round(1e3 * trips[min(len(trips) - 1, int(share * len(trips)))], 4)


def _line(sender: "Sender") -> str:
    base = "no answer yet" if sender.told is None else sender.told.text
    trip = f", there and back {terminal.seconds(sender.trips[-1])}" if sender.trips else ""
    return f"sent {sender.sent}, answered {sender.answered}{trip}; base: {base}"


def _sentence(found: dict[str, Any]) -> str:
    text = f"sent {found['sent']} frames, {found['answered']} answered"
    if found["skipped"]:
        text += f", {found['skipped']} skipped because they could not be sent in time"
    if found["unheard"]:
        text += f", nobody listened {found['unheard']} times"
    if "trip_ms_p50" in found:
        text += (
            f"; there and back {found['trip_ms_p50']:g} ms (median), {found['trip_ms_p99']:g} ms (99 %), "
            f"{found['trip_ms_max']:g} ms (longest)"
        )
    return text + (f"; the base is in {found['base']}" if found["base"] else "")
