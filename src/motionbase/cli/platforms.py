"""`motionbase platforms`: lists presets, shows one platform in full, and checks a design."""

import dataclasses
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Json, drivable
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.platform.sizing.check import Examination
    from motionbase.platform.sizing.reserves import Reserve

CHECK = "check"
ROTATIONS = 3  # index of the first rotation among the degrees of freedom


COLUMNS = "reserve", "where", "leg", "needed", "has", "unit", "times", "wanted", "verdict"
STYLES = {"ok": "green", "warning": "yellow", "error": "bold red", "-": "dim"}


def platforms(
    platform: Annotated[
        str | None,
        typer.Argument(metavar="[NAME|FILE]", help="Show one in full: a preset or a .toml file; or the word check."),
    ] = None,
    checked: Annotated[
        str | None, typer.Argument(metavar="[NAME|FILE]", help="After the word check: the platform to check.")
    ] = None,
    as_json: Json = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the platform to scale: .png, .pdf or .svg.")
    ] = None,
) -> int:
    """List the platforms on six legs with strokes, sources, and the numbers that are illustrative (unpublished).

    With NAME or FILE, shows geometry, masses, and the range of each axis alone and over all 64 combinations of legs
    fully in and fully out. Values marked * are illustrative.

    With check and NAME or FILE, prints a table of its reserves (force, brake, speed, power, acceleration) and problems
    of the design; the exit code is 1 if it cannot work. Every command that loads a platform does the quick part of
    these checks.

    Example: motionbase platforms simona

    Example: motionbase platforms check mine.toml
    """
    from motionbase.platform.load import PRESETS, load_platform

    if platform == CHECK:
        if plot is not None:
            raise UsageError(f"--plot {plot} draws a platform: motionbase platforms {checked or 'NAME'} --plot {plot}")
        return check(checked, as_json)
    if checked is not None:
        raise UsageError(f"{checked!r} is one platform too many; only the word check stands before a platform")
    if platform is None:
        if plot is not None:
            raise UsageError(f"--plot {plot} draws one platform: give its name too, one of {', '.join(PRESETS)}")
        _list([load_platform(name) for name in PRESETS], as_json)
        return 0
    found = drivable(platform)
    if plot is not None:
        from motionbase.platform.plot import write_views

        write_views(found, plot)
    with terminal.working("searching the extremes"):
        facts = _facts(found)
    if as_json:
        print(json.dumps(facts, indent=2))
    else:
        _show(found, facts)
    return 0


def _list(found: "list[Hexapod]", as_json: bool) -> None:
    """Print one line per platform."""
    if as_json:
        rows = {
            h.name: {
                "summary": h.summary,
                "stroke_m": h.stroke.length,
                "hard_stroke_m": h.stroke.hard_length,
                "sources": list(h.sources),
                "illustrative": list(h.illustrative),
            }
            for h in found
        }
        print(json.dumps(rows, indent=2))
        return
    columns = "name", "stroke [m]", "hard [m]", "what it is", "illustrative"
    table = terminal.table("Platforms", *columns, right=columns[1:3])
    for h in found:
        strokes = f"{h.stroke.length:.3f}", f"{h.stroke.hard_length:.3f}"
        table.add_row(h.name, *strokes, h.summary, in_short(h.illustrative))
    screen = terminal.console()
    screen.print(table)
    screen.print("Sources:", style="bold")
    for h in found:
        screen.print(f"  {h.name}: {'; '.join(h.sources)}")
    screen.print("\nIllustrative numbers are unpublished; they are chosen to fit together.", style="dim")
    screen.print("motionbase platforms NAME shows one of them in full.", style="dim")


def in_short(keys: tuple[str, ...]) -> str:
    """Keys in short: whole tables by name, others as `some NAME`."""
    tables = dict.fromkeys(f"some {key.split('.')[0]}" if "." in key else key for key in keys)
    return ", ".join(tables) or "nothing"


def _facts(h: "Hexapod") -> dict[str, Any]:
    """All data of one platform, and derived results."""
    import numpy as np

    from motionbase.platform.envelope import axis_limits, extremes
    from motionbase.platform.sizing.architecture import SINGULAR
    from motionbase.record.axes import DOFS

    limits, corners = axis_limits(h), extremes(h)
    reached = corners.dof[corners.converged]
    known = float(np.max(corners.condition[corners.converged], initial=0.0))
    both = {"lowest": reached.min(axis=0).tolist(), "highest": reached.max(axis=0).tolist()} if len(reached) else {}
    return {
        **dataclasses.asdict(h),
        "actuator": {"type": type(h.actuator).__name__, **dataclasses.asdict(h.actuator)},
        "l_neutral": h.l_neutral.tolist(),
        "axis_limits": {name: row for name, row in zip(DOFS, limits.tolist(), strict=True)},
        "extremes": {
            "reached": int(corners.converged.sum()),
            **both,
            "largest_condition": known if known < SINGULAR else None,  # JSON has no infinity
        },
    }


def _show(h: "Hexapod", facts: dict[str, Any]) -> None:
    """Print a platform as tables."""
    from motionbase.platform.sizing.architecture import condition_words

    screen = terminal.console()
    screen.print(f"{h.name}: {h.summary}", style="bold")
    for source in h.sources:
        screen.print(f"  source: {source}")
    screen.print(f"  illustrative (*), unpublished: {', '.join(h.illustrative) or 'nothing'}\n")
    screen.print(_joints(h))
    screen.print(_reach(h, facts))
    corners = facts["extremes"]
    worst = condition_words(math.inf if corners["largest_condition"] is None else corners["largest_condition"], 2)
    screen.print(
        f"{corners['reached']} of the 64 extremes of the legs are reached from neutral; characteristic condition "
        f"number there up to {worst} (turns by the joints' rms radius)\n"
    )
    screen.print(_parts(h))


