"""What the commands of `motionbase kinematics` share: arguments, poses, verdicts in colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motionbase.errors import UsageError
from motionbase.record.axes import DOFS

if TYPE_CHECKING:
    import numpy as np
    from rich.text import Text

    from motionbase.platform.hexapod import Hexapod
    from motionbase.workbench.clearance import Gap, Thresholds
    from motionbase.workbench.posture import Definition as DexterityName
    from motionbase.workbench.posture import Postures

Platform = Annotated[str, typer.Argument(metavar="PLATFORM", help="A preset, or a .toml file of yours.")]
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
DEFAULT = "characteristic"
LARGEST = 100.0  # metres or radians, and their rates: no platform comes near it
WARN, STOP = 0.05, 0.0254  # [m]
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


def numbers(option: str, text: str, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """So many finite numbers of one option."""
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


def six_dof(option: str, text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Metres and degrees -> metres and radians."""
    import numpy as np

    given = numbers(option, text, 6)
    largest = np.array([LARGEST] * 3 + [math.degrees(LARGEST)] * 3)
    if np.any(np.abs(given) > largest):
        k = int((np.abs(given) / largest).argmax())
        unit = "m" if k < 3 else "degrees"
        raise UsageError(f"{option}: {DOFS[k]} is {given[k]:g} {unit}, at most {largest[k]:.0f} either way is wanted")
    return np.asarray(given * np.array([1, 1, 1, *[np.pi / 180] * 3]), dtype=np.float64)


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
    """In its colour; the word alone says the same."""
    from rich.text import Text

    return Text(verdict, style=STYLES[verdict])


def apart(distance: float | None) -> str:
    """A clearance for people."""
    return "-" if distance is None else f"{1000 * distance:.1f}"


def gap_facts(gap: Gap, limits: Thresholds) -> dict[str, Any]:
    """A pair of parts for scripts."""
    return {
        "first": gap.first,
        "second": gap.second,
        "distance_m": gap.distance,
        "points_m": gap.points.tolist(),
        "verdict": limits.verdict(gap.distance),
    }


def where(dof: Any) -> str:
    """Degrees of freedom [m, rad] in words, in degrees."""
    import numpy as np

    from motionbase.record.axes import DOFS

    at = np.round(np.asarray(dof), 9) + 0.0  # no negative zeros
    words = [f"{axis} {x:+.4f} m" for axis, x in zip(DOFS[:3], at[:3], strict=True)]
    return ", ".join(words + [f"{axis} {x:+.3f} deg" for axis, x in zip(DOFS[3:], np.degrees(at[3:]), strict=True)])
