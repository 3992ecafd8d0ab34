"""The guard: whatever a law says, what is passed on is finite, within bounds and of this tick, or a safe stop."""

import struct
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from motionbase.compile import Compiled, compile
from motionbase.control import compensator, electric
from motionbase.control.guard import MARGIN, PATIENCE, STOP_S, LegGuard, WheelGuard, command_rate
from motionbase.platform.atlas.load import load_atlas
from motionbase.platform.load import PRESETS, load_platform
from motionbase.record.faults import GUARDED, Fault
from motionbase.record.states import State

Array = NDArray[np.float64]
HEXAPODS = tuple(name for name in PRESETS if name != "atlas")
DT = 5e-4
STOP_TICKS = round(STOP_S / DT)
GOOD = {
    "valve_cmd_law": np.zeros(6), "abort_law": 0.0, "state_law": 5.0, "fault_law": 0.0, "sound": 1.0, "lateness": 0.0,
    "reset": 0.0,
}  # fmt: skip


@cache
def guard(name: str = "simona") -> LegGuard:
    return LegGuard.of(load_platform(name).actuator, DT)


@cache
def step(name: str = "simona") -> Compiled:
    return compile(guard(name).kernel)


@cache
def wheel_guard() -> tuple[WheelGuard, Compiled]:
    wheels = WheelGuard(load_atlas("atlas"))
    return wheels, compile(wheels.kernel)


class Guarded:
    """A guard over several ticks; the law answers in time unless it is told otherwise."""

    def __init__(self, name: str = "simona") -> None:
        self.name, self.x = name, guard(name).state.vector()

    def __call__(self, **said: object) -> dict[str, Array]:
        given = {"answer": self.x[guard(self.name).state.starts["tick"]], **GOOD, **said}
        names = [p.name for p in guard(self.name).kernel.outputs]
        out = dict(zip(names, step(self.name)(guard=self.x, **given), strict=True))
        self.x = np.array(out["guard_next"])
        return out


def six(value: float, leg: int = 2) -> Array:
    out = np.zeros(6)
    out[leg] = value
    return out


DOUBLES = st.one_of(
    st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0]),
    st.sampled_from([np.nan, np.inf, -np.inf, 5e-324, -5e-324, 1.7e308, -0.0, 1.0, -1.0, 0.01, -0.01]),
    st.floats(-1.1, 1.1),
)
SAID = st.fixed_dictionaries(
    {
        "valve_cmd_law": st.lists(DOUBLES, min_size=6, max_size=6).map(np.array),
        **{name: DOUBLES for name in ("abort_law", "state_law", "fault_law", "answer", "lateness", "reset", "sound")},
    },
    optional={},
)


@settings(max_examples=60, deadline=None)
@given(said=st.lists(SAID, min_size=1, max_size=8), name=st.sampled_from(["simona", "emotion-1500"]))
def test_whatever_bits_a_law_says_the_legs_get_finite_commands_within_bounds(said: list[Any], name: str) -> None:
    one, before = Guarded(name), np.zeros(6)
    for ours in said:
        out = one(**ours)
        cmd, limit = out["valve_cmd"], guard(name).step
        assert np.isfinite(cmd).all() and (np.abs(cmd) <= 1).all() and 0 <= out["abort"] <= 1
        assert (cmd <= np.maximum(before, 0) + limit).all() and (cmd >= np.minimum(before, 0) - limit).all()
        assert np.isfinite(one.x).all() and np.isfinite([out["state"], out["fault"]]).all()
        if not out["stopped"]:  # then it is the law's own, to the bit but for the sign of zero
            np.testing.assert_array_equal(cmd, ours["valve_cmd_law"])
        before = cmd


