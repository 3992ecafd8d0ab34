"""`motionbase rig`: rig files, and the check of a machine with a person beside it."""

import gc
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration, Json, JsonAtEnd, check_writable, drivable
from motionbase.cli.run_beside import Browser, Extras, NoConsole, Port, check_console, console_of
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from motionbase.rig.check.check import Stand
    from motionbase.rig.check.hand import Seen
    from motionbase.rig.check.person import Person
    from motionbase.rig.check.report import Report
    from motionbase.rig.check.session import Options
    from motionbase.rig.files import RigFile

REPORTS = (".json", ".md")
HELP = """Rig files say what moves the legs of a real platform. Check one on its machine (docs/rig_check.md).

Example: motionbase rig list"""
app = typer.Typer(rich_markup_mode=None, add_completion=False, help=HELP)
Name = Annotated[str, typer.Argument(metavar="NAME|FILE", help="A rig of `motionbase rig list`, or a .toml file.")]
Platform = Annotated[
    str | None, typer.Option(metavar="NAME|FILE", help="The platform; by default the one that the file names.")
]


@app.command("list")
def list_rigs(as_json: Json = False) -> None:
    """List the rigs that come with motionbase: simulated ones, and patterns for your own.

    Example: motionbase rig list
    """
    from motionbase.rig.files import PRESETS, heading

    found = [heading(name) for name in PRESETS]
    if as_json:
        print(json.dumps({one.name: asdict(one) for one in found}, indent=2))
        return
    table = terminal.table("Rigs", "name", "kind", "platform", "machine", "what it is")
    for one in found:
        table.add_row(one.name, one.kind, one.platform, one.machine, one.summary)
    screen = terminal.console()
    screen.print(table)
    screen.print("`motionbase rig show NAME > mine.toml` gives you one to edit.", style="dim")


@app.command()
def show(name: Name, platform: Platform = None) -> None:
    """Print a rig file, after reading it as a run would: what is wrong with it is a sentence with a line.

    Example: motionbase rig show drives > mine.toml
    """
    print(_rig(name, platform).text, end="")


