"""Scales of lanes and of time with round numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
NOTHING = 1e-9  # smaller values are rounding errors and do not set the scale
LEAST_SPAN = 1e-3  # smallest span as a fraction of the largest value, so that a constant signal is a flat line


class Scale(NamedTuple):
    """Values at the edges of a lane, and the number of divisions between them."""

    low: float
    high: float
    divisions: int

    @property
    def step(self) -> float:
        """Size of a division."""
        return (self.high - self.low) / self.divisions


def fixed_scale(low: float, high: float, divisions: int = 0) -> Scale:
    """Scale of a given range; without `divisions`, those that give the roundest numbers."""
    if divisions:
        return Scale(low, high, divisions)
    for n in (4, 5, 6, 8, 10, 3, 2):
        step = (high - low) / n
        lead = step / 10.0 ** math.floor(math.log10(step))
        if any(math.isclose(lead, r, rel_tol=1e-6) for r in ROUND) and _is_whole(low / step):
            return Scale(low, high, n)
    return Scale(low, high, 4)


def round_scale(least: float, most: float, span: float = 0.0) -> Scale:
    """The smallest scale of four to six round divisions that holds the values with a margin, and at least `span`."""
    largest = max(abs(least), abs(most))
    if not math.isfinite(largest) or largest < NOTHING:
        return fixed_scale(-span / 2, span / 2) if span else Scale(-1.0, 1.0, 4)
    room = max(1.1 * (most - least), LEAST_SPAN * largest, 0.9 * span)
    middle = (least + most) / 2
    bottom, top = middle - room / 2, middle + room / 2
    if 0 <= least < 0.2 * most:  # a scale of non-negative values begins at zero
        bottom, top = 0.0, max(top, room)
    if 0 >= most > 0.2 * least:
        bottom, top = min(bottom, -room), 0.0
    step = 10.0 ** math.floor(math.log10((top - bottom) / 4))
    while True:
        for r in ROUND[:-1]:
            low, high = math.floor(bottom / (r * step) + 1e-9), math.ceil(top / (r * step) - 1e-9)
            if high - low <= 6:
                while high - low < 4:  # centred on the values
                    down = bottom - low * r * step < high * r * step - top and low != 0
                    low, high = (low - 1, high) if down else (low, high + 1)
                return Scale(low * r * step, high * r * step, high - low)
        step *= 10


def time_step(mm_per_s: float) -> tuple[float, int]:
    """Seconds between the strong lines, 8 to 21 mm apart, and the fine parts of each."""
    wanted = 8.0 / mm_per_s
    for r, parts in ((1, 5), (2, 4), (5, 5), (10, 5)):
        step = r * 10.0 ** math.floor(math.log10(wanted))
        if step >= wanted * (1 - 1e-9) and step < 60:
            return step, parts
    for step, parts in ((60.0, 6), (120.0, 4), (300.0, 5), (600.0, 5), (1200.0, 4), (1800.0, 6)):
        if step >= wanted * (1 - 1e-9):
            return step, parts
    return 3600.0, 6


def number(value: float, step: float) -> str:
    """A number of a scale, with the digits that its step needs."""
    if abs(value) < 1e-9 * abs(step):
        return "0"
    if not 1e-4 <= abs(step) < 1e6:
        return f"{value:.4g}"
    digits = max(0, -math.floor(math.log10(abs(step)) + 1e-9))
    if not _is_whole(step * 10**digits):
        digits += 1  # steps of 2.5
    return f"{value:.{digits}f}"


def _is_whole(x: float) -> bool:
    return abs(x - round(x)) < 1e-6
