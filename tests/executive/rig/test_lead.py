"""What the automatic operator of a simulated rig orders, and what a base on a rig says of its faults."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from motionbase.executive.base import fault_sentences
from motionbase.executive.rig.link import REPEAT, RigLink
from motionbase.record.faults import Fault
from motionbase.record.requests import Reason
from motionbase.record.rig import RIG, RIG_PLACES, LegState, Order, RigFault
from motionbase.record.states import State

ARRAYS = {"state": np.array(float(State.OFF)), "asked": np.zeros(())}


def link(state: LegState, cycles: int, fault: RigFault = RigFault.NONE, power_fault: float = 0.0) -> RigLink:
    """A rig that has told this."""
    row = np.zeros(1 + len(RIG))
    for leg in range(1, 7):
        row[1 + RIG_PLACES[f"leg{leg}_rig_state"]] = state
        row[1 + RIG_PLACES[f"leg{leg}_rig_fault"]] = fault
    row[1 + RIG_PLACES["rig_cycles"]] = cycles
    row[1 + RIG_PLACES["power_fault"]] = power_fault
    answers = SimpleNamespace(row=row, taken=np.ones(1))
    return RigLink(cast("Any", None), cast("Any", SimpleNamespace(answers=answers)))


def go_on(rig: RigLink, cycles: int) -> None:
    rig.row[RIG_PLACES["rig_cycles"]] += cycles


@pytest.mark.parametrize(("state", "order"), [(LegState.OFF, Order.ENABLE), (LegState.UNHOMED, Order.HOME)])
def test_an_order_that_was_void_is_given_again_after_a_while(state: LegState, order: Order) -> None:
    rig = link(state, 3)
    rig.lead(ARRAYS)
    assert rig.order.tolist() == [order, 1]
    go_on(rig, REPEAT)
    rig.lead(ARRAYS)
    assert rig.order.tolist() == [order, 1]
    go_on(rig, 1)
    rig.lead(ARRAYS)
    assert rig.order.tolist() == [order, 2]
    rig.lead(ARRAYS)
    assert rig.order.tolist() == [order, 2]


def test_nothing_is_ordered_in_a_fault_nor_again_in_one_of_the_power_unit() -> None:
    rig = link(LegState.OFF, 3, RigFault.DEVICE)
    rig.lead(ARRAYS)
    assert not rig.order.any()
    rig = link(LegState.OFF, 3, power_fault=RigFault.SUPPLY)
    rig.lead(ARRAYS)
    go_on(rig, 2 * REPEAT)
    rig.lead(ARRAYS)
    assert rig.order[1] == 1


def test_a_rig_that_is_silent_is_not_said_to_have_low_pressure() -> None:
    plant, rig = fault_sentences(False, on_rig=False), fault_sentences(False, on_rig=True)
    assert plant[Fault.SUPPLY] == "the supply pressure is too low"
    assert "pressure" not in rig[Fault.SUPPLY] and "silent" in rig[Fault.SUPPLY]
    assert {f for f in Fault if plant[f] != rig[f]} == {Fault.SUPPLY}


def test_orders_are_refused_before_the_rig_has_spoken() -> None:
    rig = link(LegState.OFF, 0)
    assert rig.refusal(Order.ENABLE, State.OFF) is Reason.NONE
    rig.exchange.answers.taken[0] = 0
    assert rig.refusal(Order.ENABLE, State.OFF) is Reason.LEGS_NOT_READY
    assert rig.refusal(Order.DISABLE, State.OFF) is Reason.NONE


@pytest.mark.parametrize("number", [np.nan, np.inf, 99.0, -1.0, 0.5])
def test_a_row_that_holds_no_codes_is_a_fault_and_nothing_worse(number: float) -> None:
    rig = link(LegState.OFF, 3)
    rig.row[RIG_PLACES["leg2_rig_fault"]] = rig.row[RIG_PLACES["leg5_rig_state"]] = number
    assert rig.is_faulty and not rig.legs_are(LegState.OFF)
    rig.lead(ARRAYS)
    assert not rig.order.any() and rig.refusal(Order.ENABLE, State.OFF) is Reason.FAULT_ACTIVE
