"""`motionbase kinematics workspace`, `maps`, `singular`, `increments`, `report`: studies of all poses."""

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import (
    DEFAULT,
    STOP,
    WARN,
    Definition,
    Force,
    Json,
    Platform,
    Plot,
    Source,
    Stop,
    Triple,
    Warn,
    check_finite,
    check_length,
    check_rows,
    dexterity_name,
    loaded,
    numbers,
    show_surface,
    six_dof,
    strokes_used,
    thresholds,
    where,
)
from motionbase.cli.options import PICTURES, Author, Customer, Day, Revision, check_new, check_writable
from motionbase.cli.terminal import progress_bar
from motionbase.errors import PlatformError, UsageError


def workspace(
    platform: Platform,
    attitude: Annotated[
        Triple | None, typer.Option(metavar="R P Y", help="Reach with this attitude [degrees]; by default level.")
    ] = None,
    place: Annotated[
        Triple | None, typer.Option(metavar="X Y Z", help="Instead, turns at this place from neutral [m].")
    ] = None,
    volume: Annotated[
        bool, typer.Option("--volume", help="Also search the volume that it reaches with any attitude.")
    ] = False,
    meshes: Annotated[
        bool, typer.Option("--meshes", help="Also end where parts come nearer than --stop; slow.")
    ] = False,
    stop: Annotated[float, typer.Option(metavar="M", help="Least clearance of parts with --meshes [m].")] = STOP,
    thickness: Annotated[
        float | None, typer.Option(metavar="M", help="Least distance of leg axes [m]; by default two cylinder radii.")
    ] = None,
    rows: Annotated[int, typer.Option(metavar="N", help="Rows of directions, 4 to 200; 2 N in each.")] = 24,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="All rays as .json.")] = None,
    plot: Plot = None,
    mesh: Annotated[Path | None, typer.Option(metavar="FILE", help="Its surface in W: .glb or .stl.")] = None,
    as_json: Json = False,
) -> None:
    """Find how far a platform moves with one attitude, or turns at one place, in all directions.

    Rays go out from neutral, or turns from level, until a leg reaches the end of its operational stroke, a bearing the
    end of its range, two legs touch or, with --meshes, parts come too near. Every ray records what ended it.

    Example: motionbase kinematics workspace simona --attitude 0 10 0 --volume --plot workspace.png
    """
    from motionbase.report.figures import save
    from motionbase.report.page import write_text
    from motionbase.workbench.study import WorkspaceStudy
    from motionbase.workbench.surface import write_surface
    from motionbase.workbench.workspace import Workspace

    if attitude is not None and place is not None:
        raise UsageError("--attitude asks where it gets, --place how far it turns; give one of them")
    check_finite("--attitude", attitude)
    check_finite("--place", place)
    if place is not None and (volume or mesh is not None):
        raise UsageError(
            f"{'--volume' if volume else '--mesh'} is of displacements, and --place asks for turns; leave one out"
        )
    check_length("--stop", stop)
    check_length("--thickness", thickness)
    check_rows(rows)
    check_writable(plot, PICTURES)
    check_writable(mesh, (".glb", ".stl"))
    check_writable(out, (".json",))
    space = Workspace.of(loaded(platform), thickness=thickness, meshes=meshes, stop=stop)
    with progress_bar("the workspace") as bar:
        if place is not None:
            study = WorkspaceStudy.at_place(space, place, rows=rows, progress=bar)
        else:
            level = [math.radians(angle) for angle in attitude or (0, 0, 0)]
            study = WorkspaceStudy.at_attitude(space, level, rows=rows, union=volume, progress=bar)
    if plot is not None:
        with terminal.working("drawing"):
            save(study.figure(), plot)
    if mesh is not None:
        write_surface(study.found, mesh)
    if out is not None:
        write_text(out, json.dumps(study.facts(whole=True)))
    if as_json:
        print(json.dumps(study.facts(), indent=2))
    else:
        show_surface(study, attitude, place)


