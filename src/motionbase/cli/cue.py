"""`motionbase cue`: motion cueing over a recording, a host's file or a manoeuvre; sets, manoeuvres, tuning, tests."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from motionbase.cli import terminal
from motionbase.cli.cue_omct import bounds, omct
from motionbase.cli.cue_repeatability import repeatability
from motionbase.cli.cue_tune import HOST_RATE, RATE, check_rate, tune
from motionbase.cli.options import PICTURES, Force, From, Json, To, check_writable, drivable

if TYPE_CHECKING:
    from motionbase.cli.cue_source import Samples
    from motionbase.cueing.cueing import Cueing
    from motionbase.cueing.summary import Summary

RUN = "run"
RECORDINGS = (".csv", ".parquet", ".mcap")


class _RunByDefault(TyperGroup):
    """`motionbase cue FILE` is `motionbase cue run FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the command where a source or an option of it stands."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [RUN, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_RunByDefault,
    help="""Motion cueing: what a platform makes of a vehicle's motion, and what people feel of it.

`motionbase cue SOURCE` is short for `motionbase cue run SOURCE`.

Example: motionbase cue landing --plot landing.png""",
)


@app.command(RUN)
def run(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A manoeuvre such as landing or 'manoeuvre://landing?sink=2', or a recording or CSV with a vehicle's "
            "motion.",
        ),
    ],
    platform: Annotated[str, typer.Option(metavar="NAME|FILE", help="The platform.")] = "simona",
    cueing: Annotated[str, typer.Option(metavar="SET|FILE", help="The set of parameters.")] = "simona",
    algorithm: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The algorithm: classical, adaptive, optimal, or predictive, which takes longer than the motion.",
        ),
    ] = "classical",
    compare: Annotated[
        str | None, typer.Option(metavar="SET|FILE", help="A second set, over the same samples.")
    ] = None,
    compare_algorithm: Annotated[
        str | None, typer.Option(metavar="NAME", help="A second algorithm, with the second set if there is one.")
    ] = None,
    forecast: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Of predictive cueing, what it expects: driver, constant, or preview, which knows it."
        ),
    ] = "driver",
    rate: Annotated[float, typer.Option(metavar="HZ", help="Ticks of the cueing per second.")] = RATE,
    host_rate: Annotated[float, typer.Option(metavar="HZ", help="Samples of a manoeuvre per second.")] = HOST_RATE,
    start: From = None,
    stop: To = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw demand, cue, feelings and legs: .png, .pdf, .svg.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a recording of it: .csv, .parquet or .mcap.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run motion cueing over a vehicle's motion; show perceived error, peaks, stroke and tilt.

    Errors are differences between what a person in the vehicle and one on the platform feel, by models of their organs
    of balance, in thresholds of perception. The platform follows exactly here; `motionbase run --host` and
    `motionbase cue omct` have its real motion.

    Example: motionbase cue landing --plot landing.png

    Example: motionbase cue 'manoeuvre://turn?amplitude=20' --compare mine.toml

    Example: motionbase cue slalom --compare-algorithm predictive --forecast preview --plot two.png

    Example: motionbase cue flight.mcap --from 60 --to 120 --out cued.mcap
    """
    from motionbase.cli.cue_source import notes_of, samples_of

    check_writable(plot, PICTURES)
    check_writable(out, RECORDINGS)
    check_rate(rate)
    if out is not None and not force:
        from motionbase.recording.whole import refuse_existing

        refuse_existing(out)
    hexapod = drivable(platform)
    samples = samples_of(source, host_rate, start, stop)
    with terminal.progress_bar("cueing") as progress:
        from motionbase.cueing.cueing import Cueing
        from motionbase.cueing.run import cue, planner_for
        from motionbase.cueing.summary import Summary

        cases = [(cueing, algorithm)]
        if compare is not None or compare_algorithm is not None:
            cases.append((compare or cueing, compare_algorithm or algorithm))
        tried = [Cueing.of(hexapod, name, algorithm=how, dt=1 / rate) for name, how in cases]
        planners = [planner_for(one, forecast, samples.t, samples.rows) for one in tried]
        told = []
        for k, (one, planner) in enumerate(zip(tried, planners, strict=True)):

            def done(part: float, before: int = k) -> None:
                progress((before + part) / len(tried))

            told.append(Summary(cue(one, samples.t, samples.rows, planner=planner, progress=done)))
    files = _written(samples, tried, told, plot, out, force)
    notes = notes_of(samples.rows)
    if as_json:
        runs = [{"set": one.cue_set.name, "algorithm": one.algorithm, **s.data()}
                for one, s in zip(tried, told, strict=True)]  # fmt: skip
        data = {"source": samples.name, "platform": hexapod.name, "runs": runs, "files": files, "notes": notes}
        print(json.dumps(data, indent=2))
        return
    from motionbase.cli.cue_show import show

    show(samples.name, told)
    screen = terminal.console()
    for note in notes:
        screen.print(f"Note: {note}", style="yellow")
    for file in files:
        screen.print(f"wrote {file}")


def _written(
    samples: "Samples", tried: "list[Cueing]", told: "list[Summary]", plot: Path | None, out: Path | None, force: bool
) -> list[str]:
    """Write the picture and the recording of the first run; returns their names."""
    names = [_label(one, tried) for one in tried]
    if plot is not None:
        from motionbase.cueing.plot import write_cued

        title = f"{samples.name} on {tried[0].platform.name}"
        write_cued([s.run for s in told], names, title, plot)
    if out is not None:
        from motionbase.record.cueing import tried_schema
        from motionbase.recording.sinks.sink import Heading, open_sink
        from motionbase.recording.whole import trouble, whole_or_not

        about = {"source": samples.name, "platform": tried[0].platform.name, "cueing": names[0],
                 "algorithm": tried[0].algorithm}  # fmt: skip
        try:
            with whole_or_not(out, force) as part:
                sink = open_sink(part, out.suffix, Heading(tried_schema(), about, 0, 0))
                sink.write(told[0].run.t, told[0].run.rows)
                sink.close([])
        except OSError as e:
            raise trouble(out, e) from None
    return [str(path) for path in (out, plot) if path is not None]


def _label(one: "Cueing", tried: "list[Cueing]") -> str:
    """Set and algorithm; numbered if both are the same."""
    name = f"{one.cue_set.name}, {one.algorithm}"
    same = [other for other in tried if (other.cue_set.name, other.algorithm) == (one.cue_set.name, one.algorithm)]
    return name if len(same) == 1 else f"{name} ({1 + tried.index(one)})"


@app.command()
def sets(as_json: Json = False) -> None:
    """List the sets of cueing parameters, with their sources and what in them is illustrative (unpublished).

    Example: motionbase cue sets
    """
    from motionbase.cueing.sets import load_set, set_names

    found = [load_set(name) for name in set_names()]
    if as_json:
        print(json.dumps([{"name": s.name, "summary": s.summary, "sources": list(s.sources),
                           "illustrative": list(s.illustrative)} for s in found], indent=2))  # fmt: skip
        return
    screen = terminal.console()
    for s in found:
        screen.print(s.name, style="bold")
        screen.print(f"  {s.summary}")
        for source in s.sources:
            screen.print(f"  source: {source}")
        if s.illustrative:
            screen.print(f"  illustrative: {', '.join(s.illustrative)}", style="yellow")


@app.command()
def manoeuvres(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Show the options of one; it may have some of its own.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw it, or all of vehicles: .png, .pdf or .svg.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the library of vehicle manoeuvres; with NAME, the options of one.

    Options are written after the name: 'landing?sink=2&duration=20'.

    Example: motionbase cue manoeuvres landing

    Example: motionbase cue manoeuvres 'landing?sink=2' --plot landing.png
    """
    from motionbase.cli.cue_show import WAYS
    from motionbase.host.manoeuvres import manoeuvre_names, manoeuvre_of, recipe_of

    check_writable(plot, PICTURES)
    if plot is not None:
        from motionbase.host.manoeuvres.plot import write_manoeuvres

        drawn = manoeuvre_names()[: -len(manoeuvre_names("axis"))] if name is None else (name,)
        write_manoeuvres([manoeuvre_of(one) for one in drawn], plot)
    recipes = [manoeuvre_of(name).recipe] if name is not None else [recipe_of(one) for one in manoeuvre_names()]
    if as_json:
        print(json.dumps([{
            "name": r.name, "vehicle": r.vehicle, "about": r.about, "source": r.source,
            "options": {key: {"default": o.default, "unit": o.unit, "text": o.text, "least": o.least, "most": o.most}
                        for key, o in r.options.items()},
        } for r in recipes], indent=2))  # fmt: skip
        return
    screen = terminal.console()
    if name is None:
        table = terminal.table("Manoeuvres", "name", "length [s]", "what happens", right=("length [s]",))
        for r in recipes:
            if r.vehicle != "axis":
                table.add_row(r.name, f"{r.options['duration'].default:g}", f"{r.vehicle}: {r.about}")
        alone = [r for r in recipes if r.vehicle == "axis"]
        for shape in dict.fromkeys(r.name.partition("_")[2] for r in alone):
            lengths = {f"{r.options['duration'].default:g}" for r in alone if r.name.endswith(f"_{shape}")}
            table.add_row(f"AXIS_{shape}", ", ".join(sorted(lengths)), f"a {shape} of one axis alone")
    else:
        (r,) = recipes
        screen.print(f"{r.about[:1].upper()}{r.about[1:]}. Source: {r.source}.")
        table = terminal.table(f"Options of {r.name}", "option", "default", "unit", "bounds", "what it is",
                               right=("default",))  # fmt: skip
        for key, o in r.options.items():
            table.add_row(key, f"{o.default:g}", o.unit, f"{o.least:g} to {o.most:g}", o.text)
    screen.print(table)
    if name is None:
        screen.print(f"AXIS is {', '.join(WAYS[:-1])} or {WAYS[-1]}.", style="dim")
        screen.print("Options and source of one: motionbase cue manoeuvres NAME", style="dim")
    if plot is not None:
        screen.print(f"wrote {plot}")


for command in (tune, omct, bounds, repeatability):
    app.command()(command)
