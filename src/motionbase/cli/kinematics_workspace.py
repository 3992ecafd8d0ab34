"""`motionbase kinematics workspace`: how far a platform goes or turns in all directions, and what stops it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import STOP, Json, Platform, loaded
from motionbase.cli.measuring import PICTURES, check_writable
from motionbase.cli.progress import fraction_bar
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.workbench.surface import Surface
    from motionbase.workbench.workspace import Workspace

MESHES = (".glb", ".stl")
Triple = tuple[float, float, float]


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
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .pdf or .svg.")] = None,
    mesh: Annotated[Path | None, typer.Option(metavar="FILE", help="Its surface in W: .glb or .stl.")] = None,
    as_json: Json = False,
) -> None:
    """Find where a platform gets without turning, or how far it turns in one place, in all directions.

    Rays go out from neutral, or turns from level, until a leg is at the end of its operational stroke, a bearing of its
    range, two legs are nearer than they are thick, or, with --meshes, parts are too near. Every ray says what ended it.

    Example: motionbase kinematics workspace simona --attitude 0 10 0 --volume --plot workspace.png
    """
    _check(attitude, place, volume, mesh, stop, thickness, rows)
    check_writable(plot, PICTURES)
    check_writable(mesh, MESHES)
    check_writable(out, (".json",))
    hexapod = loaded(platform)
    space = _space(hexapod, meshes, stop, thickness)
    with fraction_bar("the workspace") as bar:
        found, union = _found(space, attitude, place, volume, rows, bar)
    if plot is not None:
        _draw(hexapod, space, found, union, plot)
    if mesh is not None:
        _write_mesh(found, mesh)
    facts: dict[str, Any] = {
        "platform": hexapod.name,
        "thickness_m": space.thickness,
        "stop_m": stop if meshes else None,
        "bearings_rad": {"base": hexapod.gimbals.base, "platform": hexapod.gimbals.platform},
    }
    if out is not None:
        whole = {**facts, "surface": found.facts(), "any_attitude": None if union is None else union.facts()}
        _write_text(out, json.dumps(whole))
    if as_json:
        short = None if union is None else union.summary()
        print(json.dumps({**facts, "surface": found.summary(), "any_attitude": short}, indent=2))
    else:
        _show(hexapod, space, found, union, attitude, place)


def _check(
    attitude: Triple | None,
    place: Triple | None,
    volume: bool,
    mesh: Path | None,
    stop: float,
    thickness: float | None,
    rows: int,
) -> None:
    import math

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


def _space(hexapod: "Hexapod", meshes: bool, stop: float, thickness: float | None) -> "Workspace":
    from motionbase.platform.shape import shape_of
    from motionbase.workbench.clearance import Clearance
    from motionbase.workbench.geometry import geometry_of
    from motionbase.workbench.workspace import Workspace

    thick = 2 * shape_of(hexapod).cylinder_radius if thickness is None else thickness
    return Workspace(hexapod, None, thick, Clearance(geometry_of(hexapod)) if meshes else None, stop)


def _found(
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


def _draw(hexapod: "Hexapod", space: "Workspace", found: "Surface", union: "Surface | None", plot: Path) -> None:
    from motionbase.workbench.plot_space import surface_figure, turns_figure
    from motionbase.workbench.plots import save

    with terminal.working("drawing"):
        figure = turns_figure(hexapod, found) if found.kind == "place" else surface_figure(hexapod, found, space, union)
        save(figure, plot)


def _write_mesh(found: "Surface", path: Path) -> None:
    from motionbase.workbench.surface import write_surface

    write_surface(found, path)


def _write_text(path: Path, text: str) -> None:
    try:
        path.write_text(text)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def _show(
    hexapod: "Hexapod",
    space: "Workspace",
    found: "Surface",
    union: "Surface | None",
    attitude: Triple | None,
    place: Triple | None,
) -> None:
    import numpy as np

    from motionbase.workbench.surface import END_MEANING

    turns = found.kind == "place"
    if turns:
        title = f"{hexapod.name}: turns at {place} m from neutral"
    else:
        title = f"{hexapod.name}: places with attitude {attitude or (0, 0, 0)} deg (roll, pitch, yaw)"
    table = terminal.table(title, "what", "value", "where")
    scale, unit, digits = (float(np.degrees(1)), "deg", 2) if turns else (1.0, "m", 4)
    for what, most in (("least", False), ("furthest", True)):
        reach, azimuth, elevation = found.extreme(most)
        at = f"azimuth {np.degrees(azimuth):.0f}, elevation {np.degrees(elevation):.0f} deg{' of the axis' * turns}"
        table.add_row(f"{what} of {len(found.reach)} rays", f"{scale * reach:.{digits}f} {unit}", at)
    for name, share in found.shares.items():
        table.add_row(f"ended by {END_MEANING[name]}", f"{share:.1%}", "of all directions")
    if not turns:
        table.add_row("volume with this attitude", f"{found.volume:.4g} m^3", "as seen from neutral")
    if union is not None:
        table.add_row("volume with any attitude", f"about {union.volume:.4g} m^3", "")
    screen = terminal.console()
    screen.print(table)
    for note in union.notes if union is not None else ():
        screen.print(f"any attitude: {note}", style="dim")
    parts = "not looked at; --meshes does" if space.clearance is None else f"stop below {1000 * space.stop:g} mm"
    screen.print(f"legs' axes at least {space.thickness:.3f} m apart; clearances of parts: {parts}", style="dim")
