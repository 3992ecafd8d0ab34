"""`motionbase atlas layout`: layouts of driven wheels that turn a sphere equally well about every axis."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.measuring import PICTURES, check_writable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.atlas.layouts import Layout

MANY = 64  # as files may have
# some elevations of isotropic layouts; the third goes with rollers at 45 degrees, the last with omni wheels
FAMILY_DEG = (-15.0, -25.0, -math.degrees(math.asin(math.sqrt(1 / 3))), -45.0, -math.degrees(math.atan(math.sqrt(2))))


def layout(
    wheels: Annotated[int, typer.Option(help="How many driven wheels, equally spaced.")] = 3,
    elevation: Annotated[float | None, typer.Option(metavar="DEG", help="Of the contacts; negative is below.")] = None,
    roller_angle: Annotated[
        float | None, typer.Option(metavar="DEG", help="Of the rollers' axes against the wheel; 0 is an omni wheel.")
    ] = None,
    azimuths: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Search for wheels at these azimuths [deg], such as 0,100,200,300."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also draw all elevations and roller angles: .png, .pdf, .svg.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Find layouts of the driven wheels that turn the sphere equally well about every axis.

    Equally spaced wheels have such a layout at every elevation up to 54.7 degrees; with --elevation or --roller-angle,
    the best one there. With --azimuths, the best elevation and roller angle for wheels that stand unevenly. Torque,
    speed and normal force are the largest over all directions, in parts of r M / R, R Omega / r and M / (mu R).

    Example: motionbase atlas layout --wheels 4 --elevation -45
    """
    check_writable(plot, PICTURES)
    if wheels > MANY:
        raise UsageError(f"--wheels is {wheels}, it must be at most {MANY}")
    import numpy as np

    from motionbase.platform.atlas.layouts import best_layout, isotropic_family, searched_layout

    given = [
        name for name, value in (("--elevation", elevation), ("--roller-angle", roller_angle)) if value is not None
    ]
    if azimuths is not None:
        if given:
            raise UsageError(f"--azimuths searches elevation and roller angle; leave {given[0]} out")
        with terminal.working("searching"):
            found = [searched_layout(np.radians(_listed(azimuths)).tolist())]
    elif not given:
        found = isotropic_family(wheels, np.radians(FAMILY_DEG).tolist())
    elif len(given) == 2:
        raise UsageError("give --elevation or --roller-angle, the other is found")
    else:
        theta, gamma = (None if x is None else math.radians(x) for x in (elevation, roller_angle))
        found = [best_layout(wheels, elevation=theta, roller_angle=gamma)]
    if plot is not None:
        from motionbase.platform.atlas.plot import write_layouts

        write_layouts(found, plot)
    if as_json:
        print(
            json.dumps({"wheels": len(found[0].azimuths), "layouts": [_layout_facts(one) for one in found]}, indent=2)
        )
    else:
        _show_layouts(found)


def _listed(text: str) -> list[float]:
    try:
        numbers = [float(piece) for piece in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) < 3 or not all(map(math.isfinite, numbers)):
        raise UsageError(f"--azimuths is {text!r}, three or more angles in degrees are wanted, apart by commas")
    return numbers


def _layout_facts(one: "Layout") -> dict[str, Any]:
    return {
        "azimuths_deg": [math.degrees(x) for x in one.azimuths],
        "elevation_deg": math.degrees(one.elevation),
        "roller_angle_deg": math.degrees(one.roller_angle),
        "condition": one.condition,
        "no_condition_is_below": one.bound,
        "torque": one.torque,
        "torque_least_largest": one.torque_least_largest,
        "speed": one.speed,
        "normal": one.normal,
    }


def _show_layouts(found: "list[Layout]") -> None:
    columns = (
        "elevation [deg]", "roller angle [deg]", "condition", "none below", "torque [r M/R]", "least largest",
        "speed [R W/r]", "normal [M/(mu R)]",
    )  # fmt: skip
    turns = ", ".join(f"{math.degrees(x):g}" for x in found[0].azimuths)
    table = terminal.table(f"{len(found[0].azimuths)} wheels at {turns} degrees", *columns, right=columns)
    for one in found:
        angles = f"{math.degrees(one.elevation):.2f}", f"{math.degrees(one.roller_angle):.2f}"
        numbers = one.condition, one.bound, one.torque, one.torque_least_largest, one.speed, one.normal
        table.add_row(*angles, *(f"{x:.4f}" for x in numbers))
    screen = terminal.console()
    screen.print(table)
    screen.print(
        f"Torques of least squares need a normal force of at least 3/n = {3 / len(found[0].azimuths):.4f} M/(mu R) in "
        "any layout of n like wheels; isotropic ones reach it.",
        style="dim",
    )
