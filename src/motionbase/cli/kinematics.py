"""`motionbase kinematics`: what the legs and joints of a platform do, at a pose, along a trajectory, in a run."""

import json
import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import (
    DEFAULT,
    ROUNDING,
    STOP,
    WARN,
    Definition,
    Dof,
    Force,
    Json,
    LegLengths,
    Platform,
    Rates,
    Source,
    Stop,
    Warn,
    apart,
    dexterity_name,
    leg_table,
    loaded,
    posture_at,
    record_facts,
    record_line,
    record_picture,
    show_clearances,
    six_dof,
    strokes_used,
    thresholds,
    verdict_text,
    where,
)
from motionbase.cli.kinematics_space import increments, maps, report, singular, workspace
from motionbase.errors import PlatformError, UsageError

if TYPE_CHECKING:
    from motionbase.workbench.study import PoseStudy

app = typer.Typer(rich_markup_mode=None, add_completion=False)
WORDS = {
    "clear": "clear: all parts keep their distance",
    "warn": "warning: parts come near",
    "stop": "stop: parts are too near",
    "interference": "interference: parts overlap",
}


@app.callback()
def kinematics() -> None:
    """Analyse a platform on six legs: angles, dexterity, clearances, workspace, singular poses, a report.

    Example: motionbase kinematics pose simona --dof "0.1 0 0.2 5 0 10"
    """


@app.command()
def pose(
    platform: Platform,
    dof: Dof = None,
    legs: LegLengths = None,
    rates: Rates = None,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Show all angles at one pose, given by degrees of freedom or by leg lengths; by default at neutral.

    Example: motionbase kinematics pose simona --legs "2.5 2.6 2.7 2.8 2.9 3.0"
    """
    from motionbase.workbench.study import PoseStudy

    hexapod, name = loaded(platform), dexterity_name(definition)
    with terminal.working("compiling"):
        found = posture_at(hexapod, dof, legs, name)
        study = PoseStudy.of(hexapod, found, name, None if rates is None else six_dof("--rates", rates))
    if as_json:
        print(json.dumps(study.facts(), indent=2))
    else:
        _show(study)


def _show(study: "PoseStudy") -> None:
    from motionbase.platform.sizing.architecture import condition_words

    hexapod, found, screen = study.platform, study.posture, terminal.console()
    screen.print(leg_table(hexapod, found, study.leg_rates, actuators=True))
    numbers = [f"{one} {value:.4f}" for one, value in study.dexterities.items()]
    screen.print(f"dexterity {found.dexterity[0]:.4f} ({study.definition}); by definition: {', '.join(numbers)}")
    words = condition_words(study.condition)
    screen.print(f"characteristic condition number {words} (leg Jacobian, turns by the rms radius of the joints)")
    if any(used < -ROUNDING or used > 100 + ROUNDING for used in strokes_used(hexapod, found.l[0])):
        stroke = hexapod.stroke
        screen.print(f"! beyond the operational stroke of {stroke.l_min:g} to {stroke.l_max:g} m", style="bold")


@app.command()
def extremes(
    platform: Platform,
    hard: Annotated[bool, typer.Option("--hard", help="Use the hard ends instead of the operational stroke.")] = False,
    clearances: Annotated[
        bool, typer.Option("--clearance", help="Also the worst clearances of the parts at these poses.")
    ] = False,
    warn: Warn = WARN,
    stop: Stop = STOP,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Sweep the 64 combinations of legs fully in and fully out: what the bearings must allow, and the worst poses.

    Example: motionbase kinematics extremes simona --clearance
    """
    from motionbase.workbench.requirements import legs_out
    from motionbase.workbench.study import ExtremesStudy

    hexapod, name, limits = loaded(platform), dexterity_name(definition), thresholds(warn, stop)
    with terminal.working("sweeping"):
        study = ExtremesStudy.of(hexapod, name, hard=hard, limits=limits if clearances else None)
    if as_json:
        print(json.dumps(study.facts(limits)))
        return
    columns = "what", "largest [deg]", "leg", "where"
    title = f"{hexapod.name}: {len(study.reached)} of 64 extremes are reached"
    table = terminal.table(title, *columns, right=columns[1:3])
    for what, need in study.needs.items():
        table.add_row(what, f"{need['degrees']:.2f}", str(need["leg"]), legs_out(need["pose"]))
    screen = terminal.console()
    screen.print(table)
    least, there = study.least_dexterity
    screen.print(f"least dexterity {least:.4f} ({name}), {there}; at neutral {study.neutral_dexterity:.4f}")
    if study.clearances is not None:
        show_clearances(study.clearances, limits)


@app.command()
def clearance(
    platform: Platform,
    dof: Dof = None,
    legs: LegLengths = None,
    pairs: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Only two parts ('rod 1' catwalk) or two kinds of parts (rod catwalk)."),
    ] = None,
    nearest: Annotated[int, typer.Option(metavar="N", help="Number of pairs, nearest first, 1 to 500.")] = 10,
    warn: Warn = WARN,
    stop: Stop = STOP,
    as_json: Json = False,
) -> None:
    """Show the nearest pairs of parts at a pose, with their distance, nearest points and a verdict.

    Distances are between the meshes of the parts; parts that overlap interfere and have no distance. Dimensions that a
    platform does not give are illustrative.

    Example: motionbase kinematics clearance cmf --dof "0 0 -0.5 10 0 20" --pairs rod catwalk
    """
    from motionbase.workbench.study import ClearanceStudy

    limits = thresholds(warn, stop)
    if not 1 <= nearest <= 500:
        raise UsageError(f"--nearest is {nearest}, it must be 1 to 500")
    hexapod = loaded(platform)
    with terminal.working("measuring"):
        at = posture_at(hexapod, dof, legs, dexterity_name(DEFAULT))
        try:
            study = ClearanceStudy.of(hexapod, at, limits, nearest, pairs)
        except PlatformError as e:
            if pairs is None:
                raise
            raise UsageError(f"--pairs: {e}") from None
    if as_json:
        print(json.dumps(study.facts(), indent=2))
        return
    columns = "parts", "clearance [mm]", "verdict", "nearest points in W [m]"
    table = terminal.table(f"{hexapod.name} at {where(at.dof[0])}", *columns, right=columns[1:2])
    for gap in study.gaps:
        points = " and ".join(f"({', '.join(f'{x:.3f}' for x in point)})" for point in gap.points)
        shown = verdict_text(limits.verdict(gap.distance))
        table.add_row(f"{gap.first} and {gap.second}", apart(gap.distance), shown, points)
    screen = terminal.console()
    screen.print(table)
    text = verdict_text(study.verdict)
    text.plain = WORDS[study.verdict] + f" (stop below {1000 * stop:g} mm, warn below {1000 * warn:g} mm)"
    screen.print(text)
    for sentence in study.warnings:
        screen.print(f"! {sentence}")


