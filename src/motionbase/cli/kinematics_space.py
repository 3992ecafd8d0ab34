"""`motionbase kinematics workspace`, `maps`, `singular`, `increments`, `report`: all poses, not one of them."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    dexterity_name,
    loaded,
    numbers,
    show_surface,
    six_dof,
    strokes_used,
    thresholds,
    where,
    write_text,
)
from motionbase.cli.options import PICTURES, check_writable
from motionbase.cli.terminal import progress_bar
from motionbase.errors import PlatformError, UsageError, unknown
from motionbase.record.axes import DOFS

if TYPE_CHECKING:
    from motionbase.workbench.maps import PlaneMap, Quantity
    from motionbase.workbench.surface import Surface
    from motionbase.workbench.workspace import Workspace

MESHES = (".glb", ".stl")


def workspace(
    platform: Platform,
    attitude: Annotated[
        Triple | None, typer.Option(metavar="R P Y", help="Where it gets with this attitude [degrees]; level without.")
    ] = None,
    place: Annotated[
        Triple | None, typer.Option(metavar="X Y Z", help="Instead, how far it turns at this place from neutral [m].")
    ] = None,
    volume: Annotated[
        bool, typer.Option("--volume", help="Also the volume that it reaches with any attitude, by a search.")
    ] = False,
    meshes: Annotated[
        bool, typer.Option("--meshes", help="Parts that come nearer than --stop end it, too; this takes a while.")
    ] = False,
    stop: Annotated[float, typer.Option(metavar="M", help="Clearance at which --meshes ends it [m].")] = STOP,
    thickness: Annotated[
        float | None, typer.Option(metavar="M", help="Least distance of the legs' axes [m]; two radii of a cylinder.")
    ] = None,
    rows: Annotated[int, typer.Option(metavar="N", help="Rows of directions, 4 to 200; 2 N in each.")] = 24,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="All rays as .json.")] = None,
    plot: Plot = None,
    mesh: Annotated[Path | None, typer.Option(metavar="FILE", help="Its surface in W: .glb or .stl.")] = None,
    as_json: Json = False,
) -> None:
    """Find where a platform gets without turning, or how far it turns in one place, in all directions.

    Rays go out from neutral, or turns from level, until a leg is at the end of its operational stroke, a bearing of its
    range, two legs are nearer than they are thick, or, with --meshes, parts are too near. Every ray says what ended it.

    Example: motionbase kinematics workspace simona --attitude 0 10 0 --volume --plot workspace.png
    """
    from motionbase.workbench.plot_space import surface_figure, turns_figure
    from motionbase.workbench.plots import save
    from motionbase.workbench.surface import write_surface
    from motionbase.workbench.workspace import Workspace

    if attitude is not None and place is not None:
        raise UsageError("--attitude asks where it gets, --place how far it turns; give one of them")
    for option, given in (("--attitude", attitude), ("--place", place)):
        if given is not None and not all(map(math.isfinite, given)):
            raise UsageError(f"{option} is {' '.join(map(str, given))}, three finite numbers are wanted")
    if place is not None and (volume or mesh is not None):
        raise UsageError(
            f"{'--volume' if volume else '--mesh'} is of displacements, and --place asks for turns; leave one out"
        )
    if not (math.isfinite(stop) and stop >= 0):
        raise UsageError(f"--stop is {stop:g} m, a finite number 0 or above is wanted")
    if thickness is not None and not (math.isfinite(thickness) and thickness >= 0):
        raise UsageError(f"--thickness is {thickness:g} m, a finite number 0 or above is wanted")
    if not 4 <= rows <= 200:
        raise UsageError(f"--rows is {rows}, it must be 4 to 200")
    check_writable(plot, PICTURES)
    check_writable(mesh, MESHES)
    check_writable(out, (".json",))
    hexapod = loaded(platform)
    space = Workspace.of(hexapod, thickness=thickness, meshes=meshes, stop=stop)
    with progress_bar("the workspace") as bar:
        found, union = _surfaces(space, attitude, place, volume, rows, bar)
    if plot is not None:
        with terminal.working("drawing"):
            turns = turns_figure(hexapod, found) if place is not None else None
            save(turns or surface_figure(hexapod, found, space, union), plot)
    if mesh is not None:
        write_surface(found, mesh)
    facts: dict[str, Any] = {
        "platform": hexapod.name,
        "thickness_m": space.thickness,
        "stop_m": stop if meshes else None,
        "bearings_rad": {"base": hexapod.gimbals.base, "platform": hexapod.gimbals.platform},
    }
    if out is not None:
        whole = {**facts, "surface": found.facts(), "any_attitude": None if union is None else union.facts()}
        write_text(out, json.dumps(whole))
    if as_json:
        short = None if union is None else union.summary()
        print(json.dumps({**facts, "surface": found.summary(), "any_attitude": short}, indent=2))
    else:
        show_surface(hexapod, space, found, union, attitude, place)


def _surfaces(
    space: "Workspace",
    attitude: Triple | None,
    place: Triple | None,
    volume: bool,
    rows: int,
    bar: Callable[[float], None],
) -> "tuple[Surface, Surface | None]":
    import numpy as np

    from motionbase.workbench.any_attitude import reachable_surface
    from motionbase.workbench.poses import compiled, kinematics_of
    from motionbase.workbench.surface import surface_at_attitude, surface_at_place

    hexapod = space.platform
    if place is not None:
        return surface_at_place(space, np.asarray(hexapod.p_neutral) + place, rows=rows, progress=bar), None
    dof = np.array([[0, 0, 0, *np.radians(attitude or (0, 0, 0))]])
    Q = compiled(kinematics_of(hexapod).pose_of_dof).map(dof=dof)["Q_WP"][0]
    share = 0.5 if volume else 1.0
    found = surface_at_attitude(space, Q, rows=rows, progress=lambda part: bar(share * part))
    if not volume:
        return found, None
    return found, reachable_surface(space, rows=rows, progress=lambda part: bar(0.5 + 0.5 * part))


def maps(
    platform: Platform,
    quantity: Annotated[
        str, typer.Option(metavar="NAME", help="dexterity, conditioning, leg-rate, leg-force, or all.")
    ] = "dexterity",
    plane: Annotated[str, typer.Option(metavar="A-B", help="Two degrees of freedom, such as surge-heave.")] = (
        "surge-heave"
    ),
    at: Annotated[str | None, typer.Option(metavar="SIX", help="What the others are [m, degrees]; neutral if not.")] = (
        None
    ),
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
    from motionbase.workbench.maps import FEWEST, MOST, QUANTITIES, plane_map, plane_of
    from motionbase.workbench.workspace import Workspace

    chosen: tuple[Quantity, ...] = QUANTITIES if quantity == "all" else tuple(q for q in QUANTITIES if q == quantity)
    if not chosen:
        raise UsageError(f"--quantity: {unknown('quantity', quantity, (*QUANTITIES, 'all'), 'quantities')}")
    try:
        axes = plane_of(plane)
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
        from motionbase.workbench.plots import maps_figure, save

        save(maps_figure(hexapod, found), plot)
    if as_json:
        print(json.dumps({"platform": hexapod.name, "maps": [one.facts() for one in found]}))
        return
    columns = "quantity", "at neutral", "least", "there", "most", "there ", "unit"
    title = f"{hexapod.name}: {plane}, {summaries[0]['reachable']:.0%} of the plane within reach"
    table = terminal.table(title, *columns, right=("at neutral", "least", "most"))
    for one in found:
        (least, *low), (most, *high) = one.extreme(False), one.extreme(True)
        table.add_row(one.quantity, f"{one.at_neutral:.4g}", f"{least:.4g}", _place(one, *low), f"{most:.4g}",
                      _place(one, *high), one.unit)  # fmt: skip
    screen = terminal.console()
    screen.print(table)
    for said in summaries:
        screen.print(f"{said['quantity']}: {said['meaning']}", style="dim")


def _place(one: "PlaneMap", x: float, y: float) -> str:
    shown = ((axis, value if axis < 3 else math.degrees(value)) for axis, value in ((one.across, x), (one.up, y)))
    return ", ".join(f"{DOFS[axis]} {value:+.3f} {'m' if axis < 3 else 'deg'}" for axis, value in shown)


def singular(
    platform: Platform,
    samples: Annotated[int, typer.Option(metavar="N", help="Leg lengths at random, 0 to 1000000.")] = 4000,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Search the strokes and bearings for the pose of least dexterity, and for signs of singular ones.

    It is a search and no proof; the result says how it was looked for.

    Example: motionbase kinematics singular simona
    """
    from motionbase.workbench.singular import worst_pose

    if not 0 <= samples <= 1_000_000:
        raise UsageError(f"--samples is {samples}, it must be 0 to 1000000")
    hexapod, name = loaded(platform), dexterity_name(definition)
    with terminal.working("searching"):
        found = worst_pose(hexapod, samples=samples, definition=name)
    if as_json:
        facts = {"platform": hexapod.name, "definition": name, **found.facts()}
        print(json.dumps(facts, indent=2))
        return
    table = terminal.table(f"{hexapod.name}: worst pose found", "what", "value")
    table.add_row(f"dexterity ({name})", f"{found.dexterity:.4f}")
    table.add_row("where", where(found.dof))
    used = ", ".join(f"{used:.0f} %" for used in strokes_used(hexapod, found.l))
    table.add_row("legs, of their strokes", used)
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
    import numpy as np

    from motionbase.workbench.increments import compare, read_increments, turn_in_steps

    if steps is not None and turn is not None:
        raise UsageError("--steps and --turn both give the increments; give one of them")
    if not (math.isfinite(step) and 0 < step <= 180):
        raise UsageError(f"--step is {step:g} degrees, it must be above 0 and at most 180")
    check_writable(plot, PICTURES)
    hexapod = loaded(platform)
    if steps is not None:
        rows = read_increments(steps)
        ds, dtheta = rows[:, :3], rows[:, 3:]
    else:
        angles = numbers("--turn", turn or "20 0 30", 3)
        if not np.any(angles):
            raise UsageError("--turn is 0 about all axes; at least one angle other than 0 is wanted")
        dtheta = turn_in_steps(np.radians(angles), math.radians(step))
        ds = np.zeros_like(dtheta)
    with terminal.working("following"):
        found = compare(hexapod, ds, dtheta)
    if plot is not None:
        from motionbase.workbench.plots import increments_figure, save

        save(increments_figure(hexapod, found), plot)
    if as_json:
        print(json.dumps({"platform": hexapod.name, **found.facts()}, indent=2))
        return
    columns = "form", "attitude [deg]", "too long [%]", "legs at the pose [mm]", "legs by increments [mm]", "what it is"
    table = terminal.table(f"{hexapod.name}: errors after {found.steps} steps", *columns, right=columns[1:5])
    for one in (form.summary() for form in found.forms):
        figures = (math.degrees(one["attitude_rad"]), 100 * one["stretch"], 1000 * one["legs_at_pose_m"],
                   1000 * one["legs_by_increments_m"])  # fmt: skip
        meaning = f"{one['meaning']}; use this" if one["right"] else one["meaning"]
        table.add_row(one["form"], *(f"{x:.4g}" for x in figures), meaning)
    screen = terminal.console()
    screen.print(table)
    outside = (found.l < hexapod.stroke.l_min) | (found.l > hexapod.stroke.l_max)
    if outside.any():
        screen.print(f"! at the end leg {int(outside.argmax()) + 1} is beyond the operational stroke", style="bold")


