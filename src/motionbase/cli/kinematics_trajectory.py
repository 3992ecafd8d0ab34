"""`motionbase kinematics trajectory`: angles, dexterity and clearances of every moment of a recording or a CSV."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import (
    DEFAULT,
    STOP,
    WARN,
    Definition,
    Json,
    Platform,
    Stop,
    Warn,
    dexterity_name,
    gap_facts,
    loaded,
    thresholds,
)

if TYPE_CHECKING:
    from motionbase.workbench.posture import Postures


def trajectory(
    platform: Platform,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording, or a CSV with t, surge to yaw [m, rad].")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Data file to write: .csv, .parquet or .mcap.")],
    source: Annotated[
        str, typer.Option("--pose", metavar="NAME", help="Of a recording: legs (measured), measured, estimated, host.")
    ] = "legs",
    clearances: Annotated[
        bool, typer.Option("--clearance", help="Also the least clearance, its parts and the verdict of every moment.")
    ] = False,
    warn: Warn = WARN,
    stop: Stop = STOP,
    definition: Definition = DEFAULT,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Write lengths, angles, rod rotation and dexterity of every moment of a trajectory to a data file.

    Example: motionbase kinematics trajectory simona flight.mcap --clearance --out angles.csv
    """
    from motionbase.cli.kinematics_file import write

    limits = thresholds(warn, stop)
    hexapod, name = loaded(platform), dexterity_name(definition)
    with terminal.working("computing"):
        t, found, swept = write(hexapod, file, out, source, name, force, limits if clearances else None)
    needs = needs_of(found)
    worst = None if swept is None else swept.least
    if as_json:
        facts = {"out": str(out), "moments": len(found), "needs": needs,
                 "least_dexterity": float(found.dexterity.min())}  # fmt: skip
        if swept is not None:
            near = None
            if worst is not None:
                near = {**gap_facts(worst.gap, limits), "moment": worst.pose, "t": float(t[worst.pose])}
            facts["clearance"] = {"within_m": swept.within, "worst": near}
        print(json.dumps(facts))
        return
    screen = terminal.console()
    screen.print(
        f"{len(found)} records of {t[-1] - t[0]:.4g} s to {out}; least dexterity {found.dexterity.min():.4f} ({name}), "
        "largest angles " + ", ".join(f"{what} {need['degrees']:.1f} deg" for what, need in needs.items())
    )
    if swept is not None and worst is None:
        screen.print(f"clearance: no parts come nearer than {1000 * swept.within:g} mm")
    elif worst is not None:
        gap = worst.gap
        distance = "interference" if gap.distance is None else f"{1000 * gap.distance:.1f} mm"
        verdict = limits.verdict(gap.distance)
        said = "" if verdict == "interference" else f": {verdict}"
        screen.print(f"worst clearance: {gap.first} and {gap.second}, {distance}, at {t[worst.pose]:.2f} s{said}")


def needs_of(found: "Postures", numbers: Any = None) -> dict[str, dict[str, Any]]:
    """Largest angle of each kind, at which leg and in which pose."""
    import math

    from motionbase.workbench.requirements import largest_of, requirements_of

    return {
        joint: {"degrees": math.degrees(one.largest), "leg": one.leg, "pose": one.at_largest}
        for joint, one in largest_of(requirements_of(found, numbers)).items()
    }
