"""`motionbase kinematics`: what the legs and joints of a platform do, at a pose, along a trajectory, everywhere."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_clearance import clearance
from motionbase.cli.kinematics_common import (
    DEFAULT,
    STOP,
    WARN,
    Definition,
    Dof,
    Json,
    LegLengths,
    Platform,
    Rates,
    Stop,
    Warn,
    dexterity_name,
    loaded,
    posture_at,
    six_dof,
    thresholds,
    where,
)
from motionbase.cli.kinematics_increments import increments
from motionbase.cli.kinematics_maps import maps, singular
from motionbase.cli.kinematics_report import report
from motionbase.cli.kinematics_trajectory import needs_of, trajectory
from motionbase.cli.kinematics_watch import watch
from motionbase.cli.kinematics_workspace import workspace

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.workbench.clearance import Thresholds
    from motionbase.workbench.posture import Definition as DexterityName
    from motionbase.workbench.posture import Postures
    from motionbase.workbench.requirements import Row

app = typer.Typer(rich_markup_mode=None, add_completion=False)
SHOWN = 12  # pairs of a table
ROUNDING = 1e-6  # [%] of the stroke: forward kinematics comes to 1e-10 m


@app.callback()
def kinematics() -> None:
    """What a platform on six legs can do: angles, dexterity, clearances, workspace, singular poses, a report.

    Example: motionbase kinematics pose simona --dof "0.1 0 0.2 5 0 10"
    """


@app.command()
def pose(
    platform: Platform,
    dof: Dof = None,
    legs: LegLengths = None,
    rates: Rates = None,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Show all angles at one pose, given by its degrees of freedom or by its leg lengths; at neutral if by neither.

    Example: motionbase kinematics pose simona --legs "2.5 2.6 2.7 2.8 2.9 3.0"
    """
    from motionbase.platform.sizing.architecture import SINGULAR
    from motionbase.workbench.posture import condition_numbers

    hexapod, name = loaded(platform), dexterity_name(definition)
    with terminal.working("compiling"):
        found = posture_at(hexapod, dof, legs, name)
        leg_rates = _leg_rates(hexapod, found, rates)
        condition = float(condition_numbers(hexapod, found.p_W, found.Q_WP)[0])
    if as_json:
        known = condition if condition < SINGULAR else None  # JSON has no infinity
        print(json.dumps({**_facts(found, name), "condition": [known], "l_dot": [leg_rates]}, indent=2))
    else:
        _show(hexapod, found, name, leg_rates, condition)


