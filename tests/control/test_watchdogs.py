"""Monitors of a leg one by one, and the latch: first fault, what it forbids, and when it may be reset."""

from functools import partial
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.valve import spool_step
from motionbase.compile import Kernel, Port, compile
from motionbase.control.faults import BLOCKING, SENTENCES, SHUTTING, Fault
from motionbase.control.latch import FAULT_LATCH, LATCHED
from motionbase.control.states import Request, State
from motionbase.control.watchdogs import THRESHOLDS, WATCHED, leg_watchdog
from motionbase.platform.load import load_platform

DT, HARD_MIN, HARD_MAX = 0.0005, 2.0, 3.0
ACTUATOR = load_platform("simona").actuator
assert isinstance(ACTUATOR, HydraulicActuator)
SPOOL = partial(spool_step, ACTUATOR, DT)
WATCH = compile(leg_watchdog(SPOOL, HARD_MIN, HARD_MAX))
LATCH = compile(FAULT_LATCH)
LIMITS = {t.name: float(t.values[0]) for t in THRESHOLDS} | {"pressure_max": 40e6, "speed_max": 1.3}
GOOD = {"l": 2.5, "l_dot": 0.001, "l_ddot": 1.0, "p_cap": 8e6, "p_rod": 7e6, "valve_meas": 0.1}
AS_GOOD = [2.5, 0.001, 1.0, 8e6, 7e6]


def watched(
    ticks: int = 1, quiet: float = 0.0, driven: float = 1.0, **measured: float
) -> tuple[np.ndarray, Fault, bool]:
    """State, fault and whether it blocks, after ticks with measurements that differ from good ones."""
    watch = np.array([*AS_GOOD, 0.0, 0.0, 0.0, 2.5, 0.1, 0.0, 0.0])
    assert len(watch) == WATCHED
    commands = {"l_cmd": 2.5, "l_dot_cmd": 0.0, "valve_cmd": 0.1}
    for _ in range(ticks):
        given = {**GOOD, **commands, "quiet": quiet, "driven": driven, "fresh": 0.0} | measured
        watch, code, blocks, shuts = WATCH(**LIMITS, dt=DT, watch=watch, **given)
        assert bool(shuts) == (Fault(int(code)) in SHUTTING)
    return watch, Fault(int(code)), bool(blocks)


def test_good_measurements_show_no_fault_and_pass() -> None:
    watch, fault, blocks = watched(1000)
    assert (fault, blocks) == (Fault.NONE, False)
    np.testing.assert_array_equal(watch[:5], AS_GOOD)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({"l": np.nan}, Fault.MEASUREMENT),
        ({"l": np.inf}, Fault.MEASUREMENT),
        ({"l": 3.02, "fresh": 1.0}, Fault.MEASUREMENT),
        ({"l": 2.51}, Fault.MEASUREMENT),  # 10 mm in a tick, at a rate of 1 mm/s
        ({"l_dot": np.nan}, Fault.MEASUREMENT),
        ({"l": np.nan, "l_dot": np.nan}, Fault.BLIND),
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
        np.testing.assert_allclose(watch[:5], AS_GOOD, rtol=1e-6)  # a tick of 1 mm/s is 0.5 um


@pytest.mark.parametrize(
    ("wrong", "fault", "time"),
    [
        ({"l_cmd": 2.56}, Fault.TRACKING, LIMITS["tracking_time"]),
        ({"valve_meas": 1.0}, Fault.VALVE, LIMITS["mismatch_time"]),
        ({"valve_meas": np.nan}, Fault.VALVE, LIMITS["mismatch_time"]),
    ],
)
def test_what_lasts_too_long_is_a_fault(wrong: dict[str, float], fault: Fault, time: float) -> None:
    """One tick more or less than the time: the sum of ticks is rounded."""
    assert watched(round(time / DT) - 1, **wrong)[1] is Fault.NONE
    assert watched(round(time / DT) + 2, **wrong)[1] is fault


