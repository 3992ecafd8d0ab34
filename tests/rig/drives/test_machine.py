"""Simulated drives as a machine on the local bus."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand, Machine
from motionbase.rig.drives.backend import CanDrives
from motionbase.rig.drives.machine import DrivesMachine
from motionbase.rig.drives.simulated import HERE
from motionbase.rig.drives.witness import DrivesWitness
from tests.rig.drives.bench import setup

LENGTHS = np.linspace(1.02, 1.07, 6)


class Rig:
    """Master, machine and witness on one bus, on a clock that starts anywhere."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o700)
        self.setup, url = setup(homing_method=17), f"local:{folder}"
        self.machine = DrivesMachine(self.setup, url, LENGTHS)
        self.master, self.witness = CanDrives(self.setup, url, pause=self.pause), DrivesWitness(self.setup, url)
        self.now, self.count = 7000.0, 0

    def pause(self, seconds: float) -> None:
        machine: Machine = self.machine
        until = self.now + seconds
        while self.now < until - 1e-9:
            self.now = min(self.now + machine.period, until)
            machine.advance(self.now)

    def cycle(self, l: float = 1.0, go: bool = False, order: Order = Order.NONE) -> Answer:
        self.pause(self.setup.period)
        self.count += 1
        return self.master.cycle(self.now, Demand(self.count, np.full(6, l), np.zeros(6), go, order=order))

    def until(self, state: LegState, order: Order) -> None:
        self.cycle(order=order)
        for _ in range(5000):
            if self.cycle().all_are(state):
                return
        raise AssertionError(f"not {state.name}: {self.master.why}")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.master.close()
    made.witness.close()
    made.machine.close()
    made.machine.close()
    assert list(tmp_path.iterdir()) == []


def test_drives_home_and_follow_and_all_three_agree(rig: Rig) -> None:
    rig.until(LegState.UNHOMED, Order.ENABLE)
    np.testing.assert_allclose(rig.machine.lengths, LENGTHS, atol=2e-6)  # an increment
    rig.until(LegState.READY, Order.HOME)
    rig.cycle()
    for k in range(500):
        answer = rig.cycle(1.0 + 1e-4 * k, go=True)
        rig.witness.look(rig.now)
    assert answer.all_are(LegState.FOLLOWING) and answer.fault is RigFault.NONE
    sight = rig.witness.look(rig.now)
    speed, behind = 1e-4 / rig.setup.period, 2e-3  # positions that the witness hears are a cycle old
    np.testing.assert_allclose(sight.l, answer.l, atol=1e-6)
    np.testing.assert_allclose(rig.machine.lengths, sight.l, atol=2 * speed * rig.setup.period + behind)
    assert rig.now - 2 * rig.setup.period <= sight.measured_at <= rig.now


def test_closed_machine_is_silent(rig: Rig) -> None:
    rig.until(LegState.UNHOMED, Order.ENABLE)
    rig.machine.close()
    for _ in range(rig.setup.misses + 1):
        rig.now += rig.setup.period
        answer = rig.master.cycle(rig.now, Demand(0, np.full(6, 1.0), np.zeros(6)))
    assert answer.fault is RigFault.SILENT_LEG


def test_drives_boot_when_they_are_first_called(tmp_path: Path) -> None:
    """A process may be slow to begin; time before does not count."""
    tmp_path.chmod(0o700)
    machine = DrivesMachine(setup(homing_method=HERE), f"local:{tmp_path}")
    machine.advance(1e6)
    assert all(drive.now == 1e6 for drive in machine.simulated.drives)
    machine.close()