def maps(
    platform: Platform,
    quantity: Annotated[
        str, typer.Option(metavar="NAME", help="dexterity, conditioning, leg-rate, leg-force, or all.")
    ] = "dexterity",
    plane: Annotated[str, typer.Option(metavar="A-B", help="Two degrees of freedom.")] = "surge-heave",
    at: Annotated[str | None, typer.Option(metavar="SIX", help="The others [m, degrees]; by default neutral.")] = None,
    points: Annotated[int, typer.Option(metavar="N", help="Along each axis, 3 to 401.")] = 61,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Map a quantity over two degrees of freedom, as far as strokes and bearings reach.

    leg-rate is the largest rate that any leg can be asked for with all degrees of freedom at their limits of velocity.
    leg-force is the largest force of any actuator, pushing or pulling, that holds the weight of payload and legs
    (cylinders and rods) at rest; friction carries nothing of it.

    Example: motionbase kinematics maps simona --quantity leg-rate --plane surge-pitch --plot rates.png
    """
    from motionbase.report.figures import save
    from motionbase.workbench.maps import FEWEST, MOST, plane_map, plane_of, quantities_of
    from motionbase.workbench.plots import maps_figure
    from motionbase.workbench.workspace import Workspace

    try:
        chosen, axes = quantities_of(quantity), plane_of(plane)
    except PlatformError as e:
        raise UsageError(f"--{e}") from None
    if not FEWEST <= points <= MOST:
        raise UsageError(f"--points is {points}, it must be {FEWEST} to {MOST}")
    check_writable(plot, PICTURES)
    held = None if at is None else six_dof("--at", at)
    hexapod = loaded(platform)
    with terminal.working("mapping"):
        found = [plane_map(Workspace(hexapod), one, axes, points=points, at=held) for one in chosen]
    summaries = [one.summary() for one in found]
    if plot is not None:
        save(maps_figure(hexapod, found), plot)
    if as_json:
        print(json.dumps({"platform": hexapod.name, "maps": [one.facts() for one in found]}))
        return
    columns = "quantity", "at neutral", "least", "there", "most", "there ", "unit"
    title = f"{hexapod.name}: {plane}, {summaries[0]['reachable']:.0%} of the plane within reach"
    table = terminal.table(title, *columns, right=("at neutral", "least", "most"))
    for one in found:
        least, most = one.extreme_words(False), one.extreme_words(True)
        table.add_row(one.quantity, f"{one.at_neutral:.4g}", *least, *most, one.unit)
    screen = terminal.console()
    screen.print(table)
    for said in summaries:
        screen.print(f"{said['quantity']}: {said['meaning']}", style="dim")


def singular(
    platform: Platform,
    samples: Annotated[int, typer.Option(metavar="N", help="Random sets of leg lengths, 0 to 1000000.")] = 4000,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Search the strokes and bearings for the pose of least dexterity, and for signs of singular ones.

    It is a search, not a proof; the result says how it searched.

    Example: motionbase kinematics singular simona
    """
    from motionbase.workbench.singular import worst_pose

    if not 0 <= samples <= 1_000_000:
        raise UsageError(f"--samples is {samples}, it must be 0 to 1000000")
    hexapod, name = loaded(platform), dexterity_name(definition)
    with terminal.working("searching"):
        found = worst_pose(hexapod, samples=samples, definition=name)
    if as_json:
        print(json.dumps({"platform": hexapod.name, "definition": name, **found.facts()}, indent=2))
        return
    table = terminal.table(f"{hexapod.name}: worst pose found", "what", "value")
    table.add_row(f"dexterity ({name})", f"{found.dexterity:.4f}")
    table.add_row("where", where(found.dof))
    table.add_row("legs, of their strokes", ", ".join(f"{used:.0f} %" for used in strokes_used(hexapod, found.l)))
    table.add_row("barred by the bearings", f"{found.barred} of {found.starts} sets of leg lengths")
    screen = terminal.console()
    screen.print(table)
    screen.print(found.sentence[0].upper() + found.sentence[1:] + ".")


def increments(
    platform: Platform,
    steps: Annotated[
        Path | None, typer.Option(metavar="FILE", help="CSV with dx, dy, dz [m] and rx, ry, rz [rad], in global axes.")
    ] = None,
    turn: Annotated[
        str | None, typer.Option(metavar="THREE", help="About x, then y, then z, in global axes [degrees].")
    ] = None,
    step: Annotated[float, typer.Option(metavar="DEG", help="Longest step of --turn [degrees].")] = 1.0,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the errors: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Add up increments of position and attitude in five forms, each against the exact map.

    Those of the wave-riding rig's paper (equations 4 to 16) are first order, not scaled to length one, and put behind
    the attitude so far; scaled and in front they are right to second order, and the exponential map is exact.

    Example: motionbase kinematics increments odu --turn "20 0 30" --step 1
    """
    from motionbase.report.figures import save
    from motionbase.workbench.increments import MEANING, RIGHT, compare, read_increments, turned_increments
    from motionbase.workbench.plots import increments_figure

    if steps is not None and turn is not None:
        raise UsageError("--steps and --turn both give the increments; give one of them")
    if not (math.isfinite(step) and 0 < step <= 180):
        raise UsageError(f"--step is {step:g} degrees, it must be above 0 and at most 180")
    check_writable(plot, PICTURES)
    hexapod = loaded(platform)
    if steps is not None:
        rows = read_increments(steps)
    else:
        angles = numbers("--turn", turn or "20 0 30", 3)
        if not any(angles):
            raise UsageError("--turn is 0 about all axes; at least one angle other than 0 is wanted")
        rows = turned_increments([math.radians(angle) for angle in angles], math.radians(step))
    with terminal.working("following"):
        found = compare(hexapod, rows[:, :3], rows[:, 3:])
    if plot is not None:
        save(increments_figure(hexapod, found), plot)
    if as_json:
        print(json.dumps({"platform": hexapod.name, **found.facts()}, indent=2))
        return
    columns = "form", "attitude [deg]", "too long [%]", "legs at the pose [mm]", "legs by increments [mm]", "what it is"
    table = terminal.table(f"{hexapod.name}: errors after {found.steps} steps", *columns, right=columns[1:5])
    for form in found.forms:
        meaning = f"{MEANING[form.form]}; use this" if form.form in RIGHT else MEANING[form.form]
        table.add_row(form.form, *form.in_words(), meaning)
    screen = terminal.console()
    screen.print(table)
    if (leg := found.leg_beyond(hexapod)) is not None:
        screen.print(f"! at the end leg {leg} is beyond the operational stroke", style="bold")


def report(
    platform: Platform,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page to write: .html, or .pdf, printed by Chromium.")],
    data: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The same as .json; - prints it and nothing else.")
    ] = None,
    recording: Annotated[Path | None, typer.Option(metavar="FILE", help="Also analyse this recording or CSV.")] = None,
    source: Source = "legs",
    warn: Warn = WARN,
    stop: Stop = STOP,
    author: Author = "",
    revision: Revision = "draft",
    customer: Customer = "",
    date: Day = "",
    rows: Annotated[int, typer.Option(metavar="N", help="Rows of directions of the workspace, 4 to 200.")] = 24,
    force: Force = False,
) -> None:
    """Write a report of a platform: its numbers, limits, extremes, joints, clearances, workspace, maps, singular poses.

    The report is one HTML file with its pictures inside; it loads nothing from elsewhere and prints well. A PDF is that
    page printed by Chromium or Chrome, which must be installed, version 131 or later for page numbers. Clearances of
    parts with derived dimensions are not judged.

    Example: motionbase kinematics report simona --out report.html --json report.json

    Example: motionbase kinematics report mine.toml --out report.pdf --author "A. Smith" --revision B
    """
    from motionbase.report.document import Document, today
    from motionbase.report.page import write_text
    from motionbase.workbench.page import write_report

    document = Document(date or today(), revision, author, customer)
    limits = thresholds(warn, stop)
    check_writable(out, (".html", ".pdf"))
    printed = str(data) == "-"
    check_writable(None if printed else data, (".json",))
    check_rows(rows)
    check_new((out, None if printed else data), force)
    hexapod = loaded(platform)
    looked_at = None if recording is None else (recording, source)
    with progress_bar("the report") as bar:
        made = write_report(hexapod, out, limits, document, recording=looked_at, rows=rows, progress=bar)
    if printed:
        print(made.json())
        return
    if data is not None:
        write_text(data, made.json())
    files = str(out) if data is None else f"{out} and {data}"
    terminal.console().print(f"report of {hexapod.name} to {files}; {made.nearest_words} at the extremes")