def test_a_leg_that_is_too_fast_for_too_long_is_a_fault() -> None:
    _, faults = moving(30, 1.4)
    assert faults.index(Fault.LEG_VELOCITY) == pytest.approx(LIMITS["speed_time"] / DT, abs=1.5)
    assert set(moving(30, 1.2)[1]) == {Fault.NONE}


def test_at_rest_neither_tracking_nor_the_lower_end_matters() -> None:
    assert watched(1000, quiet=1.0, l_cmd=2.9)[1] is Fault.NONE
    assert watched(1, driven=0.0, l=2.0, fresh=1.0, l_cmd=2.0)[1] is Fault.NONE


def test_the_upper_end_is_watched_wherever_valves_are_driven() -> None:
    """Rising, lowering and the ways of an abort are not `driven`, and may rest on the lower end alone."""
    upper: dict[str, float] = {"l": 2.999, "l_cmd": 2.999, "fresh": 1.0}
    assert watched(1, driven=0.0, **upper)[1] is Fault.LIMIT_CONTACT
    assert watched(1, driven=0.0, quiet=1.0, **upper)[1] is Fault.NONE


def moving(ticks: int, speed: float, **measured: Any) -> tuple[np.ndarray, list[Fault]]:
    """A leg that follows its command at a speed [m/s], with measurements that differ: numbers, or functions of l."""
    watch = np.array([*AS_GOOD, 0.0, 0.0, 0.0, 2.5, 0.1, 0.0, 0.0])
    faults = []
    for k in range(1, ticks + 1):
        l = 2.5 + k * DT * speed
        given = {**GOOD, "l": l, "l_dot": speed, "l_cmd": l, "l_dot_cmd": speed, "valve_cmd": 0.1}
        given |= {name: value(l) if callable(value) else value for name, value in measured.items()}
        watch, code, _, _ = WATCH(**LIMITS, dt=DT, watch=watch, quiet=0.0, driven=1.0, fresh=0.0, **given)
        faults.append(Fault(int(code)))
    return watch, faults


@pytest.mark.parametrize("l", [2.5, 0.0, np.nan, lambda l: l + 0.02], ids=["frozen", "lost", "nan", "offset"])
def test_a_length_that_contradicts_its_rate_is_replaced_by_the_integral_of_the_rate(l: Any) -> None:
    """Found as soon as they are `drift_max` apart; the leg's true length is then still known to rounding."""
    watch, faults = moving(200, 0.8, l=l)
    first = faults.index(Fault.MEASUREMENT)
    assert first <= (np.ceil(LIMITS["drift_max"] / (0.8 * DT)) if l == 2.5 else 0)
    assert set(faults[first:]) == {Fault.MEASUREMENT}
    # until it is found, a frozen length draws the integral by drift_corner times the distance: 6 ms of 1/s and 5 mm
    assert watch[0] == pytest.approx(2.5 + 200 * DT * 0.8, abs=3e-5)


def test_a_rate_that_contradicts_the_length_is_a_fault_and_the_length_is_believed() -> None:
    watch, faults = moving(200, 0.8, l_dot=0.0)
    assert faults[-1] is Fault.MEASUREMENT and watch[0] == pytest.approx(2.5 + 200 * DT * 0.8, abs=1e-12)


def test_a_leg_that_stands_while_its_command_moves_may_be_seized() -> None:
    """Found after `stall_travel` of the command, long before the tracking error would tell."""
    command = {"l": 2.5, "l_dot": 0.0, "l_cmd": lambda l: l}
    _, faults = moving(200, 0.8, **command)
    assert faults.index(Fault.TRACKING) == pytest.approx(LIMITS["stall_travel"] / (0.8 * DT), abs=1.5)
    assert moving(200, 0.8, **command | {"l_dot": 0.5, "l": lambda l: 2.5 + (l - 2.5) * 0.625})[1][-1] is Fault.NONE
    assert set(moving(200, 0.03, **command)[1]) == {Fault.NONE}  # so slow that only the error tells


