"""`motionbase platforms check`: the reserves of a design, and what is wrong or odd about it."""

import dataclasses
import json
import math
from typing import TYPE_CHECKING, Any

from motionbase.cli import terminal
from motionbase.cli.measuring import drivable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.platform.sizing.check import Examination
    from motionbase.platform.sizing.reserves import Reserve

COLUMNS = "reserve", "where", "leg", "needed", "has", "unit", "times", "wanted", "verdict"
STYLES = {"ok": "green", "warning": "yellow", "error": "bold red", "-": "dim"}


def check(reference: str | None, as_json: bool) -> int:
    """Print what was found; 1 where the design cannot work."""
    from motionbase.platform.sizing.check import examine

    if reference is None:
        raise UsageError("check needs a platform: motionbase platforms check FILE, a preset or a .toml file of yours")
    hexapod = drivable(reference, sized=False)
    with terminal.working("checking"):
        found = examine(hexapod, thorough=True)
    if as_json:
        print(json.dumps(_facts(hexapod, found), indent=2))
    else:
        _show(hexapod, found)
    return 0 if found.works else 1


def _facts(hexapod: "Hexapod", found: "Examination") -> dict[str, Any]:
    """For scripts: SI, but for kW."""
    rows = []
    for row in found.reserves:
        told = {name: getattr(row, name) for name in ("what", "where", "leg", "at", "needed", "available", "unit")}
        factor = row.factor if math.isfinite(row.factor) else None
        rows.append({**told, "factor": factor, "least": row.limits[0], "usual": row.limits[1], "verdict": row.verdict})
    return {
        "platform": hexapod.name,
        "works": found.works,
        "findings": [{"level": one.level, **dataclasses.asdict(one)} for one in found.findings],
        "reserves": rows,
    }


def _show(hexapod: "Hexapod", found: "Examination") -> None:
    from rich.text import Text

    from motionbase.platform.sizing.forces import INCLUDED

    screen = terminal.console()
    if found.reserves:
        table = terminal.table(f"Reserves of {hexapod.name}", *COLUMNS, right=("leg", "needed", "has", "times"))
        for row in found.reserves:
            table.add_row(*_cells(row), Text(row.verdict, style=STYLES[row.verdict]))
        screen.print(table)
        screen.print(f"Weight is of {INCLUDED}; friction is added to forces and helps no brake.", style="dim")
        screen.print("Legs fully in or out are poses beyond those that may be commanded: not judged.", style="dim")
    for one in found.findings:
        screen.print(f"{one.level}: {one.sentence}", style=STYLES[one.level])
    if not found.findings:
        screen.print("Nothing is wrong or odd.")


def _cells(row: "Reserve") -> tuple[str, ...]:
    least, usual = row.limits
    wanted = "not judged" if row.verdict == "-" else f"{usual:g}" if least == 0 else f"{least:.3g}, better {usual:g}"
    where = f"{row.where}: {row.at[3:]}" if row.where == "at the ends of the axes" else row.where
    leg = "any" if row.leg is None else str(row.leg)
    from motionbase.platform.sizing.reserves import plain

    numbers = (plain(x) for x in (row.needed, row.available))
    return row.what, where, leg, *numbers, row.unit, f"{row.factor:.2f}", wanted
