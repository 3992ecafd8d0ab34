"""Cycles of a rig's process: demands of the base's rows, orders once, power, and what the base is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.executive.rig.driver import AT, IN, Driver
from motionbase.executive.rig.link import Told
from motionbase.executive.rig.oversight import BLOCKS, FIRST_S, MISSED_S, Heartbeat, claim_of, claim_row
from motionbase.executive.rig.sentences import Sentences
from motionbase.record.rig import RIG_PLACES, LegState, Order, RigFault, Silence, StopCause
from motionbase.rig.border import Answer, Demand, PowerState, Promise

NOMINAL = 7e6, 3e5
LENGTHS = np.linspace(1.0, 1.05, 6)


class Legs:
    """Remembers demands; answers what it is told to."""

    promise = Promise("legs", 0.005, np.zeros(6), np.ones(6), 0.04, 0.1, Silence.HOLDS, homes=False)

    def __init__(self) -> None:
        self.demands: list[Demand] = []
        self.l, self.states = LENGTHS.copy(), (LegState.READY,) * 6
        self.faults, self.codes, self.why = (RigFault.NONE,) * 6, (0,) * 6, ""

    def cycle(self, now: float, demand: Demand) -> Answer:
        self.demands.append(demand)
        return Answer(now - 0.001, self.l, self.states, self.faults, self.codes)

    def close(self) -> None: ...


class Unit:
    """A power unit in a given state."""

    def __init__(self, state: PowerState) -> None:
        self.state, self.runs = state, list[bool]()

    def look(self, now: float) -> PowerState:
        return self.state

    def run(self, on: bool) -> None:
        self.runs.append(on)

    def close(self) -> None: ...


def told(tick: int = 1, *, go: float = 0.0, stop: float = 0.0, order: Order = Order.NONE, number: int = 0) -> Array:
    row = np.zeros(2 + Told.layout.size)
    row[0], row[IN["go"]], row[IN["stop"]], row[AT["order"]], row[AT["number"]] = tick, go, stop, order, number
    row[IN["l"] : IN["l"] + 6], row[IN["l_dot"] : IN["l_dot"] + 6] = LENGTHS, 0.1
    return row


def number(row: Array, name: str) -> float:
    return float(row[1 + RIG_PLACES[name]])


def driver(legs: Legs, unit: Unit | None = None) -> Driver:
    return Driver(legs, unit, NOMINAL, clock=lambda: 10.003)


def test_nothing_is_asked_before_the_base_has_spoken() -> None:
    legs = Legs()
    driver(legs).cycle(10.0, 10.0, None)
    assert (legs.demands[0].go, legs.demands[0].stop, legs.demands[0].order) == (False, False, Order.NONE)


def test_an_order_acts_once_and_one_from_before_not_at_all() -> None:
    legs = Legs()
    one = driver(legs)
    for row in (told(1, order=Order.ENABLE, number=5), told(2, order=Order.ENABLE, number=5)):
        one.cycle(10.0, 10.0, row)
    for row in (told(3, order=Order.HOME, number=6), told(4, order=Order.HOME, number=6)):
        one.cycle(10.0, 10.0, row)
    assert [d.order for d in legs.demands] == [Order.NONE, Order.NONE, Order.HOME, Order.NONE]


def test_the_demand_is_what_the_law_wants() -> None:
    legs = Legs()
    driver(legs).cycle(10.0, 10.0, told(77, go=1.0))
    demand = legs.demands[0]
    assert (demand.count, demand.go, demand.stop) == (77, True, False)
    np.testing.assert_array_equal(demand.l, LENGTHS)
    np.testing.assert_array_equal(demand.l_dot, 0.1)


@pytest.mark.parametrize(("row", "stop", "cause"), [
    (told(1, stop=1.0), StopCause.NONE, StopCause.GUARD),
    (told(1), StopCause.READING, StopCause.READING),
    (None, StopCause.OVERSEER_SILENT, StopCause.OVERSEER_SILENT),
])  # fmt: skip
def test_a_stop_reaches_the_legs_and_its_cause_the_record(row: Array | None, stop: StopCause, cause: StopCause) -> None:
    legs = Legs()
    one = driver(legs)
    out = one.cycle(10.0, 10.0, row, stop)
    assert legs.demands[0].stop
    assert StopCause(int(number(out, "rig_stop"))) is cause
    if row is not None:  # it stays after the cause is gone, until the operator resets
        assert number(one.cycle(10.0, 10.0, told(2)), "rig_stop") == cause
        assert number(one.cycle(10.0, 10.0, told(3, order=Order.RESET, number=1)), "rig_stop") == 0.0


def test_times_and_measurements_are_told() -> None:
    legs = Legs()
    legs.l = np.where(np.arange(6) == 2, np.nan, LENGTHS)
    row = told(1)
    row[AT["measured"]] = 9.99
    out = driver(legs).cycle(10.0, 9.998, row)
    assert out[0] == 1
    assert number(out, "rig_measured") == pytest.approx(9.999)
    assert number(out, "rig_delay") == pytest.approx(0.004)  # measured at 9.999, told at 10.003
    assert number(out, "rig_lateness") == pytest.approx(0.002)
    assert number(out, "rig_latency") == pytest.approx(0.013)  # of the measurement that the law used
    assert number(out, "leg3_rig_l") == 0.0  # never measured: a number, as all of a record are
    assert number(out, "leg4_rig_l") == LENGTHS[3]
    assert np.isfinite(out).all()


def test_without_a_power_unit_the_nominal_pressures_count() -> None:
    out = driver(Legs()).cycle(10.0, 10.0, told())
    assert (number(out, "power_supply"), number(out, "power_return")) == NOMINAL


def test_a_power_unit_runs_with_the_legs_and_its_faults_take_the_power() -> None:
    good = PowerState(9.9, True, 6.5e6, 2e5, 313.0, RigFault.NONE)
    unit, legs = Unit(good), Legs()
    one = driver(legs, unit)
    one.cycle(10.0, 10.0, told(1))
    out = one.cycle(10.0, 10.0, told(2, order=Order.ENABLE, number=1)).copy()
    assert unit.runs == [True]
    assert (number(out, "power_supply"), number(out, "power_oil")) == (6.5e6, 313.0)
    unit.state = PowerState(9.9, True, 6.5e6, 2e5, 350.0, RigFault.TEMPERATURE)
    out = one.cycle(10.0, 10.0, told(3))
    assert number(out, "power_supply") == 0.0
    assert number(out, "power_fault") == RigFault.TEMPERATURE
    one.cycle(10.0, 10.0, told(4, order=Order.DISABLE, number=2))
    assert unit.runs == [True, False]


def test_a_stop_tells_the_tick_the_leg_and_what_was_measured() -> None:
    legs, say = Legs(), Sentences()
    one = driver(legs)
    one.cycle(10.0, 10.0, told(41, go=1.0))
    assert say.news(one, 41, legs) == "legs: ready"
    legs.faults = (RigFault.NONE, RigFault.FOLLOWING_ERROR, *(RigFault.NONE,) * 4)
    legs.codes, legs.why = (0, 0x8611, 0, 0, 0, 0), "drive 2 is behind"
    one.cycle(10.0, 10.0, told(42, go=1.0))
    said = say.news(one, 42, legs)
    assert said == (
        "legs stopped, tick 42: leg 2: following error (device: 0x8611) at 1.0100 m, 1.0100 m was asked for; "
        "drive 2 is behind"
    )
    assert say.news(one, 43, legs) is None


def test_a_claim_comes_back_as_it_was_told() -> None:
    row = claim_row(7, 10.0, 9.99, LENGTHS, LENGTHS + 0.1, (LegState.FOLLOWING,) * 6)
    assert row.size == 2 + BLOCKS.size
    claim = claim_of(row)
    assert (claim.at, claim.measured_at, claim.states) == (10.0, 9.99, (LegState.FOLLOWING,) * 6)
    np.testing.assert_array_equal(claim.l, LENGTHS)
    np.testing.assert_array_equal(claim.wanted, LENGTHS + 0.1)


def test_an_overseer_may_be_late_with_its_first_word_and_not_with_the_next() -> None:
    said: list[Array | None] = [None]
    exchange: Any = SimpleNamespace(answers=SimpleNamespace(get=lambda: said[-1]))
    heartbeat = Heartbeat(exchange, 0.0, 0.005)
    times = iter(np.arange(1, 10_000) * 0.005)

    def listened(seconds: float) -> StopCause:
        return [heartbeat.listen(next(times)) for _ in range(round(seconds / 0.005))][-1]

    assert (listened(FIRST_S - 1.0), heartbeat.is_waited_for) == (StopCause.NONE, True)
    said.append(np.array([1.0, 0.0, 0.0, 0.0]))
    assert (listened(MISSED_S - 0.05), heartbeat.is_waited_for) == (StopCause.NONE, False)
    assert listened(0.1) is StopCause.OVERSEER_SILENT
    said.append(np.array([2.0, float(StopCause.SPEED), 0.0, 0.0]))
    assert listened(0.01) is StopCause.SPEED
