"""Whatever happens to a drive or the bus, all six drives stop, in the promised time, and a person hears why."""

from __future__ import annotations

from typing import Any

import can
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Demand
from motionbase.rig.drives import canopen, dictionary, profile
from motionbase.rig.drives.node import PDO
from motionbase.rig.drives.profile import State
from motionbase.rig.drives.simulated import HERE
from tests.rig.drives.bench import Bench
from tests.tier import often, some_of

CODES = [0x2310, 0x3210, 0x4310, 0x5530, 0x7305, 0x8130, 0x8611, 0x8612, 0xFF00]
POWERLESS = State.SWITCH_ON_DISABLED, State.FAULT
STOPPED = State.QUICK_STOP_ACTIVE, State.FAULT_REACTION_ACTIVE, *POWERLESS


def bench(**changes: Any) -> Bench:
    """Homing takes the position as it is: quick."""
    b = Bench(np.full(6, 0.999), **({"homing_method": HERE} | changes))
    for drive in b.drives:  # switches that no test here wants to meet
        drive.motor.low, drive.motor.high = -1e9, 1e9
    return b


def stopped(b: Bench, cycles: int) -> bool:
    """Whether no drive follows any more, after so many cycles."""
    for _ in range(cycles):
        b.run(0.0, go=True, v=0.05)
    return all(drive.state in STOPPED for drive in b.drives)


def reset(b: Bench) -> None:
    b.until(lambda a: a.fault is RigFault.NONE, order=Order.RESET)


@pytest.mark.parametrize("phase", some_of([LegState.FOLLOWING, LegState.READY, LegState.UNHOMED, LegState.OFF], 2))
@pytest.mark.parametrize("code", CODES, ids=lambda code: f"{code:04X}")
def test_a_fault_of_any_drive_stops_all(code: int, phase: LegState) -> None:
    b = bench(period=0.005)
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
    b = bench(period=period)
    b.moving()
    b.drives[leg].fail(0x2310)
    assert stopped(b, 2)
    b.leave()


@pytest.mark.parametrize("leg", range(6))
def test_a_silent_drive_stops_all_in_the_promised_time(leg: int) -> None:
    """It stops itself too, as it misses the master."""
    b = bench()
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
    b = bench(period=0.005)
    b.moving(0.1)
    b.drives[leg].state = state
    b.run(2 * b.setup.period, go=True, v=0.05)
    assert all(d.state in STOPPED for d in b.drives) and b.run(0.3, go=True).faults[leg] is RigFault.DEVICE
    b.stands(0.1)
    b.leave()


def test_a_drive_that_does_not_come_to_rest_loses_its_power() -> None:
    b = bench()
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
    b = bench()
    b.moving()
    b.advance(b.now + b.setup.watchdog + 0.002)
    assert all(drive.state is State.QUICK_STOP_ACTIVE for drive in b.drives)
    b.advance(b.now + 0.2)
    assert not b.simulated.speeds.any()
    b.leave()


@pytest.mark.parametrize("leg", range(6))
def test_a_drive_that_restarts_must_be_homed_again(leg: int) -> None:
    b = bench()
    b.moving()
    b.drives[leg].restart()
    b.run(0.3, go=True)
    assert b.run(0.0).faults[leg] is not RigFault.NONE
    b.stands(0.1)
    reset(b)
    b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
    b.leave()


def test_a_drive_that_was_only_unplugged_keeps_its_reference() -> None:
    b = bench()
    b.moving()
    b.plug(2, False)
    b.run(0.5, go=True)
    b.plug(2, True)
    b.run(0.5)
    reset(b)
    b.until(lambda a: a.all_are(LegState.READY), order=Order.ENABLE)
    b.leave()


def test_a_hot_drive_cannot_be_reset_until_it_is_cool() -> None:
    b = bench()
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


def test_a_drive_that_is_not_there_is_named() -> None:
    b = bench()
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
    b = bench()
    b.drives[0].values[profile.DEVICE_TYPE] = 401
    assert b.run(0.5).faults[0] is RigFault.DEVICE
    assert "node 1 is no drive of the profile CiA 402" in b.master.why
    b.leave()


