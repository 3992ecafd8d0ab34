"""The planner's process alone: it answers, ends with its base, plans for the next one, and can be killed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.cueing.predictive.rows import PLANNED, row_of, where_of
from motionbase.errors import UsageError
from motionbase.executive.exchange import PLANNER, Exchange
from motionbase.executive.predictive.jobs import BLOCKS
from motionbase.executive.predictive.process import answer, processes, warm
from motionbase.record.vehicle import G
from motionbase.ring import names
from motionbase.ring.backend import find
from tests.cueing.predictive.rig import planner
from tests.ring.ring_processes import environment, until

DT = 5e-4


class Loop:
    """The loop's side, by hand: cueing at rest, and a vehicle that pulls ahead."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange, self.tick = exchange, 0
        self._take, self._tell = exchange.answers.taking(), exchange.states.sending()

    def tell(self, ticks: int = 20) -> None:
        self.tick += ticks
        where = np.zeros(25)
        where[0], where[19:] = self.tick + 20, [1.0, 0.0, G, 0.0, 0.0, 0.0]
        self.exchange.states.row[:] = [self.tick, self.tick * DT, *where]
        self._tell()

    @property
    def plan(self) -> Array:
        self._take()
        return self.exchange.answers.row

    def is_planned(self) -> bool:
        """Whether a plan comes for where it stands, or stood a moment ago."""
        before = self.tick
        self.tell()
        return bool(self.plan[0] > before > 20)


@contextmanager
def planning(folder: Path) -> Iterator[subprocess.Popen[str]]:
    [made] = processes("rig", "simona", "driver")
    given = environment(folder) | dict(made.environment)
    with subprocess.Popen(made.command, env=given, text=True, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def base() -> Iterator[Loop]:
    with Exchange.made(find("rig"), BLOCKS, names.PLANNER) as exchange:
        exchange.answers.row[0] = -1.0
        yield Loop(exchange)


def test_it_plans_is_killed_and_plans_again_also_for_the_next_base(ring_folder: Path) -> None:
    with base() as loop:
        with planning(ring_folder):
            until(loop.is_planned, "a plan")
            assert np.isfinite(loop.plan).all() and loop.plan.size == PLANNED
            assert 0.1 < loop.plan[3 + 2] < 5.0  # surge at the third node: ahead
        newest = loop.plan[0]  # killed: nothing comes any more
        for _ in range(5):
            loop.tell()
        assert loop.plan[0] == newest
        with planning(ring_folder) as process:
            until(loop.is_planned, "a plan of the next process")
            loop.exchange.close()
            with base() as another:
                until(another.is_planned, "a plan for the next base")
            assert process.poll() is None


def test_answers_are_those_of_the_planner(ring_folder: Path) -> None:
    """Without a process: one answer, then the base has ended."""
    mine, other = planner(), planner()
    with base() as loop:
        loop.tell()
        with Exchange.made(find("rig"), BLOCKS, names.PLANNER):  # replaces it
            answer(mine, loop.exchange)
        wanted = other.plan(where_of(loop.exchange.states.row[2:], DT))
        assert wanted is not None
        np.testing.assert_array_equal(loop.plan, row_of(wanted, 40.0))


def test_warming_leaves_nothing_behind() -> None:
    mine, other = planner(), planner()
    warm(mine)
    where = where_of(np.array([0.0, *np.zeros(18), 1.0, 0.0, G, 0.0, 0.0, 0.0]), DT)
    first, second = mine.plan(where), other.plan(where)
    assert first is not None and second is not None
    np.testing.assert_allclose(first.a, second.a, atol=1e-6)  # the active set of another problem was a guess


def test_an_unknown_forecast_is_refused() -> None:
    with pytest.raises(UsageError, match="no forecast 'oracle'"):
        processes("rig", "simona", "oracle")
    assert PLANNER == b"MBPX"
