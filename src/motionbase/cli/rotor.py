"""`motionbase rotor`: hover by blade element theory, and stability."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Json, check_writable, numbers_listed
from motionbase.cli.rotor_stability import stability_command

if TYPE_CHECKING:
    from motionbase.rotor.hover import Hover
    from motionbase.rotor.planform import Planform

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.callback()
def rotor() -> None:
    """Analyse rotors: hover and climb, and stability against rotor speed.

    Example: motionbase rotor hover caradonna_tung --collective 5,8,12
    """


app.command("stability")(stability_command)


@app.command("hover")
def hover_command(
    rotor: Annotated[str, typer.Argument(metavar="PRESET|FILE", help="A preset (caradonna_tung, puma) or a file.")],
    collective: Annotated[str, typer.Option(metavar="A,B,...", help="Collective pitches [deg].")] = "2,4,6,8,10,12",
    climb: Annotated[float, typer.Option(help="Speed of climb [m/s].")] = 0.0,
    tip_loss: Annotated[bool, typer.Option(help="Let the lift fall to zero at the tip (Prandtl).")] = True,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw inflow, angle and lift along the blade (.png, .pdf, .svg)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute thrust, torque and figure of merit in hover or climb, by blade element and momentum theory.

    Momentum theory knows no tip vortices: for a rotor of two blades it lifts up to 40 % more than was measured.

    Example: motionbase rotor hover caradonna_tung --collective 5,8,12 --plot hover.png
    """
    from motionbase.rotor.hover import hover
    from motionbase.rotor.planform import load_planform

    check_writable(plot, PICTURES)
    pitches = numbers_listed("--collective", collective, "angles in degrees")
    loaded = load_planform(rotor)
    found = [hover(loaded, math.radians(pitch), climb, tip_loss=tip_loss) for pitch in pitches]
    if plot is not None:
        from motionbase.rotor.plot import write_hover

        write_hover(loaded, found, plot)
    if as_json:
        print(json.dumps({"rotor": loaded.name, "results": [_facts(one) for one in found]}, indent=2))
    else:
        _show(loaded, found)


def _facts(found: "Hover") -> dict[str, float]:
    return {
        "collective_deg": math.degrees(found.collective),
        "thrust_N": found.thrust,
        "torque_Nm": found.torque,
        "thrust_coefficient": found.thrust_coefficient,
        "torque_coefficient": found.torque_coefficient,
        "figure_of_merit": found.figure_of_merit,
    }


def _show(rotor: "Planform", found: "list[Hover]") -> None:
    screen = terminal.console()
    screen.print(f"{rotor.name}: {rotor.summary}", style="bold")
    columns = "collective [deg]", "thrust [N]", "torque [N m]", "power [kW]", "C_T", "C_Q", "figure of merit"
    table = terminal.table("Blade element and momentum theory", *columns, right=columns)
    for one in found:
        table.add_row(
            f"{math.degrees(one.collective):.2f}", f"{one.thrust:,.1f}", f"{one.torque:,.1f}",
            f"{one.torque * rotor.speed / 1e3:,.2f}", f"{one.thrust_coefficient:.5f}", f"{one.torque_coefficient:.6f}",
            f"{one.figure_of_merit:.3f}",
        )  # fmt: skip
    screen.print(table)
    screen.print(f"Illustrative numbers of this rotor: {', '.join(rotor.illustrative) or 'none'}.", style="dim")
