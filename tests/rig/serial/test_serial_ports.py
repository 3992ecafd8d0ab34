"""Serial devices: raw, exclusive, never waiting; legs behind pseudo terminals; what a person may state wrongly."""

import os
import select
import termios
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand
from motionbase.rig.serial.backend import SerialLegs, serial_legs
from motionbase.rig.serial.port import MOST_BYTES, SerialError, SerialPort
from motionbase.rig.serial.setup import Axis, Kind, Setup
from motionbase.rig.serial.simulated import SimulatedEsp32, SimulatedSmc3
from motionbase.rig.serial.terminal import Terminal
from tests.rig.serial.bench import BEGIN, setup


@pytest.fixture
def ends() -> Any:
    """Both ends of a pseudo terminal."""
    pair = os.openpty()
    yield pair
    for end in pair:
        os.close(end)


def test_port_is_raw_and_of_the_right_speed(ends: tuple[int, int]) -> None:
    path = os.ttyname(ends[1])
    port = SerialPort(path, 500_000)
    attributes = termios.tcgetattr(ends[1])
    assert attributes[:2] == [0, 0] and attributes[3] == 0
    assert attributes[4] == attributes[5] == termios.B500000
    assert attributes[2] & termios.CSIZE == termios.CS8 and not attributes[2] & (termios.PARENB | termios.CSTOPB)
    everything = bytes(range(256))
    os.write(ends[0], everything)
    received = b""
    while len(received) < 256:
        select.select([ends[1]], [], [], 10)
        received += port.read()
    assert received == everything
    port.write(everything)
    assert os.read(ends[0], 1000) == everything
    assert port.read() == b""  # and does not wait
    port.close()
    port.close()


def test_port_is_for_one_process(ends: tuple[int, int]) -> None:
    path = os.ttyname(ends[1])
    port = SerialPort(path, 115_200)
    with pytest.raises(SerialError, match=r"in use|busy"):
        SerialPort(path, 115_200)
    port.close()
    SerialPort(path, 115_200).close()


def test_port_that_nobody_reads_is_an_error_not_a_wait(ends: tuple[int, int]) -> None:
    port = SerialPort(os.ttyname(ends[1]), 115_200)
    with pytest.raises(SerialError, match="buffer is full"):
        for _ in range(10_000):
            port.write(b"x" * 100)
    port.close()


def test_port_whose_other_end_is_gone_is_an_error() -> None:
    near, far = os.openpty()
    port = SerialPort(os.ttyname(far), 115_200)
    os.close(far)
    os.close(near)
    with pytest.raises(SerialError, match=r"unplugged|does not receive"):
        port.read()
    with pytest.raises(SerialError, match="does not send"):
        port.write(b"x")
    port.close()


@pytest.mark.parametrize(
    ("path", "baud", "says"),
    [
        ("/dev/no-such-port", 115_200, "no such file"),
        ("/dev/null", 115_200, "inappropriate"),
        ("/", 115_200, "directory"),
    ],
)
def test_paths_that_are_no_ports(path: str, baud: int, says: str) -> None:
    with pytest.raises(SerialError, match=f"serial port {path} cannot be opened: .*{says}"):
        SerialPort(path, baud)


def test_speed_that_does_not_exist(ends: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="123456 baud is not available"):
        SerialPort(os.ttyname(ends[1]), 123_456)


