"""A session with drives on EtherCAT, through the real pysoem, on a line of slave controllers in software.

    python -m tests.rig.drives.soem_session MASTER_INTERFACE LINE_INTERFACE

The interfaces are the ends of a cable. It prints `done` if everything was as it should be.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand
from motionbase.rig.drives.ethercat.backend import EtherCatDrives
from tests.rig.drives.bench import setup

PERIOD, PATIENCE, V = 0.01, 60.0, 0.02  # [s], [s], [m/s]


class Session:
    """Cycles in real time."""

    def __init__(self, interface: str, line: subprocess.Popen[str]) -> None:
        self.setup, self._line = setup(bitrate=None, period=PERIOD, watchdog=0.2, silence=0.2, misses=5), line
        self.rig = EtherCatDrives(self.setup, interface)
        self.l, self._count, self._next = np.full(6, 1.01), 0, time.monotonic()

    def tell(self, what: str) -> None:
        assert self._line.stdin is not None
        self._line.stdin.write(what + "\n")
        self._line.stdin.flush()

    def cycle(self, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        time.sleep(max(self._next - time.monotonic(), 0.0))
        self._next = max(self._next + PERIOD + self.rig.shift, time.monotonic())
        self._count += 1
        self.l = np.clip(self.l + v * PERIOD, self.setup.least, self.setup.most)
        return self.rig.cycle(time.monotonic(), Demand(self._count, self.l, np.full(6, v), go, order=order))

    def until(self, reached: Callable[[Answer], bool], order: Order = Order.NONE, go: bool = False) -> Answer:
        end, answer = time.monotonic() + PATIENCE, self.cycle(order=order)
        while not reached(answer):
            assert time.monotonic() < end, (answer, self.rig.why)
            answer = self.cycle(go)
        return answer

    def moves(self) -> None:
        """From whatever there is to legs that follow, and do."""
        for _ in range(100):
            self.cycle()
        while self.cycle(order=Order.RESET).fault:
            for _ in range(100):
                self.cycle()
        answer = self.until(lambda a: a.all_are(LegState.UNHOMED, LegState.READY), Order.ENABLE)
        if not answer.all_are(LegState.READY):
            answer = self.until(lambda a: a.all_are(LegState.READY), Order.HOME)
        self.l = np.clip(answer.l, self.setup.least, self.setup.most)
        self.cycle()
        for _ in range(100):
            answer = self.cycle(True, v=V if self.l[0] < 1.05 else -V)
        assert answer.all_are(LegState.FOLLOWING) and np.abs(answer.l - self.l).max() < 2e-3, (answer, self.rig.why)

    def faults_of(self, what: str) -> Answer:
        """What a change of the world leads to, once all drives have stopped."""
        self.moves()
        self.tell(what)
        self.until(lambda a: a.fault is not RigFault.NONE, go=True)
        for _ in range(100):
            answer = self.cycle(True)
        before = answer.l
        assert LegState.FOLLOWING not in answer.states
        np.testing.assert_array_equal(self.cycle(True).l, before)
        return answer


def main(master: str, line_interface: str) -> None:
    """All that can happen."""
    command = [sys.executable, "-m", "tests.rig.drives.slave_controllers", line_interface, str(PERIOD)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as line:
        assert line.stdout is not None and line.stdout.readline() == "ready\n"
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(40))
        s = Session(master, line)
        hot = s.faults_of("heat 2")
        assert hot.faults[2] is RigFault.TEMPERATURE and hot.codes[2] == 0x4310
        s.tell("cool 2")
        assert s.faults_of("leave 4").faults[4] is RigFault.DEVICE
        cut = s.faults_of("cut 3")
        assert all(cut.faults[3:]) and "drive 4 is silent" in s.rig.why and "drive 3" not in s.rig.why
        s.tell("mend")
        assert all(s.faults_of("cut 0").faults)
        s.tell("mend")
        s.moves()
        assert all(node.homed for node in s.rig.nodes)
        s.faults_of("restart 5")
        for _ in range(200):
            s.cycle()
        s.until(lambda a: a.fault is RigFault.NONE, Order.RESET)
        assert [node.homed for node in s.rig.nodes] == [True] * 5 + [False]
        s.moves()
        assert abs(s.rig.shift) < 1e-3 * PERIOD  # after thousands of cycles frames pass midway between two SYNC0
        s.rig.close()
        line.kill()
    print("done")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
