"""The adapter for NI-DAQmx against a stand-in: the suite of the border, channel names, errors, and how it lets go."""

import importlib.util
import inspect
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import TargetUnavailable, UsageError
from motionbase.platform.load import load_platform
from motionbase.record.rig import Order, RigFault
from motionbase.rig.files import FOLDER, load_rig
from motionbase.rig.files.onoff import OnOffLegs
from motionbase.rig.onoff.acquisition import SHUT, AcquisitionError
from motionbase.rig.onoff.backend import onoff_rig
from motionbase.rig.onoff.ni import NiAcquisition, NiReader
from motionbase.rig.onoff.simulated import SimulatedRig
from motionbase.rig.onoff.witness import OnOffWitness
from tests.rig.conformance import Conformance, Machine, Operator, operator
from tests.rig.fake_nidaqmx import Driver, Task

__all__ = ["operator"]
ODU = load_platform("odu")
NEVER = 1e4  # [s] the guard runs on real time, the tests on simulated time


class OnTime:
    """The adapter, on the simulated clock."""

    def __init__(self, driver: Driver, ni: NiAcquisition) -> None:
        self.name, self.driver, self.ni = ni.name, driver, ni

    def read(self, now: float) -> Array:
        self.driver.now = now
        return self.ni.read(now)

    def write(self, lines: Sequence[bool]) -> None:
        self.ni.write(lines)

    def close(self) -> None:
        self.ni.close()


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    driver = Driver(SimulatedRig())
    for name, module in driver.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    yield driver
    assert driver.open_tasks == 0


class TestNi(Conformance):
    @pytest.fixture
    def machine(self, driver: Driver) -> Machine:
        rig = driver.rig
        actuators = onoff_rig(ODU, OnTime(driver, NiAcquisition(silence=NEVER)))
        lost, found = rig.broken.add, rig.broken.discard
        return Machine(
            actuators, lambda: ODU.stroke.hard_min + rig.extensions, rig.advance, lost, found,
            slow=0.05, error=0.006, measured=5e-4, stopping=0.1, noticing=0.05,
        )  # fmt: skip


def test_outputs_are_off_from_the_start_and_after_close(driver: Driver) -> None:
    driver.lines["port0/line3"] = True
    ni = NiAcquisition("Dev1", silence=NEVER)
    assert not any(driver.lines.values())
    ni.write((True,) * 12)
    assert sum(driver.lines.values()) == 12
    ni.close()
    ni.close()
    assert not any(driver.lines.values())


def test_a_program_that_hangs_leaves_no_valve_open(driver: Driver) -> None:
    ni = NiAcquisition(silence=0.05)
    for _ in range(2):  # it guards again after it has acted
        ni.write((True,) * 12)
        end = time.monotonic() + 60
        while any(driver.lines.values()) and time.monotonic() < end:
            time.sleep(0.01)
        assert not any(driver.lines.values())
    driver.rig.unplugged = True
    with pytest.raises(AcquisitionError):
        ni.close()
    assert not any(thread.name == "valve guard" for thread in threading.enumerate())


