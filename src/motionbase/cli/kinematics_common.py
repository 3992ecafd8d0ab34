"""What the commands of `motionbase kinematics` share: options, poses from text, tables, verdicts in colour."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from motionbase.cli import terminal
from motionbase.errors import UsageError
from motionbase.record.axes import DOFS

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from motionbase.arrays import Array
    from motionbase.platform.hexapod import Hexapod
    from motionbase.ring.reader import Reader
    from motionbase.workbench.clearance import Thresholds
    from motionbase.workbench.live import Seen
    from motionbase.workbench.posture import Definition as DexterityName
    from motionbase.workbench.posture import Postures
    from motionbase.workbench.requirements import Row
    from motionbase.workbench.study import WorkspaceStudy

Platform = Annotated[str, typer.Argument(metavar="PLATFORM", help="A preset or your own .toml file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Definition = Annotated[str, typer.Option("--dexterity", metavar="NAME", help="characteristic, points, task or raw.")]
Dof = Annotated[
    str | None, typer.Option(metavar="SIX", help="surge, sway, heave from neutral [m], roll, pitch, yaw [degrees].")
]
Rates = Annotated[
    str | None, typer.Option("--rates", metavar="SIX", help="Rates of surge to yaw there [m/s, degrees/s].")
]
LegLengths = Annotated[str | None, typer.Option(metavar="SIX", help="Leg lengths instead [m].")]
Warn = Annotated[float, typer.Option(metavar="M", help="Warn at clearances below this [m].")]
Stop = Annotated[float, typer.Option(metavar="M", help="Stop at clearances below this [m].")]
Source = Annotated[
    str, typer.Option("--pose", metavar="NAME", help="Of a recording: legs (measured), measured, estimated, host.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
Plot = Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .png, .pdf or .svg.")]
Triple: TypeAlias = tuple[float, float, float]
DEFAULT = "characteristic"
LARGEST = 100.0  # metres or radians, and their rates: no platform comes near it
WARN, STOP = 0.05, 0.0254  # [m]
ROUNDING = 1e-6  # [%] of the stroke: forward kinematics comes to 1e-10 m
SHOWN = 12  # pairs of a table
STYLES = {"clear": "green", "warn": "yellow", "stop": "bold red", "interference": "bold white on red"}


def loaded(reference: str) -> Hexapod:
    """A preset or a file."""
    from motionbase.platform.load import load_platform

    return load_platform(reference)


def dexterity_name(name: str) -> DexterityName:
    """One of the definitions."""
    from motionbase.workbench.posture import DEFINITIONS, DEXTERITIES

    for known in DEFINITIONS:
        if name == known:
            return known
    meanings = "; ".join(f"{one}: {text}" for one, text in DEXTERITIES.items())
    raise UsageError(f"--dexterity is {name!r}, it must be one of {', '.join(DEFINITIONS)} ({meanings})")


def numbers(option: str, text: str, count: int) -> Array:
    """The finite numbers of one option."""
    import numpy as np

    words = {3: "three", 6: "six"}
    try:
        found = np.array([float(part) for part in text.replace(",", " ").split()])
    except ValueError:
        found = np.empty(0)
    if found.shape != (count,) or not np.all(np.isfinite(found)):
        raise UsageError(
            f"{option} is {text!r}, {words.get(count, count)} numbers are wanted, with spaces or commas between"
        )
    return found


def six_dof(option: str, text: str) -> Array:
    """Metres and degrees -> metres and radians."""
    import numpy as np

    given = numbers(option, text, 6)
    largest = np.array([LARGEST] * 3 + [math.degrees(LARGEST)] * 3)
    if np.any(np.abs(given) > largest):
        k = int((np.abs(given) / largest).argmax())
        unit = "m" if k < 3 else "degrees"
        raise UsageError(f"{option}: {DOFS[k]} is {given[k]:g} {unit}, at most {largest[k]:.0f} either way is wanted")
    return np.asarray(given * np.array([1, 1, 1, *[np.pi / 180] * 3]), dtype=np.float64)


def check_finite(option: str, given: Triple | None) -> None:
    """Refuse NaN and infinity."""
    if given is not None and not all(map(math.isfinite, given)):
        raise UsageError(f"{option} is {' '.join(map(str, given))}, three finite numbers are wanted")


def check_length(option: str, given: float | None) -> None:
    """Refuse a length [m] below 0."""
    if given is not None and not (math.isfinite(given) and given >= 0):
        raise UsageError(f"{option} is {given:g} m, a finite number 0 or above is wanted")


def check_rows(rows: int) -> None:
    """Refuse a number of rows of directions that would be too coarse or too slow."""
    if not 4 <= rows <= 200:
        raise UsageError(f"--rows is {rows}, it must be 4 to 200")


def posture_at(hexapod: Hexapod, dof: str | None, legs: str | None, name: DexterityName) -> Postures:
    """At one pose, given by one of the two; at neutral if by neither."""
    from motionbase.workbench.posture import at_dof, at_legs

    if dof is not None and legs is not None:
        raise UsageError("--dof and --legs both say where the platform is; give one of them")
    if legs is not None:
        return at_legs(hexapod, numbers("--legs", legs, 6), name)
    return at_dof(hexapod, six_dof("--dof", dof or "0 0 0 0 0 0"), name)


def thresholds(warn: float, stop: float) -> Thresholds:
    """Checked."""

    from motionbase.errors import PlatformError
    from motionbase.workbench.clearance import Thresholds

    try:
        return Thresholds(warn, stop)
    except PlatformError:
        raise UsageError(f"--stop is {stop:g} m and --warn {warn:g} m; 0 <= stop <= warn is wanted") from None


def verdict_text(verdict: str) -> Text:
    """A verdict in its colour."""
    from rich.text import Text

    return Text(verdict, style=STYLES[verdict])


def apart(distance: float | None) -> str:
    """A clearance [mm] as text."""
    return "-" if distance is None else f"{1000 * distance:.1f}"


def where(dof: Any) -> str:
    """Degrees of freedom [m, rad] in words, in degrees."""
    import numpy as np

    at = np.round(np.asarray(dof), 9) + 0.0  # no negative zeros
    words = [f"{axis} {x:+.4f} m" for axis, x in zip(DOFS[:3], at[:3], strict=True)]
    return ", ".join(words + [f"{axis} {x:+.3f} deg" for axis, x in zip(DOFS[3:], np.degrees(at[3:]), strict=True)])


def leg_table(hexapod: Hexapod, found: Postures, rates: Array | None = None, *, actuators: bool = False) -> Table:
    """Leg by leg at one pose: length, stroke, rates where there are any [m/s], angles [deg]; of the actuators, too."""
    import numpy as np

    ends = [f"{end} {which}" for end in ("base", "platform") for which in ("1st", "2nd")]
    more = ["elevation", "azimuth"] if actuators else []
    columns = "leg", "length [m]", "stroke [%]", *([] if rates is None else ["rate [m/s]"]), *ends, "rod", *more
    table = terminal.table(f"{hexapod.name} at {where(found.dof[0])}; angles [deg]", *columns, right=columns[1:])
    used = strokes_used(hexapod, found.l[0])
    for k in range(6):
        angles = (*found.base[0, k], *found.platform[0, k], found.rotation[0, k])
        shown = (f"{x:.2f}" for x in np.degrees([*angles, *(found.actuator[0, k] if actuators else ())]))
        beyond = "" if -ROUNDING <= used[k] <= 100 + ROUNDING else " !"
        rate = [] if rates is None else [f"{rates[k]:+.4f}"]
        table.add_row(str(k + 1), f"{found.l[0, k]:.4f}", f"{used[k]:.1f}{beyond}", *rate, *shown)
    return table


def strokes_used(hexapod: Hexapod, l: Any) -> list[float]:
    """Leg lengths [m] in percent of the operational stroke."""
    return [100 * (float(x) - hexapod.stroke.l_min) / hexapod.stroke.length for x in l]


def show_clearances(rows: list[Row], limits: Thresholds) -> None:
    """The worst pairs of the extremes, the nearest first."""
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


def record_facts(seen: Seen, reader: Reader, limits: Thresholds) -> dict[str, Any]:
    """One record for scripts."""
    made: dict[str, Any] = {"t": seen.t, "state": reader.state.value, "lost": reader.lost}
    if seen.posture is None:
        return made | {"trouble": seen.trouble}
    made |= {name: rows[0] for name, rows in seen.posture.facts().items() if name != "actuator"}
    if seen.gaps:
        made["clearances"] = [gap.facts(limits) for gap in seen.gaps]
    return made


def record_line(seen: Seen, reader: Reader, limits: Thresholds) -> str:
    """One record on a line."""
    if seen.posture is None:
        return f"t={seen.t:.3f} {reader.state.value}: {seen.trouble}"
    words = [f"t={seen.t:.3f}", f"dexterity={seen.posture.dexterity[0]:.4f}"]
    for gap in seen.gaps[:1]:
        words.append(
            f"clearance={apart(gap.distance)} mm ({gap.first} and {gap.second}): {limits.verdict(gap.distance)}"
        )
    return " ".join([*words, where(seen.posture.dof[0])])


def record_picture(hexapod: Hexapod, seen: Seen, reader: Reader, limits: Thresholds) -> Group:
    """One record as a table."""
    from rich.console import Group
    from rich.text import Text

    status = Text(f"{reader.name}: {reader.state.value}; t = {seen.t:.2f} s; {reader.lost} records lost", style="bold")
    if seen.posture is None:
        return Group(status, Text(seen.trouble, style="bold red"))
    lines: list[Any] = [status, leg_table(hexapod, seen.posture), Text(f"dexterity {seen.posture.dexterity[0]:.4f}")]
    for gap in seen.gaps:
        text = Text(f"{gap.first} and {gap.second}: {apart(gap.distance)} mm ")
        lines.append(text.append_text(verdict_text(limits.verdict(gap.distance))))
    return Group(*lines)


def show_surface(study: WorkspaceStudy, attitude: Triple | None, place: Triple | None) -> None:
    """The reach in all directions, and how it was found."""
    import numpy as np

    from motionbase.workbench.surface import END_MEANING

    space, found, union = study.space, study.found, study.union
    hexapod, turns = space.platform, found.kind == "place"
    if turns:
        title = f"{hexapod.name}: turns at {place} m from neutral"
    else:
        title = f"{hexapod.name}: places with attitude {attitude or (0, 0, 0)} deg (roll, pitch, yaw)"
    table = terminal.table(title, "what", "value", "where")
    scale, unit, digits = (float(np.degrees(1)), "deg", 2) if turns else (1.0, "m", 4)
    for what, most in (("least", False), ("furthest", True)):
        reach, azimuth, elevation = found.extreme(most)
        at = f"azimuth {np.degrees(azimuth):.0f}, elevation {np.degrees(elevation):.0f} deg{' of the axis' * turns}"
        table.add_row(f"{what} of {len(found.reach)} rays", f"{scale * reach:.{digits}f} {unit}", at)
    for name, share in found.shares.items():
        table.add_row(f"ended by {END_MEANING[name]}", f"{share:.1%}", "of all directions")
    if not turns:
        table.add_row("volume with this attitude", f"{found.volume:.4g} m^3", "as seen from neutral")
    if union is not None:
        table.add_row("volume with any attitude", f"about {union.volume:.4g} m^3", "")
    screen = terminal.console()
    screen.print(table)
    for note in union.notes if union is not None else ():
        screen.print(f"any attitude: {note}", style="dim")
    parts = "not looked at; --meshes does" if space.clearance is None else f"stop below {1000 * space.stop:g} mm"
    screen.print(f"legs' axes at least {space.thickness:.3f} m apart; clearances of parts: {parts}", style="dim")
