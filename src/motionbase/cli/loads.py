"""`motionbase loads`: the safety loads of a platform, fault by fault."""

import csv
import dataclasses
import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.measuring import check_axis, check_writable, counted, drivable
from motionbase.errors import UsageError
from motionbase.record.words import named

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.system.fault_cases import Outcome
    from motionbase.system.loads import Allowables

COLUMNS = (
    "fault", "leg", "worst in", "leg force [kN]", "factor", "joint [kN]", "factor ", "accel. [m/s2]",
    "end met at [m/s]", "found as", "after showing [ms]", "ends in", "at rest [s]",
)  # fmt: skip
NUMBERS = (*COLUMNS[3:9], "after showing [ms]", "at rest [s]")


def loads(
    platform: Annotated[str, typer.Argument(metavar="PRESET", help="A preset or a TOML file.")],
    axis: Annotated[str, typer.Option(help="The axis to move in besides heave; heave: no other.")] = "surge",
    legs: Annotated[str, typer.Option(metavar="LIST", help="Legs that faults strike, apart by commas.")] = "1,2,3",
    near_ends: Annotated[bool, typer.Option("--near-ends", help="Faults near the ends of the travel, too.")] = False,
    allowable_force: Annotated[float | None, typer.Option(help="Of a leg [N]; else twice its stall force.")] = None,
    allowable_joint: Annotated[float | None, typer.Option(help="Of a joint [N]; else twice the stall force.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every case: .csv.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Predict the loads of every fault at rest and out of slow and fast motions of heave and of another axis.

    A host moves the platform as a sine; the fault comes at full speed, at the reversals, and around the worst moment
    that is found. With --near-ends it comes also at 90 % of the travel, on the way to the end. The table has the worst
    case of each fault; --json and --out have every case. Factors are allowable over peak load. The presets are alike
    left and right, so legs 1 to 3 stand for all.

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
        cases = Loads(hexapod, axes, chosen, near_ends, allowed).predict(progress)
    rows = [_row(case, allowed, hexapod.electric) for case in cases]
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


def _row(case: "Outcome", allowed: "Allowables", electric: bool) -> dict[str, Any]:
    """For scripts: names in lower case, numbers in SI."""
    moment = case.moment
    told = {
        "fault": named(moment.fault, electric),
        "leg": moment.leg,
        "motion": moment.swing.name,
        "phase": moment.phase,
    }
    for name, value in ((f.name, getattr(case, f.name)) for f in dataclasses.fields(case) if f.name != "moment"):
        told[name] = named(value.name.lower(), electric and name == "found") if isinstance(value, Enum) else value
    factors = {"force_factor": allowed.force / case.force, "joint_factor": allowed.joint / case.joint}
    return {**told, **factors, "contact_is_soft": case.contact_is_soft}


def _write(rows: list[dict[str, Any]], path: Path) -> None:
    try:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def _show(hexapod: "Hexapod", cases: "tuple[Outcome, ...]", allowed: "Allowables", out: Path | None) -> None:
    from motionbase.spatial.equals import first_largest
    from motionbase.system.fault_cases import CONTACT_LIMIT, SHOWS
    from motionbase.system.loads import full_speed

    screen = terminal.console()
    table = terminal.table(f"Safety loads of {hexapod.name}, worst case of each fault", *COLUMNS, right=NUMBERS)
    for name in (0, 2):
        table.columns[name].no_wrap = True
    by_fault: dict[str, list[Outcome]] = {}
    for case in cases:
        by_fault.setdefault(case.moment.fault, []).append(case)
    for same in by_fault.values():
        worst = same[first_largest([allowed.severity(c) for c in same])]
        table.add_row(*_cells(worst, same, allowed, hexapod.electric))
    screen.print(table)
    moved = dict.fromkeys(case.moment.swing.axis for case in cases if case.moment.swing.axis)
    speeds = (
        f"{a} {full_speed(hexapod, a)[0]:g} {'m/s' if a in ('surge', 'sway', 'heave') else 'rad/s'}" for a in moved
    )
    mark = " (illustrative: a multiple of the stall force, where none is given)" if allowed.illustrative else ""
    screen.print(f"{len(cases)} cases. Full speed: {', '.join(speeds)}; slow: 0.05 m or rad at 0.1 Hz.")
    periods = {c.moment.swing.name: c.moment.swing.period for c in cases if c.moment.swing.axis}
    told = ", ".join(f"{name} {period:.3g} s" for name, period in periods.items())
    screen.print(f"Times are those in a period ({told}): full speed at 0 s, the first reversal after a quarter.")
    screen.print(f"A fault shows once a leg is {1e3 * SHOWS:g} mm off its motion without it; the longest time is told.")
    screen.print(f"Allowable: leg {allowed.force / 1e3:.1f} kN, joint {allowed.joint / 1e3:.1f} kN{mark}.")
    unfound = sum(c.shows_after is not None and c.found_after is None and c.moment.is_fault for c in cases)
    for what, over in (
        ("exceed the allowable leg force", sum(c.force > allowed.force for c in cases)),
        ("exceed the allowable joint load", sum(c.joint > allowed.joint for c in cases)),
        (f"meet a hard end faster than {CONTACT_LIMIT:g} m/s (!)", sum(not c.contact_is_soft for c in cases)),
        ("show and are not found", unfound),
    ):
        screen.print(f"{over} of {len(cases)} cases {what}.")
    if hexapod.illustrative:
        screen.print(f"Illustrative numbers of this platform: {', '.join(hexapod.illustrative)}.", style="dim")
    if out is not None:
        screen.print(f"Every case: {out}")


def _cells(case: "Outcome", same: "list[Outcome]", allowed: "Allowables", electric: bool) -> tuple[str, ...]:
    from motionbase.system.fault_cases import CONTACT_LIMIT

    met = max((c.contact for c in same if c.contact is not None), default=None)
    late = max((c.detected_after for c in same if c.detected_after is not None), default=None)
    return (
        named(case.moment.fault, electric),
        str(case.moment.leg or "-"),
        case.moment.when,
        f"{case.force / 1e3:.1f}",
        f"{allowed.force / case.force:.2f}",
        f"{case.joint / 1e3:.1f}",
        f"{allowed.joint / case.joint:.2f}",
        f"{case.acceleration:.1f}",
        "-" if met is None else f"{met:.3f}{'!' if met > CONTACT_LIMIT else ' '}",
        named(case.found.name.lower(), electric),
        "-" if late is None else f"{1e3 * late:.0f}",
        case.end.name.lower(),
        "-" if case.rest_after is None else f"{case.rest_after:.2f}",
    )
