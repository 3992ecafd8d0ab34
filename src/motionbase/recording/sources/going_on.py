"""A time that continues where the channel `t` starts again because the writer was restarted."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array

LARGEST = 1e6  # [s] up to which a double resolves nanoseconds


class GoingOn:
    """Makes continuous times from `t`, block by block, and keeps the offset.

    After a restart the first record comes one period after the last, because the length of the pause is unknown. NaN
    and infinity count as one period after the record before.
    """

    def __init__(self, period: float) -> None:
        self.period, self.last, self.offset = period, -np.inf, 0.0

    def time(self, t: Array) -> Array:
        """(n,) [s], never falling."""
        if not len(t):
            return t
        steady = _nanoseconds(t + self.offset)
        if np.isfinite(steady).all() and steady[0] >= self.last and (np.diff(steady) >= 0).all():
            self.last = float(steady[-1])
            return steady
        out = np.empty(len(t))
        for k, x in enumerate(t):
            if not np.isfinite(x):
                now = self.last + self.period if np.isfinite(self.last) else 0.0
            else:
                offset = self.offset if x + self.offset >= self.last else self.last + self.period - x
                now = x + offset
                if np.isfinite(now):
                    self.offset = offset
                else:  # numbers near the limit of a double
                    now = self.last
            out[k] = self.last = float(_nanoseconds(np.array([now]))[0])
        return out


def _nanoseconds(t: Array) -> Array:
    """Rounded to whole nanoseconds, as in MCAP, so that 57 steps of 0.01 s give exactly 0.57."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(np.abs(t) < LARGEST, np.rint(t * 1e9) / 1e9, t)


def usual_period(t: Array) -> float:
    """Median of the steps [s]; 0 if there are none."""
    steps = np.diff(t[np.isfinite(t)])
    steps = steps[steps > 0]
    return float(np.median(steps)) if len(steps) else 0.0
