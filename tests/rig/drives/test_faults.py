"""Whatever happens to a drive, all six stop, in the promised time, and a person hears why."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Demand
from motionbase.rig.drives import dictionary, profile
from motionbase.rig.drives.profile import State
from tests.rig.drives.bench import STOPPED, Bench, quick_bench, reset, stopped
from tests.tier import some_of

CODES = [0x2310, 0x3210, 0x4310, 0x5530, 0x7305, 0x8130, 0x8611, 0x8612, 0xFF00]


@pytest.mark.parametrize("phase", some_of([LegState.FOLLOWING, LegState.READY, LegState.UNHOMED, LegState.OFF], 1))
@pytest.mark.parametrize("code", CODES, ids=lambda code: f"{code:04X}")
def test_a_fault_of_any_drive_stops_all(code: int, phase: LegState) -> None:
    b = quick_bench(period=0.005)
    for leg, drive in enumerate(b.drives):
        if phase is LegState.UNHOMED:
            for node in b.master.nodes:
                node.homed = False
            b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
        elif phase is not LegState.OFF:
            b.ready()
        b.run(0.1, go=phase is LegState.FOLLOWING, v=0.05)
        drive.fail(code)
        assert stopped(b, 2)
        assert b.master.why == f"drive {leg + 1} reports error code {code:04X}h"
        answer = b.run(0.3, go=True, v=0.05)
        assert answer.faults[leg] is profile.fault_of(code) and answer.codes[leg] == code
        assert answer.states[leg] is LegState.FAULT and sum(map(bool, answer.faults)) == 1
        others = [s for k, s in enumerate(answer.states) if k != leg]
        assert set(others) == {LegState.OFF if phase is LegState.OFF else LegState.READY}
        b.stands(0.1)
        reset(b)
    b.leave()


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("period", [0.002, 0.004])
def test_an_emergency_object_stops_all_in_two_cycles(leg: int, period: float) -> None:
    """The drive's frame waits for the master's next cycle, which sends the quick stop."""
    b = quick_bench(period=period)
    b.moving()
    b.drives[leg].fail(0x2310)
    assert stopped(b, 2)
    b.leave()


@pytest.mark.parametrize("leg", range(6))
def test_a_silent_drive_stops_all_in_the_promised_time(leg: int) -> None:
    """It stops itself too, as it misses the master."""
    b = quick_bench()
    b.moving()
    b.plug(leg, False)
    assert not stopped(b, b.setup.misses - 1)
    assert b.setup.noticing <= 0.01
    stopped(b, 2)
    assert all(drive.state is State.QUICK_STOP_ACTIVE for drive in b.drives if drive.plugged)
    assert b.run(0.0).faults[leg] is RigFault.SILENT_LEG
    assert b.master.why == f"drive {leg + 1} is silent"
    b.run(b.setup.watchdog, go=True)
    assert b.drives[leg].state is State.QUICK_STOP_ACTIVE
    b.stands()
    b.leave()


@pytest.mark.parametrize("leg", range(6))
@pytest.mark.parametrize("state", [State.READY_TO_SWITCH_ON, State.SWITCH_ON_DISABLED])
def test_a_drive_that_leaves_operation_by_itself_stops_all(leg: int, state: State) -> None:
    """As at an input of its own for an enabling switch, of which the bus knows nothing."""
    b = quick_bench(period=0.005)
    b.moving(0.1)
    b.drives[leg].state = state
    b.run(2 * b.setup.period, go=True, v=0.05)
    assert all(d.state in STOPPED for d in b.drives) and b.run(0.3, go=True).faults[leg] is RigFault.DEVICE
    b.stands(0.1)
    b.leave()


def test_a_drive_that_does_not_come_to_rest_loses_its_power() -> None:
    b = quick_bench()
    b.moving()
    b.drives[3].values[profile.QUICK_STOP_DECELERATION] = 1
    b.drives[0].fail(0x2310)
    b.run(0.4, go=True)
    assert b.simulated.speeds[3] > 0.04
    b.run(0.5, go=True)
    assert b.simulated.speeds[3] == 0
    assert [b.drives[k].state for k in (1, 3)] == [State.QUICK_STOP_ACTIVE, State.SWITCH_ON_DISABLED]
    b.leave()


def test_without_cycles_the_drives_stop_by_themselves() -> None:
    b = quick_bench()
    b.moving()
    b.advance(b.now + b.setup.watchdog + 0.002)
    assert all(drive.state is State.QUICK_STOP_ACTIVE for drive in b.drives)
    b.advance(b.now + 0.2)
    assert not b.simulated.speeds.any()
    b.leave()


@pytest.mark.parametrize("leg", range(6))
def test_a_drive_that_restarts_must_be_homed_again(leg: int) -> None:
    b = quick_bench()
    b.moving()
    b.drives[leg].restart()
    b.run(0.3, go=True)
    assert b.run(0.0).faults[leg] is not RigFault.NONE
    b.stands(0.1)
    reset(b)
    b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
    b.leave()


def test_a_drive_that_was_only_unplugged_keeps_its_reference() -> None:
    b = quick_bench()
    b.moving()
    b.plug(2, False)
    b.run(0.5, go=True)
    b.plug(2, True)
    b.run(0.5)
    reset(b)
    b.until(lambda a: a.all_are(LegState.READY), order=Order.ENABLE)
    b.leave()


def test_a_hot_drive_cannot_be_reset_until_it_is_cool() -> None:
    b = quick_bench()
    b.moving()
    b.drives[1].motor.temperature = 200.0
    b.run(0.4, go=True)
    assert b.run(0.0).faults[1] is RigFault.TEMPERATURE
    b.run(4.0, order=Order.RESET)
    assert b.run(0.0).faults[1] is RigFault.TEMPERATURE and b.drives[1].state is State.FAULT
    b.drives[1].motor.temperature = 40.0
    reset(b)
    b.moving(0.1)
    b.leave()


def test_a_reference_that_is_not_found_ends_homing() -> None:
    b = Bench(homing_time=0.5)
    b.drives[3].motor.low = -1e9
    b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
    answer = b.until(lambda a: bool(a.fault), order=Order.HOME)
    assert answer.faults[3] is RigFault.HOMING and "drive 4 does not find its reference" in b.master.why
    b.stands()
    b.leave()


@pytest.mark.parametrize("trouble", ["stop", "fault", "unplugged", "no cycles"])
@pytest.mark.parametrize("leg", range(6))
def test_homing_stops_too_and_can_be_done_again(leg: int, trouble: str) -> None:
    b = Bench(np.full(6, 1.03), period=0.005)
    b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
    b.run(0.3, order=Order.HOME)
    assert (b.simulated.speeds < -0.01).all()
    match trouble:
        case "stop":
            b.cycle(b.now + b.setup.period, Demand(b.count, b.l, np.zeros(6), stop=True))
        case "fault":
            b.drives[leg].fail(0x2310)
        case "unplugged":
            b.plug(leg, False)
        case "no cycles":
            b.advance(b.now + 0.2)
    b.stands(0.1)
    assert all(drive.state in STOPPED for drive in b.drives) and b.run(0.0).fault
    b.plug(leg, True)
    b.run(0.3)
    reset(b)
    b.ready()
    np.testing.assert_allclose(b.simulated.lengths, b.setup.axes[0].home, atol=2e-4)
    b.leave()


def test_a_drive_that_is_not_there_is_named() -> None:
    b = quick_bench()
    b.plug(4, False)
    answer = b.run(0.5)
    assert answer.faults[4] is RigFault.SILENT_LEG and "drive 5 does not answer" in b.master.why
    assert np.isnan(answer.l[4])
    b.plug(4, True)
    b.run(0.2)
    reset(b)
    assert not b.master.why
    b.moving(0.1)
    b.leave()


def test_a_device_of_another_profile_is_refused() -> None:
    b = quick_bench()
    b.drives[0].values[profile.DEVICE_TYPE] = 401
    assert b.run(0.5).faults[0] is RigFault.DEVICE
    assert "node 1 is no drive of the profile CiA 402" in b.master.why
    b.leave()


def test_a_drive_that_lacks_an_object_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    b = quick_bench()
    monkeypatch.delitem(dictionary.ENTRIES, (0x6061, 0))
    answer = b.until(lambda a: bool(a.fault), order=Order.ENABLE)
    assert answer.fault is RigFault.DEVICE
    assert "drive 1 refuses 6061h:00, abort code 06020000h" in b.master.why
    b.leave()


def test_an_error_code_is_read_if_the_emergency_object_got_lost() -> None:
    b = quick_bench()
    b.moving()
    b.drives[2].fail(0x2310)
    b.drives[2].sent.clear()
    answer = b.run(0.3, go=True)
    assert answer.faults[2] is RigFault.DEVICE and answer.codes[2] == 0x2310
    b.leave()


def test_a_position_that_jumps_is_a_fault_of_the_sensor_and_needs_homing() -> None:
    b = quick_bench()
    b.moving()
    b.drives[5]._zero += 0.05 * abs(b.setup.axes[5].per_metre)
    b.run(0.3, go=True)
    assert b.run(0.0).faults[5] in (RigFault.SENSOR, RigFault.DEMAND)
    assert not b.master.nodes[5].homed
    b.stands(0.1)
    b.leave()


def test_targets_move_no_faster_than_a_leg_may() -> None:
    """A demand may jump by the promised distance; the leg goes there at its largest speed, without a fault."""
    b = quick_bench()
    b.ready()
    b.l = b.l + 0.9 * b.setup.jump
    speeds = [float(np.abs(b.simulated.speeds).max()) for _ in range(100) if b.run(0.0, go=True)]
    assert max(speeds) <= 1.3 * b.setup.speed
    assert b.run(0.0, go=True).all_are(LegState.FOLLOWING)
    np.testing.assert_allclose(b.simulated.lengths, b.l, atol=1e-5)
    b.leave()


def test_measured_positions_are_those_of_the_last_sync() -> None:
    b = quick_bench()
    b.moving()
    begin = b.now
    true = b.simulated.lengths
    answer = b.run(0.0, go=True, v=0.05)
    assert answer.measured_at == pytest.approx(begin, abs=1e-9)
    np.testing.assert_allclose(answer.l, true, atol=2e-6)
    b.plug(0, False)
    oldest = b.run(2 * b.setup.period, go=True, v=0.05).measured_at
    assert b.now - oldest == pytest.approx(2 * b.setup.period, abs=1e-9)
    b.leave()
