"""A strip chart of a live ring. It only reads, so output errors affect only the chart."""

from __future__ import annotations

import math
import threading
import time
from typing import final

import numpy as np

from motionbase.errors import MotionBaseError, RecordingError
from motionbase.recording.recorder.files import platform_name
from motionbase.recording.strip.draw import Heading
from motionbase.recording.strip.output import Plotter
from motionbase.recording.strip.paper import Break, Paper
from motionbase.recording.strip.scale import time_step
from motionbase.recording.strip.strip import HINTS, Done, Hints, Strip
from motionbase.ring.layout import Header
from motionbase.ring.reader import Batch, Reader, ReaderState

EJECT_S = 10.0  # after so long without records the page is written as it is
LOOK_S = 0.05
NO_RING = (ReaderState.NO_SEGMENT, ReaderState.NOT_INITIALISED)


def follow(strip: Strip, ring: str, seconds: float, ended: threading.Event) -> Done:
    """Draw for `seconds` or until `ended`, through stops and restarts of the writer."""
    with _attached(ring) as reader:
        live = Live(strip, reader)
        end = time.monotonic() + seconds
        while not ended.is_set() and time.monotonic() < end:
            live.look(LOOK_S)
        return live.done()


def _attached(ring: str) -> Reader:
    """A reader: a ring that starts later is drawn from its first record, an existing one from now on."""
    reader = Reader(ring)
    return Reader(ring, start="oldest") if reader.state in NO_RING else reader


@final
class Live:
    """Draws the records of a reader."""

    def __init__(self, strip: Strip, reader: Reader) -> None:
        self._strip, self._reader = strip, reader
        self._plotter: Plotter | None = None
        self._header: Header | None = None
        self._state: ReaderState | None = None
        self._epoch_utc_ns, self._shift, self._complaint = 0, 0.0, ""
        self._places: list[int] = []
        self._news = ""
        self._moved = time.monotonic()
        if reader.state not in NO_RING:
            strip.fitted(reader.schema)  # report a chart that does not fit at once

    @property
    def records(self) -> int:
        """Number of records drawn so far."""
        return self._paper.records if self._plotter is not None else 0

    def look(self, seconds: float) -> None:
        """Wait up to `seconds` for records, and draw them."""
        try:
            batch = self._reader.wait(seconds)
        except MotionBaseError as e:  # the file of that name is no longer a readable ring
            if str(e) != self._complaint:
                self._complaint = str(e)
                self._strip.say(str(e))
            time.sleep(seconds)
            return
        self._complaint = ""
        self._take(batch)
        if self._plotter is not None:
            self._plotter.watch()
            if time.monotonic() - self._moved > EJECT_S:
                self._moved = math.inf
                self._paper.cut()

    def done(self) -> Done:
        """Write the last page as it is, and end."""
        if self._plotter is None:
            self._strip.sink.close()
            return Done(0, 0, 0)
        self._take(self._reader.read())
        self._paper.cut()
        return Done(self._paper.records, self._paper.pages, self._plotter.close())

    def _take(self, batch: Batch) -> None:
        fresh = False
        if len(batch.rows) or batch.lost:
            fresh = self._followed(self._reader.header)
        if self._reader.state is not self._state:
            self._state = self._reader.state
            self._strip.say(f"ring {self._reader.name!r}: {self._state.value}")
            if self._plotter is not None and self._state is ReaderState.STOPPED:
                self._paper.mark("writer", "stopped")
        if not len(batch.rows):
            return
        self._moved = time.monotonic()
        rows = batch.rows
        t = rows[:, 0] + self._shift
        values = np.where(np.array(self._places) < 0, np.nan, rows[:, self._places])
        for name in HINTS:
            if (place := self._reader.schema.index.get(name)) is not None:
                self._hints.look(t, name, rows[:, place])
        if fresh:
            self._paper.mark("writer", self._news, float(t[0]))
        breaks = [Break(0, batch.lost)] if batch.lost and not fresh else [Break(0, None)] if fresh else []
        self._paper.add(t, values, breaks)

    def _followed(self, header: Header) -> bool:
        """Whether a new writer has begun; the paper's time continues from the first writer's epoch."""
        if self._header is not None and header.epoch == self._header.epoch:
            return False
        first, self._header = self._header is None, header
        schema = header.layout.schema
        if first:
            self._began(header)
        self._shift = (header.epoch_utc_ns - self._epoch_utc_ns) / 1e9
        self._places = [schema.index.get(pen.channel, -1) for pen in self._chart.pens]
        missing = [pen.channel for pen in self._chart.pens if pen.channel not in schema.index]
        without = f"; its records have no {', '.join(missing)}" if missing else ""
        self._news = f"restarted: {header.writer}, process {header.writer_pid}{without}"
        if not first:
            self._strip.say(f"ring {self._reader.name!r}: {self._news}")
        return not first

    def _began(self, header: Header) -> None:
        strip, layout = self._strip, header.layout
        try:
            self._chart = strip.fitted(layout.schema)
        except MotionBaseError as e:
            raise RecordingError(f"ring {self._reader.name!r}: {e}") from None
        self._epoch_utc_ns = header.epoch_utc_ns
        heading = Heading(
            platform_name(layout.platform) or layout.schema.name,
            f"ring {self._reader.name}, {self._reader.backend.kind}, written by {header.writer}",
            header.epoch_utc_ns,
        )
        self._plotter = Plotter(strip.sink, self._chart, heading, strip.say)
        step = time_step(self._chart.speed)[0]
        self._paper = Paper(len(self._chart.pens), self._chart.page_s, self._plotter.put, step)
        self._hints = Hints(self._paper, strip.names)
