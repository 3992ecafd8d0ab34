"""Drives on EtherCAT: what belongs to this bus alone. The rest is in the conformance suite and in the tests on CAN."""

import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Demand
from motionbase.rig.drives import dictionary, profile
from motionbase.rig.drives.ethercat.backend import EtherCatDrives
from motionbase.rig.drives.profile import Object, State
from tests.rig.drives.bench import reset, setup
from tests.rig.drives.ethercat_bench import EtherBench, Slow
from tests.rig.drives.fake_pysoem import BAD_INPUTS, INIT, INTERFACE, OP, SAFEOP, SafeOutputs, Wires

V = 0.05  # of motions [m/s]
NOTICING = 4  # cycles, as on CAN
Make = Callable[..., EtherBench]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[EtherBench]:
    monkeypatch.setitem(sys.modules, "pysoem", None)
    made = EtherBench(jobs=Slow())
    yield made
    made.close()
    assert made.wires.opened == 0


def cycles_until_stopped(b: EtherBench, legs: range = range(6)) -> int:
    """Cycles until these drives have begun a stop, while the demand moves on."""
    for k in range(1, 50):
        b.run(0.0, go=True, v=V)
        if all(b.devices[leg].drive.state is not State.OPERATION_ENABLED for leg in legs):
            return k
    raise AssertionError([device.drive.state for device in b.devices])


def test_settings_reach_the_slaves(bench: EtherBench) -> None:
    bench.moving()
    for device in bench.devices:
        assert device.state == OP
        assert device.sync0 == round(1e9 * bench.setup.period)
        assert device.watchdog == pytest.approx(bench.setup.watchdog)
        assert device.drive.values[profile.ABORT_CONNECTION_OPTION] == 3
        given = dictionary.mapping(device.drive.values, profile.TRANSMIT_MAP)
        assert given == (profile.STATUSWORD, profile.ACTUAL_POSITION, profile.ERROR_CODE)


def test_age_of_positions(bench: EtherBench) -> None:
    """The answer is what the frame of the cycle before brought, of the SYNC0 before that at worst."""
    bench.moving()
    sent = bench.now
    answer = bench.run(0.0, go=True, v=V)
    assert sent - bench.setup.period - 1e-9 <= answer.measured_at <= sent


@pytest.mark.parametrize(("drift", "begin"), [(-1e-4, 0.5), (0.0, 0.3), (1e-4, 0.9)])
def test_frames_keep_away_from_sync0_if_cycles_are_shifted(bench: EtherBench, drift: float, begin: float) -> None:
    """With a gain of 0.01 a drift d is held to 100 d of a period, after some times 100 cycles.

    Without it, a drift of 1e-4 crosses SYNC0 every ten thousand cycles.
    """
    bench.moving()
    period = bench.setup.period
    zero = bench.now - begin * period
    bench.wires.clock = lambda now: round(1e9 * (1.0 + drift) * (now - zero))
    due, off = bench.now, 0.0
    for k in range(900):
        due += period + bench.master.shift
        bench.count += 1
        bench.cycle(due, Demand(bench.count, bench.l, np.zeros(6), True))
        assert abs(bench.master.shift) <= 0.005 * period
        after_sync0 = (1e-9 * bench.wires.clock(due) / period + 0.5) % 1.0  # of a period
        off = max(off, abs(after_sync0 - 0.5)) if k > 800 else 0.0
    assert off == pytest.approx(100.0 * abs(drift), abs=1e-3)


@pytest.mark.parametrize("cable", range(6))
def test_pulled_cable(bench: EtherBench, cable: int) -> None:
    """All behind it are lost and named; those before it are stopped by the master and still measured."""
    bench.moving()
    bench.wires.cuts.add(cable)
    assert cycles_until_stopped(bench, range(cable)) <= NOTICING if cable else True
    bench.run(0.02 + bench.setup.watchdog, go=True, v=V)
    answer = bench.run(0.3, go=True, v=V)
    assert answer.fault is RigFault.SILENT_LEG and all(answer.faults[cable:])
    assert f"drive {cable + 1} is silent" in bench.why
    assert all(f"drive {k + 1} is silent" not in bench.why for k in range(cable))
    for leg, device in enumerate(bench.devices):
        assert device.state == (OP if leg < cable else SAFEOP | 16)
        assert device.drive.state is State.QUICK_STOP_ACTIVE  # behind the cable by its own watchdog
    np.testing.assert_allclose(answer.l[:cable], bench.lengths[:cable], atol=1e-5)
    before = bench.lengths
    bench.stands()
    bench.run(0.5, order=Order.RESET)
    assert bench.run(0.0).fault is RigFault.SILENT_LEG  # the cause is still there

    bench.wires.cuts.clear()
    bench.run(0.1)
    reset(bench)
    assert np.abs(bench.lengths - before).max() < 1e-6
    assert all(node.homed for node in bench.master.nodes)  # no drive was without its supply
    bench.moving()


