"""Draws a strip chart of a stored recording as a job, with `motionbase strip` in a separate process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from motionbase import private
from motionbase.console.api.strip import Roll, chart_of, chart_text
from motionbase.console.jobs import Task
from motionbase.console.models import Export, StartStrip, StripChannel
from motionbase.errors import MotionBaseError, UsageError
from motionbase.interpreter import motionbase_command
from motionbase.recording.recording import Recording
from motionbase.recording.strip.chart import Chart
from motionbase.recording.whole import whole_or_not

if TYPE_CHECKING:
    from motionbase.console.console import Console

MOST_PENS = 16
LOOK_S = 0.1


def chart_for(wanted: Export, recording: Recording, chosen: list[str]) -> Chart:
    """The chart of the chosen channels; an error if there are too many or none."""
    names = [name for name in chosen if recording.schema.channels[recording.schema.index[name]].group != "time"]
    if not 1 <= len(names) <= MOST_PENS:
        raise UsageError(f"{len(names)} channels are chosen; a strip chart has 1 to {MOST_PENS}")
    pens = [StripChannel(name=name) for name in names]
    return chart_of(StartStrip(channels=pens, seconds_per_page=wanted.seconds_per_page), recording.schema)


def drawn(console: Console, source: Path, target: Path, chart: Chart, span: tuple[float, float], task: Task) -> str:
    """Draw until the roll is complete; a cancelled job keeps its finished pages."""
    folder = console.settings.data / "strip"
    for one in (folder, target.parent):
        private.make_folder(one)
    config = folder / f"job{task.number}.toml"
    with whole_or_not(config, force=True) as part:
        private.write_file(part, chart_text(chart).encode())
    begin, seconds = span[0], max(span[1] - span[0], 1e-3)
    times = ("--start", repr(begin), "--duration", repr(seconds + 1e-6))
    command = motionbase_command("strip", str(source), "--chart", str(config), "--out", str(target), *times)
    child = console.children.start(f"strip chart of job {task.number}", command)
    roll = Roll(target, target.name, [])
    try:
        while child.lives:
            task.progress(min(roll.count() * round(1000 * chart.page_s), round(1000 * seconds)), round(1000 * seconds))
            time.sleep(LOOK_S)
    finally:
        child.end()
        console.children.forget(f"strip chart of job {task.number}")
        config.unlink(missing_ok=True)
    if child.failed:
        raise MotionBaseError(child.complaint or "the drawing process ended without a message; try again")
    return child.said.rpartition("\n")[2].partition(":")[0]
