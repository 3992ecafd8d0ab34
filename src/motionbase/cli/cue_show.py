"""Tables of `motionbase cue`: axes and legs of one run, or of two side by side."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from motionbase.cli import terminal
from motionbase.record.axes import LEGS
from motionbase.record.cueing import SIX

if TYPE_CHECKING:
    from motionbase.cueing.summary import Summary

WAYS = ("surge", "sway", "heave", "roll", "pitch", "yaw")
SHOWN = {"f": (1.0, "m/s²"), "omega": (180 / np.pi, "°/s")}


def show(source: str, told: "Sequence[Summary]") -> None:
    """Print one run, or two over the same samples as A and B."""
    screen, first = terminal.console(), told[0]
    letters = [""] if len(told) == 1 else [f" {letter}" for letter in "AB"]
    names = [f"{letter and letter.strip() + ': '}set {s.run.cueing.cue_set.name}, {s.run.cueing.algorithm}"
             for s, letter in zip(told, letters, strict=True)]  # fmt: skip
    title = f"{source} on {first.run.cueing.platform.name}, {'; '.join(names)}"
    title += f": {first.run.t[-1] - first.run.t[0]:.4g} s"
    numbers = ["vehicle", *(f"cue{x}" for x in letters), "at rest", *(f"error{x}" for x in letters),
               *(f"saturated{x}" for x in letters)]  # fmt: skip
    table = terminal.table(title, "axis", "unit", *numbers, right=tuple(numbers))
    for k, (name, _) in enumerate(SIX):
        factor, unit = SHOWN[name]
        table.add_row(
            WAYS[k], unit, f"{factor * first.peak('demand')[k]:.2f}",
            *(f"{factor * s.peak('cue')[k]:.2f}" for s in told), f"{first.at_rest[k]:.2f}",
            *(f"{s.error[k]:.2f}" for s in told), *(_percent(float(s.saturated[k])) for s in told),
        )  # fmt: skip
    total, gap = float(np.sqrt(np.mean(first.at_rest**2))), [""] * len(told)
    table.add_row("all", "", "", *gap, f"{total:.2f}", *(f"{s.total:.2f}" for s in told), *gap)
    screen.print(table)
    screen.print(
        "Vehicle and cue are peaks at the head. Errors are rms differences of what people feel, in thresholds of "
        "perception; at rest: on a platform that stands still.",
        style="dim",
    )
    columns = [x.strip() or "value" for x in letters]
    legs = terminal.table("Platform", "figure", "unit", *columns, right=tuple(columns))
    for figure, unit, text in FIGURES:
        legs.add_row(figure, unit, *(text(s) for s in told))
    screen.print(legs)
    for s, letter in zip(told, letters, strict=True):
        name = f"{letter.strip()}: " if letter else ""
        if s.left < 0:
            screen.print(f"{name}a leg would have to go {-s.left:.3f} m beyond its stroke", style="bold red")
        if s.leg_speed > s.speed_limit:
            screen.print(f"{name}a leg would have to be faster than it may, by {s.leg_speed - s.speed_limit:.2f} m/s",
                         style="bold red")  # fmt: skip


def _tilt(axis: str) -> "Callable[[Summary], str]":
    return lambda s: "-" if s.tilt is None else f"{s.tilt[axis]:.2f}"


FIGURES: "tuple[tuple[str, str, Callable[[Summary], str]], ...]" = (
    ("perceived error, of that at rest", "%", lambda s: f"{100 * s.share:.0f}"),
    ("least way left of a leg", "m", lambda s: f"{s.left:.3f}"),
    (f"stroke used by legs {LEGS[0]} to {LEGS[-1]}", "%", lambda s: ", ".join(f"{100 * used:.0f}" for used in s.used)),
    ("fastest leg, of what it may", "m/s", lambda s: f"{s.leg_speed:.2f} of {s.speed_limit:.2f}"),
    ("largest rate of the tilt in pitch", "thresholds", _tilt("pitch")),
    ("largest rate of the tilt in roll", "thresholds", _tilt("roll")),
)


def _percent(share: float) -> str:
    return "-" if share == 0 else f"{100 * share:.1f} %"
