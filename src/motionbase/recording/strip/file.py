"""A strip chart of a recording."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Iterable, Iterator

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RecordingError
from motionbase.recording.happened import is_complete
from motionbase.recording.recorder.files import platform_name
from motionbase.recording.recording import Recording
from motionbase.recording.source import Damage
from motionbase.recording.strip.chart import Chart
from motionbase.recording.strip.draw import Heading
from motionbase.recording.strip.output import Plotter
from motionbase.recording.strip.paper import Break, Page, Paper, Spoilt
from motionbase.recording.strip.scale import Scale, fixed_scale, round_scale, time_step
from motionbase.recording.strip.strip import HINTS, Done, Hints, Strip

KNOWN, GUESSED = 1.5, 10.0  # a gap is longer than so many periods, for a known and an estimated period
ENVELOPE = 2000  # pixels of the envelope that sets the scale


def draw(strip: Strip, recording: Recording, start: float | None, stop: float | None, ended: threading.Event) -> Done:
    """Draw a recording between two times [s], in the memory of a few pages."""
    chart = strip.fitted(recording.schema)
    about = recording.source.about
    heading = Heading(
        about.get("platform_name") or platform_name(about.get("platform", "")) or recording.schema.name,
        f"{recording.source.kind} {recording.path.name}",
        _whole(about.get("epoch_utc_ns", "")),
    )
    scales = tuple(_scale_of(recording, chart, k, start, stop) for k in range(len(chart.pens)))
    plotter = Plotter(strip.sink, chart, heading, strip.say, patient=True, scales=scales)
    at = functools.cache(recording.time_of)

    def full(page: Page) -> None:
        """Add the damage to a page, which is known once all its records have been read."""
        found = (Spoilt(at(first), at(last - 1)) for first, last in _spoilt(recording.damage))
        page.damaged += [s for s in found if s.start < page.stop and s.stop >= page.start]
        plotter.put(page, ended.is_set)

    paper = Paper(len(chart.pens), chart.page_s, full, time_step(chart.speed)[0])
    for piece in _pieces(recording, chart, start, stop, paper, Hints(paper, strip.names)):
        paper.add(*piece)
        if ended.is_set():
            break
    paper.cut()
    left = plotter.close(math.inf, ended.is_set)
    if plotter.trouble:
        raise RecordingError(plotter.trouble)
    return Done(paper.records, paper.pages, left)


def _spoilt(damage: Iterable[Damage]) -> list[tuple[int, int]]:
    """Ranges of unreadable records, merged if adjacent; missing records are gaps instead."""
    found: list[tuple[int, int]] = []
    for first, last in sorted((d.first, d.last) for d in damage if d.first is not None and d.last is not None):
        if first == last:
            continue
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def _pieces(
    recording: Recording, chart: Chart, start: float | None, stop: float | None, paper: Paper, hints: Hints
) -> Iterator[tuple[Array, Array, list[Break]]]:
    """Times, values of the pens, and breaks, piece by piece; marks events on the paper."""
    wanted = [pen.channel for pen in chart.pens]
    names = list(dict.fromkeys(["t", *wanted, *(h for h in HINTS if h in recording.schema.index)]))
    places = [names.index(name) for name in wanted]
    first, last = recording.rows_between(start, stop)
    period, factor = _period(recording)
    marked = HINTS if is_complete(recording.source) else ()  # the other events are found in the records below
    events = iter(sorted((e for e in recording.events if e.person or e.kind not in marked), key=lambda e: e.t))
    event = next(events, None)
    begun = -math.inf if start is None else start
    before: tuple[float, float] | None = None
    for t, values in recording.pieces(names, first, last):
        if not math.isfinite(period) and len(t) > 2:
            period = float(np.median(np.diff(t)))
        while event is not None and event.t <= t[-1]:
            if event.t >= begun:
                paper.mark(event.kind, event.text, event.t)
            event = next(events, None)
        for name in HINTS:
            if name in names:
                hints.look(t, name, values[:, names.index(name)])
        own = values[:, 0]
        yield t, values[:, places], _breaks(t, own, before, period, factor)
        before = float(t[-1]), float(own[-1])
    while event is not None and (stop is None or event.t <= stop):
        paper.mark(event.kind, event.text, event.t)
        event = next(events, None)


def _breaks(t: Array, own: Array, before: tuple[float, float] | None, period: float, factor: float) -> list[Break]:
    """Breaks where the time jumps. The writer's `t` jumps equally if records are lost, and falls after a restart."""
    if not period > 0:
        return []
    steps = np.diff(t, prepend=before[0] if before else t[0] - period)
    own_steps = np.diff(own, prepend=before[1] if before else own[0] - period)
    found = []
    for row in np.flatnonzero(steps > factor * period).tolist():
        lost = None
        if abs(own_steps[row] - steps[row]) <= 0.5 * period:
            lost = max(0, round(steps[row] / period) - 1) if factor == KNOWN else 0
        found.append(Break(row, lost))
    return found


def _period(recording: Recording) -> tuple[float, float]:
    """Time between records [s], NaN if the file does not say it, and the number of periods that make a gap."""
    about = recording.source.about
    try:
        period = float(about["dt"]) * float(about["every"])
    except (KeyError, ValueError):
        return math.nan, GUESSED
    return (period, KNOWN) if 0 < period < math.inf else (math.nan, GUESSED)


def _scale_of(recording: Recording, chart: Chart, k: int, start: float | None, stop: float | None) -> Scale | None:
    """One scale for all pages: that of the pen, or one that fits everything to be drawn."""
    pen = chart.pens[k]
    if pen.names:
        return None
    if pen.range is not None:
        return fixed_scale(*pen.range, pen.grid)
    found = recording.envelope(pen.channel, start, stop, ENVELOPE)
    ends = np.concatenate([found.least, found.most]) * pen.scale
    ends = ends[np.isfinite(ends)]
    return round_scale(float(ends.min()), float(ends.max()), pen.span) if len(ends) else None


def _whole(text: str) -> int | None:
    try:
        return int(text) if abs(int(text)) < 2**62 else None
    except ValueError:
        return None
