"""The process that plans: a hundred times a second it looks where cueing stands, and answers before its deadline.

python -m motionbase.executive.predictive RING PLATFORM FORECAST

Whatever happens here, the loop waits for nothing: it follows the last plan for 0.3 s and then the washout. A process
that was killed is started again.
"""

from __future__ import annotations

import gc
import sys
import time
from collections import Counter
from typing import Never, final

import numpy as np

from motionbase.cueing.cueing import head_of
from motionbase.cueing.predictive.forecast import Ahead, Driver, Forecast, Newest, forecast_of
from motionbase.cueing.predictive.horizon import PERIOD
from motionbase.cueing.predictive.planner import DEADLINE, Planner, Verdict, Where
from motionbase.cueing.predictive.rows import row_of, where_of
from motionbase.executive.exchange import PLANNER, Exchange
from motionbase.executive.host.process import be_urgent
from motionbase.executive.preview import Previews, previews
from motionbase.executive.process import Process
from motionbase.executive.serving import LOOK_S, awaited, next_due, until_told
from motionbase.interpreter import python
from motionbase.platform import load_platform
from motionbase.record.vehicle import G
from motionbase.ring import names
from motionbase.ring.backend import find

TELL_S = 10.0  # between sentences on plans that failed
LASTING = 50  # plans for which previews have come, or not, before it is told
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # a second one spins on a processor that others need


def processes(ring: str, platform: str, forecast: str) -> list[Process]:
    """What a supervisor starts for a base that follows plans."""
    expected(forecast, Source())
    command = python("-m", "motionbase.executive.predictive", ring, platform, forecast)
    return [Process("planner", command, environment=ONE_THREAD, prompt=True)]


def serve(ring: str, platform: str, forecast: str) -> Never:
    """Plan for the base that writes a ring, and for the next one, until the process is told to end."""
    base, backend = load_platform(platform), find(ring)
    source = Source()
    planner = Planner(base, head_of(base), forecast=expected(forecast, source), deadline=DEADLINE)
    warm(planner)
    until = ", and driver until the host tells what comes" if isinstance(planner.forecast, Newest) else ""
    print(f"plans for ring {ring!r}; forecast: {forecast}{until}", flush=True)
    while True:
        with (
            awaited(backend, names.PLANNER, (PLANNER,)) as exchange,
            previews(backend, only_reads=True) as source.previews,
        ):
            gc.collect()
            gc.freeze()
            gc.disable()
            be_urgent()  # a plan takes a millisecond of every ten
            answer(planner, exchange)
            gc.enable()


@final
class Source:
    """Previews of the host of one base after the other."""

    def __init__(self) -> None:
        self.previews = Previews(None)

    def newest(self) -> Ahead | None:
        """The newest preview; None if there is none."""
        return self.previews.newest()


def expected(forecast: str, source: Source) -> Forecast:
    """A forecast by its name; `preview` is what the host tells, and a driver while it tells nothing."""
    return forecast_of(forecast, Newest(source.newest, Driver()))


def warm(planner: Planner) -> None:
    """Everything that is slow the first time."""
    rest = Where(0.0, np.zeros((3, 6)), np.array([0.0, 0.0, G, 0.0, 0.0, 0.0]))
    deadline, planner.deadline = planner.deadline, None
    for k in range(20):
        planner.plan(rest._replace(t=k * PERIOD))
    planner.deadline = deadline
    planner.reset()


def answer(planner: Planner, exchange: Exchange) -> None:
    """Plan until the base ends; time is that of the loop's ticks."""
    due = looked = time.monotonic()
    last, counts, heard = -1.0, Counts(), Heard(planner.forecast)
    while True:
        row = exchange.states.get()
        if row is not None and row[0] > 0 and row[2] != last:
            tick, t = float(row[0]), float(row[1])
            last = float(row[2])
            plan = planner.plan(where_of(row[2:], t / tick))
            if plan is not None:
                exchange.answers.put(row_of(plan, last))
            counts.take(planner.outcome.verdict, t)
            heard.take(t)
        due = next_due(due, PERIOD)
        if due - looked > LOOK_S:
            looked = due
            if exchange.is_replaced():
                return


@final
class Counts:
    """Plans that failed, told now and then."""

    def __init__(self) -> None:
        self._failed, self._told = Counter[Verdict](), 0.0

    def take(self, verdict: Verdict, t: float) -> None:
        """Count the plan of a time [s]."""
        if verdict is not Verdict.GOOD:
            self._failed[verdict] += 1
        if self._failed and t - self._told > TELL_S:
            failed = ", ".join(f"{count} {verdict.words}" for verdict, count in self._failed.items())
            print(f"{t:8.1f} s  of the plans of {TELL_S:g} s: {failed}", file=sys.stderr, flush=True)
            self._failed.clear()
            self._told = t


@final
class Heard:
    """Says whether the host tells what comes, when that has changed and lasts."""

    def __init__(self, forecast: Forecast) -> None:
        self._newest = forecast if isinstance(forecast, Newest) else None
        self._told, self._others = False, 0

    def take(self, t: float) -> None:
        """After the plan of a time [s]."""
        if self._newest is None:
            return
        self._others = self._others + 1 if self._newest.is_told is not self._told else 0
        if self._others < LASTING:
            return
        self._told, self._others = self._newest.is_told, 0
        says = "the host tells what comes" if self._told else "the host tells no longer what comes; forecast: driver"
        print(f"{t:8.1f} s  {says}", flush=True)


def main(arguments: list[str]) -> None:
    """Serve until a signal."""
    until_told("planner", serve, *arguments)
