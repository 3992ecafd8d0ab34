"""`motionbase atlas`: analysis of a sphere on wheels, the best layouts of its wheels, and the sphere in motion."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.atlas_simulate import simulate
from motionbase.cli.options import PICTURES, Json, check_writable, numbers_listed
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.platform.atlas.analysis import Analysis
    from motionbase.platform.atlas.layouts import Layout
    from motionbase.platform.atlas.units import Units

app = typer.Typer(rich_markup_mode=None, add_completion=False)
MANY = 64  # as many as files may have
# elevations of isotropic layouts that are listed; the third has rollers at 45 degrees, the last omni wheels
FAMILY_DEG = (-15.0, -25.0, -math.degrees(math.asin(math.sqrt(1 / 3))), -45.0, -math.degrees(math.atan(math.sqrt(2))))


@app.callback()
def atlas() -> None:
    """Analyse and simulate a sphere that is turned by Mecanum or omni wheels.

    Example: motionbase atlas analyse --units paper
    """


@app.command()
def analyse(
    platform: Annotated[str, typer.Argument(metavar="[PRESET|FILE]", help="A preset or a TOML file.")] = "atlas",
    units: Annotated[str, typer.Option(help="Units: si, or paper for lb, in, lb in.")] = "si",
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the normal force over all directions: .png, .pdf or .svg."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the largest moment on the sphere, and the wheels' largest torques, speeds and normal forces for it.

    The maxima over all directions of acceleration, spin and moment are exact, not taken on a grid; for more than three
    wheels there are two ways to share the moment. Values marked * are illustrative.

    Example: motionbase atlas analyse --units paper --plot normal_force.png
    """
    from motionbase.platform.atlas.analysis import analyse as analysed
    from motionbase.platform.atlas.load import load_atlas
    from motionbase.platform.atlas.units import UNITS
    from motionbase.platform.load import SPHERES

    if units not in UNITS:
        raise unknown("units", units, UNITS, "units")
    if platform not in SPHERES and not platform.lower().endswith(".toml"):
        raise UsageError(f"{unknown('sphere', platform, SPHERES, 'presets')}; a file of yours ends in .toml")
    check_writable(plot, PICTURES)
    loaded = load_atlas(platform)
    with terminal.working("looking in all directions"):
        found = analysed(loaded)
    if plot is not None:
        from motionbase.platform.atlas.plot import write_analysis

        write_analysis(found, plot, UNITS[units])
    if as_json:
        print(json.dumps(_facts(found, UNITS[units]), indent=2))
    else:
        _show(found, UNITS[units])


def _facts(found: "Analysis", units: "Units") -> dict[str, Any]:
    """The results as JSON data, in the chosen units, which are named."""
    moment, weight = found.moment, found.moment_with_weight
    return {
        "platform": found.atlas.name,
        "units": {"moment": units.name("N m"), "force": units.name("N"), "mass": units.name("kg"), "speed": "rad/s"},
        "J_tau": found.atlas.J_tau.tolist(),
        "condition": found.conditioning.condition,
        "manipulability": found.conditioning.manipulability,
        "easiest_axis": found.conditioning.easiest[0].tolist(),
        "easiest_axes_span": found.conditioning.easiest.tolist(),
        "hardest_axis": found.conditioning.hardest[0].tolist(),
        "hardest_axes_span": found.conditioning.hardest.tolist(),
        "largest_moment": units.of(moment.value, "N m"),
        "no_moment_exceeds": units.of(moment.bound, "N m"),
        "direction": moment.direction.tolist(),
        "directions": moment.directions.tolist(),
        "acceleration_rad_s2": moment.acceleration.tolist(),
        "velocity_rad_s": moment.velocity.tolist(),
        "largest_moment_with_weight": units.of(weight.value, "N m"),
        "gyroscopic_part_at_most": units.of(found.gyroscopic, "N m"),
        "wheels": {
            name: {
                "largest_torque": units.of(t.torque, "N m"),
                "worst_direction": t.demand.worst_direction.tolist(),
                "worst_directions": t.demand.worst_directions.tolist(),
                "largest_torque_in_the_kindest_direction": units.of(t.least_torque, "N m"),
                "kindest_direction": t.demand.best_direction.tolist(),
                "kindest_directions": t.demand.best_directions.tolist(),
                "underestimate": t.demand.underestimate,
                "largest_torque_upright": units.of(t.upright, "N m"),
                "largest_torque_with_weight": units.of(t.torque_with_weight, "N m"),
                "largest_torque_with_spin_up_at_most": units.of(t.torque + found.spin_up, "N m"),
                "torque_limit": units.of(t.limit, "N m"),
                "normal_force": units.of(t.normal, "N"),
                "normal_force_with_weight": units.of(t.normal_with_weight, "N"),
                "contact_pressure_Pa": t.pressure,
            }
            for name, t in found.traction.items()
        },
        "spin_up_torque": units.of(found.spin_up, "N m"),
        "largest_speed": found.speed,
        "speed_limit": found.speed_limit,
        "normal_force_at_rest": None if found.rest is None else [units.of(N, "N") for N in found.rest.tolist()],
        "pressed_enough_at_rest": found.normal_is_enough,
        "carried_mass": units.of(found.atlas.carried_mass, "kg"),
        "mass_limit": units.of(found.atlas.mass_limit, "kg"),
        "stage_capacity": units.of(found.atlas.stage_capacity, "kg"),
        "illustrative": list(found.atlas.illustrative),
    }