def test_an_ordinary_end_of_the_process_shuts_the_valves(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    at_end: list[Callable[[], None]] = []
    monkeypatch.setattr("atexit.register", at_end.append)
    NiAcquisition(silence=NEVER).write((True,) * 12)
    at_end[0]()
    assert not any(driver.lines.values())


def test_error_of_the_driver_is_a_fault_with_its_code(driver: Driver) -> None:
    rig = onoff_rig(ODU, OnTime(driver, NiAcquisition(silence=NEVER)))
    person = Operator(
        Machine(rig, lambda: ODU.stroke.hard_min + driver.rig.extensions, driver.rig.advance, print, print)
    )
    person.ready()
    person.travelled(0.1)
    driver.rig.unplugged = True
    answer = person.cycle(go=True)
    assert answer.fault is RigFault.DEVICE and answer.codes == (-201003,) * 6
    driver.rig.unplugged = False
    person.hold(0.2)
    assert person.cycle(order=Order.RESET).fault is RigFault.NONE
    rig.close()


def test_too_few_voltages(driver: Driver) -> None:
    ni = NiAcquisition()
    driver.short = True
    with pytest.raises(AcquisitionError, match="NI-DAQmx device Dev1: 3 voltages came back, 6 are expected"):
        ni.read(0.0)
    ni.close()


@pytest.mark.parametrize(
    ("given", "code", "text"),
    [
        ({"device": "Dev2"}, -200220, "Device identifier is invalid"),
        ({"inputs": ("ai0",) * 5 + ("ai16",)}, -200170, "does not exist"),
        ({"inputs": tuple(f"ai{k}" for k in range(4, 10))}, -200077, "not a supported value"),
        ({"outputs": tuple(f"port0/line{k}" for k in range(12))}, -200170, "does not exist"),
    ],
)
def test_wrong_channels_release_what_was_reserved(driver: Driver, given: dict[str, Any], code: int, text: str) -> None:
    with pytest.raises(AcquisitionError, match=text) as e:
        NiAcquisition(**given)
    assert e.value.code == code and "\n" not in str(e.value)


def test_device_that_is_gone_at_close_is_released(driver: Driver) -> None:
    rig = onoff_rig(ODU, NiAcquisition())
    driver.rig.unplugged = True
    rig.close()
    assert driver.open_tasks == 0


def test_missing_package() -> None:
    if importlib.util.find_spec("nidaqmx"):
        pytest.skip("it is installed")
    with pytest.raises(TargetUnavailable, match=r"motionbase\[daq\]"):
        NiAcquisition()


def test_stand_in_has_the_parameters_of_the_package() -> None:
    if not importlib.util.find_spec("nidaqmx"):
        pytest.skip("needs the extra daq")
    import nidaqmx
    from nidaqmx.task.collections import AIChannelCollection, DOChannelCollection

    real = {"read": nidaqmx.Task, "write": nidaqmx.Task, "start": nidaqmx.Task, "close": nidaqmx.Task,
            "add_ai_voltage_chan": AIChannelCollection, "add_do_chan": DOChannelCollection}  # fmt: skip
    for name, owner in real.items():
        ours, theirs = (list(inspect.signature(getattr(of, name)).parameters) for of in (Task, owner))
        assert theirs[: len(ours)] == ours, name
    assert issubclass(nidaqmx.errors.DaqError, nidaqmx.errors.Error) and len(SHUT) == 12


# A device for a witness


def test_a_witness_reads_by_its_own_device_and_cuts_the_relay(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    rig, clock = driver.rig, [100.0]
    monkeypatch.setattr("motionbase.rig.onoff.ni.monotonic", lambda: clock[0])
    reader = NiReader("Dev1", relay="port2/line5")

    def is_on() -> bool:
        return driver.lines["port2/line5"] and rig.powered

    assert is_on() and driver.open_tasks == 2  # on as long as nothing is wrong
    witness = OnOffWitness(reader, np.full(6, ODU.stroke.hard_min), interval=None)
    witness.take(1.0)
    np.testing.assert_allclose(witness.look(1.0).l, ODU.stroke.hard_min + rig.extensions, atol=1e-3)
    for _ in range(3):
        witness.stop()
        witness.take(1.0)
        assert not is_on()
        clock[0] += 0.4
    clock[0] += 0.2
    witness.take(1.0)
    assert is_on()
    rig.unplugged = True
    witness.take(2.0)
    assert witness.look(2.0).measured_at == 1.0 and "Device cannot be accessed" in witness.why
    witness.close()
    witness.close()


def test_a_stop_waits_for_no_reading(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """The relay is cut while another thread's reading is still in the driver."""
    reader, began, may_end = NiReader("Dev1"), threading.Event(), threading.Event()

    def slow(*_: Any, **__: Any) -> list[float]:
        began.set()
        assert may_end.wait(30)
        return [1.0] * 6

    monkeypatch.setattr(Task, "read", slow)
    thread = threading.Thread(target=lambda: reader.read(0.0))
    thread.start()
    assert began.wait(30)
    reader.cut()
    assert not driver.rig.powered
    may_end.set()
    thread.join()
    reader.close()


def test_a_relay_that_does_not_exist_leaves_nothing_open(driver: Driver) -> None:
    with pytest.raises(AcquisitionError, match="does not exist on this device"):
        NiReader("Dev1", relay="port9/line0")
    assert driver.open_tasks == 0


@pytest.mark.parametrize(
    ("witness", "says"),
    [
        ('device = "ni:Dev2"\nrelay = "port1/line3"', ""),
        ('device = "ni:Dev1"', "which moves the legs; a second device"),
        ("relay = 3", "needs the key 'device'"),
        ('device = "ni:Dev2"\nrelay = 3', "witness.relay is 3, a text is wanted"),
    ],
)
def test_rig_files_name_the_second_device(witness: str, says: str, tmp_path: Path) -> None:
    text = (FOLDER / "odu-onoff.toml").read_text().replace('machine = "simulated"', 'device = "ni:Dev1"')
    path = tmp_path / "mine.toml"
    path.write_text(text.replace("[witness]", f"[witness]\n{witness}"))
    if says:
        with pytest.raises(UsageError, match=says):
            load_rig(path, ODU)
    else:
        legs = load_rig(path, ODU).legs
        assert isinstance(legs, OnOffLegs) and (legs.second, legs.relay) == ("Dev2", "port1/line3")
