"""History of a ring in bounded memory: the newest records in full, and older ones as extremes.

A bucket is b consecutive records. Whole buckets of 16, 256 and 4096 records are kept in circular buffers; others are
made from these on request, and so is the last bucket, which may be incomplete. No spike is ever lost: a bucket has the
least and the largest value of every column. One thread appends; any thread may read.
"""

from __future__ import annotations

import math
import threading
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.console.live.levels import STEP, Buckets, Circle, Level, Places, grouped, joined
from motionbase.errors import MotionBaseError

RAW_BYTES = 96 * 1024 * 1024  # of full records
MOST_RECORDS, LEAST_RECORDS = 1 << 18, 64
SHARES = (4, 8, 32)  # number of buckets of each level, as a fraction of the records
LEAST_BUCKETS = 2 * STEP
PIECE = 8192  # records that statistics process under the lock, which bounds the wait of others
EVERYTHING = slice(None)


class Window(NamedTuple):
    """A stretch of time: buckets of `size` records from number `first` on, with the time [s] of each first record."""

    size: int
    first: int
    t: Array
    least: Array
    most: Array
    first_t: float
    last_t: float


class Summary(NamedTuple):
    """Summary of one column over a stretch of time, without NaN. `mean` and `rms` are NaN if the records are gone."""

    n: int
    least: float
    most: float
    mean: float
    rms: float
    first: float
    last: float


