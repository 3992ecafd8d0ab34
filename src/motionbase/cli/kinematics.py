"""`motionbase kinematics`: what the legs and joints of a platform do, at a pose, along a trajectory, everywhere."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

    from motionbase.kinematics.posture import Postures
    from motionbase.platform.hexapod import Hexapod

app = typer.Typer(rich_markup_mode=None, add_completion=False)
PLATFORM = Annotated[str, typer.Argument(metavar="PLATFORM", help="A preset, or a .toml file of yours.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Definition = Annotated[str, typer.Option("--dexterity", metavar="NAME", help="characteristic, points, task or raw.")]
DEFAULT = "characteristic"


@app.callback()
def kinematics() -> None:
    """Leg lengths, bearing angles, rod rotation and dexterity of a platform on six legs.

    Example: motionbase kinematics pose simona --dof "0.1 0 0.2 5 0 10"
    """


@app.command()
def pose(
    platform: PLATFORM,
    dof: Annotated[
        str | None,
        typer.Option(metavar="SIX", help="surge, sway, heave from neutral [m], roll, pitch, yaw [degrees]."),
    ] = None,
    legs: Annotated[str | None, typer.Option(metavar="SIX", help="Leg lengths instead [m].")] = None,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Show all angles at one pose, given by its degrees of freedom or by its leg lengths; at neutral if by neither.

    Example: motionbase kinematics pose simona --legs "2.5 2.6 2.7 2.8 2.9 3.0"
    """
    import numpy as np

    from motionbase.kinematics.posture import at_dof, at_legs

    if dof is not None and legs is not None:
        raise UsageError("--dof and --legs both say where the platform is; give one of them")
    hexapod, name = _loaded(platform), _definition(definition)
    with terminal.working("compiling"):
        if legs is not None:
            found = at_legs(hexapod, _six("--legs", legs), name)
        else:
            wanted = _six("--dof", dof or "0 0 0 0 0 0")
            found = at_dof(hexapod, wanted * np.array([1, 1, 1, *[np.pi / 180] * 3]), name)
    if as_json:
        print(json.dumps(_facts(found, name), indent=2))
    else:
        _show(hexapod, found, name)


@app.command()
def extremes(
    platform: PLATFORM,
    hard: Annotated[bool, typer.Option("--hard", help="Between the hard ends, not the operational stroke.")] = False,
    definition: Definition = DEFAULT,
    as_json: Json = False,
) -> None:
    """Sweep the 64 combinations of legs fully in and fully out: what the bearings must allow, and the worst poses.

    Example: motionbase kinematics extremes simona
    """
    import numpy as np

    from motionbase.kinematics.posture import postures
    from motionbase.kinematics.requirements import legs_out
    from motionbase.platform import envelope

    hexapod, name = _loaded(platform), _definition(definition)
    with terminal.working("sweeping"):
        corners = envelope.extremes(hexapod, hard=hard)
        reached = np.flatnonzero(corners.converged)
        found = postures(hexapod, corners.p_W[reached], corners.Q_WP[reached], name)
    needs = _needs(found, reached)
    if as_json:
        print(json.dumps({"platform": hexapod.name, "reached": len(reached), "needs": needs, "dexterity": name,
                          "poses": _facts(found, name)}))  # fmt: skip
        return
    columns = "what", "largest [deg]", "leg", "where"
    table = terminal.table(f"{hexapod.name}: {len(reached)} of 64 extremes are reached", *columns, right=columns[1:3])
    for what, need in needs.items():
        table.add_row(what, f"{need['degrees']:.2f}", str(need["leg"]), legs_out(need["pose"]))
    screen = terminal.console()
    screen.print(table)
    worst = int(found.dexterity.argmin())
    screen.print(
        f"least dexterity {found.dexterity[worst]:.4f} ({name}), {legs_out(int(reached[worst]))}; at neutral "
        f"{_neutral(hexapod, name):.4f}"
    )


def _needs(found: "Postures", numbers: Any = None) -> dict[str, dict[str, Any]]:
    """Largest angle of each kind, at which leg and in which pose."""
    import math

    from motionbase.kinematics.requirements import largest_of, requirements_of

    return {
        joint: {"degrees": math.degrees(one.largest), "leg": one.leg, "pose": one.at_largest}
        for joint, one in largest_of(requirements_of(found, numbers)).items()
    }


