"""A power unit over Modbus: pymodbus's client and server talk to each other, and whatever goes wrong is a fault."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import TargetUnavailable, UsageError
from motionbase.record.rig import RigFault
from motionbase.rig.onoff.remote import OnOffMachine
from motionbase.rig.onoff.simulated import SimulatedRig
from motionbase.rig.power.line import HOST, PORT_FILE
from motionbase.rig.power.machine import LegsAndPower, PowerMachine
from motionbase.rig.power.setup import RtuLine, SimulatedLine, TcpLine
from motionbase.rig.power.simulated import PRESSURE, WATCHDOG
from motionbase.rig.power.unit import ModbusPowerUnit
from tests.rig.power.bench import Bench, changed, setup_of, wait_for
from tests.rig.power.cable import Cable


@pytest.fixture
def place(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture
def bench(place: Path) -> Iterator[Bench]:
    made = Bench(place)
    yield made
    made.close()


def started(bench: Bench) -> None:
    """The pump runs and the pressure is there."""
    bench.until(lambda s: s.fault is RigFault.NONE)
    bench.unit.run(True)
    wait_for(lambda: bench.physics.commanded)
    bench.run(6.0)
    state = bench.state()
    assert state.running and state.p_supply > 0.95 * PRESSURE and state.fault is RigFault.NONE


def test_readings_are_those_of_the_unit(bench: Bench) -> None:
    before = bench.until(lambda s: s.fault is RigFault.NONE)
    assert not before.running and before.p_supply == 0.0
    started(bench)
    bench.physics.use = 1e-3
    bench.run(1.0)
    state, physics = bench.state(), bench.physics
    assert state.p_supply == pytest.approx(physics.pressure, abs=0.5e4)  # 0.1 bar
    assert state.p_return == pytest.approx(physics.back, rel=1e-6)
    assert state.temperature == pytest.approx(physics.temperature, abs=0.051)
    assert state.measured_at == bench.now and not bench.unit.why


def test_the_pump_stops_when_told_and_when_the_unit_is_closed(bench: Bench) -> None:
    started(bench)
    bench.unit.run(False)
    wait_for(lambda: not bench.physics.commanded)
    bench.run(1.0)
    assert not bench.state().running and bench.state().fault is RigFault.NONE
    bench.unit.run(True)
    wait_for(lambda: bench.physics.commanded)
    bench.unit.close()
    assert not bench.physics.commanded
    bench.unit.close()


def test_who_only_looks_changes_nothing(bench: Bench) -> None:
    bench.physics.command(True)
    bench.physics.watchdog = None
    bench.run(6.0)
    assert bench.state().running and bench.state().fault is RigFault.NONE
    bench.unit.close()
    assert bench.physics.commanded


def test_hot_oil_stops_the_pump_and_it_does_not_start_by_itself(bench: Bench) -> None:
    started(bench)
    bench.physics.temperature = 330.0
    bench.run(0.1)
    assert bench.state().fault is RigFault.NONE and "oil is warm, 56.8 degC" in bench.unit.warnings[0]
    bench.physics.temperature = 339.0
    bench.run(0.2)
    assert bench.state().fault is RigFault.TEMPERATURE and "oil is hot" in bench.unit.why
    wait_for(lambda: not bench.physics.commanded)
    bench.physics.temperature = 320.0
    bench.run(0.2)
    assert bench.state().fault is RigFault.TEMPERATURE  # nobody has acknowledged it
    assert not bench.physics.commanded
    bench.unit.run(False)
    assert bench.state().fault is RigFault.NONE and not bench.unit.why
    bench.unit.run(True)
    wait_for(lambda: bench.physics.commanded)


def test_a_pump_that_is_asked_for_while_something_is_wrong_may_start_a_little_later(bench: Bench) -> None:
    bench.unit.run(True)  # there may have been no answer yet
    wait_for(lambda: bench.physics.commanded)
    bench.unit.run(False)
    wait_for(lambda: not bench.physics.commanded)
    for seconds, starts in ((4.0, True), (6.0, False)):
        bench.physics.alarms = 1
        bench.run(0.1)
        bench.unit.run(True)
        bench.run(seconds)
        assert bench.state().fault is RigFault.DEVICE
        bench.physics.alarms = 0
        bench.run(0.5)
        bench.run(0.5)
        assert bench.physics.commanded is starts
        bench.unit.run(False)
        wait_for(lambda: not bench.physics.commanded)


def test_a_burst_hose_is_low_pressure(bench: Bench) -> None:
    started(bench)
    bench.physics.burst = True
    bench.run(1.0)
    state = bench.state()
    assert state.fault is RigFault.SUPPLY and "at least 120.0 bar are needed" in bench.unit.why
    wait_for(lambda: not bench.physics.commanded)


def test_a_pump_that_does_not_start(bench: Bench) -> None:
    bench.physics.stuck = True
    bench.until(lambda s: s.fault is RigFault.NONE)
    bench.unit.run(True)
    wait_for(lambda: bench.physics.commanded)
    bench.run(5.5)
    assert bench.state().fault is RigFault.NONE
    bench.run(1.0)
    assert bench.state().fault is RigFault.SUPPLY and "does not run" in bench.unit.why


def test_alarms_of_the_unit(bench: Bench) -> None:
    bench.physics.alarms = 0b1000
    bench.until(lambda s: "filter is dirty" in bench.unit.warnings)
    assert bench.state().fault is RigFault.NONE
    bench.physics.alarms = 0b10_0000_0000_0000_0000_1001
    state = bench.until(lambda s: s.fault is RigFault.DEVICE)
    assert state.code == bench.physics.alarms and bench.unit.why == "alarm: motor overload, alarm bit 21"


# The line


def test_a_unit_that_is_gone_and_comes_back(bench: Bench) -> None:
    started(bench)
    bench.machine.close()
    wait_for(lambda: bench.unit._failure.fault is RigFault.SILENT_LEG)
    assert bench.state().fault is RigFault.NONE  # for a moment
    bench.now += bench.setup.patience + 0.1
    state = bench.state()
    assert state.fault is RigFault.SILENT_LEG and state.measured_at < bench.now
    wait_for(lambda: "nobody plays it" in bench.unit.why)
    wait_for(lambda: not bench.unit._command)
    bench.physics.commanded = True  # it went on without us, as without a watchdog
    bench.machine = PowerMachine(bench.place, bench.setup, bench.physics)
    bench.until(lambda s: s.measured_at == bench.now)
    wait_for(lambda: not bench.physics.commanded)
    assert bench.state().fault is RigFault.SILENT_LEG  # until it is acknowledged
    bench.unit.run(False)
    bench.until(lambda s: s.fault is RigFault.NONE)


def test_the_units_watchdog_stops_a_pump_that_nobody_minds(bench: Bench) -> None:
    started(bench)
    bench.unit._closed.set()  # the thread ends as with its process
    bench.unit._commands = False
    bench.unit._thread.join()
    for _ in range(19):
        bench.now += 0.1
        bench.machine.advance(bench.now)
    assert bench.physics.commanded
    for _ in range(3):
        bench.now += 0.1
        bench.machine.advance(bench.now)
    assert bench.physics.alarms == WATCHDOG and not bench.machine.unit.commanded


def test_a_program_that_hangs_stops_the_pump_by_its_thread(bench: Bench) -> None:
    started(bench)
    bench.now += bench.setup.patience + 0.1  # the thread goes on, nobody looks
    wait_for(lambda: not bench.physics.commanded)
    assert bench.state().fault is RigFault.SILENT_LAW and "silent" in bench.unit.why


@pytest.mark.parametrize("code", [1, 2, 3, 4, 6, 11])
def test_a_unit_that_refuses(bench: Bench, code: int) -> None:
    bench.until(lambda s: s.fault is RigFault.NONE)
    bench.machine.refusal = code
    wait_for(lambda: bench.unit._failure.fault is RigFault.DEVICE)
    bench.now += bench.setup.patience + 0.1
    state = bench.state()
    assert state.fault is RigFault.DEVICE and state.code == -code and f"({code})" in bench.unit.why
    bench.machine.refusal = 0
    bench.until(lambda s: s.fault is RigFault.NONE)


def test_registers_that_are_not_there(place: Path) -> None:
    setup = setup_of()
    moved = replace(setup.registers["supply"], address=7)
    machine = PowerMachine(place, setup)
    unit = ModbusPowerUnit(replace(setup, registers={**setup.registers, "supply": moved}), place)
    wait_for(lambda: "input 7 is refused, illegal address (2)" in unit.why, lambda: unit.why)
    assert unit.look(0.0).fault is RigFault.DEVICE
    unit.close()
    machine.close()


def test_a_command_that_is_refused_is_a_fault_at_once(place: Path) -> None:
    registers = setup_of().registers
    setup = changed(registers={**registers, "run": replace(registers["run"], kind="holding", address=50)})
    machine = PowerMachine(place, setup_of())
    unit = ModbusPowerUnit(setup, place, clock=lambda: 0.0)
    wait_for(lambda: unit.look(0.0).fault is RigFault.NONE)
    unit.run(True)
    wait_for(lambda: unit.look(0.0).fault is RigFault.DEVICE)
    assert "holding 50 is refused" in unit.why
    unit.close()
    machine.close()


def test_a_slow_unit_is_stale_and_nobody_waits_for_it(bench: Bench) -> None:
    """Requests are answered in time, but one after the other they take too long."""
    bench.until(lambda s: s.fault is RigFault.NONE)
    bench.machine.delay = 0.2
    bench.now += bench.setup.patience + 0.1
    state = bench.state()
    assert state.fault is RigFault.STALE and "s old" in bench.unit.why
    bench.machine.delay = 0.0
    bench.until(lambda s: s.fault is RigFault.NONE)


@pytest.mark.parametrize("trouble", ["mute", "late"])
def test_a_unit_without_answers_in_time(place: Path, trouble: str) -> None:
    """Late answers come on a line that is not ours any more, so they are never taken for new ones."""
    b = Bench(place, changed(timeout=0.05))
    b.until(lambda s: s.fault is RigFault.NONE)
    if trouble == "mute":
        b.machine.mute = True
    else:
        b.machine.delay = 0.3
    wait_for(lambda: b.unit._failure.fault is RigFault.SILENT_LEG)
    b.now += b.setup.patience + 0.1
    assert b.state().fault is RigFault.SILENT_LEG and "is not answered" in b.unit.why
    b.machine.mute, b.machine.delay = False, 0.0
    b.until(lambda s: s.fault is RigFault.NONE)
    b.close()


@pytest.mark.parametrize("seed", range(4))
def test_garbage_is_no_answer(place: Path, seed: int) -> None:
    b = Bench(place, changed(timeout=0.05))
    random = np.random.default_rng(seed)
    b.until(lambda s: s.fault is RigFault.NONE)
    for _ in range(8):
        b.machine.garbage = random.bytes(int(random.integers(1, 300)))
        b.unit._failure = b.unit._failure._replace(fault=RigFault.NONE)
        wait_for(lambda: b.unit._failure.fault is RigFault.SILENT_LEG)
    b.now += b.setup.patience + 0.1
    assert b.state().fault is RigFault.SILENT_LEG
    b.machine.garbage = b""
    b.until(lambda s: s.fault is RigFault.NONE)
    b.close()


NAN = [0x7FC0, 0x0000]


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [("return", NAN[::-1], "return reads nan"), ("return", [0, 0x7F80], "return reads inf"),
     ("supply", [0xFFFF], ""), ("temperature", [0x7FFF], "temperature reads 3549"),
     ("temperature", [0x8000], "temperature reads -3003"), ("level", [150], "level reads 1.5")],
)  # fmt: skip
def test_values_that_no_sensor_gives(bench: Bench, name: str, words: list[int], says: str) -> None:
    bench.until(lambda s: s.fault is RigFault.NONE)
    bench.machine.words[name] = words
    if not says:  # 65535 of 0.1 bar is possible, if not likely
        assert bench.until(lambda s: s.p_supply > 6.5e8).fault is RigFault.SENSOR
        return
    bench.until(lambda s: s.fault is RigFault.SENSOR)
    assert says in bench.unit.why
    bench.machine.words.clear()
    bench.until(lambda s: s.fault is RigFault.NONE)


def test_a_port_that_is_no_modbus_server(place: Path) -> None:
    """A program that accepts, says hello, and closes."""
    with socket.create_server((HOST, 0)) as server:
        setup = changed(line=TcpLine(HOST, server.getsockname()[1]), timeout=0.2)
        unit = ModbusPowerUnit(setup)
        for _ in range(3):
            other, _ = server.accept()
            other.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
            other.close()
        assert unit.look(0.0).fault is RigFault.SILENT_LEG
        unit.close()


def test_nobody_listens(place: Path) -> None:
    with socket.create_server((HOST, 0)) as server:
        port = server.getsockname()[1]
    unit = ModbusPowerUnit(changed(line=TcpLine(HOST, port)))
    wait_for(lambda: f"power unit at tcp:127.0.0.1:{port} cannot be reached" in unit.why, lambda: unit.why)
    state = unit.look(5.0)
    assert state.fault is RigFault.SILENT_LEG and state.measured_at == -np.inf and np.isnan(state.p_supply)
    unit.close()


def test_a_folder_without_a_unit_or_with_nonsense(place: Path) -> None:
    unit = ModbusPowerUnit(setup_of(), place)
    wait_for(lambda: "nobody plays it" in unit.why, lambda: unit.why)
    (place / PORT_FILE).write_text("99999")
    wait_for(lambda: "holds no port" in unit.why, lambda: unit.why)
    unit.close()
    with pytest.raises(UsageError, match="it needs a folder"):
        ModbusPowerUnit(setup_of())


# Serial lines and other set-ups


def test_over_a_serial_line(place: Path) -> None:
    """Without parity, which pseudo terminals do not have."""
    with Cable() as cable:
        setup = changed(line=RtuLine(cable.ends[0], 19200, "N"), device=7, timeout=0.3)
        b = Bench(place, setup, RtuLine(cable.ends[1], 19200, "N"))
        started(b)
        assert b.state().p_return == pytest.approx(b.physics.back, rel=1e-6)
        cable.is_cut = True
        wait_for(lambda: b.unit._failure.fault is RigFault.SILENT_LEG)
        b.now += b.setup.patience + 0.1
        assert b.state().fault is RigFault.SILENT_LEG
        wait_for(lambda: not b.unit._command)
        cable.is_cut = False
        wait_for(lambda: not b.physics.commanded)
        b.unit.run(False)
        b.until(lambda s: s.fault is RigFault.NONE)
        b.close()


def test_a_serial_device_that_is_not_there(place: Path) -> None:
    unit = ModbusPowerUnit(changed(line=RtuLine("/dev/no-such-port")))
    wait_for(lambda: "power unit at rtu:/dev/no-such-port cannot be reached" in unit.why, lambda: unit.why)
    unit.close()


def test_a_status_word_and_a_control_word(place: Path) -> None:
    """The pump's state is a bit among others; the command is a number."""
    registers = dict(setup_of().registers)
    registers["running"] = replace(registers["supply"], address=30, kind="holding", unit="1", scale=1.0, bit=4)
    registers["run"] = replace(registers["running"], address=31, bit=None, on=0x47F)
    del registers["heartbeat"]
    b = Bench(place, changed(registers=registers))
    b.physics.watchdog = None
    started(b)
    b.close()


