"""`motionbase rotor trim`, `loads` and `level`: controls and periodic loads in steady flight."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from motionbase.cli import terminal
from motionbase.cli.options import PICTURES, Json, check_writable
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.rotor.flight.march import March, Seen
    from motionbase.rotor.flight.steady_loads import SteadyLoads
    from motionbase.rotor.models.rotor_model import RotorModel
    from motionbase.rotor.trim.flights import Flight
    from motionbase.rotor.trim.level_flight import FreeTrim
    from motionbase.rotor.trim.trim import Target, Trim

METHODS = ("newton", "pilot")
ROUNDING = 1e-6  # of the largest harmonic, below which one is printed as zero
Rotor = Annotated[str, typer.Argument(metavar="NAME|FILE", help="A rotor that can be flown, such as puma.")]
Named = Annotated[str | None, typer.Option(metavar="NAME", help="A flight with a name, such as 123.")]
Thrust = Annotated[float | None, typer.Option(help="Mean force of the air along the shaft [N].")]
Airspeed = Annotated[float, typer.Option(help="Speed of the air [m/s].")]
Shaft = Annotated[float, typer.Option(help="Of the shaft against the air, positive backwards [deg].")]
FlapCos = Annotated[float, typer.Option(help="Flapping times cos psi, up positive [deg].")]
FlapSin = Annotated[float, typer.Option(help="Flapping times sin psi [deg].")]
Inflow = Annotated[
    str | None, typer.Option(metavar="NAME", help="Inflow theory instead of the rotor's: uniform, drees, dynamic ...")
]


def trim_command(
    rotor: Rotor,
    flight: Named = None,
    thrust: Thrust = None,
    airspeed: Airspeed = 0.0,
    shaft_angle: Shaft = 0.0,
    flap_cos: FlapCos = 0.0,
    flap_sin: FlapSin = 0.0,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="newton (on the periodic motion) or pilot (in the loop).")
    ] = "newton",
    duration: Annotated[float, typer.Option(help="How long the pilot flies [s].")] = 40.0,
    inflow: Inflow = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw a revolution and the pilot's way to it (.png, .pdf, .svg)."),
    ] = None,
    disk: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw angle of attack and lift over the disk (.png, .pdf, .svg)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the pitch controls that give a thrust and first harmonics of flapping in a wind tunnel.

    Example: motionbase rotor trim puma --flight 123 --method pilot --plot trim.png
    """
    from motionbase.rotor.flight.march import March

    for path in (plot, disk):
        check_writable(path, PICTURES)
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    model = _model(rotor, inflow)
    case, target = _target(model, flight, thrust, airspeed, shaft_angle, flap_cos, flap_sin)
    with terminal.progress_bar(model.name, f"trimming {model.name}"):
        march = March.of(model)
        found, history = _found(march, target, method, duration)
    if disk is not None:
        from motionbase.rotor.flight.disk import disk as disk_of
        from motionbase.rotor.flight.disk import write_disk

        write_disk(disk_of(march), model.name, disk)
    if plot is not None:
        from motionbase.rotor.trim.plot import write_trim

        write_trim(found, plot, history)
    if as_json:
        print(json.dumps(_facts(found, method), indent=2))
    else:
        _show(found, method, case)


def loads_command(
    rotor: Rotor,
    flight: Named = None,
    thrust: Thrust = None,
    airspeed: Airspeed = 0.0,
    shaft_angle: Shaft = 0.0,
    flap_cos: FlapCos = 0.0,
    flap_sin: FlapSin = 0.0,
    highest: Annotated[int, typer.Option(help="Harmonic of the rotor's speed.")] = 8,
    inflow: Inflow = None,
    as_json: Json = False,
) -> None:
    """Trim a rotor and print the harmonics of loads on its hub and of blade angles in steady flight.

    The hub carries the air loads, the weight and the inertia of the blades; JSON has the air loads alone as well.

    Example: motionbase rotor loads puma --flight 123 --highest 8
    """
    from motionbase.rotor.flight.march import March
    from motionbase.rotor.flight.steady_loads import steady_loads
    from motionbase.rotor.trim.trim import trim

    model = _model(rotor, inflow)
    _, target = _target(model, flight, thrust, airspeed, shaft_angle, flap_cos, flap_sin)
    with terminal.progress_bar(model.name, f"trimming {model.name}"):
        march = March.of(model)
        found = trim(model, target, march)
    loads = steady_loads(march, highest)
    if as_json:
        print(json.dumps({**_facts(found, "newton"), "harmonics": loads.facts}, indent=2))
    else:
        _show_loads(found, loads)


def level_command(
    rotor: Rotor, airspeed: Airspeed = 0.0, inflow: Inflow = None, as_json: Json = False
) -> None:  # fmt: skip
    """Find controls, attitude and tail thrust of a whole helicopter in level flight.

    Example: motionbase rotor level puma --airspeed 60
    """
    from motionbase.rotor.models.library import rotor_model
    from motionbase.rotor.trim.level_flight import free_trim

    model = _model(rotor, inflow)
    free = rotor_model(rotor, free=True)
    with terminal.progress_bar(model.name, f"trimming {model.name}"):
        found = free_trim(model, free, airspeed)
    facts = _level_facts(found)
    if as_json:
        print(json.dumps({"rotor": model.name, "airspeed_m_s": airspeed, **facts}, indent=2))
        return
    screen = terminal.console()
    table = terminal.table(f"{model.name} in level flight at {airspeed:g} m/s", "what", "value", right=("value",))
    for name, value in facts.items():
        table.add_row(name.replace("_", " "), f"{value:,.3f}")
    screen.print(table)


