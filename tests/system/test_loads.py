"""Safety loads against what masses, pressures and speeds allow."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.control.faults import Fault
from motionbase.control.states import State
from motionbase.errors import SimulationError
from motionbase.plant.fault_plan import FaultKind
from motionbase.plant.plant import SEIZED_DAMPING
from motionbase.platform.load import load_platform
from motionbase.system.loads import ESTOP, Allowables, LoadCase, Loads, contact_of, end_sine, full_speed
from motionbase.system.runs import Host, Run

SIMONA = load_platform("simona")
SLOPE = 2.39 / 2.70613  # rate of a leg for a rate of heave: height over length at neutral


@cache
def loads() -> Loads:
    return Loads(SIMONA)


@cache
def heave() -> tuple[Host, dict[int, dict[str, Any]]]:
    return loads().moving("heave")


@cache
def case(kind: FaultKind | None, direction: int = 1) -> LoadCase:
    host, starts = heave()
    leg = 1 if kind is not None and kind.of_a_leg else None
    return loads().case(
        ESTOP if kind is None else kind.name.lower(), kind, leg, "heave", direction, host, starts[direction]
    )


def test_faults_come_at_full_speed_through_neutral() -> None:
    _, starts = heave()
    for direction, start in starts.items():
        assert start["V_P"][5] == pytest.approx(direction * 0.9, rel=0.01)  # tracking error of a 60 Hz host
        assert start["p_W"][2] == pytest.approx(2.39, abs=0.003)
        assert start["state_before"] == State.DRIVE


@pytest.mark.parametrize("direction", [1, -1])
def test_emergency_stop_is_gentle_and_ends_down(direction: int) -> None:
    """Its deceleration is a part of the limits: forces stay near the weight's share, nothing meets an end."""
    found = case(None, direction)
    share = (3500 + 6 * 50) * 9.80665 / 6 / SLOPE
    assert found.found is Fault.ESTOP and found.found_after is not None and found.found_after <= 1e-3
    assert found.end is State.OFF and found.contact is None and found.rest_after is not None
    assert share < found.force < 2 * share
    assert found.acceleration < 0.5 * SIMONA.limits.acceleration[2]


@pytest.mark.parametrize("kind", [FaultKind.SENSOR_LOST, FaultKind.SENSOR_FROZEN, FaultKind.SENSOR_OFFSET])
def test_without_a_length_sensor_the_base_goes_down_as_gently_as_in_an_emergency_stop(kind: FaultKind) -> None:
    """A frozen one is found when the leg has gone on by 5 mm, at 0.8 m/s; the rate carries it from there."""
    found, stop = case(kind), case(None)
    assert found.found is Fault.MEASUREMENT and found.end is State.OFF and found.contact is None
    assert found.found_after is not None and found.found_after < 0.01
    assert found.acceleration < 1.2 * stop.acceleration and found.force < 1.3 * stop.force


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("kind", [FaultKind.VALVE_STUCK, FaultKind.VALVE_HARD_IN, FaultKind.VALVE_REVERSED])
def test_with_a_valve_out_of_order_the_base_sinks_softly(kind: FaultKind, direction: int) -> None:
    """No leg pushes much above relief pressure on its area, and it lands at the speed of the bleeds, not at that of a
    closed valve, which braked by 60 m/s2."""
    found = case(kind, direction)
    assert found.found is Fault.VALVE and found.end is State.HELD and found.rest_after is not None
    assert found.contact is not None and found.contact_is_soft
    assert found.force < 1.1 * 20.0e6 * 25e-4 and found.acceleration < 20.0


def test_without_supply_the_base_sinks_softly() -> None:
    found = case(FaultKind.SUPPLY_LOST)
    assert found.found is Fault.SUPPLY and found.end is State.HELD and found.contact_is_soft
    assert found.rest_after is not None


def test_a_seized_leg_loads_its_joint_with_its_brake() -> None:
    """The first moment: leg speed times the damping of what holds it."""
    found = case(FaultKind.LEG_SEIZED)
    assert found.joint == pytest.approx(SEIZED_DAMPING * 0.9 * SLOPE, rel=0.1)
    assert found.joint > 2 * found.force  # the actuator itself does not push that
    assert found.found is Fault.TRACKING and found.found_after is not None and found.found_after < 0.1
    assert found.end is State.HELD and found.contact is None and found.rest_after is not None


def test_a_silent_host_is_no_fault() -> None:
    found = case(FaultKind.HOST_DROPOUT)
    assert found.found is Fault.NONE and found.found_after is None and found.end is State.STANDBY
    assert found.acceleration < 5.0