def test_several_clients_at_once(bench: Bench) -> None:
    others = [ModbusPowerUnit(bench.setup, bench.place, clock=lambda: bench.now) for _ in range(3)]
    started(bench)
    wait_for(lambda: all(other.look(bench.now).running for other in others))
    for other in others:
        other.close()
    assert bench.physics.commanded


def test_a_port_that_is_taken(bench: Bench) -> None:
    with pytest.raises(UsageError, match="cannot be served on tcp"):
        PowerMachine(None, changed(line=TcpLine(HOST, bench.machine.port)))
    with pytest.raises(UsageError, match=r"served on 127\.0\.0\.1 alone"):
        PowerMachine(None, changed(line=TcpLine("0.0.0.0", 1502)))


def test_a_machine_leaves_nothing_behind(bench: Bench) -> None:
    bench.machine.close()
    bench.machine.close()
    assert not (bench.place / PORT_FILE).exists()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymodbus.client", None)
    with pytest.raises(TargetUnavailable, match=r"pip install 'motionbase\[modbus\]'"):
        ModbusPowerUnit(changed(line=TcpLine(HOST, 1)))


def test_trouble_is_not_printed_by_the_package() -> None:
    """Its log would fill the screen, ten lines a second."""
    code = (
        "from motionbase.rig.power.unit import ModbusPowerUnit; from motionbase.rig.power.setup import *\n"
        "from motionbase.rig.power.registers import Register; import select\n"
        "registers = {'supply': Register(0, unit='Pa'), 'running': Register(1)}\n"
        "u = ModbusPowerUnit(PowerSetup(TcpLine('127.0.0.1', 1), registers, Limits(1e5)))\n"
        "while 'cannot be reached' not in u.why: select.select([], [], [], 1e-3)\n"
        "u.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


def test_legs_are_as_fast_as_their_oil_lets_them(place: Path) -> None:
    legs = OnOffMachine(place, SimulatedRig())
    both = LegsAndPower(legs, power := PowerMachine(place, setup_of()))
    assert both.period == legs.period
    shares = []
    power.unit.watchdog = None
    both.advance(50.0)
    power.unit.command(True)
    for k in range(61):
        both.advance(50.0 + 0.1 * k)
        shares.append(legs.rig.supply)
    assert shares[0] == 0.0 and shares[-1] == pytest.approx(1.0, abs=0.01) and (np.diff(shares) >= 0).all()
    assert shares[40] == pytest.approx(np.sqrt(power.unit.pressure / PRESSURE), rel=0.05)
    both.close()


def test_lines_in_words() -> None:
    lines = [TcpLine("hpu.lab"), RtuLine("/dev/ttyS0"), SimulatedLine()]
    assert [str(line) for line in lines] == ["tcp:hpu.lab:502", "rtu:/dev/ttyS0", "simulated"]
