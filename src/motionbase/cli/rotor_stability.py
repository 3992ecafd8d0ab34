"""`motionbase rotor stability`: modes of a rotor and its support against rotor speed, or airspeed."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Json, check_writable, numbers_listed, speeds_listed
from motionbase.cli.rotor_whirl import show_whirl
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.rotor.stability.against_speed import SpeedModes, Stability, SystemAt

TILTROTOR = "tiltrotor"
SPEEDS, AIRSPEEDS = "0:40:41", "0:120:13"
CONSTANT = 1e-9  # relative change of coefficients with azimuth that is rounding


def _ground_resonance(without_damper: tuple[int, ...]) -> "SystemAt":
    from motionbase.rotor.models.ground_resonance import GroundResonance, linear_rig

    rig = GroundResonance(without_damper=without_damper)
    return lambda speed: linear_rig(rig, speed)


# from the blades without damper to the linear system at a speed
MODELS: "dict[str, Callable[[tuple[int, ...]], SystemAt]]" = {"ground_resonance": _ground_resonance}


def stability_command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=f"One of: {', '.join((*MODELS, TILTROTOR))}.")],
    speeds: Annotated[
        str | None, typer.Option(metavar="FROM:TO:COUNT", help=f"Rotor speeds [rad/s]. [default: {SPEEDS}]")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="multiblade (coefficients averaged over a revolution) or floquet (as they are). [default: multiblade]",
        ),
    ] = None,
    blades_without_damper: Annotated[
        str | None, typer.Option(metavar="K,...", help="Blades, from 1, whose lag dampers do not work.")
    ] = None,
    airspeeds: Annotated[
        str | None,
        typer.Option(metavar="FROM:TO:COUNT", help=f"Airspeeds of the tiltrotor [m/s]. [default: {AIRSPEEDS}]"),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw frequencies and growth rates against speed (.png, .pdf, .svg)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute modes against rotor speed, and the speeds at which one of them grows.

    Blades that are all alike give constant coefficients in multiblade coordinates, and both methods agree. Where one
    differs (a damper that does not work), floquet is exact and multiblade an approximation.

    The tiltrotor windmills at its speed on a wing; its modes are found in flights that are disturbed, by Floquet's
    method: motionbase rotor stability tiltrotor --airspeeds 0:120:13 --plot whirl.png

    Example: motionbase rotor stability ground_resonance --blades-without-damper 1 --method floquet --plot modes.png
    """
    from motionbase.rotor.stability.against_speed import METHODS, stability

    check_writable(plot, PICTURES)
    given = {"--speeds": speeds, "--method": method, "--blades-without-damper": blades_without_damper}
    if model == TILTROTOR:
        if extra := [name for name, value in given.items() if value is not None]:
            raise UsageError(f"{extra[0]} is not for {model}, it takes --airspeeds")
        return show_whirl(speeds_listed("--airspeeds", airspeeds or AIRSPEEDS), plot, as_json)
    if model not in MODELS:
        raise unknown("model", model, [*MODELS, TILTROTOR])
    if airspeeds is not None:
        raise UsageError(f"--airspeeds is for {TILTROTOR}, not for {model}")
    chosen = next((name for name in METHODS if name == (method or METHODS[0])), None)
    if chosen is None:
        raise unknown("method", str(method), METHODS)
    blades = _blades(blades_without_damper)
    system_at = MODELS[model](blades)
    with terminal.progress_bar(model, f"linearising {model}") as show:
        found = stability(system_at, speeds_listed("--speeds", speeds or SPEEDS), chosen, progress=show)
    if plot is not None:
        from motionbase.rotor.stability.plot import write_stability

        write_stability(found, plot, _title(model, blades, chosen))
    if as_json:
        print(json.dumps(_facts(model, blades, found), indent=2))
    else:
        _show(_title(model, blades, chosen), found)


def _blades(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    found = numbers_listed("--blades-without-damper", text, "numbers of blades from 1")
    if any(number != int(number) for number in found):
        raise UsageError(f"--blades-without-damper is {text!r}, it must be whole numbers, such as 1,3")
    return tuple(sorted({int(number) for number in found}))


def _title(model: str, blades: tuple[int, ...], method: str) -> str:
    which = f", no damper on blade {' and '.join(map(str, blades))}" if blades else ""
    return f"{model.replace('_', ' ').capitalize()}{which} ({method})"


def _facts(model: str, blades: tuple[int, ...], found: "Stability") -> dict[str, object]:
    return {
        "model": model,
        "method": found.method,
        "blades_without_damper": list(blades),
        "variation": found.variation,
        "unstable_rad_s": [list(zone) for zone in found.unstable],
        "speeds": [{"speed_rad_s": point.speed, "modes": _modes(point)} for point in found.points],
    }


def _modes(point: "SpeedModes") -> list[dict[str, object]]:
    columns = point.kinds, point.frequency, point.growth, point.damping_ratio
    return [
        {"kind": kind, "frequency_rad_s": float(omega), "growth_1_s": float(growth), "damping_ratio": float(ratio)}
        for kind, omega, growth, ratio in zip(*columns, strict=True)
    ]


def _show(title: str, found: "Stability") -> None:
    screen = terminal.console()
    columns = "speed [rad/s]", "[rpm]", "least stable", "frequency [rad/s]", "growth [1/s]", "damping ratio"
    table = terminal.table(title, *columns, right=tuple(c for c in columns if c != "least stable"))
    for point in found.points:
        k = point.worst
        table.add_row(
            f"{point.speed:.2f}", f"{point.speed * 30 / math.pi:.0f}", point.kinds[k], f"{point.frequency[k]:.3f}",
            f"{point.largest_growth:+.4f}", f"{point.damping_ratio[k] if point.largest_growth else 0.0:+.4f}",
        )  # fmt: skip
    screen.print(table)
    zones = ", ".join(
        f"{a:.2f} to {b:.2f} rad/s ({a * 30 / math.pi:.0f} to {b * 30 / math.pi:.0f} rpm)" for a, b in found.unstable
    )
    screen.print(f"Unstable: {zones or 'at none of these speeds'}.", style="bold")
    if found.method == "multiblade" and found.variation > CONSTANT:
        screen.print(
            f"Coefficients vary with azimuth by {100 * found.variation:.2g} % of the largest, and were averaged; "
            "--method floquet takes them as they are.",
            style="dim",
        )
