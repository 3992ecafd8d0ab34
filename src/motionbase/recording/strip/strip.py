"""Common parts of strip charts from files and from live rings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.schema import Schema
from motionbase.recording.strip.chart import Chart, default_chart
from motionbase.recording.strip.output import Sink
from motionbase.recording.strip.paper import Paper

ESTOP = "the emergency stop acts"
HINTS = ("estop", "fault")  # channels watched besides those of the pens


class Names(NamedTuple):
    """Names of the values of the channels `state` and `fault`."""

    states: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class Done(NamedTuple):
    """Result: numbers of records, pages, and pages that could not be written."""

    records: int
    pages: int
    lost_pages: int


@final
@dataclass(frozen=True)
class Strip:
    """Settings of a strip chart.

    Attributes:
        chart: None for the default chart of the schema
        speed: of the paper [mm/s], instead of the chart's
        say: called with a sentence; must not block
    """

    sink: Sink
    say: Callable[[str], object]
    chart: Chart | None = None
    speed: float | None = None
    names: Names = Names()

    def fitted(self, schema: Schema) -> Chart:
        """The chart for these records."""
        chart = (self.chart or default_chart(schema, self.names.states)).fitted(schema)
        return chart if self.speed is None else Chart(chart.pens, self.speed, chart.paper, chart.title)


@final
class Hints:
    """Marks emergency stops and faults found in the records."""

    def __init__(self, paper: Paper, names: Names) -> None:
        self._paper, self._names = paper, names
        self._before = dict.fromkeys(HINTS, math.nan)

    def look(self, t: Array, channel: str, values: Array) -> None:
        """Take (n,) times and values of one of HINTS."""
        whole = np.concatenate([[self._before[channel]], values])
        self._before[channel] = float(whole[-1])
        stopped = self._before["estop"] > 0.5  # the stop has its own mark
        for row in np.flatnonzero((whole[1:] != whole[:-1]) & (whole[1:] > 0.5) & np.isfinite(whole[:-1])).tolist():
            code = values[row]
            if channel == "estop":
                if not whole[row] > 0.5:
                    self._paper.mark("estop", ESTOP, float(t[row]))
            elif code.is_integer() and whole[row].is_integer() and code < 2**31:
                names = self._names.faults
                known = names[int(code)] if int(code) < len(names) else f"number {code:.0f}"
                if known != ESTOP or not stopped:
                    self._paper.mark("fault", known, float(t[row]))