class Rig:
    """Legs behind pseudo terminals, patient, because bytes take real time and cycles take simulated time."""

    def __init__(self, kind: Kind, folder: Path) -> None:
        self.setup = setup(kind, patience=5.0, jump=0.1, following=0.1)
        axes, n = self.setup.axes, kind.legs
        make = SimulatedSmc3 if kind is Kind.SMC3 else SimulatedEsp32
        paths = [folder / f"line{k}" for k in range(6 // n)]
        self.boards = [make(axes[n * k : n * k + n], BEGIN[n * k : n * k + n]) for k in range(6 // n)]
        self.terminals = [Terminal(board, path) for board, path in zip(self.boards, paths, strict=True)]
        self.legs: SerialLegs = serial_legs(self.setup, [str(path) for path in paths])
        self.now, self.count, self.l = 0.0, 0, BEGIN

    def cycle(self, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        self.now, self.count = self.now + self.setup.period, self.count + 1
        self.l = self.l + v * self.setup.period
        answer = self.legs.cycle(self.now, Demand(self.count, self.l, np.full(6, v), go, order=order))
        time.sleep(2e-3)
        for terminal in self.terminals:
            terminal.exchange(self.now)
        return answer

    def until(self, what: Callable[[Answer], bool], order: Order = Order.NONE, **demand: Any) -> Answer:
        answer = self.cycle(order=order, **demand)
        for _ in range(2000):
            if what(answer):
                return answer
            answer = self.cycle(**demand)
        raise AssertionError(f"not reached: {answer}, {self.legs.why}")


@pytest.mark.parametrize("kind", Kind)
def test_legs_follow_through_terminals_and_survive_a_plug_pulled_out(kind: Kind, tmp_path: Path) -> None:
    rig = Rig(kind, tmp_path)
    for way in (0.01, -0.01):
        answer = rig.until(lambda a: a.all_are(LegState.READY, LegState.UNHOMED), Order.ENABLE)
        if not answer.all_are(LegState.READY):
            answer = rig.until(lambda a: a.all_are(LegState.READY), Order.HOME)
        rig.l = begin = answer.l
        rig.cycle()
        to = begin[0] + way

        def is_there(a: Answer, to: float = to) -> bool:
            return bool(abs(a.l[0] - to) < 2e-3)

        last = rig.until(is_there, go=True, v=np.sign(way) * 0.02)
        assert last.all_are(LegState.FOLLOWING)
        rig.terminals[-1].unplug()
        answer = rig.until(lambda a: a.fault is not RigFault.NONE, go=True)
        assert answer.faults[5] is RigFault.SILENT_LEG and rig.legs.why
        for _ in range(30):
            assert rig.cycle(go=True, order=Order.RESET).faults[5] is RigFault.SILENT_LEG
        rig.terminals[-1].plug()
        rig.until(lambda a: not rig.legs.why)
        rig.until(lambda a: a.fault is RigFault.NONE, Order.RESET)
    rig.legs.close()
    rig.legs.close()
    for terminal in rig.terminals:
        terminal.unplug()
        terminal.unplug()


def test_a_flood_through_a_terminal_is_stale(tmp_path: Path) -> None:
    rig = Rig(Kind.SMC3, tmp_path)
    rig.until(lambda a: a.all_are(LegState.READY), Order.ENABLE)
    board = rig.boards[0]
    board.babble = 3 * MOST_BYTES
    answer = rig.until(lambda a: a.fault is not RigFault.NONE)
    assert answer.faults == (RigFault.STALE,) * 3 + (RigFault.NONE,) * 3
    board.babble = 0
    for _ in range(300):
        rig.cycle()
    rig.until(lambda a: a.fault is RigFault.NONE, Order.RESET)
    rig.legs.close()
    for terminal in rig.terminals:
        terminal.unplug()


def test_number_of_ports() -> None:
    with pytest.raises(UsageError, match="smc3 moves 3 legs with a controller: 2 serial ports are needed, 1 are given"):
        serial_legs(setup(Kind.SMC3), ["/dev/ttyUSB0"])


def test_ports_that_were_opened_are_released_if_another_one_fails(ends: tuple[int, int]) -> None:
    path = os.ttyname(ends[1])
    with pytest.raises(SerialError, match="/dev/no-such-port cannot be opened"):
        serial_legs(setup(Kind.SMC3), [path, "/dev/no-such-port"])
    SerialPort(path, 115_200).close()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"period": 0.001}, "period is 0.001 s; at 115200 baud esp32 needs at least"),
        ({"period": 0.3, "silence": 1.0, "patience": 10.0}, "period is 0.3 s, it must be at most 0.05 s"),
        ({"baud": 9600}, "at 9600 baud esp32 needs at least"),
        ({"patience": 0.02}, "patience is 0.02 s, it must be at least 6 periods"),
        ({"silence": 0.001}, "silence is 0.001 s"),
        ({"jump": 0.0}, "jump is 0.0"),
        ({"home": None}, "esp32 measures nothing: home must give 6 lengths"),
        ({"home": np.full(6, 2.0)}, "home .* is outside"),
        ({"least": np.full(6, 0.5)}, "leg 1: lengths 0.5 to 1.2 m are counts .*check scale, offset and sign"),
        ({"most": np.full(6, 0.9)}, "leg 1: lengths 1.0 to 0.9 m are no range"),
        ({"lowest": 2000}, "leg 1: .* the controller takes 2000 to 4095"),
        ({"highest": 5000}, "counts 0 to 5000 are no range within 0 to 4095"),
    ],
)
def test_setup_that_cannot_work(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        replace(setup(Kind.ESP32), **changes)


def test_five_axes() -> None:
    with pytest.raises(UsageError, match="needs 6 axes"):
        good = setup(Kind.SMC3)
        Setup(Kind.SMC3, good.axes[:5], good.least, good.most)


@pytest.mark.parametrize(
    ("values", "says"), [((0.0, 1.0, 1), "scale"), ((1.0, np.nan, 1), "offset"), ((1.0, 1.0, 2), "sign")]
)
def test_axis_that_cannot_be(values: tuple[float, float, int], says: str) -> None:
    with pytest.raises(UsageError, match=f"{says} is"):
        Axis(*values)
