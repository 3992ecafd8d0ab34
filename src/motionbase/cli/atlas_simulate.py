"""`motionbase atlas simulate`: a manoeuvre of the sphere under its control law, with slip of the wheels."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Json, check_writable
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.platform.atlas.atlas import Atlas
    from motionbase.system.manoeuvre import Manoeuvre
    from motionbase.system.spins import Spin

MANOEUVRES = {
    "burst": "from rest to the largest spin with the largest acceleration, and back",
    "tumble": "the largest spin about axes that change continuously",
}
HARDEST = "hardest"
DT = 5e-4  # [s], as in `motionbase run`
ROWS = 2000  # samples of a long run in the picture
LEAST_SECONDS, MOST_SECONDS = 1.0, 3600.0
LEAST_ACCELERATION = 1.0  # [deg/s^2]: reaches the largest spin in minutes


def simulate(
    platform: Annotated[str, typer.Argument(metavar="[PRESET|FILE]", help="A preset or a TOML file.")] = "atlas",
    manoeuvre: Annotated[str, typer.Option(help="burst or tumble.")] = "burst",
    axis: Annotated[
        str,
        typer.Option(
            metavar="'X Y Z'", help="Axis of a burst; hardest is the one that needs most torque from one wheel."
        ),
    ] = HARDEST,
    acceleration: Annotated[
        float | None, typer.Option(help="Acceleration of a burst [deg/s^2]; default: the platform's largest.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="Duration of a tumble [s].")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the axes of a tumble.")] = 0,
    friction: Annotated[
        float, typer.Option(help="Friction relative to its nominal value; 0.3 is a film of oil.")
    ] = 1.0,
    preload: Annotated[float, typer.Option(help="Preload of the passive wheels relative to its nominal value.")] = 1.0,
    no_ripple: Annotated[
        bool, typer.Option("--no-ripple", help="Ignore the ripple of the rollers, as if wheels were round.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the run: .png, .pdf or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Simulate a manoeuvre of the sphere and report how well it follows, and whether a wheel slips.

    The wheels transmit at most friction times normal force. If a manoeuvre needs more they slip; the control law
    detects this, reports it, and brings the sphere to rest if it lasts.

    Example: motionbase atlas simulate --preload 0 --plot slip.png

    Example: motionbase atlas simulate --manoeuvre tumble --seconds 600
    """
    if manoeuvre not in MANOEUVRES:
        raise unknown("manoeuvre", manoeuvre, MANOEUVRES, "manoeuvres")
    for option, value in (("--friction", friction), ("--preload", preload)):
        if not 0 <= value <= 10:
            raise UsageError(f"{option} is {value:g}, it must be between 0 and 10")
    if not LEAST_SECONDS <= seconds <= MOST_SECONDS:
        raise UsageError(f"--seconds is {seconds:g}, it must be between {LEAST_SECONDS:g} and {MOST_SECONDS:g}")
    if seed < 0:
        raise UsageError(f"--seed is {seed}, it must be 0 or above")
    check_writable(plot, PICTURES)
    from motionbase.platform.atlas.load import load_atlas
    from motionbase.system.manoeuvre import drive
    from motionbase.system.sphere_loop import SphereLoop

    atlas = load_atlas(platform)
    loop = SphereLoop(atlas, DT, ripple=not no_ripple)
    spin = _tumbling(atlas, seconds, seed) if manoeuvre == "tumble" else _burst(atlas, axis, acceleration)
    with terminal.working("turning the sphere"):
        every = max(1, len(spin) // ROWS) if manoeuvre == "tumble" else 1
        found = drive(loop, spin, every, friction_scale=friction, preload_scale=preload)
    if plot is not None:
        from motionbase.system.manoeuvre_plot import write_manoeuvre

        write_manoeuvre(found, plot)
    if as_json:
        print(json.dumps(_facts(found), indent=2))
    else:
        _show(found)


def _tumbling(atlas: "Atlas", seconds: float, seed: int) -> "Spin":
    from motionbase.system.spins import tumbling

    return tumbling(seconds, atlas.limits.velocity, DT, seed)


def _burst(atlas: "Atlas", axis: str, acceleration: float | None) -> "Spin":
    from motionbase.system.spins import burst, hardest_axis

    most = math.degrees(atlas.limits.acceleration)
    wanted = most if acceleration is None else acceleration
    if not min(LEAST_ACCELERATION, most) <= wanted <= most * (1 + 1e-9):
        raise UsageError(
            f"--acceleration is {wanted:g} deg/s^2, it must be at least {LEAST_ACCELERATION:g} and at most {most:g}"
        )
    if axis == HARDEST:
        direction = hardest_axis(atlas).tolist()
    else:
        try:
            direction = [float(part) for part in axis.replace(",", " ").split()]
        except ValueError:
            direction = []
        if len(direction) != 3 or not all(map(math.isfinite, direction)) or not any(direction):
            raise UsageError(f"--axis is {axis!r}, it must be {HARDEST}, or three numbers that are not all 0")
    return burst(direction, math.radians(wanted), atlas.limits.velocity, DT)


def _facts(found: "Manoeuvre") -> dict[str, Any]:
    """The results as JSON data, in SI units and degrees."""
    tally, settled = found.tally, found.drift
    return {
        "platform": found.loop.atlas.name,
        "seconds": len(found.spin) * found.spin.dt,
        "largest_error_deg": math.degrees(float(settled.max())),
        "error_at_the_end_deg": math.degrees(float(settled[-1])),
        "largest_spin_deg_s": math.degrees(tally.spin),
        "spin_limit_deg_s": math.degrees(found.loop.atlas.limits.velocity),
        "quaternion_off_unit": tally.unit_error,
        "largest_motor_torque_Nm": float(tally.torque.max()),
        "motor_at_its_limit_s": tally.limited,
        "least_normal_force_N": float(tally.normal.min()),
        "traction_used": tally.traction.tolist(),
        "slips": [vars(one) for one in tally.slips],
        "slip_told_at_s": tally.told_at,
        "traction_lost_at_s": tally.lost_at,
    }


def _show(found: "Manoeuvre") -> None:
    facts, tally, atlas, screen = _facts(found), found.tally, found.loop.atlas, terminal.console()
    columns = "wheel", "traction used [%]", "largest torque [N m]", "of", "least normal force [N]", "slides"
    title = f"{atlas.name}: {facts['seconds']:.1f} s under its control law"
    table = terminal.table(title, *columns, right=columns[1:5])
    slides = {one.wheel: one for one in tally.slips}
    for k, wheel in enumerate(atlas.wheels):
        one = slides.get(k + 1)
        how = f"from {one.begins:.3f} s, {one.lasts:.3f} s in all, up to {one.fastest:.2f} m/s" if one else "never"
        torque, normal, used = tally.torque[k], tally.normal[k], 100 * tally.traction[k]
        table.add_row(str(k + 1), f"{used:.1f}", f"{torque:.2f}", f"{wheel.torque_max:g}", f"{normal:,.0f}", how)
    screen.print(table)
    screen.print(
        f"Farthest from the command {facts['largest_error_deg']:.4f} deg, "
        f"at the end {facts['error_at_the_end_deg']:.4f} deg; largest spin {facts['largest_spin_deg_s']:.1f} deg/s, "
        f"limit of commands {facts['spin_limit_deg_s']:.1f} deg/s."
    )
    if tally.limited:
        screen.print(f"A motor was at its torque limit for {tally.limited:.3f} s.", style="bold")
    if tally.slips and tally.told_at is None:
        screen.print("WHEELS SLIP, and the control law does not see it: less than its threshold or too short.")
    elif tally.slips:
        screen.print(f"WHEELS SLIP; the control law tells of it at {tally.told_at:.3f} s.", style="bold")
    if tally.lost_at is not None:
        screen.print(f"Traction is lost at {tally.lost_at:.3f} s: the sphere was brought to rest.", style="bold")
    marks = ", ".join(atlas.illustrative) or "none"
    screen.print(f"Illustrative numbers of this platform: {marks}.", style="dim")
