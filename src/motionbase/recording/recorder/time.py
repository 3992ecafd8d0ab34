"""Times of records in a recording: they never go back, whatever the writer's `t` does."""

from __future__ import annotations

import time
from typing import NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.recording.mcap.write import log_times

Stamps: TypeAlias = NDArray[np.uint64]
LONGEST_S = 1e9  # a `t` beyond is no time since any epoch


class Stamped(NamedTuple):
    """Times of some records.

    Attributes:
        utc_ns: (n,) UTC of each [ns], not falling
        back: how often `t` went back among them; the time of the recording goes on by a period there
        back_s: by how much the first time [s]
    """

    utc_ns: Stamps
    back: int
    back_s: float


@final
class Timeline:
    """UTC of records from the writer's epoch and their `t`.

    A replay that is rewound, or a writer that starts anew after the clock was set back, sends times that have been.
    The time of the recording then goes on by one period of the records; `t` in the record stays what it was. So
    everything in a file can be found by time.

    Attributes:
        last: UTC of the newest record [ns], 0 before the first
    """

    def __init__(self) -> None:
        self.last = 0
        self._epoch = self._period = self._shift = 0
        self._seen = time.monotonic()

    def begin(self, epoch_utc_ns: int, period_s: float) -> None:
        """A writer, with its epoch and the time between its records."""
        self._epoch, self._period, self._shift = epoch_utc_ns, max(1, round(period_s * 1e9)), 0

    def go_on(self, last: int, shift: int) -> None:
        """After a record that another recorder has written: its UTC, and how far that was ahead of its `t` [ns]."""
        self.last, self._shift = last, shift

    def stamps(self, t: NDArray[np.float64]) -> Stamped:
        """Of records by their channel `t` [s]; what is no time counts as a period after the record before."""
        known = np.abs(t) < LONGEST_S  # not so for NaN
        utc = log_times(self._epoch, np.where(known, t, 0.0)).astype(np.int64)
        self._seen = time.monotonic()
        shifted = utc + self._shift
        before = self.last or int(shifted[0])
        if known.all() and (np.diff(shifted, prepend=before) >= 0).all():
            self.last = int(shifted[-1])
            return Stamped(shifted.astype(np.uint64), 0, 0.0)
        return self._mended(utc, known)

    def _mended(self, utc: NDArray[np.int64], known: NDArray[np.bool_]) -> Stamped:
        out, back, back_s, last = np.empty(len(utc), np.uint64), 0, 0.0, self.last
        for k, (raw, sure) in enumerate(zip(utc.tolist(), known.tolist(), strict=True)):
            now = raw + self._shift if sure or not last else last + self._period
            if last and now < last:
                back_s = back_s if back else (last - now) * 1e-9
                back += 1
                self._shift += last + self._period - now
                now = last + self._period
            out[k] = last = now
        self.last = last
        return Stamped(out, back, back_s)

    def at(self, t: float) -> int:
        """UTC of a time of the writer [s], as its records have it [ns]; not later than now. 0 before the first."""
        return min(self.now(), self._epoch + self._shift + round(t * 1e9)) if abs(t) < LONGEST_S else self.now()

    def now(self) -> int:
        """UTC of an event that happens now, by the records' clock [ns]; 0 before the first record."""
        return self.last + round((time.monotonic() - self._seen) * 1e9) if self.last else 0