def test_dead_line_is_asked_seldom(bench: EtherBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each frame that does not come back holds up SOEM for milliseconds; states are not asked for at all."""
    bench.moving()
    frames, looks = list[float](), list[float]()
    master = bench.master._segment._master
    send, look = master.send_processdata, master.read_state

    def sent() -> int:
        frames.append(bench.now)
        return int(send())

    def looked() -> int:
        looks.append(bench.now)
        return int(look())

    monkeypatch.setattr(master, "send_processdata", sent)
    monkeypatch.setattr(master, "read_state", looked)
    bench.wires.cuts.add(0)
    bench.run(0.1, go=True)
    frames.clear()
    looks.clear()
    bench.run(2.0, go=True)
    assert 18 <= len(frames) <= 22 and not looks
    bench.wires.cuts.clear()
    bench.run(0.5)
    assert len(frames) > 0.3 / bench.setup.period
    reset(bench)
    bench.moving()


@pytest.mark.parametrize("safe", SafeOutputs)
@pytest.mark.parametrize("leg", [0, 3, 5])
def test_slave_that_leaves_operation(bench: EtherBench, leg: int, safe: SafeOutputs) -> None:
    """Whether or not the working counter shows it; the drive itself brakes by object 6007h."""
    bench.wires.safe = safe
    bench.moving()
    bench.devices[leg].leave_op(0x0024)
    assert cycles_until_stopped(bench) <= NOTICING
    answer = bench.run(0.1, go=True, v=V)
    assert answer.fault is RigFault.DEVICE and answer.faults[leg] is RigFault.DEVICE
    assert bench.why == f"drive {leg + 1} left operation for SAFE-OPERATIONAL with error 0024h (Error)"
    bench.stands()
    reset(bench)
    assert all(device.state == OP for device in bench.devices)
    bench.moving()


def test_restarted_drive_gets_its_settings_and_must_be_homed(bench: EtherBench) -> None:
    bench.moving()
    bench.devices[2].power_up()
    bench.run(0.5, go=True, v=V)
    assert bench.run(0.0).fault is not RigFault.NONE
    reset(bench)
    assert [node.homed for node in bench.master.nodes] == [True, True, False, True, True, True]
    assert bench.devices[2].drive.values[profile.ABORT_CONNECTION_OPTION] == 3
    assert bench.devices[2].sync0 and bench.devices[2].watchdog == pytest.approx(bench.setup.watchdog)
    bench.until(lambda a: a.all_are(LegState.UNHOMED), order=Order.ENABLE)
    bench.moving()


def test_fault_of_a_drive_stops_all_at_once_with_its_code(bench: EtherBench) -> None:
    """The code is beside the position, so nobody waits for the mailbox."""
    bench.moving()
    bench.devices[4].drive.motor.temperature = 200.0
    bench.run(0.0, go=True, v=V)
    bench.run(0.0, go=True, v=V)
    answer = bench.run(0.0, go=True, v=V)
    assert answer.faults[4] is RigFault.TEMPERATURE and answer.codes[4] == 0x4310
    assert "drive 5 reports error code 4310h" in bench.why
    assert cycles_until_stopped(bench) == 1
    bench.stands()
    bench.devices[4].drive.motor.temperature = 25.0
    reset(bench)
    assert bench.why == "" and bench.run(0.5).fault is RigFault.NONE
    bench.moving()


def test_emergency_object_without_a_fault_stops_all(bench: EtherBench) -> None:
    """As a warning before a fault; every mailbox is asked in turn."""
    bench.moving()
    bench.devices[1].mailbox.append((0x2310, 0x03))
    assert cycles_until_stopped(bench) * bench.setup.period < 0.1
    answer = bench.run(0.1)
    assert answer.faults[1] is RigFault.OVERLOAD and answer.codes[1] == 0x2310
    bench.devices[1].mailbox.append((0, 0))
    reset(bench)
    bench.moving()


def test_drives_stop_by_themselves_when_cycles_cease(bench: EtherBench) -> None:
    bench.moving()
    bench.advance(bench.now + bench.setup.watchdog + 2e-3)
    assert all(device.drive.state is State.QUICK_STOP_ACTIVE for device in bench.devices)
    assert bench.run(0.0, go=True).fault is RigFault.NONE  # it cannot know before the next frame is back
    assert bench.run(0.1, go=True).fault is not RigFault.NONE
    reset(bench)
    bench.moving()


@pytest.mark.parametrize("seed", range(6))
def test_random_trouble_ends_in_a_stop_that_a_reset_leads_out_of(bench: EtherBench, seed: int) -> None:
    chance = np.random.default_rng(seed)
    bench.moving()
    for _ in range(8):
        device = bench.devices[int(chance.integers(6))]
        match int(chance.integers(5)):
            case 0:
                bench.wires.cuts.add(int(chance.integers(6)))
            case 1:
                device.leave_op(int(chance.integers(1, 0x60)))
            case 2:
                device.power_up()
            case 3:
                device.drive.fail(int(chance.integers(1, 0x10000)))
            case 4:
                device.mailbox.append((int(chance.integers(0x10000)), 1))
        bench.run(float(chance.uniform(0.0, 0.1)), go=True, v=float(chance.choice([-V, V])))
        if chance.random() < 0.3:
            bench.run(0.05, order=Order.RESET)
    answer = bench.run(0.5, go=True)
    assert answer.fault is not RigFault.NONE
    bench.stands()
    bench.wires.cuts.clear()
    for device in bench.devices:
        device.mailbox.clear()
    for _ in range(5):
        bench.run(0.5)
        if bench.run(1.0, order=Order.RESET).fault is RigFault.NONE:
            break
    bench.moving()


def test_mailboxes_in_a_thread_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine: jobs are done in another thread, here before the next cycle begins."""
    monkeypatch.setitem(sys.modules, "pysoem", None)
    b = EtherBench()
    cycle, jobs = b.cycle, b.master._jobs
    monkeypatch.setattr(b, "cycle", lambda *demand: (jobs.submit(int).result(), cycle(*demand))[1])
    b.moving()
    b.wires.cuts.add(3)
    b.run(0.2, go=True, v=V)
    assert "drive 4 is silent" in b.why and "drive 3" not in b.why
    b.wires.cuts.clear()
    b.run(0.1)
    reset(b)
    b.moving()
    b.close()
    assert b.wires.opened == 0


def refused(monkeypatch: pytest.MonkeyPatch, change: Callable[[Wires], object], **changes: object) -> str:
    """What is said of a line on which something is wrong; the interface is released."""
    made = setup(bitrate=None, **changes)
    wires = Wires(made, np.full(6, 1.0))
    change(wires)
    monkeypatch.setitem(sys.modules, "pysoem", wires.module())
    with pytest.raises(UsageError) as error:
        EtherCatDrives(made, INTERFACE, jobs=Slow())
    assert wires.opened == 0
    return str(error.value)


def test_line_without_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(monkeypatch, lambda w: w.cuts.add(0)) == "EtherCAT: no slave answers on 'eth1'"


def test_too_short_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(monkeypatch, lambda w: w.cuts.add(4))
    assert said == "EtherCAT: 4 slaves answer on 'eth1', but the drive of leg 6 should be number 6 on the line"


def test_line_without_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(monkeypatch, lambda w: setattr(w, "clocks", False))
    assert said == "EtherCAT: no slave on 'eth1' has a distributed clock"


def test_mapping_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(monkeypatch, lambda w: setattr(w, "jam", True))
    assert said == "EtherCAT: the process data cannot be mapped: Subindex does not exist"


def test_drive_with_fixed_process_data(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(monkeypatch, lambda w: setattr(w.devices[3], "fixed", True))
    assert said.startswith("drive 4 exchanges 6 and 6 bytes in a cycle, not 6 and 8")


def test_drive_that_refuses_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(dictionary.ENTRIES, (0x6085, 0))
    assert refused(monkeypatch, lambda w: None) == "drive 1 refuses 6085h:00, abort code 06020000h"


def test_slave_that_is_no_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(wires: Wires) -> None:
        wires.devices[1].drive.values[profile.DEVICE_TYPE] = 0x191

    assert refused(monkeypatch, change) == "slave 2 is no drive of the profile CiA 402"


def test_slave_that_does_not_get_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(wires: Wires) -> None:
        monkeypatch.setattr(wires.devices[0], "_map", lambda: wires.devices[0]._refuse(BAD_INPUTS))

    assert refused(monkeypatch, change) == "drive 1 stays in PRE-OPERATIONAL with error 001Eh (Error)"


def test_watchdog_that_no_slave_has(monkeypatch: pytest.MonkeyPatch) -> None:
    said = refused(monkeypatch, lambda w: None, watchdog=10.0, silence=10.0)
    assert said == "drive 1 does not take a watchdog of 10.0 s"


def test_unknown_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    made = setup(bitrate=None)
    monkeypatch.setitem(sys.modules, "pysoem", Wires(made, np.full(6, 1.0)).module())
    with pytest.raises(UsageError, match="interface 'eth9' cannot be opened; it must exist, and sending raw frames"):
        EtherCatDrives(made, "eth9")


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pysoem", None)
    with pytest.raises(UsageError, match=r"pip install 'motionbase\[ethercat\]'"):
        EtherCatDrives(setup(bitrate=None), INTERFACE)


def test_drive_that_hangs_on_its_way_to_operation(bench: EtherBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.devices[5], "request", lambda wanted: None)
    answer = bench.until(lambda a: a.fault is not RigFault.NONE)
    assert answer.faults == (*[RigFault.NONE] * 5, RigFault.DEVICE)
    assert bench.why == "drive 6 stays in SAFE-OPERATIONAL"


def test_drive_that_aborts_transfers_later(bench: EtherBench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.ready()
    monkeypatch.delitem(dictionary.ENTRIES, (profile.MODE.number, profile.MODE.sub))
    bench.run(0.0, order=Order.HOME)
    answer = bench.until(lambda a: a.fault is not RigFault.NONE)
    assert answer.fault is RigFault.DEVICE and "drive 1 refuses 6060h:00" in bench.why


def test_object_of_another_size(bench: EtherBench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.ready()
    wide = Object(profile.MODE_DISPLAY.number, profile.MODE_DISPLAY.sub, "i")
    monkeypatch.setitem(dictionary.ENTRIES, (wide.number, wide.sub), wide)
    bench.run(0.0, order=Order.HOME)
    answer = bench.until(lambda a: a.fault is not RigFault.NONE)
    assert answer.fault is RigFault.DEVICE


def test_close_leaves_slaves_in_init_without_power(bench: EtherBench) -> None:
    bench.moving()
    bench.close()
    assert all(device.state == INIT for device in bench.devices)
    assert all(device.drive.state is State.SWITCH_ON_DISABLED for device in bench.devices)


def test_stand_in_is_like_the_package() -> None:
    """Names, parameters and constants, where pysoem is installed."""
    pysoem = pytest.importorskip("pysoem")
    stand_in = Wires(setup(bitrate=None), np.full(6, 1.0)).module()
    for name in ("SdoError", "MailboxError", "PacketError", "WkcError", "ConfigMapError", "Emergency"):
        assert issubclass(getattr(pysoem, name), Exception) and not issubclass(getattr(pysoem, name), OSError)
        assert issubclass(vars(stand_in)[name], Exception)
    assert pysoem.SdoError(3, 0x6060, 0, 0x06020000, "no").abort_code == 0x06020000
    assert pysoem.Emergency(1, 0x4310, 1, 0, 0, 0).error_code == 0x4310
    assert pysoem.ConfigMapError([]).error_list == []
    assert (pysoem.INIT_STATE, pysoem.SAFEOP_STATE, pysoem.OP_STATE, pysoem.STATE_ACK) == (INIT, SAFEOP, OP, 16)
    assert "watchdog" in pysoem.al_status_code_to_string(0x1B)
    master = pysoem.Master()
    for name in ("config_init", "config_map", "config_dc", "read_state", "write_state", "state_check", "close", "open",
                 "send_processdata", "receive_processdata", "expected_wkc", "dc_time"):  # fmt: skip
        assert hasattr(master, name), name
    for name in ("sdo_read", "sdo_write", "mbx_receive", "write_state", "reconfig", "recover", "dc_sync", "state",
                 "set_watchdog", "add_emergency_callback", "setup_func", "input", "output", "al_status"):  # fmt: skip
        assert hasattr(pysoem.CdefSlave, name), name
    with pytest.raises(ConnectionError):
        master.open("no-such-interface")
    with pytest.raises(pysoem.NetworkInterfaceNotOpenError):
        master.send_processdata()