@app.command()
def trajectory(
    platform: Platform,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording, or a CSV with t, surge to yaw [m, rad].")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Data file to write: .csv, .parquet or .mcap.")],
    source: Source = "legs",
    clearances: Annotated[
        bool, typer.Option("--clearance", help="Also the least clearance, its parts and the verdict of every moment.")
    ] = False,
    warn: Warn = WARN,
    stop: Stop = STOP,
    definition: Definition = DEFAULT,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write lengths, angles, rod rotation and dexterity of every moment of a trajectory to a data file.

    Example: motionbase kinematics trajectory simona flight.mcap --clearance --out angles.csv
    """
    from motionbase.workbench.study import TrajectoryStudy

    limits = thresholds(warn, stop)
    hexapod, name = loaded(platform), dexterity_name(definition)
    with terminal.working("computing"):
        study = TrajectoryStudy.written(
            hexapod, file, out, source, name, limits, clearances=clearances, force=force
        )  # fmt: skip
    if as_json:
        print(json.dumps(study.facts()))
        return
    screen, t = terminal.console(), study.t
    screen.print(
        f"{len(t)} records of {t[-1] - t[0]:.4g} s to {out}; least dexterity {study.least_dexterity:.4f} ({name}), "
        "largest angles " + ", ".join(f"{what} {need['degrees']:.1f} deg" for what, need in study.needs.items())
    )
    if study.worst is not None:
        gap, when = study.worst
        distance = "interference" if gap.distance is None else f"{1000 * gap.distance:.1f} mm"
        verdict = limits.verdict(gap.distance)
        said = "" if verdict == "interference" else f": {verdict}"
        screen.print(f"worst clearance: {gap.first} and {gap.second}, {distance}, at {when:.2f} s{said}")
    elif study.swept is not None:
        screen.print(f"clearance: no parts come nearer than {1000 * study.swept.within:g} mm")


@app.command()
def watch(
    ring: Annotated[str, typer.Option(metavar="NAME", help="Name of the ring.")] = "motionbase",
    platform: Annotated[
        str | None, typer.Option(metavar="PLATFORM", help="Preset or file; without it, the ring's own.")
    ] = None,
    source: Annotated[
        str, typer.Option("--pose", metavar="NAME", help="legs (measured), measured, estimated or host.")
    ] = "legs",
    seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds; without it, at Ctrl-C.")] = None,
    refresh: Annotated[float, typer.Option(help="Pictures per second, 0.1 to 30.")] = 5.0,
    clearances: Annotated[bool, typer.Option("--clearance/--no-clearance", help="Distances of the parts.")] = True,
    warn: Warn = WARN,
    stop: Stop = STOP,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line for every picture.")] = False,
) -> None:
    """Watch the legs and joints of a running platform in a table that is redrawn a few times a second.

    It reads the newest record of the ring whenever it draws, with a tail of its own and the lowest priority, so the
    writer never waits for it. In a pipe it prints a line for each picture.

    Example: motionbase kinematics watch --ring motionbase --seconds 10
    """
    from rich.live import Live

    from motionbase.ring.gentle import be_gentle, stop_requested
    from motionbase.ring.reader import Reader
    from motionbase.workbench.live import RingFollower

    if not 0.1 <= refresh <= 30:
        raise UsageError(f"--refresh is {refresh:g}, it must be 0.1 to 30 pictures per second")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise UsageError(f"--seconds is {seconds:g}, it must be above 0")
    limits, named = thresholds(warn, stop), None if platform is None else loaded(platform)
    in_place = sys.stdout.isatty() and not as_json
    with stop_requested() as ended, Reader(ring) as reader:
        with terminal.working("compiling"):
            follower = RingFollower(reader, named, source, clearances)
        be_gentle()
        end = math.inf if seconds is None else time.monotonic() + seconds
        with Live(console=terminal.console(), auto_refresh=False, transient=True) as live:
            while not ended.is_set() and time.monotonic() < end:
                seen = follower.newest()
                if seen is not None and as_json:
                    print(json.dumps(record_facts(seen, reader, limits)), flush=True)
                elif seen is not None and in_place:
                    live.update(record_picture(follower.platform, seen, reader, limits), refresh=True)
                elif seen is not None:
                    print(record_line(seen, reader, limits), flush=True)
                ended.wait(1 / refresh)
        if not as_json:
            print(f"{reader.name}: {reader.state.value}; {reader.lost} records lost")


for command in (workspace, singular, maps, increments, report):
    app.command()(command)
