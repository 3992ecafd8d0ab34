"""One lane of the paper: grid, labels, and the line of its pen or a band with names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.recording.strip.chart import Pen
from motionbase.recording.strip.paper import COLUMNS, Page
from motionbase.recording.strip.scale import Scale, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIGNAL = "#c00020"  # colour of values off the scale and other warnings
LEAST_FINE_MM = 0.9
LABEL_MM = 3.0  # between numbers of a scale, at least
PT = 72 / 25.4  # points in a millimetre
TAGS, TAG_MM = 4, 14.0  # most peaks off the scale that get a number, and the room for each
BESIDE_MM = 1.2  # between a mark at the edge and its number
BANDS = ("#e9e9e9", "#dfe7ef", "#f7dcd3", "#f3ead2", "#e6def0", "#d3ead8", "#d5e9ec")
LETTER_MM = 1.15


@final
@dataclass(frozen=True, eq=False)
class Lane:
    """The area in which a pen draws [mm]."""

    axes: Axes
    pen: Pen
    left: float
    right: float
    low: float
    high: float

    def y(self, values: Array | float, scale: Scale) -> Array:
        """Heights of values, clipped to the edges."""
        part = (np.asarray(values) - scale.low) / (scale.high - scale.low)
        return np.asarray(self.low + (self.high - self.low) * np.clip(part, 0.0, 1.0))

    def x(self, columns: Array) -> Array:
        """Horizontal positions of columns."""
        return np.asarray(self.left + (self.right - self.left) * columns / COLUMNS)

    def paper(self, scale: Scale, times: tuple[list[float], list[float]], ink: str) -> None:
        """Draw grid, frame, numbers and labels."""
        from matplotlib.collections import LineCollection

        strong, fine = times
        step = (self.high - self.low) / scale.divisions
        parts = next((p for p in (5, 4, 2) if step / p >= LEAST_FINE_MM), 1)
        heights = [self.low + step * k / parts for k in range(1, scale.divisions * parts)]
        across = [[(self.left, y), (self.right, y)] for y in heights]
        main = [line for k, line in enumerate(across, start=1) if k % parts == 0]
        rest = [line for k, line in enumerate(across, start=1) if k % parts]
        upright = [[[(x, self.low), (x, self.high)] for x in xs] for xs in (strong, fine)]
        self.axes.add_collection(
            LineCollection([*rest, *upright[1]], colors=ink, linewidths=0.25, alpha=0.32, zorder=1)
        )
        self.axes.add_collection(
            LineCollection([*main, *upright[0]], colors=ink, linewidths=0.45, alpha=0.75, zorder=1)
        )
        self.frame()
        if scale.low < 0 < scale.high:
            y = float(self.y(0.0, scale))
            self.axes.plot([self.left, self.right], [y, y], color=ink, linewidth=0.9, zorder=1.5)
        self._numbers(scale)
        self.label(f"{scale.step:.4g}/div" if self.high - self.low > 8 else "")

    def frame(self) -> None:
        """Draw the frame of the lane."""
        from matplotlib.patches import Rectangle

        size = self.right - self.left, self.high - self.low
        self.axes.add_patch(
            Rectangle((self.left, self.low), *size, fill=False, edgecolor="#333333", linewidth=0.6, zorder=4)
        )

    def _numbers(self, scale: Scale) -> None:
        """Write numbers at the divisions, fewer if there is no room."""
        room = (self.high - self.low) / scale.divisions
        every = next((n for n in range(1, scale.divisions) if scale.divisions % n == 0 and n * room >= LABEL_MM), 0)
        for k in range(0, scale.divisions + 1, every or scale.divisions):
            edge = {0: "bottom", scale.divisions: "top"}.get(k, "center")
            y = self.low + k * room + {"bottom": 0.1, "top": -0.1}.get(edge, 0.0)
            text = number(scale.low + k * scale.step, scale.step)
            self.axes.text(self.left - 1.2, y, text, fontsize=5.5, ha="right", va=edge, color="#333333")

    def label(self, division: str) -> None:
        """Write name, unit and channel at the left."""
        pen, middle = self.pen, (self.low + self.high) / 2
        tall = self.high - self.low
        size, line = (8.0, 3.4) if tall > 12 else (7.0, 2.8)
        rows = [(pen.label, size, "bold", pen.colour)]
        if tall > 7:
            unit = "" if pen.unit in ("", "-") else pen.unit
            rows.append((f"[{unit}]   {division}".strip() if unit else division, 6.0, "normal", "#333333"))
        if tall > 10 and pen.label != pen.channel:
            rows.append((pen.channel, 5.0, "normal", "#777777"))
        y = middle + line * (len([r for r in rows if r[0]]) - 1) / 2
        for text, points, weight, colour in rows:
            if text:
                points = min(points, points * 25 / (0.62 * points / PT * 1.02 * len(text) + 1e-9))
                self.axes.text(
                    4, y, text, fontsize=points, fontweight=weight, color=colour, va="center", parse_math=False
                )
                y -= line


def draw_line(lane: Lane, page: Page, k: int, scale: Scale) -> None:
    """Draw a line between the least and the largest value of every column, interrupted at breaks."""
    from matplotlib.patches import Rectangle

    pen = lane.pen
    at = np.flatnonzero(page.seen)
    ends = np.stack([page.least[k, at], page.most[k, at]], axis=1) * pen.scale
    columns = np.repeat(at + 0.5, 2)
    values = np.sort(ends, axis=1).ravel()  # a negative scale reverses their order
    cuts = np.searchsorted(at, sorted(page.breaks)) * 2
    columns, values = np.insert(columns, cuts, np.nan), np.insert(values, cuts, np.nan)
    if page.before is not None:
        columns, values = np.append(page.before[0], columns), np.append(page.before[1][k] * pen.scale, values)
    if page.after is not None:
        columns, values = np.append(columns, page.after[0]), np.append(values, page.after[1][k] * pen.scale)
    (line,) = lane.axes.plot(
        lane.x(columns), lane.y(values, scale), color=pen.colour, linewidth=pen.width * PT,
        solid_joinstyle="round", solid_capstyle="round", zorder=3,
    )  # fmt: skip
    line.get_path().should_simplify = False  # keep every spike
    margin = pen.width / 2
    inside = (lane.left, lane.low - margin), lane.right - lane.left, lane.high - lane.low + 2 * margin
    line.set_clip_path(Rectangle(*inside, transform=lane.axes.transData))
    low, high = ends.min(axis=1), ends.max(axis=1)
    _beyond(lane, at[high > scale.high], high[high > scale.high], up=True)
    _beyond(lane, at[low < scale.low], low[low < scale.low], up=False)


def _beyond(lane: Lane, at: Ints, values: Array, up: bool) -> None:
    """Draw a thick mark at the edge while the value is off the scale, with its peak."""
    from matplotlib.patheffects import withStroke

    if not len(at):
        return
    starts = np.flatnonzero(np.diff(at, prepend=-99) > 10)  # excursions within a millimetre are one
    stops = np.append(starts[1:], len(at))
    edge, inside = (lane.high, -1.0) if up else (lane.low, 1.0)
    peaks = []
    for first, last in zip(starts, stops, strict=True):
        begin, end = lane.x(np.array([at[first], at[last - 1] + 1.0])).tolist()
        lane.axes.plot([begin, end], [edge, edge], color=SIGNAL, linewidth=2.2, solid_capstyle="butt", zorder=4.5)
        part = values[first:last]
        peaks.append((float(part.max() if up else part.min()), begin, end))
    halo = [withStroke(linewidth=1.4, foreground="white")]  # readable where the line crosses it
    taken: list[float] = []
    for value, begin, end in sorted(peaks, reverse=up):
        if len(taken) < TAGS and all(abs(end - other) > TAG_MM for other in taken):
            taken.append(end)
            beside, side = end + BESIDE_MM, "left"
            if end > lane.right - TAG_MM:  # left of the mark, or under its end if there is no room
                beside, side = (begin if begin > lane.left + TAG_MM else end) - BESIDE_MM, "right"
            lane.axes.text(
                beside, edge + inside * 0.7, f"{'▲' if up else '▼'} {value:.4g}", fontsize=5.5, color=SIGNAL, ha=side,
                va="top" if up else "bottom", zorder=7, path_effects=halo,
            )  # fmt: skip


def draw_band(lane: Lane, page: Page, k: int) -> None:
    """Draw whole numbers as bands with their names."""
    from matplotlib.patches import Rectangle

    at = np.flatnonzero(page.seen)
    values = page.last[k, at]
    with np.errstate(invalid="ignore"):
        codes = np.where(np.abs(values) < 2**31, np.round(values), -1).astype(np.int64)
    opens = np.isin(at, sorted(page.breaks)) | (np.diff(codes, prepend=codes[:1] - 1) != 0)
    opens[1:] |= np.isnan(values[1:]) != np.isnan(values[:-1])
    starts = np.flatnonzero(opens)
    breaks = np.isin(at, sorted(page.breaks))
    for n, first in enumerate(starts):
        last = starts[n + 1] if n + 1 < len(starts) else len(at)
        joined = last < len(at) and not breaks[last]  # up to where the next begins
        left, right = lane.x(np.array([at[first], at[last] if joined else at[last - 1] + 1.0]))
        if np.isnan(values[first]):
            continue
        code, wide = int(codes[first]), float(right - left)
        lane.axes.add_patch(
            Rectangle(
                (float(left), lane.low),
                wide,
                lane.high - lane.low,
                facecolor=BANDS[code % len(BANDS)],
                edgecolor="white" if wide > 1 else "none",
                linewidth=0.5,
                zorder=2,
            )  # fmt: skip
        )
        name = lane.pen.names[code] if 0 <= code < len(lane.pen.names) else str(code)
        if wide > LETTER_MM * (len(name) + 1):
            lane.axes.text(
                float(left + right) / 2, (lane.low + lane.high) / 2, name, fontsize=6.5, ha="center", va="center",
                parse_math=False, zorder=3,
            )  # fmt: skip
    lane.frame()
    lane.label("")