def _model(rotor: str, inflow: str | None) -> "RotorModel":
    from motionbase.rotor.models.library import rotor_model

    return rotor_model(rotor) if inflow is None else rotor_model(rotor, inflow=inflow)


def _target(
    model: "RotorModel", flight: str | None, thrust: float | None, airspeed: float, shaft_angle: float,
    flap_cos: float, flap_sin: float,
) -> "tuple[Flight | None, Target]":  # fmt: skip
    from motionbase.rotor.trim.flights import named_flight
    from motionbase.rotor.trim.trim import Target

    if flight is not None:
        if thrust is not None or airspeed or shaft_angle or flap_cos or flap_sin:
            raise UsageError(f"--flight {flight} says thrust, speed and flapping; leave the other options out")
        case = named_flight(model.planform.name, flight)
        return case, case.target
    if thrust is None:
        raise UsageError("--thrust in newtons or --flight with a name is needed")
    flap = math.radians(flap_cos), math.radians(flap_sin)
    return None, Target(thrust, flap[0], flap[1], airspeed, math.radians(shaft_angle))


def _found(march: "March", target: "Target", method: str, duration: float) -> "tuple[Trim, Seen | None]":
    from motionbase.rotor.trim.trim import fly_to_trim, trim

    if method == "newton":
        return trim(march.rotor, target, march), None
    flown = fly_to_trim(march, [target], duration)
    return flown.trims[0], flown.history


def _facts(found: "Trim", method: str) -> dict[str, object]:
    from motionbase.rotor.trim.pilot import CONTROLS

    seen, at = found.revolution, found.target
    return {
        "rotor": found.rotor.name,
        "method": method,
        "airspeed_m_s": at.airspeed,
        "shaft_angle_deg": math.degrees(at.shaft_angle),
        **{f"{name}_deg": math.degrees(value) for name, value in zip(CONTROLS, found.controls, strict=True)},
        "thrust_N": float(found.measured[0]),
        "flap_cos_deg": math.degrees(found.measured[1]),
        "flap_sin_deg": math.degrees(found.measured[2]),
        "coning_deg": float(np.degrees(seen.flap.mean())),
        "lag_deg": float(np.degrees(seen.lag.mean())),
        "induced_m_s": float(seen.induced[:, 0].mean()),
        "power_kW": -found.mean_loads[5] * found.rotor.speed / 1e3,
        "mean_loads": found.mean_loads.tolist(),
        "periodicity": found.periodicity,
        "iterations": found.iterations,
    }


def _show(found: "Trim", method: str, case: "Flight | None") -> None:
    screen, at = terminal.console(), found.target
    screen.print(f"{found.rotor.name}: {found.rotor.planform.summary}", style="bold")
    columns = "collective [deg]", "cyclic cos [deg]", "cyclic sin [deg]"
    title = f"Controls at {at.airspeed:g} m/s with the shaft at {math.degrees(at.shaft_angle):g} deg"
    table = terminal.table(title, "", *columns, right=columns)
    table.add_row(f"found ({method})", *(f"{math.degrees(x):.3f}" for x in found.controls))
    for name, values in (case.published if case else {}).items():
        table.add_row(f"published: {name}", *(f"{x:g}" for x in values))
    screen.print(table)
    thrust, cos, sin = found.measured[0], math.degrees(found.measured[1]), math.degrees(found.measured[2])
    screen.print(
        f"Thrust {thrust:,.1f} N of {at.thrust:,.1f}, flapping {cos:.4f} cos {sin:+.4f} sin deg of "
        f"{math.degrees(at.flap_cos):.4f} and {math.degrees(at.flap_sin):+.4f}; power "
        f"{-found.mean_loads[5] * found.rotor.speed / 1e3:,.1f} kW."
    )
    screen.print(f"From one revolution to the next it changes by {found.periodicity:.1e}.", style="dim")


def _show_loads(found: "Trim", loads: "SteadyLoads") -> None:
    screen = terminal.console()
    shown = [k for k, (name, _) in enumerate(loads.names) if not name.startswith("air")]
    columns = tuple(f"{loads.names[k][0]} [{loads.names[k][1]}]" for k in shown)
    title = f"{found.rotor.name}: amplitudes of the loads on its hub, and of a blade's angles, per revolution"
    table = terminal.table(title, "harmonic", *columns, right=("harmonic", *columns))
    scale = loads.largest
    for name, row in (
        ("mean", loads.mean),
        *((str(n), row) for n, row in enumerate(loads.amplitude, start=1)),
        ("half peak to peak", loads.half_peak_to_peak),
    ):
        table.add_row(name, *("0" if abs(row[k]) < ROUNDING * scale[k] else f"{row[k]:,.4g}" for k in shown))
    screen.print(table)
    screen.print(
        "Hub: of the rotor on its shaft, the blades' weight among it, in axes of the shaft that do not turn: "
        f"x forward, y left, z up. Air alone: thrust {found.measured[0]:,.1f} N, power "
        f"{-found.mean_loads[5] * found.rotor.speed / 1e3:,.1f} kW."
    )


def _level_facts(found: "FreeTrim") -> dict[str, float]:
    from motionbase.rotor.trim.pilot import CONTROLS

    return {
        **{f"{name}_deg": math.degrees(value) for name, value in zip(CONTROLS, found.controls, strict=True)},
        "shaft_angle_deg": math.degrees(found.shaft_angle),
        "roll_deg": math.degrees(found.roll),
        "tail_N": found.tail,
        "thrust_N": float(found.revolution.measured[0, 0]),
        "power_kW": found.power / 1e3,
        "force_left_N": float(np.abs(found.residual[:3]).max()),
        "moment_left_Nm": float(np.abs(found.residual[3:]).max()),
    }