@app.command()
def check(
    file: Name,
    platform: Platform = None,
    leg: Annotated[int | None, typer.Option(help="Move this leg only; such a check does not count.")] = None,
    by: Annotated[str, typer.Option(metavar="NAME", help="Your name, for the report; default: your user name.")] = "",
    way: Annotated[float, typer.Option(metavar="MM", help="Movement of a leg, 10 to 100 mm.")] = 30.0,
    speed: Annotated[float, typer.Option(metavar="MM/S", help="Its speed, 1 to 50 mm/s.")] = 10.0,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report here too: .json, or .md to read.")
    ] = None,
    simulated_person: Annotated[
        bool, typer.Option("--simulated-person", help="A simulated person answers, beside a simulated machine.")
    ] = False,
    machine: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="Try the file on the simulated machine of another one."),
    ] = None,
    ring: Annotated[str, typer.Option(help="Name of the ring, for the console beside it.")] = "motionbase",
    real_time: Annotated[
        bool, typer.Option("--real-time", help="With --simulated-person: in real time, with the console.")
    ] = False,
    no_console: NoConsole = False,
    port: Port = None,
    browser: Browser = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Check wiring, directions, scale, limits and stops of a rig, step by step, with you beside the machine.

    Nothing moves without your leave, and at first one leg at a time, slowly, by a few centimetres. You tell which leg
    moved, which way, and how long it is by a tape measure. The first answer that contradicts a reading ends the check,
    with a sentence that says what to change in the file. Ctrl-C, or the emergency stop on the page beside it, stops all
    legs. Keep the emergency stop that cuts the power in your hand: this software is none.

    The report is written beside the file. `motionbase run --rig` wants one that passed for every real machine.

    Example: motionbase rig check odu-onoff --simulated-person --no-console
    """
    from motionbase.rig.check.report import Verdict

    if report is not None and report.suffix not in REPORTS:
        raise UsageError(f"--report {report}: the ending must be .json or .md")
    check_writable(report, REPORTS)
    rig = _rig(file, platform)
    other = _rig(machine, platform) if machine is not None else None
    if not rig.simulated and (simulated_person or other is not None):
        raise UsageError(f"rig {rig.name!r} is a real machine: a person must be beside it")
    if real_time and not simulated_person:
        raise UsageError("--real-time is for --simulated-person; with a person, time is real")
    hurries = simulated_person and not real_time
    without = "--no-console" if no_console else "--simulated-person without --real-time" if hurries else None
    check_console(without, port, browser)
    options = _options(leg, way, speed)
    with ExitStack() as stack:
        asked = stack.enter_context(_stops())
        screen = terminal.stderr()
        extras = Extras(None, True, without is not None, port, browser, False, False, True)
        watch, stops = stack.enter_context(_shown(rig, _named(file, platform), ring, extras))

        def ended() -> bool:
            return asked() or stops()

        found = _checked(rig, other, options, by, simulated_person, real_time, screen, ended, watch)
    _finish(rig, found, report, screen, as_json)
    if found.verdict is not Verdict.PASSED:
        raise typer.Exit(1)


@app.command()
def power(
    file: Name,
    platform: Platform = None,
    run: Annotated[bool, typer.Option("--run", help="Start the pump; it stops when the command ends.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a real pump starts.")] = False,
    duration: Duration = None,
    as_json: Json = False,
) -> None:
    """Show pressures, oil and faults of the hydraulic power unit of a rig.

    Without --run nothing is written to the unit. In a pipe a line is printed every second. A simulated unit is played
    as long as the command runs.

    Example: motionbase rig power mine.toml --run --duration 10
    """
    from motionbase.cli.rig_power import show_power

    show_power(_rig(file, platform), run, yes, duration, as_json)


def _rig(name: str, platform: str | None) -> "RigFile":
    """The rig and its platform; raises `UsageError` with one sentence."""
    from motionbase.rig.files import load_rig

    return load_rig(name, drivable(_named(name, platform)))


def _named(name: str, platform: str | None) -> str:
    """The platform asked for, or the one that a rig file names."""
    from motionbase.rig.files import heading

    named = platform or heading(name).platform
    if not named:
        raise UsageError(f"{name} names no platform; say which one with --platform")
    return named


def _options(leg: int | None, way: float, speed: float) -> "Options":
    from motionbase.rig.check.session import ALL, Options

    return Options(legs=ALL if leg is None else (leg,), way=1e-3 * way, speed=1e-3 * speed)


def _checked(
    rig: "RigFile", machine: "RigFile | None", options: "Options", by: str, simulated_person: bool, real_time: bool,
    screen: "Console", asked: Callable[[], bool], watch: "Callable[[Seen], None]",
) -> "Report":  # fmt: skip
    from motionbase.cli.rig_person import TerminalPerson
    from motionbase.executive.rig.sole import sole_user
    from motionbase.rig.check.check import RealStand, check
    from motionbase.rig.check.rehearsal import Rehearsal
    from motionbase.ring.command_words import user
    from motionbase.ring.gentle import be_prompt

    name = by or ("" if simulated_person else user())
    if not rig.simulated:
        gc.collect()
        gc.freeze()
        be_prompt()
        with sole_user(rig), tempfile.TemporaryDirectory() as place:
            person: Person = TerminalPerson(name, screen, asked)
            stand: Stand = RealStand(rig, Path(place))
            return check(rig, stand, person, options, name, watch, asked)
    rehearsal = Rehearsal(rig, machine, is_real_time=real_time or not simulated_person)
    try:
        if simulated_person:
            person = rehearsal.person(screen.print)
        else:
            person = TerminalPerson(name, screen, asked, rehearsal.person())
        return check(rig, rehearsal, person, options, name, watch, asked)
    finally:
        rehearsal.close()


def _finish(rig: "RigFile", found: "Report", copy: Path | None, screen: "Console", as_json: bool) -> None:
    """Say what came out, and write it."""
    from motionbase.rig.check import reports
    from motionbase.rig.files import PRESETS

    if copy is not None:
        reports.write(found, copy)
    if rig.path.stem in PRESETS and rig.path.parent.name == "presets":
        where = str(copy) if copy is not None else ""
    else:
        where = str(reports.save(found, rig.path).with_suffix(".md"))
    if as_json:
        print(found.json(), end="")
        return
    style = "bold green" if found.counts else "bold red"
    screen.print(f"\nCheck of rig {found.rig}: {found.verdict.value}", style=style)
    if found.fault:
        screen.print(found.fault, style="red")
    if where:
        print(f"report: {where}")


@contextmanager
def _stops() -> "Iterator[Callable[[], bool]]":
    """Whether a signal asked for the end; it comes between cycles, so that none is cut in two."""
    from motionbase.ring.gentle import stop_requested

    with stop_requested() as stop:
        yield stop.is_set


@contextmanager
def _shown(
    rig: "RigFile", platform: str, ring: str, extras: Extras
) -> "Iterator[tuple[Callable[[Seen], None], Callable[[], bool]]]":
    """The ring and the console beside the check; whether they asked for a stop."""
    if extras.no_console:
        yield (lambda seen: None), (lambda: False)
        return
    from motionbase.executive.base import refuse_taken
    from motionbase.executive.rig_check import Published, beside
    from motionbase.platform.load import platform_text
    from motionbase.ring.backend import find

    refuse_taken(find(ring))
    published = Published(ring, rig.period, drivable(platform), platform_text(platform))
    try:
        with beside(console_of(ring, extras)):
            yield published.watch, lambda: published.stopped
    finally:
        published.close()