@app.command()
def extremes(
    platform: Platform,
    hard: Annotated[bool, typer.Option("--hard", help="Between the hard ends, not the operational stroke.")] = False,
    clearances: Annotated[
        bool, typer.Option("--clearance", help="Also the worst clearances of the parts at these poses.")
    ] = False,
    warn: Warn = WARN,
    stop: Stop = STOP,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Sweep the 64 combinations of legs fully in and fully out: what the bearings must allow, and the worst poses.

    Example: motionbase kinematics extremes simona --clearance
    """
    import numpy as np

    from motionbase.errors import PlatformError
    from motionbase.platform import envelope
    from motionbase.spatial.equals import first_least
    from motionbase.workbench.posture import postures
    from motionbase.workbench.requirements import legs_out

    hexapod, name, limits = loaded(platform), dexterity_name(definition), thresholds(warn, stop)
    with terminal.working("sweeping"):
        corners = envelope.extremes(hexapod, hard=hard)
        reached = np.flatnonzero(corners.converged)
        if not len(reached):
            raise PlatformError(f"platform {hexapod.name!r}: no pose was found at any of the 64 extremes of its legs")
        found = postures(hexapod, corners.p_W[reached], corners.Q_WP[reached], name)
        rows = _clearances(hexapod, hard, limits) if clearances else None
    needs = needs_of(found, reached)
    if as_json:
        made = {"platform": hexapod.name, "reached": len(reached), "needs": needs, "dexterity": name}
        near = {} if rows is None else {"clearances": rows, "warn_m": warn, "stop_m": stop}
        print(json.dumps({**made, **near, "poses": _facts(found, name)}))
        return
    columns = "what", "largest [deg]", "leg", "where"
    table = terminal.table(f"{hexapod.name}: {len(reached)} of 64 extremes are reached", *columns, right=columns[1:3])
    for what, need in needs.items():
        table.add_row(what, f"{need['degrees']:.2f}", str(need["leg"]), legs_out(need["pose"]))
    screen = terminal.console()
    screen.print(table)
    worst = first_least(found.dexterity)
    screen.print(
        f"least dexterity {found.dexterity[worst]:.4f} ({name}), {legs_out(int(reached[worst]))}; at neutral "
        f"{_neutral(hexapod, name):.4f}"
    )
    if rows is not None:
        _show_clearances(rows, limits)


def _clearances(hexapod: "Hexapod", hard: bool, limits: "Thresholds") -> "list[Row]":
    from motionbase.workbench.clearance import Clearance
    from motionbase.workbench.geometry import geometry_of
    from motionbase.workbench.requirements import swept_extremes

    within = max(0.25, 1.5 * limits.warn)
    found = swept_extremes(hexapod, Clearance(geometry_of(hexapod)), hard=hard, within=within)
    return found.clearance_rows(limits)


def _show_clearances(rows: "list[Row]", limits: "Thresholds") -> None:
    from motionbase.cli.kinematics_common import apart, verdict_text

    columns = "parts", "clearance [mm]", "verdict", "where"
    title = f"Worst clearances; stop below {1000 * limits.stop:g} mm, warn below {1000 * limits.warn:g} mm"
    table = terminal.table(title, *columns, right=columns[1:2])
    for row in rows[:SHOWN]:
        distance = row["distance_m"]
        table.add_row(f"{row['first']} and {row['second']}", apart(distance if isinstance(distance, float) else None),
                      verdict_text(str(row["verdict"])), str(row["at"]))  # fmt: skip
    screen = terminal.console()
    screen.print(table)
    if len(rows) > SHOWN:
        screen.print(f"{len(rows) - SHOWN} more pairs come within reach; --json has them all", style="dim")


def _neutral(hexapod: "Hexapod", name: "DexterityName") -> float:
    import numpy as np

    from motionbase.workbench.posture import at_dof

    return float(at_dof(hexapod, np.zeros(6), name).dexterity[0])


def _facts(found: "Postures", name: str) -> dict[str, Any]:
    """Everything, in metres and radians; one row a pose."""
    parts = ("dof", "l", "base", "platform", "rotation", "actuator", "dexterity")
    return {"definition": name, **{part: getattr(found, part).tolist() for part in parts}}


def _leg_rates(hexapod: "Hexapod", found: "Postures", rates: str | None) -> list[float] | None:
    """Of the rates that were asked for [m/s]."""
    from motionbase.platform.demand import LegDemand

    if rates is None:
        return None
    _, l_dot = LegDemand(hexapod)(found.dof, six_dof("--rates", rates)[None])
    return [float(rate) for rate in l_dot[0]]


def _show(
    hexapod: "Hexapod", found: "Postures", name: str, leg_rates: list[float] | None, condition: float
) -> None:  # fmt: skip
    import numpy as np

    from motionbase.platform.sizing.architecture import condition_words
    from motionbase.workbench.posture import DEFINITIONS, postures

    stroke, screen = hexapod.stroke, terminal.console()
    ends = [f"{end} {which}" for end in ("base", "platform") for which in ("1st", "2nd")]
    moving = [] if leg_rates is None else ["rate [m/s]"]
    columns = ("leg", "length [m]", "stroke [%]", *moving, *ends, "rod", "elevation", "azimuth")
    table = terminal.table(f"{hexapod.name} at {where(found.dof[0])}; angles [deg]", *columns, right=columns[1:])
    for k in range(6):
        used = 100 * (found.l[0, k] - stroke.l_min) / stroke.length
        angles = (*found.base[0, k], *found.platform[0, k], found.rotation[0, k], *found.actuator[0, k])
        beyond = "" if -ROUNDING <= used <= 100 + ROUNDING else " !"
        shown = (f"{x:.2f}" for x in np.degrees(angles))
        rate = [] if leg_rates is None else [f"{leg_rates[k]:+.4f}"]
        table.add_row(str(k + 1), f"{found.l[0, k]:.4f}", f"{used:.1f}{beyond}", *rate, *shown)
    screen.print(table)
    numbers = [f"{one} {postures(hexapod, found.p_W, found.Q_WP, one).dexterity[0]:.4f}" for one in DEFINITIONS]
    screen.print(f"dexterity {found.dexterity[0]:.4f} ({name}); by definition: {', '.join(numbers)}")
    words = condition_words(condition)
    screen.print(f"characteristic condition number {words} (leg Jacobian, turns by the rms radius of the joints)")
    used = 100 * (found.l[0] - stroke.l_min) / stroke.length
    if np.any((used < -ROUNDING) | (used > 100 + ROUNDING)):
        screen.print(f"! beyond the operational stroke of {stroke.l_min:g} to {stroke.l_max:g} m", style="bold")


for command in (clearance, trajectory, workspace, singular, maps, increments, watch, report):
    app.command()(command)