@app.command()
def trajectory(
    platform: PLATFORM,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording, or a CSV with t, surge to yaw [m, rad].")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Data file to write: .csv, .parquet or .mcap.")],
    source: Annotated[
        str, typer.Option("--pose", metavar="NAME", help="Of a recording: legs (measured), measured, estimated, host.")
    ] = "legs",
    definition: Definition = DEFAULT,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write lengths, angles, rod rotation and dexterity of every moment of a trajectory to a data file.

    Example: motionbase kinematics trajectory simona flight.mcap --out angles.csv
    """
    from motionbase.cli.kinematics_file import write

    hexapod, name = _loaded(platform), _definition(definition)
    with terminal.working("computing"):
        found = write(hexapod, file, out, source, name, force)
    if as_json:
        print(json.dumps({"out": str(out), "moments": len(found), "needs": _needs(found),
                          "least_dexterity": float(found.dexterity.min())}))  # fmt: skip
    else:
        terminal.console().print(
            f"{len(found)} moments to {out}; least dexterity {found.dexterity.min():.4f} ({name}), largest angles "
            + ", ".join(f"{what} {need['degrees']:.1f} deg" for what, need in _needs(found).items())
        )


def _loaded(reference: str) -> "Hexapod":
    from motionbase.platform.load import load_platform

    return load_platform(reference)


def _definition(name: str) -> Any:
    from motionbase.kinematics.dexterity import DEFINITIONS, MEANING

    if name not in DEFINITIONS:
        meanings = "; ".join(f"{one}: {text}" for one, text in MEANING.items())
        raise UsageError(f"--dexterity is {name!r}, it must be one of {', '.join(DEFINITIONS)} ({meanings})")
    return name


def _six(option: str, text: str) -> "np.ndarray[Any, Any]":
    import numpy as np

    try:
        found = np.array([float(part) for part in text.replace(",", " ").split()])
    except ValueError:
        found = np.empty(0)
    if found.shape != (6,) or not np.all(np.isfinite(found)):
        raise UsageError(f"{option} is {text!r}, six numbers are wanted, with spaces or commas between")
    return found


def _neutral(hexapod: "Hexapod", name: Any) -> float:
    import numpy as np

    from motionbase.kinematics.posture import at_dof

    return float(at_dof(hexapod, np.zeros(6), name).dexterity[0])


def _facts(found: "Postures", name: str) -> dict[str, Any]:
    """Everything, in metres and radians; one row a pose."""
    parts = ("dof", "l", "base", "platform", "rotation", "actuator", "dexterity")
    return {"definition": name, **{part: getattr(found, part).tolist() for part in parts}}


def _show(hexapod: "Hexapod", found: "Postures", name: str) -> None:
    import numpy as np

    from motionbase.kinematics.dexterity import DEFINITIONS
    from motionbase.kinematics.posture import postures
    from motionbase.platform.parts import DOF

    stroke, screen = hexapod.stroke, terminal.console()
    dof = np.round(found.dof[0], 9) + 0.0  # no negative zeros
    where = [f"{axis} {x:+.4f} m" for axis, x in zip(DOF[:3], dof, strict=False)]
    where += [f"{axis} {x:+.3f} deg" for axis, x in zip(DOF[3:], np.degrees(dof[3:]), strict=True)]
    ends = [f"{end} {which}" for end in ("base", "platform") for which in ("1st", "2nd")]
    columns = ("leg", "length [m]", "stroke [%]", *ends, "rod", "elevation", "azimuth")
    table = terminal.table(f"{hexapod.name} at {', '.join(where)}; angles [deg]", *columns, right=columns[1:])
    for k in range(6):
        used = 100 * (found.l[0, k] - stroke.l_min) / stroke.length
        angles = (*found.base[0, k], *found.platform[0, k], found.rotation[0, k], *found.actuator[0, k])
        beyond = "" if 0 <= used <= 100 else " !"
        shown = (f"{x:.2f}" for x in np.degrees(angles))
        table.add_row(str(k + 1), f"{found.l[0, k]:.4f}", f"{used:.1f}{beyond}", *shown)
    screen.print(table)
    numbers = [f"{one} {postures(hexapod, found.p_W, found.Q_WP, one).dexterity[0]:.4f}" for one in DEFINITIONS]
    screen.print(f"dexterity {found.dexterity[0]:.4f} ({name}); by definition: {', '.join(numbers)}")
    if np.any((found.l[0] < stroke.l_min) | (found.l[0] > stroke.l_max)):
        screen.print(f"! beyond the operational stroke of {stroke.l_min:g} to {stroke.l_max:g} m", style="bold")
