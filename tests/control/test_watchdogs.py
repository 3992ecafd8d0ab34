"""Monitors of a leg one by one, and the latch: first fault, what it forbids, and when it may be reset."""

from functools import partial
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.valve import spool_step
from motionbase.compile import Kernel, Port, compile
from motionbase.control.agreement import Agreement
from motionbase.control.latch import Latch, latched, stop_and_movable
from motionbase.control.leg_control import usual_values
from motionbase.control.watchdogs import Found, LegKind, Now, Reading, Thresholds, Told, Watch, watch_leg
from motionbase.platform.load import load_platform
from motionbase.record.faults import BLOCKING, SENTENCES, SHUTTING, Fault
from motionbase.record.states import Request, State
from tests.control.named import Named

DT, HARD_MIN, HARD_MAX = 0.0005, 2.0, 3.0
ACTUATOR = load_platform("simona").actuator
assert isinstance(ACTUATOR, HydraulicActuator)
SPOOL = partial(spool_step, ACTUATOR, DT)
AREAS = ACTUATOR.area_cap, ACTUATOR.area_rod


def spool_error(model: ca.SX, command: ca.SX, quiet: ca.SX, valve_meas: ca.SX, f: ca.SX) -> tuple[ca.SX, ...]:
    place, rate = SPOOL(model[0], model[1], command)
    return place - valve_meas, rate, place, rate


WATCHED, LATCHED = Watch.layout.size, Latch.layout.size
KIND = LegKind(spool_error, AREAS, HARD_MIN, HARD_MAX)
NOW = ("dt", "fresh", "quiet", "driven")
DOUBT = ("disagreement", "slow", "free", "gyros_wrong")
TOLD = ("l_cmd", "l_dot_cmd", "valve_cmd", "f_needed", "f_beyond")
READ = ("l", "l_dot", "l_ddot", "p_cap", "p_rod", "valve_meas", "f")


def one_leg(thresholds: Thresholds, watch: Watch, *given: ca.SX) -> tuple[Any, ...]:
    left = iter(given)
    now, doubt, told, read = (
        kind(*(next(left) for _ in names))
        for kind, names in ((Now, NOW), (Agreement, DOUBT), (Told, TOLD), (Reading, READ))
    )
    after, found = watch_leg(KIND, thresholds, now, watch, doubt, told, read)  # type: ignore[arg-type]
    return after, found.code, found.blocks, found.shuts


WATCH = Named(
    Kernel(
        "leg_watchdog",
        (Thresholds.port("thresholds"), Watch.port("watch"), *(Port(n) for n in (*NOW, *DOUBT, *TOLD, *READ))),
        (Watch.port("watch_next"), Port("code"), Port("blocks"), Port("shuts")),
        one_leg,
    )
)


def latch_of(latch: Latch, codes: ca.SX, blocks: ca.SX, shuts: ca.SX, *given: ca.SX) -> tuple[Any, ...]:
    named = dict(zip(LATCH_INPUTS, given, strict=True))
    after = latched(latch=latch, found=Found.of_columns(code=codes, blocks=blocks, shuts=shuts), **named)
    return after, after.fault, *stop_and_movable(after, named["estop"]), after.closed


