"""A bus that loses, delays, floods, carries garbage or goes off, and cables that are pulled: all drives stop."""

from __future__ import annotations

import can
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Demand
from motionbase.rig.drives import canopen
from motionbase.rig.drives.canopen import PDO
from motionbase.rig.drives.profile import State
from tests.rig.drives.bench import quick_bench, reset, stopped
from tests.tier import often


def test_a_bus_that_loses_a_little_is_no_reason_to_stop() -> None:
    b = quick_bench()
    b.moving()
    b.bus.loss = 0.01
    for v in (0.02, -0.02) * 3:
        answer = b.run(0.5, go=True, v=v)
    assert answer.all_are(LegState.FOLLOWING)
    np.testing.assert_allclose(b.simulated.lengths, b.l, atol=1e-3)
    b.leave()


@pytest.mark.parametrize("loss", [0.4, 0.9, 1.0])
def test_a_bus_that_loses_much_stops_all(loss: float) -> None:
    b = quick_bench()
    b.moving()
    b.bus.loss = loss
    b.run(0.5, go=True, v=0.02)
    b.bus.loss = 0.0
    assert b.run(0.0).fault
    b.stands()
    b.leave()


def test_setting_up_goes_through_a_lossy_bus() -> None:
    b = quick_bench()
    b.bus.loss = 0.005
    b.moving(0.1)
    b.leave()


def test_a_bus_that_is_late_by_less_than_a_cycle_is_no_reason_to_stop() -> None:
    b = quick_bench(period=0.004)
    b.bus.delay = 0.0, 0.001
    b.moving(1.0)
    np.testing.assert_allclose(b.simulated.lengths, b.l, atol=1e-3)
    b.leave()


def test_a_bus_that_becomes_very_late_stops_all() -> None:
    b = quick_bench()
    b.moving()
    b.bus.delay = 0.1, 0.2
    b.run(0.5, go=True, v=0.05)
    b.bus.delay = 0.0, 0.0
    assert b.run(0.3).fault
    b.stands()
    b.leave()


def test_some_foreign_frames_do_no_harm_and_a_flood_stops_all() -> None:
    b = quick_bench()
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
    b = quick_bench()
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
    b = quick_bench(period=0.005)
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
    b = quick_bench()
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
    b = quick_bench(period=0.005)
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
