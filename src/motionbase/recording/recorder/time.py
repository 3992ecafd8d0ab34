"""Times of records in a recording, which never go back even if the writer's `t` does."""

from __future__ import annotations

import time
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array, Flags, Ints, Unsigned
from motionbase.recording.mcap.write import log_times

LONGEST_S = 1e9  # a larger `t` is not a valid time


class Stamped(NamedTuple):
    """Times of a batch of records.

    Attributes:
        utc_ns: (n,) UTC of each [ns], not falling
        back: how often `t` went back among them; the recording's time then advances by one period
        back_s: size of the first step back [s]
    """

    utc_ns: Unsigned
    back: int
    back_s: float


@final
class Timeline:
    """UTC of records from the writer's epoch and their `t`.

    A replay that is rewound, or a writer restarted after the clock was set back, repeats earlier times. The time of the
    recording then advances by one period of the records; `t` in the record is unchanged. So everything in a file can be
    found by time.

    Attributes:
        last: UTC of the newest record [ns], 0 before the first
    """

    def __init__(self) -> None:
        self.last = 0
        self._epoch = self._period = self._shift = 0
        self._seen = time.monotonic()

    def begin(self, epoch_utc_ns: int, period_s: float) -> None:
        """Begin a writer with its epoch and the time between its records."""
        self._epoch, self._period, self._shift = epoch_utc_ns, max(1, round(period_s * 1e9)), 0

    def go_on(self, last: int, shift: int) -> None:
        """Continue after a record of another recorder: its UTC, and how far that was ahead of its `t` [ns]."""
        self.last, self._shift = last, shift

    def stamps(self, t: Array) -> Stamped:
        """Times of records from their channel `t` [s]; an invalid one counts as one period after the record before."""
        known = np.abs(t) < LONGEST_S  # False for NaN
        utc = log_times(self._epoch, np.where(known, t, 0.0)).astype(np.int64)
        self._seen = time.monotonic()
        shifted = utc + self._shift
        before = self.last or int(shifted[0])
        if known.all() and (np.diff(shifted, prepend=before) >= 0).all():
            self.last = int(shifted[-1])
            return Stamped(shifted.astype(np.uint64), 0, 0.0)
        return self._mended(utc, known)

    def _mended(self, utc: Ints, known: Flags) -> Stamped:
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
        """UTC [ns] of a time of the writer [s] by its records' clock, at most now; 0 before the first record."""
        return min(self.now(), self._epoch + self._shift + round(t * 1e9)) if abs(t) < LONGEST_S else self.now()

    def now(self) -> int:
        """UTC of an event that happens now, by the records' clock [ns]; 0 before the first record."""
        return self.last + round((time.monotonic() - self._seen) * 1e9) if self.last else 0
