"""Monitors of a leg one by one, and the latch: first fault, what it forbids, and when it may be reset."""

from typing import Any

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.control.faults import BLOCKING, SENTENCES, SHUTTING, Fault
from motionbase.control.states import Request, State
from motionbase.control.watchdogs import FAULT_LATCH, THRESHOLDS, leg_watchdog

DT, HARD_MIN, HARD_MAX = 0.0005, 2.0, 3.0
WATCH = compile(leg_watchdog(HARD_MIN, HARD_MAX))
LATCH = compile(FAULT_LATCH)
LIMITS = {t.name: float(t.values[0]) for t in THRESHOLDS} | {"pressure_max": 40e6, "speed_max": 1.3}
GOOD = {"l": 2.5, "l_dot": 0.1, "l_ddot": 1.0, "p_cap": 8e6, "p_rod": 7e6, "valve_meas": 0.1}


def watched(
    ticks: int = 1, quiet: float = 0.0, driven: float = 1.0, **measured: float
) -> tuple[np.ndarray, Fault, bool]:
    """State, fault and whether it blocks, after ticks with measurements that differ from good ones."""
    watch = np.array([2.5, 0.1, 1.0, 8e6, 7e6, 0.0, 0.0, 0.0])
    for _ in range(ticks):
        given = {**GOOD, "l_cmd": 2.5, "valve_cmd": 0.1, "quiet": quiet, "driven": driven, "fresh": 0.0} | measured
        watch, code, blocks, shuts = WATCH(**LIMITS, dt=DT, watch=watch, **given)
        assert bool(shuts) == (Fault(int(code)) in SHUTTING)
    return watch, Fault(int(code)), bool(blocks)


def test_good_measurements_show_no_fault_and_pass() -> None:
    watch, fault, blocks = watched(1000)
    assert (fault, blocks) == (Fault.NONE, False)
    np.testing.assert_array_equal(watch[:5], [2.5, 0.1, 1.0, 8e6, 7e6])


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"l": np.nan}, Fault.MEASUREMENT),
        ({"l": np.inf}, Fault.MEASUREMENT),
        ({"l": 3.02, "fresh": 1.0}, Fault.MEASUREMENT),
        ({"l": 2.51}, Fault.MEASUREMENT),  # 10 mm in a tick are 20 m/s
        ({"l_dot": np.nan}, Fault.MEASUREMENT),
        ({"p_cap": np.nan}, Fault.PRESSURE),
        ({"p_rod": 50e6}, Fault.PRESSURE),
        ({"l": 2.999, "l_cmd": 2.999, "fresh": 1.0}, Fault.LIMIT_CONTACT),
    ],
)
def test_what_cannot_be_true_is_a_fault_at_once_and_replaced(wrong: dict[str, float], fault: Fault) -> None:
    watch, found, blocks = watched(1, **wrong)
    assert found is fault
    assert blocks == (fault in BLOCKING)
    assert np.isfinite(watch).all()
    if fault is not Fault.LIMIT_CONTACT:
        np.testing.assert_array_equal(watch[:5], [2.5, 0.1, 1.0, 8e6, 7e6])


@pytest.mark.parametrize(
    ("wrong", "fault", "time"),
    [
        ({"l_cmd": 2.56}, Fault.TRACKING, LIMITS["tracking_time"]),
        ({"l_dot": 1.4}, Fault.LEG_VELOCITY, LIMITS["speed_time"]),
        ({"valve_meas": 1.0}, Fault.VALVE, LIMITS["mismatch_time"]),
        ({"valve_meas": np.nan}, Fault.VALVE, LIMITS["mismatch_time"]),
    ],
)
def test_what_lasts_too_long_is_a_fault(wrong: dict[str, float], fault: Fault, time: float) -> None:
    """One tick more or less than the time: the sum of ticks is rounded."""
    assert watched(round(time / DT) - 1, **wrong)[1] is Fault.NONE
    assert watched(round(time / DT) + 2, **wrong)[1] is fault


def test_at_rest_neither_tracking_nor_the_lower_end_matters() -> None:
    assert watched(1000, quiet=1.0, l_cmd=2.9)[1] is Fault.NONE
    assert watched(1, driven=0.0, l=2.0, fresh=1.0, l_cmd=2.0)[1] is Fault.NONE


def latched(latch: list[float], **changes: object) -> tuple[np.ndarray, Fault, bool, bool]:
    given: dict[str, Any] = {
        "p_min": 9e6, "supply_time": 0.1, "dt": DT, "latch": latch, "state": State.DRIVE, "quiet": 0.0, "request": 0.0,
        "estop": 0.0, "reset": 0.0, "p_supply": 16e6, "converged": 1.0, "expired": 0.0, "codes": np.zeros(6),
        "blocks": np.zeros(6), "shuts": np.zeros(6),
    } | changes  # fmt: skip
    state, fault, stop, movable, _, _ = LATCH(**given)
    return state, Fault(int(fault)), bool(stop), bool(movable)


NONE = [0.0, 0.0, 0.0, 0.0]


def test_the_first_fault_stays() -> None:
    state, fault, stop, movable = latched(
        NONE, codes=[0, 0, Fault.TRACKING, Fault.VALVE, 0, 0], blocks=[0, 0, 1, 1, 0, 0]
    )
    assert (fault, stop, movable) == (Fault.VALVE, True, False)
    _, fault, stop, movable = latched(list(state), estop=1.0)
    assert (fault, stop, movable) == (Fault.VALVE, True, False)


def test_a_later_fault_can_still_forbid_going_down() -> None:
    state, fault, _, movable = latched(NONE, estop=1.0)
    assert (fault, movable) == (Fault.ESTOP, True)
    _, fault, _, movable = latched(list(state), codes=[0, Fault.TRACKING, 0, 0, 0, 0], blocks=[0, 1, 0, 0, 0, 0])
    assert (fault, movable) == (Fault.ESTOP, False)


@pytest.mark.parametrize("state", list(State))
def test_reset_is_heard_only_at_rest_and_only_when_the_cause_is_gone(state: State) -> None:
    before = [float(Fault.VALVE), 1.0, 1.0, 0.0]
    _, fault, _, movable = latched(before, state=state, quiet=1.0, reset=1.0)
    heard = state in (State.OFF, State.DOWN, State.HELD)
    assert (fault is Fault.NONE) == heard
    assert movable == heard
    again = latched(
        before, state=state, quiet=1.0, reset=1.0, codes=[Fault.VALVE, 0, 0, 0, 0, 0], shuts=[1, 0, 0, 0, 0, 0]
    )
    assert again[1] is Fault.VALVE


def test_other_causes() -> None:
    assert latched(NONE, expired=1.0)[1] is Fault.TIMEOUT
    assert latched(NONE, expired=1.0, state=State.ABORT)[1] is Fault.NONE  # the table leads it to held
    assert latched(NONE, request=Request.ABORT)[1] is Fault.OPERATOR_ABORT
    assert latched(NONE, converged=0.0)[1] is Fault.KINEMATICS
    state = NONE
    for _ in range(202):
        made = latched(state, p_supply=np.nan)
        state = list(made[0])
    assert made[1] is Fault.SUPPLY and not made[3]


def test_every_fault_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Fault)
    assert Fault.VALVE.sentence == "the spool of a leg's valve is not where it was sent"
