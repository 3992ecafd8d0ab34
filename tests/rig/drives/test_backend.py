"""What drives on CAN do beside the rules of the border: homing at either end, settings, buses by URL, a thread."""

from __future__ import annotations

import threading
import time

import can
import numpy as np
import pytest

from motionbase.record.rig import LegState, Order
from motionbase.rig.border import Demand
from motionbase.rig.drives import canopen, profile
from motionbase.rig.drives.backend import HEARD, CanDrives
from motionbase.rig.drives.canopen import TRANSMIT_PDO1, Frame
from motionbase.rig.drives.line import Line, open_bus
from motionbase.rig.drives.participant import SimulatedDrives
from motionbase.rig.drives.profile import Mode, State
from motionbase.rig.drives.settings import settings
from tests.rig.drives.bench import Bench, setup


@pytest.mark.parametrize("sign,method,begin", [(1, 17, 1.03), (-1, 18, 1.03), (-1, 17, 1.07), (1, 18, 1.07)])
def test_homing_at_either_end_finds_the_true_length(sign: int, method: int, begin: float) -> None:
    """A leg whose drive turns the other way has its negative switch at the long end."""
    at_long_end = (method == 18) == (sign > 0)
    b = Bench(np.full(6, begin), sign=sign, homing_method=method, home=1.101 if at_long_end else 0.999)
    b.ready()
    np.testing.assert_allclose(b.simulated.lengths, 1.101 if at_long_end else 0.999, atol=2e-4)
    answer = b.run(0.5, go=True, v=-0.05 if at_long_end else 0.05)
    assert answer.all_are(LegState.FOLLOWING)
    np.testing.assert_allclose(b.simulated.lengths, b.l, atol=1e-3)
    np.testing.assert_allclose(answer.l, b.simulated.lengths, atol=2e-4)
    b.leave()


def test_drives_get_all_settings_and_stay_off() -> None:
    b = Bench()
    b.run(0.5)
    for axis, drive in zip(b.setup.axes, b.drives, strict=True):
        wanted = {entry: value for (entry, _), value in settings(axis, b.setup).items()}
        assert {entry: drive.values[entry] for entry in wanted} == wanted
        assert drive.state is State.SWITCH_ON_DISABLED
    assert b.run(0.0).all_are(LegState.OFF)
    b.leave()


def test_targets_count_only_after_homing() -> None:
    b = Bench()
    b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
    assert {drive.values[profile.MODE] for drive in b.drives} == {Mode.HOMING}
    b.run(0.2, order=Order.HOME)
    assert {drive.values[profile.MODE] for drive in b.drives} == {Mode.HOMING}
    b.until(lambda a: a.all_are(LegState.READY))
    assert {drive.values[profile.MODE] for drive in b.drives} == {Mode.CYCLIC_SYNCHRONOUS_POSITION}
    b.leave()


@pytest.mark.parametrize("sign", [-1, 1])
def test_switching_on_before_homing_moves_nothing_wherever_the_drives_limits_are(sign: int) -> None:
    """Moved while it was on and not homed, a drive may be beyond what it takes for the limits of its leg."""
    b = Bench(np.full(6, 1.05), sign=sign)
    b.run(0.3)
    for axis, drive in zip(b.setup.axes, b.drives, strict=True):
        drive.motor.x += axis.increments(1.02) - axis.increments(1.05)
    before = b.simulated.lengths
    b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
    b.run(1.0, go=True)
    np.testing.assert_allclose(b.simulated.lengths, before, atol=1e-6)
    b.leave()


def test_a_second_homing_and_switching_off_and_on_keep_the_lengths() -> None:
    b = Bench()
    b.moving()
    b.until(lambda a: a.all_are(LegState.READY))
    before = b.simulated.lengths
    b.until(lambda a: a.all_are(LegState.OFF), order=Order.DISABLE)
    answer = b.until(lambda a: a.all_are(LegState.READY), order=Order.ENABLE)  # no homing is needed
    np.testing.assert_allclose(answer.l, before, atol=1e-5)
    b.run(0.0, order=Order.HOME)
    answer = b.until(lambda a: a.all_are(LegState.READY))
    np.testing.assert_allclose(answer.l, b.simulated.lengths, atol=2e-4)
    b.leave()


def test_without_go_the_legs_brake_at_the_stated_deceleration() -> None:
    b = Bench(deceleration=0.5)
    b.moving(v=0.1)
    begin = b.simulated.lengths
    b.until(lambda a: a.all_are(LegState.READY))
    np.testing.assert_allclose(b.simulated.lengths - begin, 0.1**2 / (2 * 0.5), atol=1e-3)
    b.leave()


def test_a_new_master_finds_drives_that_are_still_on() -> None:
    """The old one died; its drives have stopped, and nothing moves until the new one is asked."""
    b = Bench()
    b.moving()
    b.advance(b.now + 0.5)
    b.master = CanDrives(b.setup, b.bus, pause=lambda s: b.advance(b.now + s))
    before = b.simulated.lengths
    answer = b.run(0.5, go=True)
    np.testing.assert_array_equal(b.simulated.lengths, before)
    if answer.fault:
        b.until(lambda a: not a.fault, order=Order.RESET)
    b.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)  # it cannot know that they were homed
    b.leave()


def test_foreign_frames_do_not_hide_what_comes_behind_them() -> None:
    """As they would with a filter of python-can's own: its `recv` without waiting ends at the first foreign frame."""
    bus = open_bus("virtual:by-url", HEARD)
    other = can.Bus(interface="virtual", channel="by-url")
    for identifier in (0x000, 0x181, 0x301, 0x302, 0x581):
        other.send(can.Message(arbitration_id=identifier, is_extended_id=False))
    assert {0x181, 0x581} <= {frame.id for frame in Line(bus).received()}
    bus.shutdown()
    other.shutdown()


def test_drives_by_url() -> None:
    master = CanDrives(setup(), "virtual:drives-by-url", pause=lambda _: None)
    assert master.promise.name == "drives on virtual:drives-by-url" and master.promise.homes
    master.cycle(0.0, Demand(0, np.zeros(6), np.zeros(6)))
    master.close()
    master.close()


def test_simulated_drives_in_a_thread_answer() -> None:
    """In real time: asked until they have answered."""
    s = setup()
    drives = SimulatedDrives(s, can.Bus(interface="virtual", channel="thread"))
    line = Line(can.Bus(interface="virtual", channel="thread"))
    prepared: list[str] = []
    heard: set[int] = set()
    end = time.monotonic() + 60.0
    with drives.running(lambda: prepared.append(threading.current_thread().name)):
        while len(heard) < 6 and time.monotonic() < end:
            for node in s.nodes:
                line.send([canopen.read_request(node, profile.DEVICE_TYPE)])
            heard |= {frame.id for frame in line.received(wait=0.1) if frame.id & 0x780 == canopen.SDO_ANSWER}
    assert heard == {canopen.SDO_ANSWER + node for node in s.nodes} and prepared == ["drives"]
    drives.close()
    line.close()


def test_a_drive_that_is_given_other_contents_of_its_pdo_sends_them() -> None:
    """The simulation obeys the mapping; it does not know what its master reads."""
    b = Bench()
    b.run(0.2)
    drive = b.drives[0]
    drive.values[profile.TRANSMIT_MAP[0]] = 1
    drive.hear(Frame(canopen.SYNC, b""))
    assert drive.sent[-1] == (TRANSMIT_PDO1 + 1, drive.values[profile.STATUSWORD].to_bytes(2, "little"))
    b.leave()
