"""`motionbase kinematics maps` and `singular`: how good the poses are, over planes, and the worst of all."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import DEFAULT, Definition, Json, Platform, dexterity_name, loaded, six_dof, where
from motionbase.cli.measuring import PICTURES, check_writable
from motionbase.cli.suggest import unknown
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.workbench.maps import PlaneMap, Quantity


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
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Map a quantity over two degrees of freedom, as far as strokes and bearings reach.

    leg-rate is the largest rate that any leg can be asked for with all degrees of freedom at their limits of velocity.
    leg-force is the largest force of any actuator, pushing or pulling, that holds the weight of payload and legs
    (cylinders and rods) at rest; friction carries nothing of it.

    Example: motionbase kinematics maps simona --quantity leg-rate --plane surge-pitch --plot rates.png
    """
    from motionbase.errors import PlatformError
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
    import math

    from motionbase.record.axes import DOFS

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
    from motionbase.record.axes import DOFS
    from motionbase.workbench.singular import worst_pose

    if not 0 <= samples <= 1_000_000:
        raise UsageError(f"--samples is {samples}, it must be 0 to 1000000")
    hexapod, name = loaded(platform), dexterity_name(definition)
    with terminal.working("searching"):
        found = worst_pose(hexapod, samples=samples, definition=name)
    if as_json:
        facts = {
            "platform": hexapod.name, "definition": name, "dexterity": found.dexterity, "l_m": found.l.tolist(),
            "dof": dict(zip(DOFS, found.dof.tolist(), strict=True)), "looked_at": found.looked_at,
            "starts": found.starts, "lost": found.lost, "crossed": found.crossed, "barred": found.barred,
            "sentence": found.sentence,
        }  # fmt: skip
        print(json.dumps(facts, indent=2))
        return
    stroke = hexapod.stroke
    table = terminal.table(f"{hexapod.name}: worst pose found", "what", "value")
    table.add_row(f"dexterity ({name})", f"{found.dexterity:.4f}")
    table.add_row("where", where(found.dof))
    used = ", ".join(f"{100 * (l - stroke.l_min) / stroke.length:.0f} %" for l in found.l)
    table.add_row("legs, of their strokes", used)
    table.add_row("barred by the bearings", f"{found.barred} of {found.starts} sets of leg lengths")
    screen = terminal.console()
    screen.print(table)
    screen.print(found.sentence[0].upper() + found.sentence[1:] + ".")