def test_a_drive_that_lacks_an_object_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    b = bench()
    monkeypatch.delitem(dictionary.ENTRIES, (0x6061, 0))
    answer = b.until(lambda a: bool(a.fault), order=Order.ENABLE)
    assert answer.fault is RigFault.DEVICE
    assert "drive 1 refuses 6061h:00, abort code 06020000h" in b.master.why
    b.leave()


def test_an_error_code_is_read_if_the_emergency_object_got_lost() -> None:
    b = bench()
    b.moving()
    b.drives[2].fail(0x2310)
    b.drives[2].sent.clear()
    answer = b.run(0.3, go=True)
    assert answer.faults[2] is RigFault.DEVICE and answer.codes[2] == 0x2310
    b.leave()


def test_a_position_that_jumps_is_a_fault_of_the_sensor_and_needs_homing() -> None:
    b = bench()
    b.moving()
    b.drives[5]._zero += 0.05 * abs(b.setup.axes[5].per_metre)
    b.run(0.3, go=True)
    assert b.run(0.0).faults[5] in (RigFault.SENSOR, RigFault.DEMAND)
    assert not b.master.nodes[5].homed
    b.stands(0.1)
    b.leave()


def test_targets_move_no_faster_than_a_leg_may() -> None:
    """A demand may jump by the promised distance; the leg goes there at its largest speed, without a fault."""
    b = bench()
    b.ready()
    b.l = b.l + 0.9 * b.setup.jump
    speeds = [float(np.abs(b.simulated.speeds).max()) for _ in range(100) if b.run(0.0, go=True)]
    assert max(speeds) <= 1.3 * b.setup.speed
    assert b.run(0.0, go=True).all_are(LegState.FOLLOWING)
    np.testing.assert_allclose(b.simulated.lengths, b.l, atol=1e-5)
    b.leave()


def test_measured_positions_are_those_of_the_last_sync() -> None:
    b = bench()
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


# The bus


def test_a_bus_that_loses_a_little_is_no_reason_to_stop() -> None:
    b = bench()
    b.moving()
    b.bus.loss = 0.01
    for v in (0.02, -0.02) * 3:
        answer = b.run(0.5, go=True, v=v)
    assert answer.all_are(LegState.FOLLOWING)
    np.testing.assert_allclose(b.simulated.lengths, b.l, atol=1e-3)
    b.leave()


@pytest.mark.parametrize("loss", [0.4, 0.9, 1.0])
def test_a_bus_that_loses_much_stops_all(loss: float) -> None:
    b = bench()
    b.moving()
    b.bus.loss = loss
    b.run(0.5, go=True, v=0.02)
    b.bus.loss = 0.0
    assert b.run(0.0).fault
    b.stands()
    b.leave()


def test_setting_up_goes_through_a_lossy_bus() -> None:
    b = bench()
    b.bus.loss = 0.005
    b.moving(0.1)
    b.leave()


def test_a_bus_that_is_late_by_less_than_a_cycle_is_no_reason_to_stop() -> None:
    b = bench(period=0.004)
    b.bus.delay = 0.0, 0.001
    b.moving(1.0)
    np.testing.assert_allclose(b.simulated.lengths, b.l, atol=1e-3)
    b.leave()


def test_a_bus_that_becomes_very_late_stops_all() -> None:
    b = bench()
    b.moving()
    b.bus.delay = 0.1, 0.2
    b.run(0.5, go=True, v=0.05)
    b.bus.delay = 0.0, 0.0
    assert b.run(0.3).fault
    b.stands()
    b.leave()


def test_some_foreign_frames_do_no_harm_and_a_flood_stops_all() -> None:
    b = bench()
    b.bus.flood = 2
    b.moving()
    b.bus.flood = 10_000
    assert stopped(b, b.setup.misses + 1)
    assert b.run(0.0).all_are(LegState.FAULT) and b.run(0.0).fault is RigFault.STALE
    b.run(0.1, order=Order.RESET)
    assert b.run(0.0).fault is RigFault.STALE  # it goes on
    b.bus.flood = 0
    b.run(0.3)
    reset(b)
    b.moving(0.1)
    b.leave()


