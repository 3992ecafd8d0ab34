"""`/api/strip`: draws a strip chart of the live ring with `motionbase strip`, in a separate process."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, final

from fastapi import APIRouter, Depends

from motionbase import private
from motionbase.console.access import seated
from motionbase.console.api import names
from motionbase.console.api.folders import shown
from motionbase.console.api.sentences import NotThere, SentenceRoute, WrongState
from motionbase.console.children import Child
from motionbase.console.models import StartStrip, Strip
from motionbase.errors import UsageError
from motionbase.interpreter import motionbase_command
from motionbase.record.schema import Schema
from motionbase.recording.strip.chart import PAPER_MM, SPEEDS, Chart, Pen
from motionbase.recording.whole import whole_or_not

if TYPE_CHECKING:
    from motionbase.console.console import Console

ROLE = "strip chart"
FOLDER = "strips"  # folder inside that of recordings, for downloads
PAGE_END = b"%%EOF"  # end of each page of a PDF roll
STARTS_S = 8.0  # usually a second or two; a page waits 15 s for the answer
ENDS_S = 6.0
NOTHING = "it was ended before a record was drawn, so there is no file"
NO_PAGES = "no records, no pages"  # message of `motionbase strip`
SILENT = "the drawing process ended without a message; start it again"


@final
@dataclass(eq=False)
class Roll:
    """A growing roll; counts its pages incrementally."""

    path: Path
    name: str
    channels: list[str]
    pages: int = 0
    is_over: bool = False  # ended by a request
    _seen: int = 0

    def count(self) -> int:
        """Number of pages in the file, or of PNG files."""
        if self.path.suffix == ".png":
            self.pages = sum(1 for _ in self.path.parent.glob(f"{self.path.stem}_[0-9][0-9][0-9]*.png"))
            return self.pages
        try:
            with self.path.open("rb") as file:
                file.seek(self._seen)
                fresh = file.read()
        except OSError:
            return self.pages
        last = fresh.rfind(PAGE_END)
        if last >= 0:
            self.pages += fresh.count(PAGE_END)
            self._seen += last + len(PAGE_END)
        return self.pages


def chart_of(wanted: StartStrip, schema: Schema) -> Chart:
    """The chart of a request, checked against the channels."""
    speed = PAPER_MM / wanted.seconds_per_page
    if not SPEEDS[0] <= speed <= SPEEDS[1]:
        least, most = PAPER_MM / SPEEDS[1], PAPER_MM / SPEEDS[0]
        raise UsageError(f"a page of {wanted.seconds_per_page:g} s: {least:g} to {most:g} s is possible")
    pens = []
    for pen in wanted.channels:
        if (pen.low is None) != (pen.high is None):
            raise UsageError(f"channel {pen.name!r:.80}: give both ends of its range, or none")
        limits = None if pen.low is None or pen.high is None else (pen.low, pen.high)
        place = schema.place(pen.name)
        pens.append(Pen(pen.name, range=limits, colour=pen.colour or "", names=schema.channels[place].codes or ()))
    return Chart(tuple(pens), speed)


def chart_text(chart: Chart) -> str:
    """The chart as TOML, as `motionbase strip --chart` reads it."""
    lines = [f"speed = {chart.speed!r}"]
    for pen in chart.pens:
        given = {"channel": pen.channel, "range": pen.range, "colour": pen.colour, "names": pen.names}
        lines += ["", "[[pen]]", *(f"{key} = {json.dumps(value)}" for key, value in given.items() if value)]
    return "\n".join(lines) + "\n"


def begun(console: Console, wanted: StartStrip) -> Strip:
    """Start drawing; one chart at a time."""
    settings, live = console.settings, console.source("live")
    if live.schema is None:
        raise WrongState(f"ring {settings.ring!r} has shown no channels yet ({live.state_text})")
    chart = chart_of(wanted, live.schema)
    before = console.children.of(ROLE)
    if before is not None and before.lives:
        raise WrongState("a strip chart is being drawn already; end it first")
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}_{names.checked_name('strip chart', wanted.name.strip())}"
    out = settings.recordings / FOLDER / f"{name}.{wanted.format}"
    config = settings.data / "strip" / "chart.toml"
    for folder in (out.parent, config.parent):
        private.make_folder(folder)
    with whole_or_not(config, force=True) as part:
        private.write_file(part, chart_text(chart).encode())
    roll = Roll(out, f"{FOLDER}/{out.name}", [pen.channel for pen in chart.pens])
    paths = ("--chart", str(config.absolute()), "--out", str(out.absolute()))
    command = motionbase_command("strip", "--ring", settings.ring, *paths)
    child = console.children.start(ROLE, command, roll)
    child.says_within(STARTS_S, _attached(console))
    return _told(console, child)


def ended(console: Console) -> Strip:
    """End the chart; the last page is written as it is."""
    child = console.children.of(ROLE)
    if child is None:
        raise NotThere("no strip chart is being drawn")
    _roll(child).is_over = True
    child.says_within(STARTS_S, _attached(console))  # an earlier signal would end it without a page
    child.stop()
    child.ends_within(ENDS_S)
    return _told(console, child)


def _attached(console: Console) -> str:
    """Beginning of the line that the process prints once it reads the ring and handles signals."""
    return f"ring {console.settings.ring!r}: "


def _roll(child: Child) -> Roll:
    assert isinstance(child.about, Roll)
    return child.about


def strip_status(console: Console) -> Strip | None:
    """Status of the last strip chart; None if there was none."""
    child = console.children.of(ROLE)
    return None if child is None else _told(console, child)


def _told(console: Console, child: Child) -> Strip:
    roll = _roll(child)
    state, said = outcome(child, roll)
    text = shown(console, said)
    return Strip(state=state, out=roll.name, channels=roll.channels, pages=roll.count(), text=text)


def outcome(child: Child, roll: Roll) -> tuple[Literal["drawing", "ended", "failed"], str]:
    """State, and a sentence once it has ended: the summary that the process prints, even if pages were lost."""
    if child.lives:
        return "drawing", ""
    said = child.said.rpartition("\n")[2].partition(":")[0]
    if roll.is_over and not said:  # a signal ended it before it could finish
        return "ended", NOTHING if not roll.count() else "it was ended at once; its last page is lost"
    if not child.failed:
        return "ended", NOTHING if said in ("", NO_PAGES) else said
    return "failed", said or child.complaint or SILENT


def router(console: Console) -> APIRouter:
    """The address."""
    api = APIRouter(route_class=SentenceRoute)

    @api.post("/api/strip", dependencies=[Depends(seated)])
    async def begin(wanted: StartStrip) -> Strip:
        """Start a strip chart of the live ring."""
        return await console.turns.working.take(lambda: begun(console, wanted))

    @api.delete("/api/strip", dependencies=[Depends(seated)])
    async def end() -> Strip:
        """End the strip chart; the last page is written as it is."""
        return await console.turns.working.take(lambda: ended(console))

    return api
