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
from motionbase.cueing.predictive.forecast import forecast_of
from motionbase.cueing.predictive.horizon import PERIOD
from motionbase.cueing.predictive.planner import DEADLINE, Planner, Verdict, Where
from motionbase.cueing.predictive.rows import row_of, where_of
from motionbase.executive.exchange import PLANNER, Exchange
from motionbase.executive.host.process import be_urgent
from motionbase.executive.process import Process
from motionbase.executive.serving import LOOK_S, awaited, until_told
from motionbase.interpreter import python
from motionbase.platform import load_platform
from motionbase.record.vehicle import G
from motionbase.ring import names
from motionbase.ring.backend import find

TELL_S = 10.0  # between sentences on plans that failed
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # a second one spins on a processor that others need


def processes(ring: str, platform: str, forecast: str) -> list[Process]:
    """What a supervisor starts for a base that follows plans."""
    forecast_of(forecast)
    command = python("-m", "motionbase.executive.predictive", ring, platform, forecast)
    return [Process("planner", command, environment=ONE_THREAD, prompt=True)]


def serve(ring: str, platform: str, forecast: str) -> Never:
    """Plan for the base that writes a ring, and for the next one, until the process is told to end."""
    base, backend = load_platform(platform), find(ring)
    planner = Planner(base, head_of(base), forecast=forecast_of(forecast), deadline=DEADLINE)
    warm(planner)
    print(f"plans for ring {ring!r}", flush=True)
    while True:
        with awaited(backend, names.PLANNER, (PLANNER,)) as exchange:
            gc.collect()
            gc.freeze()
            gc.disable()
            be_urgent()  # a plan takes a millisecond of every ten
            answer(planner, exchange)
            gc.enable()


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
    last, counts = -1.0, Counts()
    while True:
        row = exchange.states.get()
        if row is not None and row[0] > 0 and row[2] != last:
            tick, t = float(row[0]), float(row[1])
            last = float(row[2])
            plan = planner.plan(where_of(row[2:], t / tick))
            if plan is not None:
                exchange.answers.put(row_of(plan, last))
            counts.take(planner.outcome.verdict, t)
        due += PERIOD
        now = time.monotonic()
        if now < due:
            time.sleep(due - now)
        else:
            due = now  # what was missed is not made up for
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


def main(arguments: list[str]) -> None:
    """Serve until a signal."""
    until_told("planner", serve, *arguments)