def test_bus_off() -> None:
    b = bench()
    b.moving()
    b.bus.off = True
    answer = b.run(0.3, go=True, v=0.05)
    assert answer.all_are(LegState.FAULT) and answer.fault is RigFault.SILENT_LEG and "bus off" in b.master.why
    assert all(drive.state is State.QUICK_STOP_ACTIVE for drive in b.drives)
    b.run(0.5, order=Order.RESET)
    assert b.run(0.0).fault is RigFault.SILENT_LEG
    b.bus.off = False
    b.run(0.3)
    reset(b)
    b.moving(0.1)
    b.bus.off = True
    b.leave()  # no error


frames = st.builds(
    lambda function, node, data: can.Message(arbitration_id=function | node, data=data, is_extended_id=False),
    st.sampled_from([0x000, 0x080, 0x180, 0x200, 0x580, 0x600, 0x700]),
    st.integers(0, 7),
    st.binary(max_size=8),
)
odd = st.builds(
    can.Message, arbitration_id=st.integers(0, 0x7FF), is_extended_id=st.booleans(), is_remote_frame=st.booleans(),
    is_error_frame=st.booleans(), data=st.binary(max_size=8),
)  # fmt: skip


@given(st.lists(st.one_of(frames, odd), max_size=60))
@settings(max_examples=often(60), deadline=None)
def test_garbage_on_the_bus_ends_in_motion_or_a_stop_never_in_an_error(messages: list[can.Message]) -> None:
    b = bench(period=0.005)
    b.moving(0.05)
    stranger = can.Bus(interface="virtual", channel=b.channel)
    for message in messages:
        stranger.send(message)
        answer = b.run(0.0, go=True, v=0.02)
        assert len(answer.states) == 6
    stranger.shutdown()
    b.cycle(b.now + 0.005, Demand(b.count + 1, b.l, np.zeros(6), go=True, stop=True))
    b.stands(0.1)
    b.leave()


def test_garbage_is_counted() -> None:
    b = bench()
    b.run(0.2)
    stranger = can.Bus(interface="virtual", channel=b.channel)
    for function, data in (
        (canopen.TRANSMIT_PDO1, b"\1"), (canopen.TRANSMIT_PDO1, PDO.pack(0x02, 0)), (canopen.EMERGENCY, b"\1"),
        (canopen.HEARTBEAT, b""), (canopen.SDO_ANSWER, bytes(8)),
    ):  # fmt: skip
        stranger.send(can.Message(arbitration_id=function + 3, data=data, is_extended_id=False))
    b.run(0.01)
    assert b.master.nodes[2].garbage == 5
    stranger.shutdown()
    b.leave()


def unplugged(times: int, seed: int) -> None:
    """In any phase, any of them, for any time; then it is mended, reset, and goes on."""
    random = np.random.default_rng(seed)
    b = bench(period=0.005)
    for _ in range(times):
        b.until(lambda a: a.all_are(LegState.READY, LegState.UNHOMED), order=Order.ENABLE)
        if random.random() < 0.9:
            b.ready()
            b.run(0.3 * random.random(), go=True, v=random.choice([-0.05, 0.05]))
        legs = [leg for leg in range(6) if random.random() < 0.3] or [int(random.integers(6))]
        for leg in legs:
            b.plug(leg, False)
        b.run(b.setup.noticing + 0.1 * random.random(), go=True, v=0.05)
        b.run(0.2, go=True)
        before = b.simulated.lengths
        assert not b.simulated.speeds.any()
        answer = b.run(0.2, go=True, v=0.05)
        assert (b.simulated.lengths == before).all()
        assert all(answer.faults[leg] is RigFault.SILENT_LEG for leg in legs)
        for leg in legs:
            b.plug(leg, True)
        b.run(0.2, go=True)
        reset(b)
        assert (b.simulated.lengths == before).all()
    b.leave()


@pytest.mark.parametrize("seed", range(2))
def test_unplugged_at_random(seed: int) -> None:
    unplugged(10, seed)


@pytest.mark.long("a thousand times")
@pytest.mark.parametrize("seed", range(10))
def test_unplugged_a_thousand_times(seed: int) -> None:
    unplugged(100, 100 + seed)
