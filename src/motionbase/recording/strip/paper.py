"""Divides records into pages of time, with the least and the largest value for every tenth of a millimetre."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.strip.chart import PAPER_MM

PER_MM = 10  # columns: finer than any pen
COLUMNS = round(PAPER_MM * PER_MM)
ROUNDING = 1e-6  # of a column, so that records at the edge of columns all fall on the same side
LONGEST_S = 1e11  # a longer time is invalid
MOST_MARKS = 200  # listed on a page; others are counted


class Mark(NamedTuple):
    """An event at a time [s]: its kind and text."""

    t: float
    kind: str
    text: str


class Gap(NamedTuple):
    """Missing records between two times [s]: how many, 0 if unknown."""

    start: float
    stop: float
    lost: int


class Spoilt(NamedTuple):
    """Times of the first and last of consecutive unreadable records [s]."""

    start: float
    stop: float


class Break(NamedTuple):
    """The line is interrupted before a row: records lost there, None if a new writer began."""

    row: int
    lost: int | None


@final
@dataclass(eq=False)
class Page:
    """A page, filled by its records.

    Attributes:
        start: time of its left edge [s]
        number: from 1
        least, most, last: (pens, COLUMNS) values of the records in each column, NaN if there are none
        seen: (COLUMNS,) whether a column has records
        breaks: columns before which the line is interrupted
        before, after: records next to the page, as (place in columns, values), to continue the line to the edges
        damaged: ranges of unreadable records
        more: number of marks and gaps for which there was no room
    """

    start: float
    seconds: float
    number: int
    pens: int
    marks: list[Mark] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    damaged: list[Spoilt] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)
    before: tuple[float, Array] | None = None
    after: tuple[float, Array] | None = None
    more: int = 0

    def __post_init__(self) -> None:
        self.least = np.full((self.pens, COLUMNS), np.nan)
        self.most, self.last = self.least.copy(), self.least.copy()
        self.seen = np.zeros(COLUMNS, np.bool_)

    @property
    def stop(self) -> float:
        """Time of its right edge [s]."""
        return self.start + self.seconds

    def place(self, t: float) -> float:
        """Position of a time, in columns."""
        return (t - self.start) / self.seconds * COLUMNS

    def add(self, t: Array, values: Array) -> None:
        """Add (n, pens) values at (n,) non-decreasing times on this page."""
        place = (t - self.start) * (COLUMNS / self.seconds) + ROUNDING
        column = np.clip(place, 0, COLUMNS - 1).astype(np.int64)
        first = np.flatnonzero(np.diff(column, prepend=-1))
        at, rows = column[first], values.T
        self.least[:, at] = np.fmin(self.least[:, at], np.fmin.reduceat(rows, first, axis=1))
        self.most[:, at] = np.fmax(self.most[:, at], np.fmax.reduceat(rows, first, axis=1))
        self.last[:, at] = rows[:, np.append(first[1:], len(t)) - 1]
        self.seen[at] = True

    def note(self, what: Mark | Gap) -> None:
        """List a mark or gap, or only count it if there is no room."""
        kept: list[Mark] | list[Gap] = self.marks if isinstance(what, Mark) else self.gaps
        if len(kept) >= MOST_MARKS:
            self.more += 1
        else:
            kept.append(what)  # type: ignore[arg-type]  # each goes to the list of its kind


@final
class Paper:
    """Takes records in order and passes on full pages; pages without records are left out.

    Args:
        pens: number of pens
        seconds: time on a page
        full: called with each full page
        align: the first page begins at a multiple of this [s]
    """

    def __init__(self, pens: int, seconds: float, full: Callable[[Page], object], align: float = 1.0) -> None:
        self.pages, self.records = 0, 0
        self._pens, self._seconds, self._full, self._align = pens, seconds, full, align
        self._origin = math.nan
        self._page: Page | None = None
        self._waiting: list[Mark] = []
        self._last: tuple[float, Array] | None = None  # the newest record
        self._joined = False  # the next record continues the line

    @property
    def now(self) -> float:
        """Time of the newest record [s]; NaN before the first."""
        return self._last[0] if self._last else math.nan

    def add(self, t: Array, values: Array, breaks: Sequence[Break] = ()) -> None:
        """Add (n, pens) values at (n,) times [s], with the breaks of the line."""
        known = np.abs(t) < LONGEST_S  # False for NaN
        if not known.all():
            breaks = [Break(int(known[: b.row].sum()), b.lost) for b in breaks]
            t, values = t[known], values[known]
            self.mark("time", f"{int((~known).sum())} records without a time are left out")
        if not len(t):
            return
        self.records += len(t)
        cuts = {b.row: b.lost for b in breaks if b.row < len(t)}
        previous = self._last[0] if self._last else t[0]
        for row in np.flatnonzero(np.diff(t, prepend=previous) < 0).tolist():
            cuts.setdefault(row, None)
        edges = [0, *sorted(r for r in cuts if r), len(t)]
        for first, last in zip(edges, edges[1:], strict=False):
            if first in cuts:
                self._interrupt(float(t[first]), cuts[first])
            self._line(t[first:last], values[first:last])

    def mark(self, kind: str, text: str, t: float | None = None) -> None:
        """Mark an event at a time [s], default: now."""
        self._waiting.append(Mark(self.now if t is None else t, kind, text))

    def cut(self) -> None:
        """Pass on the page as it is; the next record begins another."""
        page, self._page = self._page, None
        if page is not None:
            self._settle(page, math.inf)
            self._full(page)

    def _interrupt(self, t: float, lost: int | None) -> None:
        self._joined = False
        if self._last is None:
            return
        before = self._last[0]
        if t < before:
            self.cut()
            self.mark("time", f"the time went back by {before - t:.3f} s", t)
        elif lost is not None:
            page = self._page_of(before)
            page.note(Gap(before, t, lost))
            if t >= page.stop and (next_page := self._page_of(t)) is not page:
                next_page.note(Gap(before, t, lost))

    def _line(self, t: Array, values: Array) -> None:
        """Add records in order of time, without a break."""
        while len(t):
            page = self._page_of(float(t[0]), values[0])
            inside = max(1, int(np.searchsorted(t, page.stop)))
            if not self._joined:
                page.breaks.add(max(0, min(COLUMNS - 1, int(page.place(float(t[0]))))))
            page.add(t[:inside], values[:inside])
            self._last, self._joined = (float(t[inside - 1]), values[inside - 1].copy()), True
            self._settle(page, self._last[0])
            t, values = t[inside:], values[inside:]

    def _page_of(self, t: float, values: Array | None = None) -> Page:
        """The page of a record; passes on the previous page if it is a new one."""
        if math.isnan(self._origin):
            self._origin = math.floor(t / self._align + 1e-9) * self._align
        start = self._origin + math.floor((t - self._origin) / self._seconds + 1e-9) * self._seconds
        page = self._page
        if page is not None and abs(start - page.start) < self._seconds / 2:
            return page
        if page is not None and self._joined and values is not None:
            page.after = (page.place(t), values.copy())
        self.cut()
        self.pages += 1
        self._page = page = Page(start, self._seconds, self.pages, self._pens)
        if self._joined and self._last is not None:
            page.before = (page.place(self._last[0]), self._last[1])
        return page

    def _settle(self, page: Page, until: float) -> None:
        """Put marks up to a time onto the page, earlier ones at its edge."""
        due = [m for m in self._waiting if not m.t > until and not m.t >= page.stop]
        self._waiting = [m for m in self._waiting if m not in due]
        for m in due:
            page.note(m._replace(t=page.start) if not m.t >= page.start else m)
