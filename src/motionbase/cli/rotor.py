"""`motionbase rotor`: hover and modes of blades; trim, loads and stability are in files of their own."""

import json
import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Json, check_writable, numbers_listed, shown, speeds_listed
from motionbase.cli.rotor_stability import stability_command
from motionbase.cli.rotor_trim import level_command, loads_command, trim_command

if TYPE_CHECKING:
    from motionbase.rotor.blades.planform import Planform
    from motionbase.rotor.inflow.hover import Hover
    from motionbase.rotor.stability.fan import BladeModes


class Inflow(StrEnum):
    """Where the inflow of a rotor comes from."""

    MOMENTUM = "momentum"
    WAKE = "wake"


INFLOWS = {Inflow.MOMENTUM: "Blade element and momentum theory", Inflow.WAKE: "Lifting lines in a free wake"}
app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.callback()
def rotor() -> None:
    """Analyse rotors: hover and climb, modes of blades, stability, trim.

    Example: motionbase rotor hover caradonna_tung --collective 5,8,12
    """


app.command("stability")(stability_command)
app.command("trim")(trim_command)
app.command("loads")(loads_command)
app.command("level")(level_command)


@app.command("hover")
def hover_command(
    rotor: Annotated[
        str,
        typer.Argument(metavar="PRESET|FILE", help="A preset (caradonna_tung, puma, puma_tail, tiltrotor) or a file."),
    ],
    collective: Annotated[str, typer.Option(metavar="A,B,...", help="Collective pitches [deg].")] = "2,4,6,8,10,12",
    climb: Annotated[float, typer.Option(help="Speed of climb [m/s].")] = 0.0,
    inflow: Annotated[
        Inflow, typer.Option(help="Momentum theory, or a wake of tip vortices (seconds for each pitch).")
    ] = Inflow.MOMENTUM,
    tip_loss: Annotated[
        bool, typer.Option(help="Momentum theory: let the lift fall to zero at the tip (Prandtl).")
    ] = True,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw inflow, angle and lift along the blade (.png, .pdf, .svg)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute thrust, torque and figure of merit in hover or climb, from airfoil tables and the inflow.

    Momentum theory knows no tip vortices: for a rotor of two blades it lifts up to 40 % more than was measured. With a
    wake that is 11 %.

    Example: motionbase rotor hover caradonna_tung --collective 5,8,12 --inflow wake --plot hover.png
    """
    from motionbase.rotor.blades.planform import load_planform
    from motionbase.rotor.inflow.hover import hover
    from motionbase.rotor.inflow.wake_hover import wake_hover

    check_writable(plot, PICTURES)
    pitches = numbers_listed("--collective", collective, "angles in degrees")
    loaded = load_planform(rotor)
    if inflow is Inflow.MOMENTUM:
        found = [hover(loaded, math.radians(pitch), climb, tip_loss=tip_loss) for pitch in pitches]
    else:
        with shown("wakes") as progress:
            found = []
            for k, pitch in enumerate(pitches):
                found.append(wake_hover(loaded, math.radians(pitch), climb))
                progress(k + 1, len(pitches))
    if plot is not None:
        from motionbase.rotor.inflow.plot import write_hover

        write_hover(loaded, found, plot)
    if as_json:
        print(
            json.dumps(
                {"rotor": loaded.name, "inflow": inflow.value, "results": [_facts(one) for one in found]}, indent=2
            )
        )
    else:
        _show(loaded, found, INFLOWS[inflow])


@app.command("fanplot")
def fanplot_command(
    rotor: Annotated[
        str, typer.Argument(metavar="PRESET|FILE", help="A preset (puma, tiltrotor, ...) or a file with [blade].")
    ],
    speeds: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO:COUNT", help="Rotor speeds [rad/s]; default: to 1.4 times the nominal one."),
    ] = None,
    collective: Annotated[float, typer.Option(help="Collective pitch [deg].")] = 0.0,
    modes: Annotated[int, typer.Option(help="How many modes, from the lowest.")] = 8,
    beams: Annotated[int, typer.Option(help="Beams of a blade, of three nodes each.")] = 12,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw frequency over rotor speed (.png, .pdf, .svg).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute natural frequencies of a rotating blade over the rotor's speed, without air and dampers.

    Example: motionbase rotor fanplot puma --speeds 0:40:21 --plot fan.png
    """
    from motionbase.rotor.blades.planform import load_planform, needed_blade
    from motionbase.rotor.stability.fan import blade_modes, fan

    check_writable(plot, PICTURES)
    loaded = load_planform(rotor)
    blade, rows = needed_blade(loaded), speeds_listed("--speeds", speeds or f"0:{1.4 * loaded.speed:g}:15")
    pitch = math.radians(collective)
    with shown("fan plot") as progress:
        found = fan(blade, rows, count=modes, beams=beams, collective=pitch, progress=progress)
    nominal = blade_modes(blade, loaded.speed, count=modes, beams=beams, collective=pitch)
    if plot is not None:
        from motionbase.rotor.stability.plot_fan import write_fan

        write_fan(loaded, found, plot)
    if as_json:
        facts = {"rotor": loaded.name, "nominal": _mode_facts(nominal), "speeds": [_mode_facts(one) for one in found]}
        print(json.dumps(facts, indent=2))
    else:
        _show_modes(loaded, nominal)


def _mode_facts(found: "BladeModes") -> dict[str, object]:
    from motionbase.rotor.stability.fan import KINDS

    rows = [
        {
            "mode": label,
            "frequency_Hz": float(found.frequencies[k]) / math.tau,
            "per_rev": float(found.per_rev[k]) if found.speed else None,
            "shares": dict(zip(KINDS, found.shares[k].tolist(), strict=True)),
        }
        for k, label in enumerate(found.labels)
    ]
    return {"speed_rad_s": found.speed, "modes": rows}


def _show_modes(rotor: "Planform", found: "BladeModes") -> None:
    screen = terminal.console()
    screen.print(f"{rotor.name}: {rotor.summary}", style="bold")
    columns = "frequency [Hz]", "per rev", "flap [%]", "lag [%]", "torsion [%]", "stretch [%]"
    title = f"Modes of a blade at {rotor.speed:g} rad/s, and where their kinetic energy is"
    table = terminal.table(title, "mode", *columns, right=columns)
    for k, label in enumerate(found.labels):
        shares = (f"{100 * share:.1f}" for share in found.shares[k])
        table.add_row(label, f"{found.frequencies[k] / math.tau:.3f}", f"{found.per_rev[k]:.3f}", *shares)
    screen.print(table)
    _show_illustrative(rotor)


def _facts(found: "Hover") -> dict[str, float]:
    return {
        "collective_deg": math.degrees(found.collective),
        "thrust_N": found.thrust,
        "torque_Nm": found.torque,
        "thrust_coefficient": found.thrust_coefficient,
        "torque_coefficient": found.torque_coefficient,
        "figure_of_merit": found.figure_of_merit,
    }


def _show(rotor: "Planform", found: "list[Hover]", title: str) -> None:
    screen = terminal.console()
    screen.print(f"{rotor.name}: {rotor.summary}", style="bold")
    columns = "collective [deg]", "thrust [N]", "torque [N m]", "power [kW]", "C_T", "C_Q", "figure of merit"
    table = terminal.table(title, *columns, right=columns)
    for one in found:
        table.add_row(
            f"{math.degrees(one.collective):.2f}", f"{one.thrust:,.1f}", f"{one.torque:,.1f}",
            f"{one.torque * rotor.speed / 1e3:,.2f}", f"{one.thrust_coefficient:.5f}", f"{one.torque_coefficient:.6f}",
            f"{one.figure_of_merit:.3f}",
        )  # fmt: skip
    screen.print(table)
    _show_illustrative(rotor)


def _show_illustrative(rotor: "Planform") -> None:
    text = f"Illustrative numbers of this rotor: {', '.join(rotor.illustrative) or 'none'}."
    terminal.console().print(text, style="dim")