@final
class History:
    """History of one generation: one writer, one schema, non-decreasing time.

    Args:
        columns: of the ring's records, time first
        spare: columns that may be added later
        records: kept in full; by default as many as fit in 96 MiB
    """

    def __init__(self, columns: int, spare: int = 0, records: int | None = None) -> None:
        fitting = RAW_BYTES // (8 * columns)
        chosen = min(MOST_RECORDS, 1 << max(0, fitting.bit_length() - 1)) if records is None else records
        self.records = max(LEAST_RECORDS, chosen)
        self.lock = threading.RLock()
        self.width = columns  # columns in use
        self.count = 0  # records so far
        self._raw = Circle(columns + spare, self.records)
        self._levels = [
            Level(columns + spare, max(LEAST_BUCKETS, self.records // share), STEP**k)
            for k, share in enumerate(SHARES, start=1)
        ]

    # ---- appending ----

    def append(self, rows: Array) -> None:
        """Append rows (n, width) in order; time must not fall."""
        with self.lock:
            for at in range(0, len(rows), self.records // 2):  # whole buckets are made while their records are kept
                piece = rows[at : at + self.records // 2].T
                self._raw.put(self.count, piece)
                self.count += piece.shape[1]
                self._complete()

    def _complete(self) -> None:
        """Make the buckets that have become whole."""
        for k, level in enumerate(self._levels):
            whole = self.count // level.size
            if whole > level.count:
                first, last = level.count * STEP, whole * STEP
                below = self._below(k, first, last, slice(0, self.width))
                level.put(grouped(below, STEP))

    def _below(self, k: int, first: int, last: int, places: Places) -> Buckets:
        """Buckets of the level below level k; level 0 has 16 records."""
        if k:
            return self._levels[k - 1].take(first, last, places)
        raw = self._raw.take(first, last, places)
        return Buckets(raw, raw)

    def fill(self, place: int, values: Array) -> None:
        """Fill an added column with values of the newest records; earlier ones are NaN."""
        with self.lock:
            self.width = max(self.width, place + 1)
            self._raw.data[place] = np.nan
            at = slice(place, place + 1)
            self._put_column(self._raw, place, self.count - len(values), values)
            for k, level in enumerate(self._levels):
                for circle in (level.least, level.most):
                    circle.data[place] = np.nan
                held = self.oldest if k == 0 else self._levels[k - 1].oldest
                first = max(level.oldest, -(-held // STEP))
                if first < level.count:
                    made = grouped(self._below(k, first * STEP, level.count * STEP, at), STEP)
                    self._put_column(level.least, place, first, made.least[0])
                    self._put_column(level.most, place, first, made.most[0])

    @staticmethod
    def _put_column(circle: Circle, place: int, first: int, values: Array) -> None:
        circle.data[place, np.arange(first, first + len(values)) % circle.slots] = values

    # ---- reading ----

    @property
    def oldest(self) -> int:
        """Number of the oldest record that is kept in full."""
        return max(0, self.count - self.records)

    def newest(self) -> Array | None:
        """(width,) a copy; None before the first record."""
        with self.lock:
            return self._raw.data[: self.width, (self.count - 1) % self.records].copy() if self.count else None

    def rows(self, first: int, last: int, places: Places = EVERYTHING) -> Array:
        """(columns, n) full records, as far as they are kept."""
        with self.lock:
            first, last = max(first, self.oldest), min(last, self.count)
            return self._raw.take(first, max(first, last), places).copy()

    def buckets(self, first: int, last: int, size: int, places: Places) -> Buckets:
        """Buckets first to last - 1 of `size` records, a power of two, as far as they are kept.

        If the first are gone, the result begins later: see `held`.
        """
        with self.lock:
            first = max(first, -(-self.held(size) // size))
            last = max(first, min(last, -(-self.count // size)))
            k = self._level_of(size)
            inner = size if k < 0 else size // self._levels[k].size
            end = -(-self.count // (size // inner))
            return grouped(self._of_level(k, first * inner, min(last * inner, end), places), inner)

    def held(self, size: int) -> int:
        """Number of the oldest record for which buckets of this size are kept."""
        k = self._level_of(size)
        return self.oldest if k < 0 else self._levels[k].oldest * self._levels[k].size

    def finest_for(self, records: int) -> int:
        """Size of the smallest buckets that cover so many records."""
        if records <= self.records:
            return 1
        fitting = [v.size for v in self._levels if v.size * v.least.slots >= records]
        return fitting[0] if fitting else self._levels[-1].size

    def _level_of(self, size: int) -> int:
        """The coarsest level from which buckets of this size can be made; -1 for the records."""
        return max((k for k, level in enumerate(self._levels) if level.size <= size), default=-1)

    def _of_level(self, k: int, first: int, last: int, places: Places) -> Buckets:
        if k < 0:
            raw = self._raw.take(first, last, places)
            return Buckets(raw, raw)
        level = self._levels[k]
        whole = level.take(first, min(last, level.count), places) if first < level.count else None
        if last <= level.count:
            assert whole is not None or first == last
            return whole if whole is not None else level.take(first, first, places)
        begin = max(first, level.count)  # the incomplete one
        below = 1 if k == 0 else self._levels[k - 1].size
        tail = grouped(self._of_level(k - 1, begin * STEP, -(-self.count // below), places), STEP)
        return tail if whole is None else joined(whole, tail)

    # ---- by time ----

    def bounds(self) -> tuple[float, float]:
        """Times [s] of the oldest and the newest record that can be shown; NaN if there are none."""
        with self.lock:
            if not self.count:
                return math.nan, math.nan
            top = self._levels[-1]
            oldest = self.buckets(top.oldest, top.oldest + 1, top.size, slice(0, 1))
            return float(oldest.least[0, 0]), float(self._raw.data[0, (self.count - 1) % self.records])

    def window(self, t0: float, t1: float, pixels: int, places: Places) -> Window:
        """Buckets that cover t0 to t1, one to two per pixel if they are kept, and one more on either side."""
        with self.lock:
            begin, finest = self._record_at(t0, "left")
            end, _ = self._record_at(t1, "right")
            begin, end = max(0, begin - 1), min(self.count, end + 1)
            size = max(finest, bucket_size(end - begin, pixels))
            first, last = begin // size, -(-end // size)
            first = min(max(first, -(-self.held(size) // size)), last)
            found = self.buckets(first, last, size, places)
            t = self.buckets(first, last, size, slice(0, 1)).least[0]
            return Window(size, first, t, found.least, found.most, *self.bounds())

    def _record_at(self, t: float, side: str) -> tuple[int, int]:
        """Number of the first record at or after a time, and the size of the finest buckets that reach back to it."""
        size = 1
        if self.count and not t >= self._time(self.oldest):
            reaching = [v for v in self._levels if v.count and t >= v.least.data[0, v.oldest % v.least.slots]]
            level = reaching[0] if reaching else next((v for v in self._levels if v.oldest == 0), self._levels[-1])
            size = level.size if self.oldest else 1
        at = self._level_of(size)
        first = -(-self.held(size) // size)
        t_of = self._of_level(at, first, -(-self.count // size), slice(0, 1)).least[0]
        k = int(np.searchsorted(t_of, t, side="left" if side == "left" else "right"))
        return (first + k) * size, size

    def _time(self, record: int) -> float:
        return float(self._raw.data[0, record % self.records])

    def statistics(self, t0: float, t1: float, places: list[int]) -> tuple[bool, list[Summary]]:
        """Summaries of t0 to t1 inclusive, and whether all records were kept; if not, only the extremes are valid."""
        with self.lock:
            begin, finest = self._record_at(t0, "left")
            end, _ = self._record_at(t1, "right")
            if finest > 1:
                found = self.window(t0, t1, 1, np.asarray(places, np.intp))
        if finest > 1:
            return False, [_extremes(a, b) for a, b in zip(found.least, found.most, strict=True)]
        return True, [self._summary(begin, end, place) for place in places]

    def _summary(self, begin: int, end: int, place: int) -> Summary:
        """Summarise in pieces, so that other threads get the lock in between."""
        n, total, squares, least, most = 0, 0.0, 0.0, math.nan, math.nan
        first, last = math.nan, math.nan
        for at in range(begin, end, PIECE):
            values = self.rows(at, min(at + PIECE, end), slice(place, place + 1))[0]
            good = values[~np.isnan(values)]
            if not len(good):
                continue
            first = first if n else float(good[0])
            last, n = float(good[-1]), n + len(good)
            with np.errstate(over="ignore", invalid="ignore"):
                total, squares = total + float(good.sum()), squares + float((good * good).sum())
            least, most = float(np.fmin(least, good.min())), float(np.fmax(most, good.max()))
        if not n:
            return Summary(0, *[math.nan] * 6)
        return Summary(n, least, most, total / n, math.sqrt(squares / n), first, last)


def _extremes(least: Array, most: Array) -> Summary:
    low = float(np.fmin.reduce(least, initial=np.nan))
    return Summary(0, low, float(np.fmax.reduce(most, initial=np.nan)), *[math.nan] * 4)


def bucket_size(records: int, pixels: int) -> int:
    """A power of two that gives one to two buckets per pixel; 1 if there are fewer records than pixels."""
    if pixels < 1:
        raise MotionBaseError(f"a window has {pixels} pixels, it must have 1 or more")
    return 1 << max(0, (records // pixels).bit_length() - 1)
