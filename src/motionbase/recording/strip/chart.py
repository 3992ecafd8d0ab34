"""Definition of a strip chart: channels, pens and paper."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import final

from motionbase.errors import RecordingError
from motionbase.record.schema import Schema

MOST_PENS = 16
BY_DEFAULT = 8  # pens of a default chart
PAPER_MM = 250.0  # length of time on a page: A4 landscape without labels
SPEEDS = (0.01, 1000.0)  # [mm/s]
INKS = {
    "blue": "#0b4f9e",
    "red": "#b3261e",
    "green": "#1b6e3c",
    "purple": "#5b3a8c",
    "orange": "#b35a00",
    "teal": "#00707a",
    "brown": "#6b4226",
    "black": "#1a1a1a",
}
PAPERS = {"green": "#6fae84", "orange": "#d99a6c", "blue": "#7fa8d6", "grey": "#9a9a9a"}
TO_PEOPLE = {"rad": ("deg", 180 / math.pi), "rad/s": ("deg/s", 180 / math.pi), "N": ("kN", 1e-3), "Pa": ("MPa", 1e-6)}


@final
@dataclass(frozen=True)
class Pen:
    """One channel on its own lane of the paper.

    Attributes:
        channel: its name in the records
        label: beside the lane; default: the channel's name
        range: values at the lower and upper edge of the lane, in the pen's unit; None follows the records
        span: smallest range of a scale that follows the records [unit], so that noise stays small
        unit: beside the lane; default: that of the channel
        scale: factor from the channel's to the pen's unit
        colour: a name of INKS or #rrggbb; default: the next in turn
        width: of the line [mm]
        grid: divisions of the lane; 0 chooses round numbers
        names: of the values 0, 1, ...; the lane is then a band with names instead of a line
    """

    channel: str
    label: str = ""
    range: tuple[float, float] | None = None
    unit: str = ""
    scale: float = 1.0
    colour: str = ""
    width: float = 0.25
    grid: int = 0
    names: tuple[str, ...] = ()
    span: float = 0.0

    def __post_init__(self) -> None:
        owner = f"pen {self.channel!r}"
        if self.range is not None:
            low, high = self.range
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise RecordingError(f"{owner}: range is {low:g} to {high:g}, two numbers that rise are wanted")
        if not (math.isfinite(self.scale) and self.scale != 0):
            raise RecordingError(f"{owner}: scale is {self.scale:g}, a finite number other than 0 is wanted")
        if self.colour and self.colour not in INKS and not re.fullmatch(r"#[0-9a-fA-F]{6}", self.colour):
            raise RecordingError(f"{owner}: colour is {self.colour!r}, #rrggbb or one of {', '.join(INKS)} is wanted")
        if not 0 <= self.span < math.inf:
            raise RecordingError(f"{owner}: span is {self.span:g}, a finite number from 0 on is wanted")
        if not 0.05 <= self.width <= 2:
            raise RecordingError(f"{owner}: width is {self.width:g} mm, 0.05 to 2 is wanted")
        if not 0 <= self.grid <= 50:
            raise RecordingError(f"{owner}: grid is {self.grid}, 1 to 50 divisions are wanted, or 0 for round numbers")
        for key, text, most in (("label", self.label, 40), ("unit", self.unit, 12)):
            if len(text) > most or not text.isprintable():
                raise RecordingError(f"{owner}: {key} is {text!r:.60}, a line of at most {most} letters is wanted")


@final
@dataclass(frozen=True)
class Chart:
    """Pens from top to bottom, and the paper.

    Attributes:
        speed: of the paper [mm/s]; a page has 250 mm
        paper: colour of its grid, a name of PAPERS
        title: at the top of every page; default: the platform
    """

    pens: tuple[Pen, ...]
    speed: float = 10.0
    paper: str = "green"
    title: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.pens) <= MOST_PENS:
            raise RecordingError(f"the chart has {len(self.pens)} pens, 1 to {MOST_PENS} are wanted")
        if not SPEEDS[0] <= self.speed <= SPEEDS[1]:
            raise RecordingError(
                f"the speed of the paper is {self.speed:g} mm/s, {SPEEDS[0]:g} to {SPEEDS[1]:g} is wanted"
            )
        if self.paper not in PAPERS:
            raise RecordingError(f"the paper is {self.paper!r}, one of {', '.join(PAPERS)} is wanted")
        if len(self.title) > 80 or not self.title.isprintable():
            raise RecordingError(f"the title is {self.title!r:.60}, a line of at most 80 letters is wanted")

    @property
    def page_s(self) -> float:
        """Time on a page [s]."""
        return PAPER_MM / self.speed

    def fitted(self, schema: Schema) -> Chart:
        """The chart with all labels, units and colours filled in; `SchemaError` for an unknown channel."""
        schema.places(pen.channel for pen in self.pens)
        inks = list(INKS.values())
        made = []
        for k, pen in enumerate(self.pens):
            unit = schema.channels[schema.index[pen.channel]].unit
            colour = INKS.get(pen.colour, pen.colour) or inks[k % len(inks)]
            changes = {"label": pen.label or pen.channel, "unit": pen.unit or unit, "colour": colour}
            made.append(Pen(**{**vars(pen), **{k: v[:12] if k == "unit" else v[:40] for k, v in changes.items()}}))
        return Chart(tuple(made), self.speed, self.paper, self.title)


def default_chart(schema: Schema, state_names: tuple[str, ...] = ()) -> Chart:
    """For a hexapod: state, attitude and the first leg; for any other schema the first channels after the time."""
    wanted = (
        ("state", "state", 0.0),
        ("pose_meas_heave", "heave", 0.1),
        ("pose_meas_roll", "roll", 2.0),
        ("pose_meas_pitch", "pitch", 2.0),
        ("leg1_l_meas", "leg 1 length", 0.1),
        ("leg1_l_dot_meas", "leg 1 velocity", 0.1),
        ("leg1_f_meas", "leg 1 force", 1.0),
        ("leg1_valve_cmd", "leg 1 valve", 0.0),
    )
    if not all(name in schema.index for name, *_ in wanted):
        names = [c.name for c in schema.channels[1 : 1 + BY_DEFAULT]] or [schema.channels[0].name]
        return Chart(tuple(Pen(name, label=name[:40]) for name in names))
    pens = []
    for name, label, span in wanted:
        unit, scale = TO_PEOPLE.get(schema.channels[schema.index[name]].unit, ("", 1.0))
        limits = (-1.0, 1.0) if name == "leg1_valve_cmd" else None
        pens.append(Pen(name, label, limits, unit, scale, names=state_names if name == "state" else (), span=span))
    return Chart(tuple(pens))
