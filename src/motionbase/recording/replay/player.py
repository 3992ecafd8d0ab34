"""Timing of a replay: play, pause, seek, step, speed and loops, by a given clock."""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.recording.recording import Recording
from motionbase.recording.replay.blocks import Block, Blocks
from motionbase.recording.times import rows_of

MOST_AT_ONCE = 4096  # records shown in one turn
LONGEST_PAUSE_S = 2.0  # a longer pause between two records is shortened to this
LONGEST_ARREARS_S = 1.0  # after a longer interruption the clock continues from now
SHORTEST_STEP_S = 1e-6  # between the end of a loop and its beginning
SLOWEST, FASTEST = 0.01, 100.0


class Span(NamedTuple):
    """Records `begin` up to, but not including, `end`."""

    begin: int
    end: int


@final
class Player:
    """Selects the records to show. Times are seconds since the recording's epoch; `now` is any steady clock [s].

    Attributes:
        span: records that can be shown; begin_s, end_s: times of the first and last [s]
        loop: records that are repeated, or None; loop_s: times of the first and last [s]
        position: number of the next record
        playing: False while paused
        speed: 0.01 to 100
        held_up: how often the clock was set back because records could not be shown fast enough

    Args:
        start, stop: only records between these times [s]
        period: fixed time between records [s]; 0 for the recorded times
    """

    def __init__(
        self, recording: Recording, start: float | None = None, stop: float | None = None, *, period: float = 0.0
    ) -> None:
        self.recording, self._blocks, self._period = recording, Blocks(recording), period
        self.span, self.loop = Span(*rows_of(recording, start, stop)), None
        self.position, self.playing, self.speed, self.held_up = self.span.begin, False, 1.0, 0
        self._base_key = self._base_now = 0.0
        self.begin_s, self.end_s = self.time(self.span.begin), self.time(self.span.end - 1)
        self.loop_s = self.begin_s, self.end_s
        count, length = self.span.end - self.span.begin, self.end_s - self.begin_s
        self.step_s = length / (count - 1) if count > 1 and length > 0 else 0.01

    loop: Span | None

    def close(self) -> None:
        """End its threads."""
        self._blocks.close()

    # ---- records that are due ----

    def due(self, now: float) -> list[Array]:
        """Records to show now, (n, channels) each; moves the position after them."""
        found, left = list[Array](), MOST_AT_ONCE
        while self.playing and left > 0:
            if self.position >= self._stop and not self._around(now):
                break
            block = self._blocks.at(self.position)
            at, keys = self.position - block.first, self._keys(block)
            self._mend(float(keys[at]), now)
            end = int(np.searchsorted(keys, self._clock(now) + 1e-9, "right"))
            end = min(end, self._stop - block.first, at + left)
            if end <= at:
                break
            found.append(_whole(block.rows[at:end]))
            self.position, left = block.first + end, left - (end - at)
        return found

    def wait(self, now: float) -> float:
        """Time until the next record is due [s]; infinite if paused."""
        if not self.playing or self.position >= self._stop:
            return math.inf if not self.playing else 0.0
        return max(0.0, (self._key(self.position) - self._clock(now)) / self.speed)

    @property
    def ended(self) -> bool:
        """Whether the last record has been shown and there is no loop."""
        return not self.playing and self.position >= self.span.end

    @property
    def _stop(self) -> int:
        return self.loop.end if self.loop is not None else self.span.end

    def _around(self, now: float) -> bool:
        """Go back to the beginning of the loop; without a loop, stop playing."""
        if self.loop is None:
            self.playing = False
            return False
        begin, end = self.loop
        if self.position == end:  # reached by playing: keep the rhythm of the records
            last = self._key(end - 1)
            step = last - self._key(end - 2) if end - begin > 1 else self._period or self.step_s
            self._base_key -= last - self._key(begin) + max(step, SHORTEST_STEP_S)
        else:
            self._rebase(self._key(begin), now)
        self.position = begin
        return True

    def _mend(self, key: float, now: float) -> None:
        """Shorten long pauses of the recording; skip the delay after a long interruption of this process."""
        ahead = key - self._clock(now)
        if ahead > max(LONGEST_PAUSE_S, self._period):
            self._rebase(key - LONGEST_PAUSE_S, now)
        elif ahead < -LONGEST_ARREARS_S * self.speed:
            self._rebase(key, now)
            self.held_up += 1

    # ---- the clock: the key of a record is its time, or its number times the period ----

    def _clock(self, now: float) -> float:
        return self._base_key + self.speed * (now - self._base_now)

    def _rebase(self, key: float, now: float) -> None:
        self._base_key, self._base_now = key, now

    def _keys(self, block: Block) -> Array:
        if not self._period:
            return block.time
        return np.arange(block.first, block.first + len(block.time), dtype=np.float64) * self._period

    def _key(self, row: int) -> float:
        return row * self._period if self._period else self.time(row)

    def time(self, row: int) -> float:
        """Time of a record [s]."""
        block = self._blocks.at(row)
        return float(block.time[row - block.first])

    # ---- commands; those that show a record return it, (1, channels), or (0, channels) where the file is damaged ----

    def play(self, now: float) -> None:
        """Play; from the beginning if it was at the end."""
        if self.position >= self.span.end:
            self.position = self.loop.begin if self.loop is not None else self.span.begin
        if not self.playing:
            self._rebase(self._key(self.position), now)
        self.playing = True

    def pause(self) -> None:
        """Pause at the present position."""
        self.playing = False

    def show(self, row: int, now: float) -> Array:
        """Show a record at once; if playing, continue from there."""
        block = self._blocks.at(row)
        self.position = row + 1
        self._rebase(self._key(row), now)
        return _whole(block.rows[row - block.first :][:1])

    def rewind(self, now: float) -> Array:
        """Go to the beginning, or to that of the loop if there is one."""
        return self.show(self.loop.begin if self.loop is not None else self.span.begin, now)

    def step(self, count: int, now: float) -> Array:
        """Move by `count` records, back if negative, and pause; stops at the ends."""
        self.pause()
        row = self.position - 1 + count
        return self.show(min(max(row, self.span.begin), self.span.end - 1), now)

    def seek(self, t: float, now: float) -> Array | None:
        """Go to the first record at or after a time [s]; None if there is none."""
        row, _ = self.recording.rows_between(t)
        if row >= self.span.end or t < self.begin_s:
            return None
        return self.show(row, now)

    def set_speed(self, factor: float, now: float) -> None:
        """Set the speed from now on."""
        self._rebase(self._clock(now), now)
        self.speed = factor

    def loop_all(self) -> None:
        """Repeat all records."""
        self.loop, self.loop_s = self.span, (self.begin_s, self.end_s)

    def set_loop(self, start: float, stop: float, now: float) -> Array | None:
        """Repeat the records between two times [s]; None if there are none.

        If the position is outside, the first record of the loop is shown at once.
        """
        begin, end = self.recording.rows_between(start, stop)
        begin, end = max(begin, self.span.begin), min(end, self.span.end)
        if begin >= end:
            return None
        self.loop, self.loop_s = Span(begin, end), (self.time(begin), self.time(end - 1))
        return np.empty((0, len(self.recording.schema.channels))) if begin < self.position <= end else self.rewind(now)


def _whole(rows: Array) -> Array:
    """The records without those damaged in the file."""
    if not np.isnan(rows[:, 0]).any():
        return rows
    return rows[~np.isnan(rows).all(axis=1)]
