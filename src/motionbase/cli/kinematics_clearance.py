"""`motionbase kinematics clearance`: which parts are nearest at a pose, how near, and where."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.cli import terminal
from motionbase.cli.kinematics_common import (
    DEFAULT,
    STOP,
    WARN,
    Dof,
    Json,
    LegLengths,
    Platform,
    Stop,
    Warn,
    apart,
    dexterity_name,
    gap_facts,
    loaded,
    posture_at,
    thresholds,
    verdict_text,
    where,
)
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.workbench.clearance import Clearance, Gap
    from motionbase.workbench.geometry import Geometry
    from motionbase.workbench.parts import Part
    from motionbase.workbench.posture import Postures

WORDS = {
    "clear": "clear: all parts keep their distance",
    "warn": "warning: parts come near",
    "stop": "stop: parts are too near",
    "interference": "interference: parts would be in one another",
}


def clearance(
    platform: Platform,
    dof: Dof = None,
    legs: LegLengths = None,
    pairs: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="These two parts, or all of two kinds: 'rod 1' catwalk, or rod catwalk."),
    ] = None,
    nearest: Annotated[int, typer.Option(metavar="N", help="So many pairs, the nearest first, 1 to 500.")] = 10,
    warn: Warn = WARN,
    stop: Stop = STOP,
    as_json: Json = False,
) -> None:
    """Show the nearest pairs of parts at a pose, with their distance, nearest points and a verdict.

    Distances are between the meshes of the parts; where they overlap it is interference, and no distance. Dimensions
    that a platform does not give are illustrative.

    Example: motionbase kinematics clearance cmf --dof "0 0 -0.5 10 0 20" --pairs rod catwalk
    """
    from motionbase.workbench.clearance import Clearance
    from motionbase.workbench.geometry import geometry_of

    limits = thresholds(warn, stop)
    if not 1 <= nearest <= 500:
        raise UsageError(f"--nearest is {nearest}, it must be 1 to 500")
    hexapod = loaded(platform)
    with terminal.working("measuring"):
        at = posture_at(hexapod, dof, legs, dexterity_name(DEFAULT))
        measure = Clearance(geometry_of(hexapod))
        if pairs is None:
            gaps = measure.at(at.p_W, at.Q_WP, nearest)
        else:
            gaps = _between(measure, at, *pairs)[:nearest]
    verdict = limits.verdict(gaps[0].distance)
    warnings = [one.sentence for one in measure.geometry.warnings]
    if as_json:
        facts = {"platform": hexapod.name, "dof": at.dof[0].tolist(), "verdict": verdict, "warn_m": warn,
                 "stop_m": stop, "pairs": [gap_facts(gap, limits) for gap in gaps], "warnings": warnings}  # fmt: skip
        print(json.dumps(facts, indent=2))
        return
    columns = "parts", "clearance [mm]", "verdict", "nearest points in W [m]"
    table = terminal.table(f"{hexapod.name} at {where(at.dof[0])}", *columns, right=columns[1:2])
    for gap in gaps:
        points = " and ".join(f"({', '.join(f'{x:.3f}' for x in point)})" for point in gap.points)
        shown = verdict_text(limits.verdict(gap.distance))
        table.add_row(f"{gap.first} and {gap.second}", apart(gap.distance), shown, points)
    screen = terminal.console()
    screen.print(table)
    text = verdict_text(verdict)
    text.plain = WORDS[verdict] + f" (stop below {1000 * stop:g} mm, warn below {1000 * warn:g} mm)"
    screen.print(text)
    for sentence in warnings:
        screen.print(f"! {sentence}")


def _between(measure: "Clearance", at: "Postures", a: str, b: str) -> "tuple[Gap, ...]":
    """Pairs of the parts, or kinds, of these names, the nearest first; joined ones only where both are named."""
    from motionbase.spatial.equals import ranked
    from motionbase.workbench.clearance import EXACT

    geometry = measure.geometry
    first, second = _parts(geometry, a), _parts(geometry, b)
    left_out = {(one.first, one.second) for one in geometry.left_out}
    named = len(first) == 1 and len(second) == 1
    chosen: dict[frozenset[str], tuple[str, str]] = {}
    for one in first:
        for other in second:
            joined = (one.name, other.name) in left_out or (other.name, one.name) in left_out
            if one is not other and (named or not joined):
                chosen[frozenset((one.name, other.name))] = one.name, other.name
    if not chosen:
        raise UsageError(f"--pairs {a!r} {b!r}: all of these are one body or joined to each other; name others")
    gaps = [measure.between(*names, at.p_W, at.Q_WP) for names in chosen.values()]
    return tuple(gaps[k] for k in ranked([-1.0 if gap.distance is None else gap.distance for gap in gaps], EXACT))


def _parts(geometry: "Geometry", name: str) -> "list[Part]":
    found = [part for part in geometry.parts if name in (part.name, part.kind)]
    if not found:
        kinds = ", ".join(dict.fromkeys(part.kind for part in geometry.parts))
        raise UsageError(
            f"--pairs: {geometry.platform.name!r} has no part {name!r}; kinds: {kinds}, or one of a leg: 'rod 3'"
        )
    return found