def _joints(h: "Hexapod") -> Any:
    base, joints, neutral = (_mark(h, key) for key in ("base", "joints", "p_neutral"))
    columns = "leg", f"base joint in B{base} [m]", f"platform joint in P{joints} [m]", f"neutral length{neutral} [m]"
    table = terminal.table("Joints", *columns, right=columns)
    for k, (a, b, l) in enumerate(zip(h.base, h.joints, h.l_neutral, strict=True), start=1):
        table.add_row(str(k), _place(a), _place(b), f"{l:.4f}")
    return table


def _reach(h: "Hexapod", facts: dict[str, Any]) -> Any:
    import numpy as np

    corners = facts["extremes"]
    columns = "axis", "alone", "legs fully in or out", "may be commanded", "unit"
    table = terminal.table("How far it goes from neutral", *columns, right=columns[1:4])
    for k, (name, ends) in enumerate(facts["axis_limits"].items()):
        unit, scale, digits = ("m", 1.0, 3) if k < ROTATIONS else ("deg", float(np.degrees(1.0)), 1)
        all_legs = [corners[side][k] for side in ("lowest", "highest")] if corners["reached"] else []
        cells = [" to ".join(f"{scale * x:+.{digits}f}" for x in pair) for pair in (ends, all_legs)]
        allowed = f"+-{scale * h.limits.position[k]:.{digits}f}{_mark(h, 'limits.position')}"
        table.add_row(name, *cells, allowed, unit)
    return table


def _parts(h: "Hexapod") -> Any:
    """Print every number by its key, with a star if it is illustrative."""
    table = terminal.table("Parameters, SI units", "part", "values")
    table.add_row(
        "neutral", f"p_neutral{_mark(h, 'p_neutral')} {_place(h.p_neutral)}, l_down{_mark(h, 'l_down')} {h.l_down:g}"
    )
    for name in ("stroke", "payload", "cylinder", "rod", "limits", "actuator", "points"):
        part = getattr(h, name)
        values = part if isinstance(part, dict) else dataclasses.asdict(part)
        cells = [f"{key}{_mark(h, f'{name}.{key}')} {_value(value)}" for key, value in values.items()]
        table.add_row(name, ", ".join(cells) or "none")
    return table


def _mark(h: "Hexapod", dotted: str) -> str:
    """A star if the key, or its table, is illustrative."""
    return "*" if any(dotted == key or dotted.startswith(f"{key}.") for key in h.illustrative) else ""


def _place(xyz: Any) -> str:
    return f"({', '.join(f'{x:.4f}' for x in xyz)})"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"({', '.join(f'{key} {_value(x)}' for key, x in value.items())})"
    return f"({', '.join(f'{x:g}' for x in value)})" if isinstance(value, tuple) else f"{value:g}"


def check(reference: str | None, as_json: bool) -> int:
    """Print the check of a design; exit code 1 if it cannot work."""
    from motionbase.platform.sizing.check import examine

    if reference is None:
        raise UsageError("check needs a platform: motionbase platforms check FILE, a preset or a .toml file of yours")
    hexapod = drivable(reference, sized=False)
    with terminal.working("checking"):
        found = examine(hexapod, thorough=True)
    if as_json:
        print(json.dumps(_check_facts(hexapod, found), indent=2))
    else:
        _show_check(hexapod, found)
    return 0 if found.works else 1


def _check_facts(hexapod: "Hexapod", found: "Examination") -> dict[str, Any]:
    """The check as JSON data, in SI units except kW."""
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


def _show_check(hexapod: "Hexapod", found: "Examination") -> None:
    from rich.text import Text

    from motionbase.platform.sizing.forces import INCLUDED

    screen = terminal.console()
    if found.reserves:
        table = terminal.table(f"Reserves of {hexapod.name}", *COLUMNS, right=("leg", "needed", "has", "times"))
        for row in found.reserves:
            table.add_row(*_reserve_cells(row), Text(row.verdict, style=STYLES[row.verdict]))
        screen.print(table)
        screen.print(f"Weight is of {INCLUDED}; friction is added to forces and helps no brake.", style="dim")
        screen.print("Legs fully in or out are poses beyond those that may be commanded: not judged.", style="dim")
    for one in found.findings:
        screen.print(f"{one.level}: {one.sentence}", style=STYLES[one.level])
    if not found.findings:
        screen.print("Nothing is wrong or odd.")


def _reserve_cells(row: "Reserve") -> tuple[str, ...]:
    least, usual = row.limits
    wanted = "not judged" if row.verdict == "-" else f"{usual:g}" if least == 0 else f"{least:.3g}, better {usual:g}"
    where = f"{row.where}: {row.at[3:]}" if row.where == "at the ends of the axes" else row.where
    leg = "any" if row.leg is None else str(row.leg)
    from motionbase.platform.sizing.reserves import plain

    numbers = (plain(x) for x in (row.needed, row.available))
    return row.what, where, leg, *numbers, row.unit, f"{row.factor:.2f}", wanted
