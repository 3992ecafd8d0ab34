"""Recorder and console beside a base or a world, and the options of commands that start them."""

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from motionbase.errors import UsageError
from motionbase.interpreter import motionbase_command

if TYPE_CHECKING:
    from motionbase.executive.process import Process

CONSOLE_STOP_S = 15.0  # it ends its own children, such as a strip chart on its last page

NoConsole = Annotated[bool, typer.Option("--no-console", help="Do not serve the console.")]
Port = Annotated[
    int | None, typer.Option(help="Port of the console; without it 8700, or any free port if that is taken.")
]
Browser = Annotated[
    bool | None,
    typer.Option("--browser/--no-browser", help="Open the console; by default on a terminal with a display."),
]
AnyoneMayView = Annotated[
    bool, typer.Option("--anyone-may-view", help="Every user of this machine may view the console.")
]


def check_console(without: str | None, port: int | None, browser: bool | None) -> None:
    """Refuse options of a console where another option leaves it out.

    Args:
        without: that option; None if there is a console
    """
    given = "--port" if port is not None else "--browser" if browser else None
    if without is not None and given is not None:
        raise UsageError(f"{given} is for the console, and {without} leaves it out")


class Extras(NamedTuple):
    """Options for what runs beside the base."""

    record: Path | None
    no_record: bool
    no_console: bool
    port: int | None
    browser: bool | None
    anyone_may_view: bool
    anyone_may_stop: bool
    ends_with_base: bool


def readers_of(ring: str, extras: Extras) -> "list[Process]":
    """The processes that read the ring of the base."""
    recorder = [] if extras.no_record else [recorder_of(ring, extras)]
    return recorder if extras.no_console else [*recorder, console_of(ring, extras)]


def recorder_of(ring: str, extras: Extras) -> "Process":
    """The recorder as one of the readers."""
    from motionbase.executive.process import Process
    from motionbase.recording.recorder import process as recorder

    return Process("recorder", recorder.command(ring, out=extras.record), stop_s=recorder.STOP_S, prompt=True)


def console_of(ring: str, extras: Extras) -> "Process":
    """The console as one of the readers. It keeps its port and tokens when it is restarted, so that pages find it."""
    from motionbase.cli.console import (
        PORT,
        SHOW_VARIABLE,
        TOKEN_VARIABLE,
        VIEWER_VARIABLE,
        free_port,
        may_open_browser,
        shows_tokens,
    )
    from motionbase.executive.process import Process

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
