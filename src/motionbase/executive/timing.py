"""What the loop says of time: the clock that jobs may read, and the limits it keeps them to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import ScheduleError
from motionbase.executive.control import CLOCK

Array: TypeAlias = NDArray[np.float64]
SPIN_MIN, SPIN_MAX = 20e-6, 250e-6  # [s] between these the loop learns how early to wake
BUSY = 0.8  # share of the period for computing and spinning together
# [s] at most without SCHED_FIFO: with processors to spare as good as alone; on a full machine a scheduler that shares
# fairly makes a spinning thread wait
SPIN_ORDINARY, SPIN_CROWDED, CROWDED = 300e-6, 40e-6, 4


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
@dataclass(frozen=True)
class Limits:
    """What counts as what.

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
