"""`motionbase host`: what hosts tell a base, and what is sent to one; formats, scripts for simulators."""

import json
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.host_headset import headset
from motionbase.cli.host_listen import listen
from motionbase.cli.host_send import send
from motionbase.cli.host_sticks import sticks
from motionbase.cli.host_world import WAYS, command_of
from motionbase.cli.host_worlds import worlds
from motionbase.cli.options import Force, Json
from motionbase.errors import UsageError, unknown

app = typer.Typer(
    help="""Hosts of a motion base: simulators and programs that send it motion over UDP, and worlds of our own.

Example: motionbase host boat

Example: motionbase host listen

Example: motionbase host send landing udp://127.0.0.1:8730?format=motionbase-vehicle""",
)
app.command("listen")(listen)
app.command("send")(send)
app.command("headset")(headset)
for kind in WAYS:
    app.command(kind)(command_of(kind))
app.command("worlds")(worlds)
app.command("sticks")(sticks)


@app.command("formats")
def list_formats(as_json: Json = False) -> None:
    """List all wire formats: port, what they tell, and what to switch on in the simulator.

    Example: motionbase host formats
    """
    from motionbase.host.formats import FORMATS
    from motionbase.host.telemetry.setup import SETUP

    if as_json:
        data = [
            {
                "name": form.name,
                "kind": form.kind.value,
                "about": form.about,
                "port": form.port,
                "options": form.known_options,
                "setup": SETUP.get(form.name),
                "statement": form.statement.__dict__ if form.statement else None,
            }
            for form in FORMATS.values()
        ]
        print(json.dumps(data, indent=2))
        return
    table = terminal.table("Formats", "format", "tells", "port", "gravity", "about", right=("port",))
    for form in FORMATS.values():
        gravity = "-"
        if form.statement is not None:
            gravity = {True: "included", False: "excluded", None: "not told"}[form.statement.gravity]
        table.add_row(form.name, form.kind.value, str(form.port), gravity, form.about)
    terminal.console().print(table)
    print("`motionbase host listen` shows which one arrives; docs/telemetry.md has axes, points and sources")


@app.command()
def script(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Its file name; without it they are listed.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it there instead of showing it.")] = None,
    force: Force = False,
) -> None:
    """Show or write a script that runs beside a simulator, to be copied to its machine.

    Example: motionbase host script msfs_bridge.py --out msfs_bridge.py
    """
    from motionbase.host.telemetry.setup import SCRIPTS, script_path

    if name is None:
        for known, about in SCRIPTS.items():
            print(f"{known:20}{about}")
        return
    if name not in SCRIPTS:
        raise unknown("script", name, SCRIPTS)
    text = script_path(name).read_text()
    if out is None:
        print(text, end="")
        return
    if out.exists() and not force:
        raise UsageError(f"--out {str(out)!r} is there already; choose another name, or give --force")
    try:
        out.write_text(text)
    except OSError as error:
        raise UsageError(f"--out {str(out)!r} cannot be written: {error.strerror or error}") from None
    print(f"wrote {out}")