@settings(max_examples=40, deadline=None)
@given(
    said=st.lists(st.tuples(*(st.lists(DOUBLES, min_size=3, max_size=3).map(np.array) for _ in range(2)), DOUBLES)),
)
def test_whatever_bits_a_law_says_the_wheels_get_finite_torques_within_bounds(said: list[Any]) -> None:
    wheels, run = wheel_guard()
    x = wheels.state.vector()
    for torque, omega, reset in said:
        x, passed, fault = run(sphere_guard=x, tau_law=torque, sound=1.0, omega_wheel=omega, reset=reset)
        assert np.isfinite(passed).all() and (np.abs(passed) <= wheels.atlas.wheels[0].torque_max).all()
        assert fault in (0.0, Fault.GUARD_SPHERE) and np.isfinite(x).all()


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"valve_cmd_law": six(np.nan)}, Fault.GUARD_NUMBER),
        ({"valve_cmd_law": six(-np.inf)}, Fault.GUARD_NUMBER),
        ({"abort_law": np.nan}, Fault.GUARD_NUMBER),
        ({"state_law": np.nan}, Fault.GUARD_NUMBER),
        ({"fault_law": np.inf}, Fault.GUARD_NUMBER),
        ({"sound": 0.0}, Fault.GUARD_NUMBER),
        ({"sound": np.nan}, Fault.GUARD_NUMBER),
        ({"valve_cmd_law": six(1 + 1e-15)}, Fault.GUARD_BOUNDS),
        ({"valve_cmd_law": six(-1e300)}, Fault.GUARD_BOUNDS),
        ({"abort_law": -1e-9}, Fault.GUARD_BOUNDS),
        ({"abort_law": 1.5}, Fault.GUARD_BOUNDS),
        ({"valve_cmd_law": six(0.5)}, Fault.GUARD_RATE),
        ({"valve_cmd_law": six(-0.5)}, Fault.GUARD_RATE),
        ({"answer": -PATIENCE - 1.0}, Fault.GUARD_LATE),
        ({"answer": 1.0}, Fault.GUARD_LATE),
        ({"answer": np.nan}, Fault.GUARD_LATE),
        ({"lateness": 1.01}, Fault.GUARD_LATE),
        ({"lateness": np.nan}, Fault.GUARD_LATE),
    ],
)
def test_every_violation_has_its_code_and_is_latched(said: dict[str, object], fault: Fault) -> None:
    one = Guarded()
    first = one(**said)
    assert first["fault"] == fault and first["stopped"] == 1 and first["state"] == State.STOPPING
    again = one()  # the law is good again
    assert again["fault"] == fault and again["stopped"] == 1


