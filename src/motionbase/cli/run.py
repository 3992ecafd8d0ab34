"""`motionbase run`: a motion platform in closed loop, in soft real time, with everything that belongs to a run."""

import math
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from motionbase.cli.console import AnyoneMayStop, Group, share_with
from motionbase.cli.run_base import Request
from motionbase.errors import UsageError
from motionbase.interpreter import motionbase_command

if TYPE_CHECKING:
    from motionbase.executive.supervisor import Process
    from motionbase.ring.claim import Waiting

RATES = (100, 200, 250, 400, 500, 1000, 2000)
CONSOLE_STOP_S = 15.0  # it ends its own children, such as a strip chart on its last page
COMPILING_S = 30.0  # a base that is told to stop while it compiles finishes that first


def run(
    platform: Annotated[str, typer.Argument(help="A preset (see `motionbase platforms`) or a TOML file.")] = "simona",
    ring: Annotated[str, typer.Option(help="Name of the ring.")] = "motionbase",
    rate: Annotated[int, typer.Option(help="Records per second: 100 to 2000, a divisor of 2000.")] = 100,
    duration: Annotated[float | None, typer.Option(help="Stop after so many seconds; without it, at Ctrl-C.")] = None,
    faults: Annotated[Path | None, typer.Option(help="A TOML file of faults, see docs/plant.md.")] = None,
    manual: Annotated[bool, typer.Option(help="Stay down until a command comes; no automatic operator.")] = False,
    parameters: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Start with parameters of `motionbase tune --save`.")
    ] = None,
    law: Annotated[
        str | None, typer.Option(metavar="FILE.py:NAME", help="A control law of your own, see docs/control.md.")
    ] = None,
    generators: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="What it drives: gentle (the default), tour, swell, none, or a file."),
    ] = None,
    point: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a sphere: the point that a host moves; its centre if not given."),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Where to record to; without it, the default folder.")
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Record nothing.")] = False,
    no_console: Annotated[bool, typer.Option("--no-console", help="Serve no console.")] = False,
    port: Annotated[
        int | None, typer.Option(help="Port of the console; without it 8700, or any if that is taken.")
    ] = None,
    browser: Annotated[
        bool | None,
        typer.Option("--browser/--no-browser", help="Open the console; by default on a terminal with a display."),
    ] = None,
    anyone_may_view: Annotated[
        bool, typer.Option("--anyone-may-view", help="The console shows every user of this machine what it has.")
    ] = False,
    anyone_may_stop: AnyoneMayStop = False,
    ends_with_base: Annotated[
        bool,
        typer.Option(
            "--ends-with-base",
            help="End when the base ends, for scripts; else the console stays, and offers to start it again.",
        ),
    ] = False,
    group: Group = None,
    alone: Annotated[bool, typer.Option("--alone", help="The base alone, in this process: nobody records.")] = False,
) -> None:
    """Simulate a motion platform under its control law, 2000 ticks a second, and record it.

    It rises, goes to standby and drives the function generators: slow sines of all six axes, a seventh of what the
    platform can do, which begin one after another; or what --generators names; with --manual or --law only that.
    Whenever they are set anew (`motionbase generators set FILE`) it settles and drives again. Look at it and operate it
    in the browser, at the address that is printed, or with `motionbase ring watch`, `motionbase operate` and
    `motionbase tune`. Console, recorder and the watch for ESTOP files are processes of their own; none of them can
    disturb the base.

    When the base fails, console and recorder stay: people look at what happened, and who operates can start the base
    again, at rest and switched off. Ctrl-C ends all, and the exit code is 1 since the base has failed. With
    --ends-with-base, --duration or --no-console the run ends with its base.

    Example: motionbase run simona --duration 20

    Example: motionbase run cmf --generators tour

    Example: motionbase run atlas --generators tumble

    Example: motionbase run simona --law examples/07_own_control_law.py:heaving
    """
    if rate not in RATES:
        raise UsageError(f"--rate is {rate}, it must be one of {', '.join(map(str, RATES))} records per second")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    if record is not None and (no_record or alone):
        raise UsageError(f"--record and {'--no-record' if no_record else '--alone'} cannot be asked for together")
    request = Request(platform, ring, rate, duration, faults, manual, parameters, law, generators, point)
    if port is not None and (no_console or alone):
        raise UsageError(f"--port and {'--no-console' if no_console else '--alone'} cannot be asked for together")
    share_with(group)
    extras = Extras(record, no_record, no_console, port, browser, anyone_may_view, anyone_may_stop, ends_with_base)
    code = _alone(request) if alone else _supervised(request, extras)
    if code:
        raise typer.Exit(code)


