"""`motionbase generators`: the function generators of a running ring, from the command line."""

import json
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Json

if TYPE_CHECKING:
    from motionbase.record.generator_set import GeneratorSet
    from motionbase.record.generators import Generator
    from motionbase.ring.segment import Segment

app = typer.Typer(rich_markup_mode=None, add_completion=False)
AUTHOR = "motionbase generators"

Ring = Annotated[str, typer.Option("--ring", metavar="NAME", help="Name of the ring.")]


@app.callback()
def generators() -> None:
    """Show, set or clear the seven function generators of a running ring.

    The control law reads them at its next transition to drive. docs/generators.md describes the fields.

    Example: motionbase generators set examples/generators.toml
    """


@app.command()
def show(ring: Ring = "motionbase", as_json: Json = False) -> None:
    """Show the generators that are now in the ring.

    Example: motionbase generators show --ring motionbase
    """
    from motionbase.ring.blocks.generators import shown

    found, segment = shown(ring)
    _report(found, segment, as_json)


@app.command("set")
def set_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .toml or .json file of generators.")],
    ring: Ring = "motionbase",
    as_json: Json = False,
) -> None:
    """Check a file of generators and write them into the ring; generators not in the file are turned off.

    Example: motionbase generators set examples/generators.toml
    """
    from motionbase.ring.blocks.files import load
    from motionbase.ring.blocks.generators import GeneratorClient
    from motionbase.ring.command_words import signed

    wanted = load(file)  # before any access to the ring
    client = GeneratorClient(ring, author=signed(AUTHOR))
    _report(client.write(wanted), client.map.segment, as_json)


@app.command()
def clear(ring: Ring = "motionbase", as_json: Json = False) -> None:
    """Turn all generators off and set every number to zero.

    Example: motionbase generators clear
    """
    from motionbase.record.generator_set import GeneratorSet
    from motionbase.ring.blocks.generators import GeneratorClient
    from motionbase.ring.command_words import signed

    client = GeneratorClient(ring, author=signed(AUTHOR))
    _report(client.write(GeneratorSet()), client.map.segment, as_json)


def _report(found: "GeneratorSet", segment: "Segment", as_json: bool) -> None:
    from motionbase.ring.blocks.files import to_data
    from motionbase.ring.blocks.mapping import absence

    backend, note = segment.backend, absence(segment)
    if as_json:
        data: dict[str, Any] = {
            "backend": backend.kind,
            "path": str(backend.path),
            "note": note,
            "version": found.version,
            "author": found.author,
            "pid": found.pid,
            "utc_ns": found.utc_ns,
            "enabled": list(found.enabled),
            **to_data(found),
        }
        print(json.dumps(data, indent=2))
        return
    print(f"ring     {backend}{'; ' + note if note else ''}")
    print(f"version  {found.version}{_written(found)}")
    print(f"on       {', '.join(map(str, found.enabled)) or 'none'}")
    if not any(g.axes or g.enabled for g in found.generators):
        return
    columns = ("", "on", "axes", "shape", "amplitude", "frequency", "time", "fades", "more")
    table = terminal.table(found.name, *columns, right=columns[4:6])
    for number, g in enumerate(found.generators, start=1):
        table.add_row(str(number), *_cells(g))
    terminal.console().print(table)


def _written(found: "GeneratorSet") -> str:
    if not found.version:
        return ", never written"
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(found.utc_ns / 1e9))
    return f", by {found.author} (process {found.pid}), {when} UTC"


def _cells(g: "Generator") -> tuple[str, ...]:
    if not g.axes:
        return ("-",) * 7 + ("",)
    axes = ", ".join(map(str, g.axes))
    return (
        "yes" if g.enabled else "no",
        f"leg {axes}" if g.space == "leg" else axes,
        g.shape.value,
        f"{g.amplitude:.4g} {g.unit}",
        _band(g),
        _time(g),
        f"{g.fade_in:.4g} s, {g.fade_out:.4g} s",
        _more(g),
    )


def _band(g: "Generator") -> str:
    from motionbase.record.generators import PERIODIC, Shape

    if g.shape in PERIODIC:
        return f"{g.frequency:.4g} Hz"
    return "-" if g.shape in (Shape.STEP, Shape.RAMP) else f"{g.frequency:.4g}-{g.end_frequency:.4g} Hz"


def _time(g: "Generator") -> str:
    """Start and duration of a generator, as text."""
    start = f"from {g.start:.4g} s, " if g.start else ""
    return start + (f"for {g.run_time:.4g} s" if math.isfinite(g.run_time) else "until stopped")


def _more(g: "Generator") -> str:
    """Settings that only some shapes have, as text."""
    from motionbase.record.generators import BANDS, Shape

    band = f"{g.tones} tones, at most {g.peak:.4g} {g.unit}" if g.shape in BANDS else ""
    sweep = f"{g.duration:.4g} s a sweep" if g.shape is Shape.CHIRP else ""
    rise = f"{g.duration:.4g} s to rise" if g.shape is Shape.RAMP else ""
    phase = f"phase {g.phase:.4g} rad" if g.phase else ""
    offset = f"offset {g.offset:.4g} {g.unit}" if g.offset else ""
    return ", ".join(piece for piece in (band, sweep, rise, phase, offset) if piece)