LATCH_INPUTS = (
    "p_min", "supply_time", "dt", "state", "quiet", "request", "estop", "reset", "p_supply", "lines_lost", "converged",
    "expired",
)  # fmt: skip
LATCH = compile(
    Kernel(
        "fault_latch",
        (Latch.port("latch"), *(Port(n, 6) for n in ("codes", "blocks", "shuts")), *map(Port, LATCH_INPUTS)),
        (Latch.port("latch_next"), Port("fault"), Port("stop"), Port("movable"), Port("closes", 6)),
        latch_of,
    )
)
LIMITS = usual_values(Thresholds.layout) | {"pressure_max": 40e6, "speed_max": 1.3, "stall_force": 4e3}
FORCE = AREAS[0] * 8e6 - AREAS[1] * 7e6
GOOD = {"l": 2.5, "l_dot": 0.001, "l_ddot": 1.0, "p_cap": 8e6, "p_rod": 7e6, "valve_meas": 0.1, "f": FORCE}
GOOD |= {"f_needed": FORCE, "f_beyond": 0.0, "disagreement": 0.0, "slow": 0.0, "free": 0.5, "gyros_wrong": 0.0}
AS_GOOD = [2.5, 0.001, 1.0, 8e6, 7e6]
AT_START = [*AS_GOOD, 0.0, 0.0, 0.0, 2.5, 0.1, 0.0, 0.0, 2.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def watched(
    ticks: int = 1, quiet: float = 0.0, driven: float = 1.0, **measured: float
) -> tuple[np.ndarray, Fault, bool]:
    """State, fault and whether it blocks, after ticks with measurements that differ from good ones."""
    watch = np.array(AT_START)
    assert len(watch) == WATCHED
    commands = {"l_cmd": 2.5, "l_dot_cmd": 0.001, "valve_cmd": 0.1}
    for _ in range(ticks):
        given = {**GOOD, **commands, "quiet": quiet, "driven": driven, "fresh": 0.0} | measured
        watch, code, blocks, shuts = WATCH(**LIMITS, dt=DT, watch=watch, **given)
        assert bool(shuts) == (Fault(int(code)) in SHUTTING)
    return watch, Fault(int(code)), bool(blocks)


def test_good_measurements_show_no_fault_and_pass() -> None:
    """A rate that is off by 1 mm/s is no fault, though the length of a standing leg never changes."""
    watch, fault, blocks = watched(1000)
    assert (fault, blocks) == (Fault.NONE, False)
    np.testing.assert_array_equal(watch[:5], AS_GOOD)


def test_the_length_of_a_standing_leg_need_not_change_even_if_its_rate_is_biased() -> None:
    """Drawn to the length, the integral settles: an encoder without noise reads the same for as long as it stands."""
    assert watched(6000, l_dot=9e-4)[1] is Fault.NONE


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
    watch = np.array(AT_START)
    faults = []
    for k in range(1, ticks + 1):
        l = 2.5 + k * DT * speed
        given = {**GOOD, "l": l, "l_dot": speed, "l_cmd": l, "l_dot_cmd": speed, "valve_cmd": 0.1}
        given |= {name: value(l) if callable(value) else value for name, value in measured.items()}
        watch, code, _, _ = WATCH(**LIMITS, dt=DT, watch=watch, quiet=0.0, driven=1.0, fresh=0.0, **given)
        faults.append(Fault(int(code)))
    return watch, faults


@pytest.mark.parametrize("l", [2.5, 0.0, np.nan, lambda l: l + 0.02], ids=["frozen", "lost", "nan", "offset"])
@pytest.mark.parametrize("speed", [0.8, 0.02, -0.02])
def test_a_length_that_is_wrong_is_replaced_by_the_integral_of_the_rate(l: Any, speed: float) -> None:
    """The rates agree with each other, so it is the length; a frozen one is found after `frozen_travel`, at any speed.

    Where the command is does not matter: it stands where the wrong length is, as near a reversal of the motion.
    """
    ticks = 200 if speed == 0.8 else 400
    watch, faults = moving(ticks, speed, l=l, l_cmd=lambda true: l if l in (2.5, 0.0) else true)
    first = faults.index(Fault.MEASUREMENT)
    assert first <= (np.ceil(LIMITS["frozen_travel"] / (abs(speed) * DT)) + 2 if l == 2.5 else 0)
    assert set(faults[first:]) <= {Fault.MEASUREMENT, Fault.TRACKING}
    # until it is found, a frozen length draws the integral by drift_corner times the distance
    assert watch[0] == pytest.approx(2.5 + ticks * DT * speed, abs=3e-5)


@pytest.mark.parametrize("speed", [0.8, -0.05])
def test_a_rate_that_disagrees_with_the_others_is_wrong_and_the_length_is_believed(speed: float) -> None:
    """The disagreement is that of a rate which reads 0: half of what is missing, the part that shows."""
    watch = np.array(AT_START)
    faults = []
    for k in range(1, 601):
        l = 2.5 + k * DT * speed
        given = {**GOOD, "l": l, "l_dot": 0.0, "l_cmd": l, "l_dot_cmd": speed, "valve_cmd": 0.1}
        given["disagreement"] = -0.5 * (l - 2.5)
        watch, code, _, _ = WATCH(**LIMITS, dt=DT, watch=watch, quiet=0.0, driven=1.0, fresh=0.0, **given)
        faults.append(Fault(int(code)))
    assert faults.index(Fault.MEASUREMENT) == pytest.approx(LIMITS["drift_max"] / (abs(speed) * DT), rel=0.15)
    assert watch[0] == l and watch[1] == speed  # the commanded rate stands for the measured one


def test_wrong_gyros_blame_no_rate() -> None:
    """Whatever they make of the disagreement, a length that freezes is replaced by its rate."""
    watch, faults = moving(200, 0.8, l=2.5, disagreement=lambda l: l - 2.5, gyros_wrong=1.0)
    assert Fault.MEASUREMENT in faults and watch[0] == pytest.approx(2.5 + 200 * DT * 0.8, abs=3e-5)


def test_what_was_found_wrong_is_not_believed_again_before_a_reset() -> None:
    """A frozen length that the leg comes back to, and a rate that reads again."""
    there, _ = moving(50, 0.8, l=2.5)
    given = {**GOOD, "l": there[0] + 1e-4, "l_dot": 0.8, "l_cmd": 2.5, "l_dot_cmd": 0.8, "valve_cmd": 0.1}
    more = {"dt": DT, "quiet": 0.0, "driven": 1.0}
    after, code, _, _ = WATCH(**LIMITS, **more, watch=there, fresh=0.0, **given)
    assert Fault(int(code)) is Fault.MEASUREMENT and after[0] == pytest.approx(there[0] + 0.8 * DT, abs=1e-12)
    after, code, _, _ = WATCH(**LIMITS, **more, watch=there, fresh=1.0, **given)
    assert Fault(int(code)) is Fault.NONE and after[0] == given["l"]


def stands(push: float, **changes: Any) -> list[Fault]:
    """Of a leg that stays at 2.5 m while its command goes on at 0.05 m/s, pushed by more than it needs [N]."""
    oil = GOOD["p_cap"] + push / AREAS[0]
    given: dict[str, Any] = {
        "l": 2.5,
        "l_dot": 0.0,
        "l_ddot": 0.0,
        "p_cap": oil,
        "f": FORCE + push,
        "l_cmd": lambda l: l,
    }
    return moving(400, 0.05, **given | changes)[1]


@pytest.mark.parametrize("felt", [0.0, -5e3])
def test_a_leg_that_stays_behind_though_it_is_pushed_is_seized(felt: float) -> None:
    """From `stall_travel` behind on, for `stall_time`: long before the tracking error would tell."""
    wanted = LIMITS["stall_travel"] / (0.05 * DT) + LIMITS["stall_time"] / DT
    assert stands(5e3, f_beyond=felt).index(Fault.TRACKING) == pytest.approx(wanted, abs=2.5)


@pytest.mark.parametrize(
    "what",
    [{"push": 3e3}, {"push": -5e3}, {"push": 5e3, "l_ddot": 1.5}, {"push": 5e3, "f_beyond": 5e3}],
    ids=["not pushed", "held back", "gains speed", "the platform feels the push"],
)
def test_a_leg_that_stays_behind_for_another_reason_is_only_late(what: dict[str, float]) -> None:
    """A saturated valve, too much mass, or legs that push against each other; only `tracking_max` tells."""
    assert set(stands(**what)) == {Fault.NONE}


@pytest.mark.parametrize("wrong", [{"p_cap": 0.0}, {"p_rod": 0.0}, {"f": FORCE + 5e3}])
def test_pressures_that_contradict_the_force_are_a_fault(wrong: dict[str, float]) -> None:
    """And the loop gets the force that is nearer to what the motion needs."""
    ticks = round(LIMITS["mismatch_time"] / DT)
    assert watched(ticks - 1, **wrong)[1] is Fault.NONE
    watch, fault, blocks = watched(ticks + 2, **wrong)
    assert fault is Fault.PRESSURE and not blocks
    assert AREAS[0] * watch[3] - AREAS[1] * watch[4] == pytest.approx(FORCE, rel=1e-9)
    assert watched(ticks + 2, **wrong | {"f": 0.0})[1] is Fault.NONE  # no sensor of force: nothing to contradict


@pytest.mark.parametrize("off", [0.05, -0.03])
def test_a_spool_that_is_a_little_off_for_long_is_a_fault(off: float) -> None:
    """Within `mismatch_max`, and more than a valve that stands may be off in the mean."""
    reached = -np.log(1 - LIMITS["mismatch_slow"] / abs(off)) / LIMITS["mismatch_corner"]
    late = reached + LIMITS["mismatch_time"]
    assert watched(round(late / DT) - 4, valve_meas=0.1 + off)[1] is Fault.NONE
    assert watched(round(late / DT) + 4, valve_meas=0.1 + off)[1] is Fault.VALVE
    assert watched(600, valve_meas=0.1 + 0.9 * LIMITS["mismatch_slow"])[1] is Fault.NONE


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
        watch = np.array(AT_START)
        x, codes, lag = np.array([0.1, 0.0]), [], 0.0
        for _ in range(60):
            x = valve(x=x, u=1.0) if works else x
            given = GOOD | {"valve_meas": x[0], "l_cmd": 2.5, "l_dot_cmd": 0.0, "valve_cmd": 1.0}
            watch, code, _, _ = WATCH(**LIMITS, dt=DT, watch=watch, quiet=0.0, driven=1.0, fresh=0.0, **given)
            codes.append(Fault(int(code)))
            lag = max(lag, 1.0 - x[0])
        assert lag > 5 * LIMITS["mismatch_max"]
        assert codes[-1] is (Fault.NONE if works else Fault.VALVE)


def after_latch(latch: list[float], **changes: object) -> tuple[np.ndarray, Fault, bool, bool]:
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
    state, fault, stop, movable = after_latch(
        NONE, codes=[0, 0, Fault.TRACKING, Fault.VALVE, 0, 0], blocks=[0, 0, 1, 1, 0, 0]
    )
    assert (fault, stop, movable) == (Fault.VALVE, True, False)
    state, fault, stop, movable = after_latch(list(state), estop=1.0)
    assert (fault, stop, movable) == (Fault.VALVE, True, False)
    np.testing.assert_array_equal(state[4:], [0, 0, 1, 1, 0, 0])  # their valves stay closed


def test_a_later_fault_can_still_forbid_going_down() -> None:
    state, fault, _, movable = after_latch(NONE, estop=1.0)
    assert (fault, movable) == (Fault.ESTOP, True)
    _, fault, _, movable = after_latch(list(state), codes=[0, Fault.TRACKING, 0, 0, 0, 0], blocks=[0, 1, 0, 0, 0, 0])
    assert (fault, movable) == (Fault.ESTOP, False)


@pytest.mark.parametrize("state", list(State))
def test_reset_is_heard_only_at_rest_and_only_when_the_cause_is_gone(state: State) -> None:
    before = [float(Fault.VALVE), 1.0, 1.0, 0.0, 1.0, *[0.0] * 5]
    _, fault, _, movable = after_latch(before, state=state, quiet=1.0, reset=1.0)
    heard = state in (State.OFF, State.DOWN, State.HELD)
    assert (fault is Fault.NONE) == heard
    assert movable == heard
    again = after_latch(
        before, state=state, quiet=1.0, reset=1.0, codes=[Fault.VALVE, 0, 0, 0, 0, 0], shuts=[1, 0, 0, 0, 0, 0]
    )
    assert again[1] is Fault.VALVE


def test_other_causes() -> None:
    assert after_latch(NONE, expired=1.0)[1] is Fault.TIMEOUT
    assert after_latch(NONE, expired=1.0, state=State.ABORT)[1] is Fault.NONE  # the table leads it to held
    assert after_latch(NONE, request=Request.ABORT)[1] is Fault.OPERATOR_ABORT
    assert after_latch(NONE, converged=0.0)[1] is Fault.KINEMATICS
    assert after_latch(NONE, lines_lost=1.0)[1] is Fault.PRESSURE
    assert after_latch(NONE, lines_lost=1.0, quiet=1.0)[1] is Fault.NONE
    state = NONE
    for _ in range(202):
        made = after_latch(state, p_supply=np.nan)
        state = list(made[0])
    assert made[1] is Fault.SUPPLY and not made[3]


def test_every_fault_has_a_sentence() -> None:
    assert set(SENTENCES) == set(Fault)
    assert Fault.VALVE.sentence == "the valve or the drive of a leg does not do what it was told"
