"""The clock that jobs may read, and the limits of their timing."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ScheduleError
from motionbase.executive.control import CLOCK

SPIN_MIN, SPIN_MAX = 20e-6, 250e-6  # [s] between these the loop learns how early to wake
BUSY = 0.8  # share of the period for computing and spinning together
# [s] at most without SCHED_FIFO: with processors to spare as good as alone; on a full machine a scheduler that shares
# fairly makes a spinning thread wait
SPIN_ORDINARY, SPIN_CROWDED, CROWDED = 300e-6, 40e-6, 4

PAUSES_S = (60.0, 600.0, 3600.0)  # before slow ticks are summed up again


@final
class Clock:
    """Numbers of the present tick, as arrays of one double that native jobs can take as inputs.

    Attributes:
        t: time since the epoch [s]; tick: ticks since the epoch
        lateness: start of this tick behind its due time [s]; compute: computing time of the tick before [s]
        overruns: ticks so far that ended after the next was due
        load: largest computing time since the record before, over the period
    """

    def __init__(self) -> None:
        self.values: Array = np.zeros(len(CLOCK))
        self.t, self.tick, self.lateness, self.compute, self.overruns, self.load = (
            self.values[k : k + 1] for k in range(len(CLOCK))
        )


@final
class SlowTicks:
    """Reports slow ticks at once, then in summaries that come ever more rarely.

    Args:
        dt: period [s]; margin: share of it that is too long
        say: takes a sentence
        clock: monotonic [s]
    """

    def __init__(
        self, dt: float, margin: float, say: Callable[[str], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._about = f"more than {margin:.0%} of their period of {1e3 * dt:g} ms"
        self._say, self._clock = say, clock
        self._told, self._since, self._next, self._pauses = 0, "", -math.inf, iter(PAUSES_S)

    def look(self, count: int, worst: float, is_last: bool = False) -> None:
        """`count` of all slow ticks so far, the `worst` as a share of the period; `is_last` at the end of the run."""
        if count == self._told or not (is_last or self._clock() >= self._next):
            return
        if not self._since:
            self._since = time.strftime("%H:%M:%S")
        self._told, self._next = count, self._clock() + next(self._pauses, PAUSES_S[-1])
        ticks = "tick" if count == 1 else "ticks"
        self._say(
            f"{count} slow {ticks} since {self._since}: computed for {self._about}, the worst for {worst:.0%}; "
            "make the jobs shorter or rarer, or the machine less busy"
        )


@final
@dataclass(frozen=True)
class Limits:
    """Limits for late and slow ticks.

    Attributes:
        on_time: a tick that begins later than this after its due time is late [s]
        slip: a lag beyond this is not caught up: the origin of time is moved [s]; None takes ten periods
        load: share of the period that a tick may compute before the executive warns
        spin: how long before the due time to wake and watch the clock [s]; None learns it
    """

    on_time: float = 100e-6
    slip: float | None = None
    load: float = 0.8
    spin: float | None = None

    def __post_init__(self) -> None:
        for name in ("on_time", "slip", "load", "spin"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise ScheduleError(f"limit {name!r} is {value!r}, it must be a finite number, 0 or more")

    def slip_ns(self, dt: float) -> int:
        """The lag at which the origin is moved [ns]."""
        return round(1e9 * (10 * dt if self.slip is None else self.slip))

    def spin_ns(self, dt: float) -> tuple[int, int]:
        """Least and largest margin [ns]."""
        least, most = (SPIN_MIN, SPIN_MAX) if self.spin is None else (self.spin, self.spin)
        return round(1e9 * min(least, BUSY * dt)), round(1e9 * min(most, BUSY * dt))
