"""Statistics of a recording from one pass: extremes, means and gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.recording.overview import Progress
from motionbase.recording.recording import Recording
from motionbase.recording.sources.going_on import usual_period

MOST_KEPT = 1000  # gaps and restarts listed; all are counted


class Gap(NamedTuple):
    """Missing records: time of the last one before [s], duration [s], and number by the usual period."""

    t: float
    seconds: float
    records: int


@final
@dataclass(frozen=True)
class Statistics:
    """Statistics of every channel in order, without NaN.

    Attributes:
        period: usual time between records [s], 0 for fewer than two
        least, most, mean, rms: (channels,) NaN for a channel without numbers
        missing: (channels,) number of NaN
        gaps: the first 1,000; gap_count, lost: all of them, and the records in them
        restarts: times at which `t` fell [s] because the writer restarted, the first 1,000; restart_count: all
    """

    period: float
    least: Array
    most: Array
    mean: Array
    rms: Array
    missing: Ints
    gaps: tuple[Gap, ...]
    gap_count: int
    lost: int
    restarts: tuple[float, ...]
    restart_count: int


def statistics(recording: Recording, progress: Progress | None = None) -> Statistics:
    """Statistics of a recording, in one pass."""
    width = len(recording.schema.channels)
    least, most = np.full(width, np.nan), np.full(width, np.nan)
    total, squares, missing = np.zeros(width), np.zeros(width), np.zeros(width, np.int64)
    gaps, restarts, gap_count, restart_count, lost = list[Gap](), list[float](), 0, 0, 0
    period = last_time = last_t = np.nan
    done = 0
    with np.errstate(all="ignore"):
        for time, rows in recording.pieces(tuple(recording.schema.index)):
            columns = rows.T
            np.fmin(least, np.fmin.reduce(columns, axis=1), out=least)
            np.fmax(most, np.fmax.reduce(columns, axis=1), out=most)
            none = np.isnan(columns)
            if none.any():
                missing += none.sum(axis=1)
                columns = np.where(none, 0.0, columns)
            total += columns.sum(axis=1)
            squares += np.einsum("ij,ij->i", columns, columns)
            if not period > 0:
                period = usual_period(time)
            steps = np.diff(time, prepend=last_time)
            found = np.flatnonzero(steps > 1.5 * period) if period > 0 else ()
            for k in found:
                before = float(time[k] - steps[k])
                gap = Gap(before, float(steps[k]), max(1, round(float(steps[k]) / period) - 1))
                gap_count, lost = gap_count + 1, lost + gap.records
                if len(gaps) < MOST_KEPT:
                    gaps.append(gap)
            fallen = np.flatnonzero(np.diff(rows[:, 0], prepend=last_t) < 0)
            restarts += time[fallen[: MOST_KEPT - len(restarts)]].tolist()
            restart_count += len(fallen)
            last_time, last_t, done = float(time[-1]), float(rows[-1, 0]), done + len(time)
            if progress is not None:
                progress(done, recording.count)
        numbers = np.where(missing < done, done - missing, np.nan)
        return Statistics(
            period if period > 0 else 0.0, least, most, total / numbers, np.sqrt(squares / numbers), missing,
            tuple(gaps), gap_count, lost, tuple(restarts), restart_count,
        )  # fmt: skip