def test_the_spool_is_compared_with_a_valve_that_needs_its_time() -> None:
    """A step of the command to full opening: the true valve lags it by far more than the threshold, and is no fault."""
    valve = compile(
        Kernel(
            "valve",
            (Port("x", 2), Port("u")),
            (Port("x_next", 2),),
            lambda x, u: ca.vertcat(*SPOOL(x[0], x[1], u)),
        )
    )
    for works in (True, False):
        watch = np.array([*AS_GOOD, 0.0, 0.0, 0.0, 2.5, 0.1, 0.0, 0.0])
        x, codes, lag = np.array([0.1, 0.0]), [], 0.0
        for _ in range(60):
            x = valve(x=x, u=1.0) if works else x
            given = GOOD | {"valve_meas": x[0], "l_cmd": 2.5, "l_dot_cmd": 0.0, "valve_cmd": 1.0}
            watch, code, _, _ = WATCH(**LIMITS, dt=DT, watch=watch, quiet=0.0, driven=1.0, fresh=0.0, **given)
            codes.append(Fault(int(code)))
            lag = max(lag, 1.0 - x[0])
        assert lag > 5 * LIMITS["mismatch_max"]
        assert codes[-1] is (Fault.NONE if works else Fault.VALVE)


def latched(latch: list[float], **changes: object) -> tuple[np.ndarray, Fault, bool, bool]:
    given: dict[str, Any] = {
        "p_min": 9e6, "supply_time": 0.1, "dt": DT, "latch": latch, "state": State.DRIVE, "quiet": 0.0, "request": 0.0,
        "estop": 0.0, "reset": 0.0, "p_supply": 16e6, "lines_lost": 0.0, "converged": 1.0, "expired": 0.0,
        "codes": np.zeros(6), "blocks": np.zeros(6), "shuts": np.zeros(6),
    } | changes  # fmt: skip
    state, fault, stop, movable, closes = LATCH(**given)
    np.testing.assert_array_equal(state[4:], closes)
    return state, Fault(int(fault)), bool(stop), bool(movable)


NONE = [0.0] * LATCHED


def test_the_first_fault_stays() -> None:
    state, fault, stop, movable = latched(
        NONE, codes=[0, 0, Fault.TRACKING, Fault.VALVE, 0, 0], blocks=[0, 0, 1, 1, 0, 0]
    )
    assert (fault, stop, movable) == (Fault.VALVE, True, False)
    state, fault, stop, movable = latched(list(state), estop=1.0)
    assert (fault, stop, movable) == (Fault.VALVE, True, False)
    np.testing.assert_array_equal(state[4:], [0, 0, 1, 1, 0, 0])  # their valves stay closed


def test_a_later_fault_can_still_forbid_going_down() -> None:
    state, fault, _, movable = latched(NONE, estop=1.0)
    assert (fault, movable) == (Fault.ESTOP, True)
    _, fault, _, movable = latched(list(state), codes=[0, Fault.TRACKING, 0, 0, 0, 0], blocks=[0, 1, 0, 0, 0, 0])
    assert (fault, movable) == (Fault.ESTOP, False)


@pytest.mark.parametrize("state", list(State))
def test_reset_is_heard_only_at_rest_and_only_when_the_cause_is_gone(state: State) -> None:
    before = [float(Fault.VALVE), 1.0, 1.0, 0.0, 1.0, *[0.0] * 5]
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
    assert latched(NONE, lines_lost=1.0)[1] is Fault.PRESSURE
    assert latched(NONE, lines_lost=1.0, quiet=1.0)[1] is Fault.NONE
    state = NONE
    for _ in range(202):
        made = latched(state, p_supply=np.nan)
        state = list(made[0])
    assert made[1] is Fault.SUPPLY and not made[3]


def test_every_fault_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Fault)
    assert Fault.VALVE.sentence == "the valve or the drive of a leg does not do what it was told"