def test_a_stop_is_even_and_complete_whatever_the_law_says_meanwhile() -> None:
    one = Guarded()
    for k in range(1, 21):
        assert one(valve_cmd_law=six(0.02 * k))["stopped"] == 0
    rows = [one(valve_cmd_law=np.full(6, np.nan), state_law=np.nan) for _ in range(STOP_TICKS + 10)]
    cmd, abort = np.array([r["valve_cmd"][2] for r in rows]), np.array([float(r["abort"]) for r in rows])
    share = np.minimum(np.arange(1, len(rows) + 1) / STOP_TICKS, 1.0)
    np.testing.assert_allclose(cmd, 0.4 * (1 - share), atol=1e-12)
    np.testing.assert_allclose(abort, share, atol=1e-12)
    assert rows[STOP_TICKS // 2]["state"] == State.STOPPING and rows[-1]["state"] == State.HELD
    assert abort[-1] == 1 and cmd[-1] == 0 and not np.array(rows[-1]["valve_cmd"]).any()


def test_valves_that_are_being_shut_off_stay_so() -> None:
    one = Guarded()
    for k in range(100):
        one(abort_law=k / 100)
    assert one(valve_cmd_law=six(np.nan))["abort"] == pytest.approx(0.99 + 1 / STOP_TICKS)


def test_brakes_close_at_once_and_know_no_half() -> None:
    assert Guarded("emotion-1500")(valve_cmd_law=six(np.nan))["abort"] == 1
    assert Guarded("emotion-1500")(abort_law=0.5)["fault"] == Fault.GUARD_BOUNDS
    assert Guarded("emotion-1500")(abort_law=1.0)["fault"] == Fault.NONE


def test_a_reset_waits_for_the_stop_and_lets_go_only_of_a_law_that_is_good() -> None:
    one = Guarded()
    one(valve_cmd_law=six(np.nan))
    assert one(reset=1.0)["stopped"] == 1  # too early
    for _ in range(STOP_TICKS):
        one()
    assert one(reset=1.0, valve_cmd_law=six(np.nan))["stopped"] == 1
    assert one(reset=1.0, valve_cmd_law=six(0.6))["stopped"] == 1  # it would jump
    assert one()["stopped"] == 1
    free = one(reset=1.0)
    assert free["stopped"] == 0 and free["fault"] == 0 and free["state"] == 5 and free["abort"] == 0
    assert one(valve_cmd_law=six(0.1))["valve_cmd"][2] == 0.1


def test_an_answer_may_be_a_little_old() -> None:
    one = Guarded()
    for tick in range(20):
        assert one(answer=max(0.0, float(tick - PATIENCE)))["stopped"] == 0
    assert one(answer=float(20 - PATIENCE - 1))["fault"] == Fault.GUARD_LATE


def test_a_law_that_hangs_is_stopped_after_its_patience() -> None:
    """The guard ticks on by itself, on the last answer that it got."""
    one = Guarded()
    one()
    found = [float(one(answer=0.0)["fault"]) for _ in range(4)]
    assert found == [0.0] * PATIENCE + [float(Fault.GUARD_LATE)] * (4 - PATIENCE)


def test_closing_is_free_and_opening_is_not() -> None:
    one = Guarded()
    for k in range(1, 11):
        one(valve_cmd_law=six(0.1 * k))
    assert one(valve_cmd_law=np.zeros(6))["stopped"] == 0  # an emergency stop of a simple law
    assert one(valve_cmd_law=six(0.9))["fault"] == Fault.GUARD_RATE


@pytest.mark.parametrize("name", HEXAPODS)
def test_the_law_of_this_package_stays_below_the_rate_on_every_preset(name: str) -> None:
    """`valve_rate_max` can be tuned to the strict side only; `loads` and the other tests drive it to its bounds."""
    actuator = load_platform(name).actuator
    for gains in (compensator.Gains, electric.Gains):
        (fastest,) = gains.layout.find("valve_rate_max").start_values
        assert fastest <= command_rate(actuator) < MARGIN * command_rate(actuator)
    assert guard(name).step < 0.2  # a jump to a fifth is caught everywhere


def test_wheels_are_braked_by_their_speed_until_a_reset_at_rest() -> None:
    wheels, run = wheel_guard()
    most = wheels.atlas.wheels[0].torque_max

    def tick(x: Array, torque: float, omega: float, reset: float = 0.0) -> tuple[Array, Array, float]:
        return run(  # type: ignore[no-any-return]
            sphere_guard=x, tau_law=np.full(3, torque), sound=1.0, omega_wheel=np.full(3, omega), reset=reset
        )

    x, passed, fault = tick(wheels.state.vector(), 0.8 * most, 5.0)
    assert fault == 0 and (passed == 0.8 * most).all()
    x, passed, fault = tick(x, -0.8 * most, 5.0)  # a full reversal in a tick
    assert fault == Fault.GUARD_SPHERE and (passed < 0).all()
    x, passed, fault = tick(x, 0.0, -5.0, reset=1.0)
    assert fault == Fault.GUARD_SPHERE and (passed > 0).all()
    x, passed, fault = tick(x, 0.0, 0.1, reset=1.0)
    assert fault == 0 and not passed.any()


def test_faults_of_the_guard_are_their_own() -> None:
    assert {f.name for f in GUARDED} == {f"GUARD_{w}" for w in ("NUMBER", "BOUNDS", "RATE", "LATE", "SPHERE")}
