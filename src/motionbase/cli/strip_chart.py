"""The chart of `motionbase strip` as a file: TOML in, complaints with their line; and an example to start from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.table import Table
from motionbase.recording.strip.chart import Chart, Pen

EXAMPLE = """\
# A chart for `motionbase strip --chart chart.toml`: up to 16 pens, from top to bottom.

speed = 10          # of the paper [mm/s]; a page has 250 mm, so this is 25 s
paper = "green"     # grid: green, orange, blue or grey
# title = "..."     # at the top of every page; without it, the platform

[[pen]]
channel = "state"   # names make a band of a channel that holds whole numbers: those of 0, 1, 2, ...
names = [
    "off", "down", "rising", "standby", "engaging", "drive",
    "settling", "lowering", "freeze", "abort", "held", "stopping",
]

[[pen]]
channel = "pose_meas_heave"
label = "heave"     # without it, the channel
range = [0.0, 4.0]  # at the lower and the upper edge; without it, round numbers around the records
grid = 4            # divisions of the lane; without it, what gives round numbers
colour = "blue"     # blue, red, green, purple, orange, teal, brown, black or #rrggbb; without it, in turn
width = 0.25        # of the line [mm]

[[pen]]
channel = "pose_meas_pitch"
label = "pitch"
unit = "deg"        # as it is written; without it, that of the channel
scale = 57.29578    # values times this are in that unit: the record has rad
range = [-20, 20]

[[pen]]
channel = "leg1_f_meas"
label = "leg 1 force"
unit = "kN"
scale = 1e-3

[[pen]]
channel = "leg1_valve_cmd"
label = "leg 1 valve"
range = [-1, 1]
"""


def load_chart(path: Path) -> Chart:
    """Keys of the chart, and a list [[pen]]."""
    source = TomlSource.read(path)
    top = Table(source, (), source.data)
    listed: Any = source.data.get("pen", [])
    if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
        top.refuse("pen", "a list of tables, [[pen]],")
    pens = tuple(_pen(Table(source, ("pen", str(k)), one)) for k, one in enumerate(listed))
    return top.part(Chart, besides=("pen",), pens=pens)


def _pen(table: Table) -> Pen:
    names = table.texts("names") if "names" in table.data else ()
    return table.part(Pen, besides=("names",), names=names)