def test_every_fault_is_tried_on_every_leg() -> None:
    tried = list(loads().faults)
    for kind in FaultKind:
        legs = [leg for _, k, leg in tried if k is kind]
        assert legs == ([1, 2, 3] if kind.of_a_leg else [None])
    assert tried[0] == (ESTOP, None, None) and len(tried) == 1 + 8 * 3 + 2


def test_full_speed_is_within_axis_and_legs() -> None:
    np.testing.assert_allclose(full_speed(SIMONA, "heave"), (0.9, 0.6 * 0.61))
    for name in ("simona", "cmf", "odu"):
        hexapod = load_platform(name)
        for k, axis in enumerate(("surge", "sway", "heave", "roll", "pitch", "yaw")):
            speed, amplitude = full_speed(hexapod, axis)
            assert 0 < speed <= hexapod.limits.velocity[k]
            assert speed**2 / amplitude <= 0.9 * hexapod.limits.acceleration[k] + 1e-12
    with pytest.raises(SimulationError, match="axis is 'up', it must be one of surge,"):
        full_speed(SIMONA, "up")


@pytest.mark.parametrize("direction", [1, -1])
def test_faults_near_the_end_come_at_the_speed_that_braking_allows(direction: int) -> None:
    amplitude, w, phase = end_sine(SIMONA, "heave")
    host, start = loads().nearing("heave", direction)
    at = float(start["tick"]) * loads().runner.loop.dt
    x, v, a = host(at)[:, 2]
    assert x == pytest.approx(direction * 0.9 * 0.61, abs=5e-4)  # a tick of motion
    assert v == pytest.approx(direction * amplitude * w * np.cos(phase), rel=1e-2)
    assert v * direction > 0.6 and abs(a) * SLOPE < SIMONA.limits.leg_braking
    assert abs(host(at + (np.pi / 2 - phase) / w)[0, 2]) == pytest.approx(0.61, abs=1e-3)  # where it turns
    assert start["V_P"][5] == pytest.approx(v, rel=0.05)  # tracking error of a 60 Hz host
    assert start["p_W"][2] - 2.39 == pytest.approx(x, abs=0.01) and start["state_before"] == State.DRIVE


def test_a_valve_that_fails_near_the_end_meets_it_softly() -> None:
    host, start = loads().nearing("heave", 1)
    found = loads().case("valve_hard_out", FaultKind.VALVE_HARD_OUT, 1, "heave", 1, host, start)
    assert found.found is Fault.VALVE and found.end is State.HELD and found.contact_is_soft
    assert found.rest_after is not None and found.force < 1.1 * 20.0e6 * 25e-4


def test_near_ends_double_the_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Loads(SIMONA, ("heave",), (1,), near_ends=True)
    monkeypatch.setattr(Loads, "faults", [(ESTOP, None, None)])
    monkeypatch.setattr(Loads, "runner", loads().runner)
    found = few.predict()
    assert [(c.direction, c.near_end) for c in found] == [(1, False), (-1, False), (1, True), (-1, True)]
    assert all(c.end is State.OFF and c.contact is None for c in found)


def test_the_fastest_contact_counts() -> None:
    l, l_dot = np.full((5, 6), 2.7), np.zeros((5, 6))
    nothing = Run(np.arange(5.0), {}, {"l": l, "l_dot": l_dot}, {})
    assert contact_of(SIMONA, nothing) == (None, None)
    met, rate = l.copy(), l_dot.copy()
    met[2:, 0], rate[2, 0] = SIMONA.stroke.hard_min - 1e-4, -0.03
    met[3:, 4], rate[3, 4] = SIMONA.stroke.hard_max + 1e-4, 0.08
    rate[4, 4] = 0.5  # already there
    found = contact_of(SIMONA, Run(np.arange(5.0), {}, {"l": met, "l_dot": rate}, {}), at=1.0)
    assert found == (0.08, 2.0)


def test_allowables() -> None:
    stall = Allowables.of(SIMONA)
    assert stall == Allowables(2 * 16e6 * 25e-4, 2 * 16e6 * 25e-4, True)
    assert Allowables.of(SIMONA, 1e5, 2e5) == Allowables(1e5, 2e5, False)
    assert Allowables.of(SIMONA, joint=2e5).illustrative
    with pytest.raises(SimulationError, match="allowable force is -1.0 N, it must be above 0"):
        Allowables.of(SIMONA, -1.0)
