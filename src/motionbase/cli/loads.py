"""`motionbase loads`: the safety loads of a platform, fault by fault."""

import csv
import dataclasses
import json
from enum import Enum
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.measuring import check_axis, check_writable, counted, drivable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.system.loads import Allowables, LoadCase

COLUMNS = (
    "fault", "leg", "motion", "leg force [kN]", "factor", "joint [kN]", "factor ", "accel. [m/s2]", "end met at [m/s]",
    "found as", "after [s]", "ends in", "at rest [s]",
)  # fmt: skip
NUMBERS = (*COLUMNS[3:9], "after [s]", "at rest [s]")


def loads(
    platform: Annotated[str, typer.Argument(metavar="PRESET", help="A preset or a TOML file.")],
    axis: Annotated[str, typer.Option(help="The axis to move in besides heave; heave: no other.")] = "surge",
    legs: Annotated[str, typer.Option(metavar="LIST", help="Legs that faults strike, apart by commas.")] = "1,2,3",
    near_ends: Annotated[
        bool, typer.Option("--near-ends", help="Faults near the ends of the travel, too; twice the cases.")
    ] = False,
    allowable_force: Annotated[float | None, typer.Option(help="Of a leg [N]; else twice its stall force.")] = None,
    allowable_joint: Annotated[float | None, typer.Option(help="Of a joint [N]; else twice the stall force.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every case: .csv.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Predict the loads of every fault out of full speed, in both directions of heave and of another axis.

    A host moves the platform as a sine; in the middle of its stroke, at the full speed of the axis, the fault comes.
    With --near-ends it comes also at 90 % of the travel, on the way to the end, at the speed the limits allow there.
    The table has the worst leg of each fault and motion; --json and --out have every case. Factors are allowable over
    peak load. The presets are alike left and right, so legs 1 to 3 stand for all.

    Example: motionbase loads simona --out loads.csv
    """
    check_axis("--axis", axis)
    check_writable(out, (".csv",))
    chosen = _legs(legs)
    hexapod = drivable(platform)
    from motionbase.system.loads import Allowables, Loads

    allowed = Allowables.of(hexapod, allowable_force, allowable_joint)
    axes = ("heave",) if axis == "heave" else ("heave", axis)
    with counted(f"loads of {hexapod.name}") as progress:
        cases = Loads(hexapod, axes, chosen, near_ends).predict(progress)
    rows = [_row(case, allowed) for case in cases]
    if out is not None:
        _write(rows, out)
    if as_json:
        summary = {"platform": hexapod.name, "allowables": dataclasses.asdict(allowed), "cases": rows}
        print(json.dumps(summary, indent=2))
    else:
        _show(hexapod, cases, allowed, out)


def _legs(text: str) -> tuple[int, ...]:
    given = [piece.strip() for piece in text.split(",")]
    if not all(piece in "123456" and len(piece) == 1 for piece in given) or len(set(given)) < len(given):
        raise UsageError(f"--legs is {text!r}, it must be some of 1 to 6, each once, apart by commas")
    return tuple(int(piece) for piece in given)


def _row(case: "LoadCase", allowed: "Allowables") -> dict[str, Any]:
    """For scripts: names in lower case, numbers in SI."""
    row = {
        name: value.name.lower() if isinstance(value, Enum) else value
        for name, value in dataclasses.asdict(case).items()
    }
    factors = {"force_factor": allowed.force / case.force, "joint_factor": allowed.joint / case.joint}
    return {**row, **factors, "contact_is_soft": case.contact_is_soft}


def _write(rows: list[dict[str, Any]], path: Path) -> None:
    try:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def _show(hexapod: "Hexapod", cases: "tuple[LoadCase, ...]", allowed: "Allowables", out: Path | None) -> None:
    from motionbase.spatial.equals import first_largest
    from motionbase.system.loads import CONTACT_LIMIT, full_speed

    screen = terminal.console()
    table = terminal.table(f"Safety loads of {hexapod.name}, worst leg of each fault", *COLUMNS, right=NUMBERS)
    for _, group in groupby(sorted(cases, key=_motion), key=_motion):
        same = list(group)
        worst = same[first_largest([max(c.force / allowed.force, c.joint / allowed.joint) for c in same])]
        table.add_row(*_cells(worst, allowed, [c.contact for c in same if c.contact is not None]))
    screen.print(table)
    moved = dict.fromkeys(case.axis for case in cases)
    speeds = (
        f"{a} {full_speed(hexapod, a)[0]:g} {'m/s' if a in ('surge', 'sway', 'heave') else 'rad/s'}" for a in moved
    )
    mark = " (illustrative: a multiple of the stall force, where none is given)" if allowed.illustrative else ""
    screen.print(f"Full speed: {', '.join(speeds)}. + and - are the direction of motion when the fault comes.")
    screen.print(f"Allowable: leg {allowed.force / 1e3:.1f} kN, joint {allowed.joint / 1e3:.1f} kN{mark}.")
    for what, over in (
        ("exceed the allowable leg force", sum(c.force > allowed.force for c in cases)),
        ("exceed the allowable joint load", sum(c.joint > allowed.joint for c in cases)),
        (f"meet a hard end faster than {CONTACT_LIMIT:g} m/s (!)", sum(not c.contact_is_soft for c in cases)),
    ):
        screen.print(f"{over} of {len(cases)} cases {what}.")
    if hexapod.illustrative:
        screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
    if out is not None:
        screen.print(f"Every case: {out}")


def _motion(case: "LoadCase") -> tuple[str, str, bool, int]:
    return case.fault, case.axis, case.near_end, -case.direction


def _cells(case: "LoadCase", allowed: "Allowables", contacts: list[float]) -> tuple[str, ...]:
    from motionbase.system.loads import CONTACT_LIMIT

    met = max(contacts, default=None)
    return (
        case.fault,
        str(case.leg or "-"),
        f"{case.axis} {'+' if case.direction > 0 else '-'}{' end' if case.near_end else ''}",
        f"{case.force / 1e3:.1f}",
        f"{allowed.force / case.force:.2f}",
        f"{case.joint / 1e3:.1f}",
        f"{allowed.joint / case.joint:.2f}",
        f"{case.acceleration:.1f}",
        "-" if met is None else f"{met:.3f}{'!' if met > CONTACT_LIMIT else ' '}",
        case.found.name.lower(),
        "-" if case.found_after is None else f"{case.found_after:.3f}",
        case.end.name.lower(),
        "-" if case.rest_after is None else f"{case.rest_after:.2f}",
    )
