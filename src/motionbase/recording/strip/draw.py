"""Draws a page of a strip chart: A4 landscape, in millimetres from the lower left corner."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from motionbase.recording.strip.chart import PAPER_MM, PAPERS, Chart, Pen
from motionbase.recording.strip.lane import SIGNAL, Lane, draw_band, draw_line
from motionbase.recording.strip.paper import COLUMNS, Page
from motionbase.recording.strip.scale import Scale, fixed_scale, number, round_scale, time_step

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, HIGH = 297.0, 210.0  # [mm]
LEFT, TOP, BOTTOM = 39.0, 184.0, 17.0  # edges of the paper [mm]
RIGHT = LEFT + PAPER_MM
BETWEEN, BAND = 1.2, 5.5  # [mm] between lanes; height of a band with names
MARK_ROWS, MARK_MM = 4, 2.5
LETTER_MM = 1.13  # mean width of a letter of 6 pt
DPI = 150  # of PNG pages
KINDS = {"gap": SIGNAL, "estop": SIGNAL, "fault": SIGNAL, "note": "#0b4f9e"}
GREY = "#555555"


@final
@dataclass(frozen=True)
class Heading:
    """Source of the records, in the header of every page.

    Attributes:
        platform: platform or title of the chart; source: the ring or the file
        epoch_utc_ns: UTC from which times count [ns since 1970]; None if unknown
    """

    platform: str
    source: str
    epoch_utc_ns: int | None


def scales_for(chart: Chart, page: Page, before: tuple[Scale | None, ...]) -> tuple[Scale | None, ...]:
    """Scale of every lane: that of the pen, else round numbers around the records, at least as large as before."""
    found: list[Scale | None] = []
    for k, pen in enumerate(chart.pens):
        if pen.names:
            found.append(None)
        elif pen.range is not None:
            found.append(fixed_scale(*pen.range, pen.grid))
        else:
            found.append(_following(pen, page.least[k], page.most[k], before[k] if before else None))
    return tuple(found)


def _following(pen: Pen, least: Any, most: Any, before: Scale | None) -> Scale:
    ends = np.concatenate([least, most]) * pen.scale
    ends = ends[np.isfinite(ends)]
    if not len(ends):
        return before or Scale(-1.0, 1.0, 4)
    low, high = float(ends.min()), float(ends.max())
    if before is not None:
        if before.low <= low and high <= before.high:
            return before
        low, high = min(low, before.low), max(high, before.high)
    return round_scale(low, high, pen.span)


def rendered(
    page: Page, chart: Chart, heading: Heading, scales: tuple[Scale | None, ...], form: Literal["pdf", "png"]
) -> bytes:
    """The page as a complete file."""
    out = io.BytesIO()
    figure(page, chart, heading, scales).savefig(out, format=form, dpi=DPI)
    return out.getvalue()


def prepare() -> None:
    """Import matplotlib, which takes longer than drawing a page."""
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_pdf
    import matplotlib.collections
    import matplotlib.figure
    import matplotlib.patches
    import matplotlib.patheffects  # noqa: F401


def figure(page: Page, chart: Chart, heading: Heading, scales: tuple[Scale | None, ...]) -> Figure:
    """The page as a matplotlib figure."""
    from matplotlib.figure import Figure

    made = Figure(figsize=(WIDE / 25.4, HIGH / 25.4))
    axes = made.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDE), ylim=(0, HIGH))
    axes.axis("off")
    ink, fine = PAPERS[chart.paper], time_step(chart.speed)
    _head(axes, page, chart, heading)
    _time(axes, page, fine, heading)
    for lane, (k, pen) in zip(_lanes(chart), enumerate(chart.pens), strict=True):
        lane_of = Lane(axes, pen, LEFT, RIGHT, *lane)
        scale = scales[k]
        if scale is None:
            draw_band(lane_of, page, k)
        else:
            lane_of.paper(scale, _fine_lines(page, fine), ink)
            draw_line(lane_of, page, k, scale)
    _bands(axes, page)
    _marks(axes, page)
    return made


def _lanes(chart: Chart) -> list[tuple[float, float]]:
    """Lower and upper edges, from top to bottom."""
    bands = sum(1 for pen in chart.pens if pen.names)
    lines = len(chart.pens) - bands
    left = TOP - BOTTOM - BETWEEN * (len(chart.pens) - 1) - BAND * bands
    height = left / lines if lines else 0.0
    edges, at = [], TOP
    for pen in chart.pens:
        tall = BAND if pen.names else height
        edges.append((at - tall, at))
        at -= tall + BETWEEN
    return edges


def _x(page: Page, t: float) -> float:
    return LEFT + PAPER_MM * page.place(t) / COLUMNS


def _fine_lines(page: Page, step: tuple[float, int]) -> tuple[list[float], list[float]]:
    """Places [mm] of the strong and of the fine lines of time."""
    seconds, parts = step
    first, last = round(page.start / seconds * parts), round(page.stop / seconds * parts)
    strong: list[float] = []
    fine: list[float] = []
    for k in range(first, last + 1):
        if LEFT - 1e-6 <= (x := _x(page, k * seconds / parts)) <= RIGHT + 1e-6:
            (fine if k % parts else strong).append(x)
    return strong, fine


def _head(axes: Axes, page: Page, chart: Chart, heading: Heading) -> None:
    title = chart.title or heading.platform
    axes.text(LEFT, 201.5, title, fontsize=11, fontweight="bold", va="center", parse_math=False)
    axes.text(LEFT, 196.6, heading.source, fontsize=7, va="center", color=GREY, parse_math=False)
    axes.text(RIGHT, 201.5, f"page {page.number}", fontsize=11, fontweight="bold", va="center", ha="right")
    parts = [f"{chart.speed:g} mm/s"]
    if (utc := _utc(heading, page.start)) is not None:
        parts.insert(0, utc.strftime("%Y-%m-%d  %H:%M:%S UTC"))
    axes.text(RIGHT, 196.6, "    ".join(parts), fontsize=7, va="center", ha="right", color=GREY)


def _utc(heading: Heading, t: float) -> datetime | None:
    if heading.epoch_utc_ns is None:
        return None
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=heading.epoch_utc_ns // 1000 + round(t * 1e6))
    except OverflowError:
        return None


def _time(axes: Axes, page: Page, step: tuple[float, int], heading: Heading) -> None:
    """Seconds under the strong lines, UTC under every other one."""
    seconds, _ = step
    first = round(page.start / seconds)
    places = [
        k for k in range(first, round(page.stop / seconds) + 1) if LEFT - 1e-6 <= _x(page, k * seconds) <= RIGHT + 1
    ]
    widest = max((len(number(k * seconds, seconds)) for k in places), default=1)
    every = 1 if (len(places) - 1) * (widest + 1.5) * LETTER_MM < PAPER_MM else 2
    for n, k in enumerate(places):
        x, t = _x(page, k * seconds), k * seconds
        axes.plot([x, x], [BOTTOM, BOTTOM - 1.2], color="black", linewidth=0.5)
        if k % every == 0:
            axes.text(x, BOTTOM - 3.2, number(t, seconds), fontsize=6.5, ha="center", va="center")
        if n % 5 == 0 and (utc := _utc(heading, t)) is not None:
            digits = 0 if seconds >= 1 else 3
            text = utc.strftime("%H:%M:%S") + (f".{utc.microsecond // 1000:03d}" if digits or utc.microsecond else "")
            axes.text(min(x, WIDE - 10), BOTTOM - 7.0, text, fontsize=6, ha="center", va="center", color=GREY)
    axes.text(4, BOTTOM - 3.2, "time [s]", fontsize=6.5, va="center")
    if heading.epoch_utc_ns is not None:
        axes.text(4, BOTTOM - 7.0, "UTC", fontsize=6, va="center", color=GREY)


def _bands(axes: Axes, page: Page) -> None:
    """Mark missing records, with their number, and unreadable ones."""
    from matplotlib.patches import Rectangle

    found = [
        (*gap[:2], f"{gap.lost} lost" if gap.lost else f"{gap.stop - gap.start:.3g} s missing") for gap in page.gaps
    ]
    found += [(*stretch, "damaged") for stretch in page.damaged]
    end = -1.0
    for start, stop, text in sorted(found):
        low, high = max(LEFT, _x(page, start)), min(RIGHT, _x(page, stop))
        axes.add_patch(
            Rectangle(
                (low, BOTTOM), max(high - low, 0.3), TOP - BOTTOM, color=SIGNAL, alpha=0.13, linewidth=0, zorder=5
            )
        )
        if low > end:
            x = min(low, RIGHT - LETTER_MM * len(text))
            axes.text(x, BOTTOM - 10.3, text, fontsize=6, color=SIGNAL, va="center")
            end = x + LETTER_MM * (len(text) + 2)


def _marks(axes: Axes, page: Page) -> None:
    """A line through all lanes for each event, with its text above in the first row that has room."""
    free = [LEFT - 1.0] * MARK_ROWS
    hidden = page.more
    for mark in sorted(page.marks, key=lambda m: m.t):
        x, colour = min(max(_x(page, mark.t), LEFT), RIGHT), KINDS.get(mark.kind, GREY)
        text = f"{mark.kind}: {mark.text}" if mark.text else mark.kind
        text = " ".join(text.split())
        text = text if len(text) <= 60 else f"{text[:58]} ..."
        wide = LETTER_MM * (len(text) + 2)
        left = min(x + 0.6, RIGHT - wide)
        row = next((r for r in range(MARK_ROWS) if free[r] <= left), None)
        top = TOP + 0.8 if row is None else TOP + 0.8 + MARK_MM * (row + 0.5)
        axes.plot([x, x], [BOTTOM, top], color=colour, linewidth=0.6, linestyle=(0, (5, 2)), zorder=6)
        if row is None:
            hidden += 1
            continue
        free[row] = left + wide
        axes.text(left, top, text, fontsize=6, color=colour, va="center", parse_math=False)
    if hidden:
        axes.text(
            RIGHT,
            HIGH - 4.0,
            f"and {hidden} more mark{'' if hidden == 1 else 's'}",
            fontsize=6,
            color=SIGNAL,
            ha="right",
            va="center",
        )