class Extras(NamedTuple):
    """What goes along with the base."""

    record: Path | None
    no_record: bool
    no_console: bool
    port: int | None
    browser: bool | None
    anyone_may_view: bool
    anyone_may_stop: bool
    ends_with_base: bool


def _alone(request: Request) -> int:
    from motionbase.cli import run_base

    report, stopped = run_base.alone(request)
    print(report)
    if stopped:
        print(f"motionbase: {stopped}", file=sys.stderr)
    return 0 if report.error is None and not stopped else 1


def _supervised(request: Request, extras: Extras) -> int:
    """Base, recorder, console and the watch for ESTOP files, until the end."""
    from motionbase.ring.backend import find
    from motionbase.ring.claim import Waiting
    from motionbase.ring.lifeline import taken
    from motionbase.ring.living import has_writer

    backend = find(request.ring)
    if (pid := has_writer(backend)) is not None:  # said before the compiling; the writer itself makes sure
        raise taken(backend, pid)
    with Waiting(backend) as waiting:  # from here on an emergency stop is kept for the base
        return _waited_for(request, extras, waiting)


def _waited_for(request: Request, extras: Extras, waiting: "Waiting") -> int:
    from motionbase.cli.run_base import at_rest, checked, is_preset_as_it_is
    from motionbase.executive.supervisor import Process, Role, Supervisor
    from motionbase.recording.recorder import process as recorder_process

    if not is_preset_as_it_is(request):
        checked(request)  # said here, in one sentence, rather than by a process that ends at once
    stays = not (extras.ends_with_base or extras.no_console or request.duration is not None)
    again = _command(at_rest(request)) if stays else None
    processes = [Process("base", _command(request), Role.WRITER, stop_s=COMPILING_S, again=again)]
    if not extras.no_record:
        recorder = recorder_process.command(request.ring, out=extras.record)
        processes.append(Process("recorder", recorder, stop_s=recorder_process.STOP_S, prompt=True))
    if not extras.no_console:
        processes.append(_console(request.ring, extras))
    ending = Supervisor(processes, ring=request.ring, waiting=waiting).run()
    print(f"ended: {ending.why}")
    for file in ending.files:
        print(f"saved: {file}")
    return ending.code


def _console(ring: str, extras: Extras) -> "Process":
    """The console as one of the readers. It keeps port and token when it is started again, so that pages find it."""
    from motionbase.cli.console import (
        PORT,
        SHOW_VARIABLE,
        TOKEN_VARIABLE,
        VIEWER_VARIABLE,
        free_port,
        may_open_browser,
        shows_tokens,
    )
    from motionbase.executive.supervisor import Process

    shall_open = may_open_browser() if extras.browser is None else extras.browser
    port = free_port(PORT, or_any=True) if extras.port is None else free_port(extras.port)
    command = motionbase_command(
        "console", "--ring", ring, "--port", str(port),
        "--browser" if shall_open else "--no-browser",
        *(("--anyone-may-view",) if extras.anyone_may_view else ()),
        *(("--anyone-may-stop",) if extras.anyone_may_stop else ()),
        *(("--recordings", str(extras.record)) if extras.record is not None and extras.record.is_dir() else ()),
    )  # fmt: skip
    names = (TOKEN_VARIABLE, VIEWER_VARIABLE)  # not on the command line, which all can see
    tokens = {name: os.environ.get(name) or secrets.token_urlsafe(24) for name in names}
    environment = {**tokens, SHOW_VARIABLE: "1" if shows_tokens() else "0"}
    return Process("console", command, stop_s=CONSOLE_STOP_S, environment=environment)


def _command(request: Request) -> tuple[str, ...]:
    """The base's own command line."""
    given = {
        "--ring": request.ring, "--rate": request.rate, "--duration": request.duration, "--faults": request.faults,
        "--parameters": request.parameters, "--law": request.law, "--generators": request.generators,
        "--point": request.point,
    }  # fmt: skip
    options = [part for name, value in given.items() if value is not None for part in (name, str(value))]
    manual = ["--manual"] if request.manual else []
    return motionbase_command("run", request.platform, "--alone", *options, *manual)
