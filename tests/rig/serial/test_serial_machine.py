"""Simulated controllers as a machine in a process of its own: legs that follow it, and processes that are killed."""

import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand
from motionbase.rig.serial.backend import SerialLegs, serial_legs
from motionbase.rig.serial.machine import SerialMachine, terminal_names
from motionbase.rig.serial.port import SerialError, SerialPort
from motionbase.rig.serial.setup import Kind
from tests.rig.serial.bench import BEGIN, setup

BEGAN = 5000.0  # a monotonic clock has any origin


class Rig:
    """Legs and their machine, patient, because bytes take real time and cycles take simulated time."""

    def __init__(self, kind: Kind, place: Path) -> None:
        self.setup, self.place = setup(kind, patience=5.0, jump=0.1, following=0.1), place
        self.machine: SerialMachine | None = SerialMachine(place, self.setup, BEGIN)
        self.legs: SerialLegs = serial_legs(self.setup, [str(place / name) for name in terminal_names(kind)])
        self.now, self.count, self.l = BEGAN, 0, BEGIN

    def cycle(self, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        self.count += 1
        self.l = self.l + v * self.setup.period
        for _ in range(10):
            self.now += 0.1 * self.setup.period
            if self.machine:
                self.machine.advance(self.now)
            select.select([], [], [], 2e-4)  # terminals of the system carry bytes in their own time
        return self.legs.cycle(self.now, Demand(self.count, self.l, np.full(6, v), go, order=order))

    def until(self, what: Callable[[Answer], bool], order: Order = Order.NONE, **demand: Any) -> Answer:
        answer = self.cycle(order=order, **demand)
        for _ in range(2000):
            if what(answer):
                return answer
            answer = self.cycle(**demand)
        raise AssertionError(f"not reached: {answer}, {self.legs.why}")

    def ready(self) -> None:
        answer = self.until(lambda a: a.all_are(LegState.READY, LegState.UNHOMED), Order.ENABLE)
        if not answer.all_are(LegState.READY):
            answer = self.until(lambda a: a.all_are(LegState.READY), Order.HOME)
        self.l = answer.l
        self.cycle()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture(params=Kind)
def rig(request: pytest.FixtureRequest, place: Path) -> Iterator[Rig]:
    made = Rig(request.param, place)
    yield made
    made.legs.close()
    if made.machine:
        made.machine.close()


def test_true_legs_follow_and_the_last_targets_hold_when_the_client_is_gone(rig: Rig) -> None:
    rig.ready()
    assert rig.machine
    begin = rig.machine.lengths
    np.testing.assert_allclose(begin, rig.l, atol=3e-3)
    rig.until(lambda a: bool(rig.machine and rig.machine.lengths[0] > begin[0] + 0.02), go=True, v=0.02)
    assert np.ptp(rig.machine.lengths - begin) < 6e-3  # within readings of 4 counts
    rig.legs.close()
    for _ in range(300):
        rig.now += 1e-3
        rig.machine.advance(rig.now)
    before = rig.machine.lengths
    for _ in range(300):
        rig.now += 1e-3
        rig.machine.advance(rig.now)
    np.testing.assert_allclose(rig.machine.lengths, before, atol=1e-5)


def test_a_machine_that_is_gone_and_comes_back(rig: Rig) -> None:
    rig.ready()
    assert rig.machine
    rig.machine.close()
    rig.machine.close()
    assert not list(rig.place.iterdir())
    rig.machine = None
    rig.until(lambda a: set(a.faults) == {RigFault.SILENT_LEG}, go=True)
    rig.machine = SerialMachine(rig.place, rig.setup, BEGIN)
    rig.until(lambda a: not rig.legs.why)
    rig.until(lambda a: a.fault is RigFault.NONE, Order.RESET)
    rig.ready()


def test_a_pause_is_not_caught_up(rig: Rig) -> None:
    """Motors run in steps from where they were, so a clock from anywhere costs nothing."""
    rig.ready()
    assert rig.machine
    before = rig.machine.boards[0].motors._now
    rig.machine.advance(rig.now + 1e6)
    assert rig.machine.boards[0].motors._now - before == pytest.approx(1.0, abs=0.02)


def test_one_machine_in_a_folder(rig: Rig) -> None:
    with pytest.raises(UsageError, match="tty0: another process plays it already"):
        SerialMachine(rig.place, rig.setup, BEGIN)
    rig.ready()  # and the first one is unharmed


@pytest.mark.parametrize("lengths", [np.full(6, 1.3), np.full(6, np.nan), np.full(5, 1.1)])
def test_legs_that_cannot_be_the_start(lengths: np.ndarray, place: Path) -> None:
    with pytest.raises(UsageError, match="simulated smc3: legs of"):
        SerialMachine(place, setup(Kind.SMC3), lengths)
    assert not list(place.iterdir())


MACHINE = """
import sys
from pathlib import Path
from motionbase.rig.serial.machine import SerialMachine
from motionbase.rig.serial.setup import Kind
from tests.rig.serial.bench import BEGIN, setup
machine, time = SerialMachine(Path(sys.argv[1]), setup(Kind.SMC3), BEGIN), 0.0
print("plugged", flush=True)
while True:
    machine.advance(time := time + 1e-3)
"""


def test_terminals_of_a_killed_machine_are_nobody_elses(place: Path) -> None:
    """A new terminal gets the number of the old one; the name in the folder must not lead to it."""
    paths = [place / name for name in terminal_names(Kind.SMC3)]
    with subprocess.Popen([sys.executable, "-c", MACHINE, place], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "plugged\n"
        port = SerialPort(str(paths[0]), 500_000)
        assert port.read() == b""
        process.kill()
    with pytest.raises(SerialError, match=r"unplugged|does not receive"):
        port.read()
    port.close()
    assert all(path.is_symlink() and not path.exists() for path in paths)
    with pytest.raises(SerialError, match="no such file"):
        SerialPort(str(paths[0]), 500_000)
    machine = SerialMachine(place, setup(Kind.SMC3), BEGIN)
    SerialPort(str(paths[0]), 500_000).close()
    machine.close()
