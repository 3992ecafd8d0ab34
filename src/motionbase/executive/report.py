"""The report of a run: what the loop counted and measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

import numpy as np

from motionbase.arrays import Ints
from motionbase.errors import ScheduleError
from motionbase.executive.control import Control, bin_top
from motionbase.executive.realtime import Grant


class Stop(Enum):
    """Why a run ended."""

    FINISHED = "all ticks were run"
    ASKED = "stop was called"
    SIGNAL = "a signal came"
    PARENT = "the parent process ended"
    FAILED = "a job failed"


@final
@dataclass(frozen=True)
class Report:
    """Of one run, or of all steps so far.

    on_time + late + slips = ticks: every tick is exactly one of the three. Out of real time all are on time.

    Attributes:
        ticks: begun, the failing one among them
        slips: ticks at which the lag was given up and the origin of time moved; slipped: the time given up [s]
        lateness_p50, lateness_p99, lateness_max: [s]; the first two to a sixteenth, upwards
        overruns: ticks that ended after the next was due
        load_mean, load_max: computing time over the period
        load_warnings: ticks above the load margin
        stop: why it ended, and why: the same in a sentence
        error: what the failing job raised
        settings: what the system allowed
    """

    ticks: int
    on_time: int
    late: int
    slips: int
    slipped: float
    lateness_p50: float
    lateness_p99: float
    lateness_max: float
    overruns: int
    load_mean: float
    load_max: float
    load_warnings: int
    stop: Stop
    why: str
    error: BaseException | None = None
    settings: tuple[Grant, ...] = ()

    @property
    def on_time_share(self) -> float:
        """Share of the ticks; 1 if there were none."""
        return self.on_time / self.ticks if self.ticks else 1.0

    @property
    def failed(self) -> bool:
        """Whether a job, or the safe stop, failed."""
        return self.stop is Stop.FAILED

    @property
    def exit_code(self) -> int:
        """Exit code of the process: 1 if the run failed, else 0."""
        return int(self.failed)

    def raise_for_failure(self) -> None:
        """Raise a ScheduleError from what the job raised, if the run failed."""
        if self.failed:
            raise ScheduleError(self.why) from self.error

    def __str__(self) -> str:
        """A few lines for people."""
        late = f"{1e6 * self.lateness_p50:.1f} / {1e6 * self.lateness_p99:.1f} / {1e6 * self.lateness_max:.1f}"
        return (
            f"{self.ticks} ticks, {100 * self.on_time_share:.3f} % on time; lateness p50 / p99 / max {late} us\n"
            f"{self.overruns} overruns, {self.slips} slips of {1e3 * self.slipped:.1f} ms together; "
            f"load mean {self.load_mean:.3f}, max {self.load_max:.3f}\n{self.why}"
        )


def report(
    control: Control, histogram: Ints, stop: Stop, why: str, error: BaseException | None, grants: tuple[Grant, ...]
) -> Report:
    """From the loop's counters."""
    ticks = control.tick
    return Report(
        ticks=ticks,
        on_time=control.on_time,
        late=control.late,
        slips=control.slipped,
        slipped=1e-9 * control.slipped_time,
        lateness_p50=1e-9 * min(quantile(histogram, 0.5), control.max_lateness),
        lateness_p99=1e-9 * min(quantile(histogram, 0.99), control.max_lateness),
        lateness_max=1e-9 * control.max_lateness,
        overruns=control.overruns,
        load_mean=control.sum_compute / (ticks * control.period) if ticks else 0.0,
        load_max=control.max_compute / control.period,
        load_warnings=control.load_warnings,
        stop=stop,
        why=why,
        error=error,
        settings=grants,
    )


def quantile(histogram: Ints, share: float) -> int:
    """The lateness [ns] that this share of the ticks does not exceed, to the top of its bin."""
    sums = np.cumsum(histogram)
    if not sums[-1]:
        return 0
    return bin_top(int(np.searchsorted(sums, share * sums[-1])))
