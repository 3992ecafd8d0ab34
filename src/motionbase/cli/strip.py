"""`motionbase strip`: draws strip charts of a recording or a live ring."""

import json
import math
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli.options import JsonAtEnd
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.table import Table
    from motionbase.recording.strip.chart import Chart, Pen
    from motionbase.recording.strip.strip import Done, Strip
    from motionbase.ring.printer import Printer

EXAMPLE = """\
# A chart for `motionbase strip --chart chart.toml`: up to 16 pens, from top to bottom.

speed = 10          # of the paper [mm/s]; a page has 250 mm, so this is 25 s
paper = "green"     # grid: green, orange, blue or grey
# title = "..."     # at the top of every page; default: the platform

[[pen]]
channel = "state"   # names of the values 0, 1, 2, ...: drawn as a band instead of a line
names = [
    "off", "down", "rising", "standby", "engaging", "drive",
    "settling", "lowering", "freeze", "abort", "held", "stopping",
]

[[pen]]
channel = "pose_meas_heave"
label = "heave"     # default: the channel
range = [0.0, 4.0]  # at the lower and the upper edge; default: round numbers around the records
grid = 4            # divisions of the lane; default: round numbers
colour = "blue"     # blue, red, green, purple, orange, teal, brown, black or #rrggbb; default: in turn
width = 0.25        # of the line [mm]

[[pen]]
channel = "pose_meas_pitch"
label = "pitch"
unit = "deg"        # as printed; default: that of the channel
scale = 57.29578    # factor to that unit; the record has rad
range = [-20, 20]

[[pen]]
channel = "leg1_f_meas"
label = "leg 1 force"
unit = "kN"
scale = 1e-3

[[pen]]
channel = "leg1_valve_cmd"
label = "leg 1 valve"
range = [-1, 1]
"""
JUST_BEFORE_S = 1e-9  # so that a record at the very end does not begin another page


