"""A rig that is unplugged at random always ends stopped: every backend, any leg, any moment, any way of unplugging it.

What counts is the true motion of the simulated machine. After the time that each way of unplugging takes, no leg moves,
whatever is demanded and whoever pushes buttons. Only a spool that sticks open cannot be stopped by any electric signal:
there the other legs stop, and that one when the pump does.
"""

import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from motionbase.record.rig import LegState, Order, RigFault
from tests.rig.unplugging import RIGS, Rig

BUTTONS = (Order.NONE, Order.NONE, Order.RESET, Order.ENABLE)
SPEED = 0.05  # [m/s]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Rig]]:
    """Makes rigs and puts them away."""
    monkeypatch.setitem(sys.modules, "pysoem", None)
    made: list[Rig] = []

    def rig(name: str) -> Rig:
        made.append(RIGS[name]())
        return made[-1]

    yield rig
    for one in made:
        one.close()


def unplug_at_random(rig: Rig, times: int, seed: int) -> None:
    """Work, unplug, watch, plug in again, recover; so many times."""
    random = np.random.default_rng(seed)
    for _ in range(times):
        way, leg = random.choice(list(rig.within)), int(random.integers(6))
        moment = random.choice(["off", "ready", "following", "stopping"], p=[0.05, 0.1, 0.75, 0.1])
        what = f"{way} of leg {leg + 1} while {moment}, seed {seed}"
        v = SPEED * rig.inwards
        if moment != "off":
            rig.ready()
        if moment in ("following", "stopping"):
            rig.run(0.02 + 0.3 * random.random(), go=True, v=v)
        if moment == "stopping":
            rig.run(0.02, v=v)

        plug = rig.unplug(str(way), leg, v)
        if way == "program":
            rig.silence(rig.within[way])
            before = rig.lengths
            rig.silence(0.3)
            assert np.abs(rig.lengths - before).max() <= rig.still, what
        if way != "program" or moment == "following":  # legs that followed nothing missed nothing: they may follow now
            moved_on(rig, str(way), v)
            watched(rig, str(way), leg, v, random, what)
        plug()
        rig.run(0.1)
        rig.recover()
        rig.run(0.2)


def moved_on(rig: Rig, way: str, v: float) -> None:
    """Demands go on until the rig must have stopped; they swing to and fro if that takes long."""
    left = rig.within[way]
    while left > 1e-9:
        part = min(left, 1.2)
        rig.run(part, go=True, v=v)
        left, v = left - part, -v


def watched(rig: Rig, way: str, leg: int, v: float, random: np.random.Generator, what: str) -> None:
    """Nothing moves any more, whatever is asked for; go stays set, so that RESET and ENABLE alone must not count."""
    others = np.array([k not in rig.unstoppable(way, leg) for k in range(6)])
    before, still = rig.lengths, rig.still
    for _ in range(4):
        order = BUTTONS[random.integers(len(BUTTONS))]
        still = rig.enabling if order is Order.ENABLE else still
        answer = rig.run(0.1, go=True, order=order, v=v * random.choice([-1, 1]))
        assert LegState.FOLLOWING not in answer.states, (what, answer)
        assert (np.abs(rig.lengths - before)[others] <= still).all(), what
        assert answer.fault is not RigFault.NONE or way not in rig.seen, what
    if not others.all():
        restore = rig.cut_energy()
        assert restore is not None
        before = rig.lengths
        rig.run(0.5, go=True, v=v)
        assert (np.abs(rig.lengths - before) <= rig.still).all(), what
        restore()


@pytest.mark.parametrize("name", RIGS)
def test_a_rig_unplugged_at_random_ends_stopped(name: str, make: Callable[[str], Rig]) -> None:
    unplug_at_random(make(name), 12, seed=1)


@pytest.mark.long("a thousand times")
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("name", RIGS)
def test_a_rig_unplugged_a_thousand_times_ends_stopped(name: str, part: int, make: Callable[[str], Rig]) -> None:
    unplug_at_random(make(name), 100, seed=1000 + part)
