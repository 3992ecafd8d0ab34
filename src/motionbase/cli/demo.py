"""`motionbase demo`: a simulated platform at sea, in the air and on the road, with captions in the console."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from motionbase.cli.console import AnyoneMayStop
from motionbase.cli.options import Ring
from motionbase.cli.run_beside import (
    AnyoneMayView,
    Browser,
    Extras,
    NoConsole,
    Port,
    check_console,
    console_of,
    recorder_of,
)
from motionbase.errors import UsageError, unknown
from motionbase.interpreter import motionbase_command

if TYPE_CHECKING:
    from motionbase.executive.base_setup import BaseOptions
    from motionbase.executive.process import Process

PLATFORM = "simona"
RISING_S = 8.0  # of a run, before the platform is in drive and the world starts
RATE = 100  # records per second
LONGEST_S = 3600.0
END = "the tour is over; its recordings can be played in the console, or with `motionbase replay`"
STOP_S = 45.0  # the recorder of a part finishes its file first


class Part(NamedTuple):
    """A part of the tour: its world, a line for people, and the duration of its captions [s]."""

    host: str
    text: str
    seconds: float = 60.0


TOUR = {
    "boat": Part("boat://launch?sea=4&script=tour", "at sea: a launch in waves", 62.0),
    "flight": Part("flight://c172x?script=tour", "in the air: a small aircraft takes off, turns and lands", 66.0),
    "drive": Part("drive://hatchback?script=tour", "on the road: a car on a circuit", 68.0),
}


def demo(
    platform: Annotated[str, typer.Argument(help="A preset of a platform (see `motionbase platforms`).")] = PLATFORM,
    only: Annotated[
        str | None, typer.Option(metavar="LIST", help=f"Parts of the tour, such as boat,drive: {', '.join(TOUR)}.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Duration of each part; default: that of its captions, a minute or so."),
    ] = None,
    repeat: Annotated[bool, typer.Option("--repeat", help="Start over at the end, until Ctrl-C.")] = False,
    ring: Ring = "demo",
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for recordings; default: that of `motionbase record`.")
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Do not record.")] = False,
    no_console: NoConsole = False,
    port: Port = None,
    browser: Browser = None,
    anyone_may_view: AnyoneMayView = False,
    anyone_may_stop: AnyoneMayStop = False,
    ends_with_tour: Annotated[
        bool, typer.Option("--ends-with-tour", help="End with the tour; otherwise the console stays until Ctrl-C.")
    ] = False,
    alone: Annotated[bool, typer.Option("--alone", hidden=True)] = False,
) -> None:
    """Sail, fly and drive on a simulated platform, a minute each, and watch it in the console.

    Each part is a `motionbase run PLATFORM --host WORLD`: the world is simulated, the motion felt in the vehicle goes
    through motion cueing, and the platform moves. A script steers, and captions say what happens. Press the arrow keys
    in the console, or move a joystick or gamepad, and you steer; the script resumes when you stop.

    Every part is recorded. Flight needs the extra `flight`; without it, that part is left out.

    Example: motionbase demo

    Example: motionbase demo --only boat --seconds 120
    """
    if seconds is not None and not (math.isfinite(seconds) and 0 < seconds <= LONGEST_S):
        raise UsageError(f"--seconds is {seconds:g} s, it must be above 0 and at most {LONGEST_S:g} s")
    if record is not None and (no_record or not record.is_dir()):
        why = "and --no-record cannot be asked for together" if no_record else "is no folder"
        raise UsageError(f"--record {record} {why}")
    extras = Extras(record, no_record, no_console, port, browser, anyone_may_view, anyone_may_stop, ends_with_tour)
    parts = chosen(only)
    check_console("--no-console" if no_console else None, port, browser)
    if not alone:
        _refuse(platform, parts, ring)
    if alone or no_console:
        code = _toured(platform, parts, seconds, repeat, ring, extras)
    else:
        code = _with_console(platform, parts, seconds, repeat, ring, extras)
    if code:
        raise typer.Exit(code)


def chosen(only: str | None) -> list[str]:
    """Names of the parts: those requested, or all that this installation can simulate."""
    from motionbase.worlds.library import world_url

    asked = None if only is None else [name.strip() for name in only.split(",")]
    for name in asked or []:
        if name not in TOUR:
            raise UsageError(f"--only: {unknown('part', name, TOUR)}")
    parts = []
    for name in asked or TOUR:
        try:
            url = world_url(TOUR[name].host)
            assert url is not None
            url.made()
        except UsageError as error:
            if asked is not None:
                raise
            print(f"{name} is left out: {error}")
            continue
        parts.append(name)
    if not parts:
        raise UsageError("this installation can simulate no part of the tour")
    return parts


def _refuse(platform: str, parts: Sequence[str], ring: str) -> None:
    """Refuse what no part could run with, before a console starts; the parts check everything again."""
    from motionbase.executive.base import refuse_taken
    from motionbase.executive.base_setup import checked
    from motionbase.ring.backend import find

    refuse_taken(find(ring))
    if platform != PLATFORM:  # which is known to work, and checking delays the start
        checked(options_of(platform, parts[0], None, ring))


def options_of(platform: str, part: str, seconds: float | None, ring: str) -> "BaseOptions":
    """The run of a part."""
    from motionbase.executive.base_setup import BaseOptions

    host, _, usual = TOUR[part]
    own = None, False, None, None  # no faults, automatic operator, parameters and law as designed
    return BaseOptions(platform, ring, RATE, (seconds or usual) + RISING_S, *own, host=host)


def _with_console(
    platform: str, parts: Sequence[str], seconds: float | None, repeat: bool, ring: str, extras: Extras
) -> int:  # fmt: skip
    """The tour in a process of its own, so that the console stays between parts."""
    from motionbase.executive.supervisor import Process, Restart, Role, Supervisor

    command = motionbase_command(
        "demo", platform, "--alone", "--only", ",".join(parts), "--ring", ring,
        *(("--seconds", f"{seconds:g}") if seconds is not None else ()),
        *(("--repeat",) if repeat else ()), *(("--no-record",) if extras.no_record else ()),
        *(("--record", str(extras.record)) if extras.record is not None else ()),
    )  # fmt: skip
    role = Role.WRITER if extras.ends_with_base else Role.READER  # the end of a reader is not the end of the rest
    tour = Process("tour", command, role, Restart(limit=0), stop_s=STOP_S)
    ending = Supervisor([tour, console_of(ring, extras)]).run()
    print(f"ended: {ending.why}")
    return ending.code


def _toured(platform: str, parts: Sequence[str], seconds: float | None, repeat: bool, ring: str, extras: Extras) -> int:
    """One part after the other, until the end or a signal."""
    from motionbase.executive.base import run_supervised

    def readers() -> "list[Process]":
        return [] if extras.no_record else [recorder_of(ring, extras)]

    while True:
        for name in parts:
            print(f"{name}, {TOUR[name].text}: motionbase run {platform} --host '{TOUR[name].host}'", flush=True)
            ending = run_supervised(options_of(platform, name, seconds, ring), readers, stays=False)
            if ending.code or ending.asked:
                print(f"ended: {ending.why}")
                return ending.code
        if not repeat:
            print(END, flush=True)
            return 0