def _show(found: "Analysis", units: "Units") -> None:
    """Print the results as tables."""
    a, screen = found.atlas, terminal.console()
    screen.print(f"{a.name}: {a.summary}", style="bold")
    jacobian = terminal.table("J_tau: moment on the sphere = J_tau torques of the wheels", "axis", *_numbers(a.wheels))
    for axis, row in zip("xyz", a.J_tau, strict=True):
        jacobian.add_row(axis, *(f"{x:.3f}" for x in row))
    screen.print(jacobian)
    c = found.conditioning
    screen.print(
        f"condition number {c.condition:.4f}, manipulability {c.manipulability:.1f}; "
        f"easiest {_axes(c.easiest)}, hardest {_axes(c.hardest)}\n"
    )
    screen.print(_table(found, units))
    t = found.traction["least_squares"]
    more = len(t.demand.best_directions) - 1
    equal = f", or in {more} more that {'is' if more == 1 else 'are'} as kind," if more else ""
    screen.print(
        f"The moment in the kindest direction {_axis(t.demand.best_direction)}{equal} would make the largest torque "
        f"{units.of(t.least_torque, 'N m'):,.0f} {units.name('N m')}: {t.demand.underestimate:.2%} too little."
    )
    state = {True: "enough", False: "NOT enough", None: "not known: the driven wheels alone do not balance the weight"}
    least = "" if found.rest is None else f"{units.of(float(found.rest.min()), 'N'):,.0f} {units.name('N')}, "
    screen.print(f"Normal force of the driven wheels at rest: {least}{state[found.normal_is_enough]}.")
    carried, most, capacity = (
        f"{units.of(m, 'kg'):,.0f} {units.name('kg')}" for m in (a.carried_mass, a.mass_limit, a.stage_capacity)
    )
    screen.print(f"Mass on the stage: {carried}, less than {most}; capacity {capacity}.")
    screen.print(f"Illustrative numbers of this platform: {', '.join(a.illustrative) or 'none'}.", style="dim")


def _table(found: "Analysis", units: "Units") -> Any:
    """Table of moments, torques, speeds and forces, with their limits."""
    columns = "over all directions", "largest", "unit", "with weight", "limit"
    table = terminal.table("What the limits of spin ask for", *columns, right=("largest", "with weight", "limit"))
    moment, force = units.name("N m"), units.name("N")

    def shown(value: float, unit: str = "N m") -> str:
        return f"{units.of(value, unit):,.1f}"

    table.add_row("moment on the sphere", shown(found.moment.value), moment, shown(found.moment_with_weight.value), "")
    table.add_row("  gyroscopic part at most", shown(found.gyroscopic), moment, "", "")
    chosen = list(found.traction.items())
    for name, t in chosen if len(found.atlas.wheels) > 3 else chosen[:1]:
        label = f", {name}" if len(found.atlas.wheels) > 3 else ""
        table.add_row(f"wheel torque{label}", shown(t.torque), moment, shown(t.torque_with_weight), "")
        own = (shown(x + found.spin_up) for x in (t.torque, t.torque_with_weight))
        table.add_row("  with its own spin-up, at most", next(own), moment, next(own), shown(t.limit))
        table.add_row("  with the sphere upright", shown(t.upright), moment, "", "")
        table.add_row(f"normal force{label}", shown(t.normal, "N"), force, shown(t.normal_with_weight, "N"), "")
    table.add_row("torque to spin up a wheel", shown(found.spin_up), moment, "", "")
    table.add_row("wheel speed", f"{found.speed:.2f}", "rad/s", "", f"{found.speed_limit:.2f}")
    return table


def _numbers(wheels: Any) -> tuple[str, ...]:
    return tuple(f"wheel {k + 1}" for k in range(len(wheels)))


def _axis(direction: Any) -> str:
    return f"({', '.join(f'{round(float(x), 3) + 0.0:.3f}' for x in direction)})"


def _axes(equal: Any) -> str:
    """Text for one axis, for equal axes in a plane, or for all axes if they are equal."""
    if len(equal) == 1:
        return f"axis {_axis(equal[0])}"
    a, b = equal[:2]
    normal = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return "all axes alike" if len(equal) == 3 else f"axes all normal to {_axis(normal)}"


@app.command()
def layout(
    wheels: Annotated[int, typer.Option(help="Number of driven wheels, equally spaced.")] = 3,
    elevation: Annotated[
        float | None, typer.Option(metavar="DEG", help="Elevation of the contacts [deg]; negative is below the centre.")
    ] = None,
    roller_angle: Annotated[
        float | None,
        typer.Option(metavar="DEG", help="Angle of the rollers' axes to the wheel [deg]; 0 is an omni wheel."),
    ] = None,
    azimuths: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Find the best layout for wheels at these azimuths [deg], such as 0,100,200,300."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw all elevations and roller angles: .png, .pdf or .svg.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find layouts of the driven wheels that turn the sphere equally well about every axis.

    Equally spaced wheels have such a layout at every elevation up to 54.7 degrees; --elevation or --roller-angle
    selects one. With --azimuths, the command finds the best elevation and roller angle for unevenly spaced wheels.
    Torque, speed and normal force are the largest over all directions, as multiples of r M / R, R Omega / r and M / (mu
    R).

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
            raise UsageError(f"--azimuths finds elevation and roller angle; leave {given[0]} out")
        angles = numbers_listed("--azimuths", azimuths, "three or more angles in degrees", fewest=3)
        with terminal.working("searching"):
            found = [searched_layout(np.radians(angles).tolist())]
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


app.command()(simulate)