def strip(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A recording; default: a live ring.")] = None,
    ring: Annotated[str | None, typer.Option(metavar="NAME", help="The live ring; default: motionbase.")] = None,
    chart: Annotated[
        Path | None,
        typer.Option(metavar="CHART.toml", help="A .toml file with channels, ranges and pens; see --example."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="ROLL", help="A .pdf, a .png (one file per page) or a pipe; default: a PDF in the current folder."
        ),
    ] = None,
    speed: Annotated[
        float | None, typer.Option(metavar="MM/S", help="Paper speed [mm/s], instead of the chart's.")
    ] = None,
    start: Annotated[float | None, typer.Option(metavar="S", help="Recording: begin at this time [s].")] = None,
    duration: Annotated[float | None, typer.Option(metavar="S", help="Draw S seconds.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    example: Annotated[bool, typer.Option("--example", help="Print an example chart with comments, and exit.")] = False,
    as_json: JsonAtEnd = False,
) -> None:
    """Draw up to 16 channels on A4 pages, of a recording or of a live ring.

    Every page is in the PDF as soon as it is full, so the file can be read while it grows, and however the command
    ends. No spike is lost; values off the scale, missing records and notes are marked. The default chart of a hexapod
    has eight selected channels, that of other schemas the first eight. Drawing never delays the ring's writer.

    Example: motionbase strip run.mcap --out roll.pdf

    Example: motionbase strip --example > chart.toml; motionbase strip --ring motionbase --chart chart.toml
    """
    if example:
        print(EXAMPLE, end="")
        return
    if file is not None and ring is not None:
        raise UsageError("a strip chart is of FILE or of --ring NAME, not of both")
    if file is None and start is not None:
        raise UsageError("--start is for recordings; a ring is drawn from now on")
    for name, value, least in (("--duration", duration, 0.0), ("--start", start, -math.inf)):
        if value is not None and not (math.isfinite(value) and value > least):
            raise UsageError(f"{name} is {value:g} s, it must be a finite number{' above 0' if least == 0 else ''}")
    name = ring or "motionbase"
    what = file.stem if file is not None else f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}_{name}"
    path = out or Path(f"{what}_strip.pdf")
    done, files = _drawn(file, name, chart, path, speed, start, duration, force, as_json)
    if file is not None and not done.records:
        raise UsageError(
            f"recording {file.name!r} has no records there; `motionbase info` tells from when to when it goes"
        )
    if as_json:
        print(json.dumps({"files": [str(f) for f in files], **done._asdict()}, indent=2))
    else:
        lost = f", {done.lost_pages} could not be written" if done.lost_pages else ""
        print(
            f"{done.records} records on {done.pages} page{'' if done.pages == 1 else 's'}{lost}: {_named(files)}"
            if done.pages
            else "no records, no pages"
        )
    if done.lost_pages:
        raise typer.Exit(1)


def _drawn(
    file: Path | None, ring: str, chart: Path | None, path: Path, speed: float | None, start: float | None,
    duration: float | None, force: bool, quiet: bool,
) -> tuple["Done", Sequence[Path]]:  # fmt: skip
    """Draw the chart; returns the result and the files."""
    from motionbase.cli.options import warn_of_damage
    from motionbase.cli.terminal import working
    from motionbase.recording.open import open_recording
    from motionbase.recording.strip.file import draw
    from motionbase.recording.strip.live import follow
    from motionbase.ring.gentle import be_gentle, stop_requested
    from motionbase.ring.printer import Printer, to_stderr

    say = Printer(to_stderr)
    with ExitStack() as stack:
        stack.callback(say.close)
        ended = stack.enter_context(stop_requested())
        recording = None if file is None else stack.enter_context(open_recording(file))
        made = _strip(chart, speed, path, force, say)
        stack.callback(made.sink.close)
        if recording is None:
            be_gentle()
            if not quiet:
                say(f"drawing ring {ring!r} to {path}; Ctrl-C stops")
            return follow(made, ring, math.inf if duration is None else duration, ended), made.sink.files
        stack.enter_context(working(f"drawing {recording.path.name} ..."))
        begin = recording.start if start is None else start
        stop = None if duration is None else begin + duration - JUST_BEFORE_S
        done = draw(made, recording, start, stop, ended)
        warn_of_damage(recording.damage)
        return done, made.sink.files


def _named(files: Sequence[Path]) -> str:
    """The written files as text."""
    if not files:
        return "no file"
    return str(files[0]) if len(files) == 1 else f"{files[0]} to {files[-1]}"


def _strip(chart: Path | None, speed: float | None, path: Path, force: bool, say: "Printer") -> "Strip":
    from motionbase.record.faults import Fault
    from motionbase.record.states import State
    from motionbase.recording.strip.output import sink_for
    from motionbase.recording.strip.strip import Names, Strip

    names = Names(tuple(s.name.lower() for s in State), tuple(f.sentence for f in Fault))
    given = load_chart(chart) if chart is not None else None
    return Strip(sink_for(path, force), say, given, speed, names)


def load_chart(path: Path) -> "Chart":
    """A chart from a TOML file with a list [[pen]]; errors give the line."""
    from motionbase.multibody.loaders.toml_source import TomlSource
    from motionbase.platform.table import Table
    from motionbase.recording.strip.chart import Chart

    source = TomlSource.read(path)
    top = Table(source, (), source.data)
    listed: Any = source.data.get("pen", [])
    if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
        top.refuse("pen", "a list of tables, [[pen]],")
    pens = tuple(_pen(Table(source, ("pen", str(k)), one)) for k, one in enumerate(listed))
    return top.part(Chart, besides=("pen",), pens=pens)


def _pen(table: "Table") -> "Pen":
    from motionbase.recording.strip.chart import Pen

    names = table.texts("names") if "names" in table.data else ()
    return table.part(Pen, besides=("names",), names=names)