def report(
    platform: Platform,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The page to write: .html, or .pdf by way of Chromium.")],
    data: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The same as .json; - prints it and nothing else.")
    ] = None,
    recording: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also what this recording or CSV asked of the joints.")
    ] = None,
    source: Source = "legs",
    warn: Warn = WARN,
    stop: Stop = STOP,
    author: Annotated[str, typer.Option(metavar="NAME", help="Who answers for it; on the first page.")] = "",
    revision: Annotated[str, typer.Option(metavar="TEXT", help="Of the design; on every printed page.")] = "draft",
    customer: Annotated[str, typer.Option(metavar="NAME", help="For whom it is; on the first page.")] = "",
    date: Annotated[str, typer.Option(metavar="DAY", help="Of the report, such as 2026-05-31; today without it.")] = "",
    rows: Annotated[int, typer.Option(metavar="N", help="Rows of directions of the workspace, 4 to 200.")] = 24,
    force: Force = False,
) -> None:
    """Write a report of a platform: its numbers, limits, extremes, joints, clearances, workspace, maps, singular poses.

    One file of HTML with its pictures inside, that needs nothing from elsewhere and prints well. A PDF is that page
    printed by Chromium, so that both are the same; it needs Chromium or Chrome on this machine, 131 or later for the
    numbers of pages. Clearances of parts whose dimensions are derived are not judged.

    Example: motionbase kinematics report simona --out report.html --json report.json

    Example: motionbase kinematics report mine.toml --out report.pdf --author "A. Smith" --revision B
    """
    from motionbase.workbench.page import browser, page, print_pdf
    from motionbase.workbench.report import Document, made_report, today

    document = Document(date or today(), revision, author, customer)
    limits = thresholds(warn, stop)
    check_writable(out, (".html", ".pdf"))
    printed = str(data) == "-"
    check_writable(None if printed else data, (".json",))
    if not 4 <= rows <= 200:
        raise UsageError(f"--rows is {rows}, it must be 4 to 200")
    for path in (out, None if printed else data):
        if path is not None and path.exists() and not force:
            raise UsageError(f"{str(path)!r} is there already; choose another name, or --force to write over it")
    printer = browser() if out.suffix == ".pdf" else ""
    hexapod = loaded(platform)
    moments = None
    if recording is not None:
        from motionbase.workbench.trajectory import read_trajectory

        t, found, _ = read_trajectory(hexapod, recording, source, dexterity_name(DEFAULT))
        moments = recording.name, t, found
    with progress_bar("the report") as bar:
        made = made_report(
            hexapod, limits, document, recording=moments, rows=rows, progress=lambda part: bar(0.85 * part)
        )
        text = page(made)
        if printer:
            print_pdf(text, out, printer)
        else:
            write_text(out, text)
        bar(1.0)
    if data is not None:
        if printed:
            print(made.json())
            return
        write_text(data, made.json())
    worst = made.extremes.clearances.least
    near = "no parts near" if worst is None else f"{worst.gap.first} and {worst.gap.second} nearest"
    files = str(out) if data is None else f"{out} and {data}"
    terminal.console().print(f"report of {hexapod.name} to {files}; {near} at the extremes")
