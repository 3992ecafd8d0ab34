"""Rigs of every backend that can be unplugged in every way, in simulated time, for one property of all of them."""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand
from motionbase.rig.power.simulated import SimulatedPowerUnit
from motionbase.rig.serial.setup import Kind
from tests.rig.drives.bench import AbstractBench, quick_bench
from tests.rig.drives.bench import Bench as CanBench
from tests.rig.drives.ethercat_bench import EtherBench, Slow
from tests.rig.onoff_bench import SHORTEST, Bench
from tests.rig.serial.bench import Bench as SerialBench

Undo = Callable[[], None]


class Rig(ABC):
    """A rig and somebody who works on it.

    Attributes:
        within: ways to unplug it, and the time after which all legs that can be stopped stand [s]
        still: largest movement of a leg that stands [m]
        enabling: largest movement by ENABLE [m]
        seen: ways that the backend must find, with a fault that lasts as long as it is unplugged
    """

    within: ClassVar[dict[str, float]]
    seen: ClassVar[frozenset[str]]
    still: ClassVar[float] = 1e-6
    enabling: ClassVar[float] = 1e-6

    @abstractmethod
    def unplug(self, way: str, leg: int, v: float) -> Undo:
        """Unplug while legs are asked to move at a speed [m/s]; what plugs it in again comes back."""

    @abstractmethod
    def run(self, seconds: float, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        """Cycles for a time, the demand moving at a speed; an order is given once."""

    @abstractmethod
    def ready(self) -> object:
        """Switched on, homed, and the demand where the legs are."""

    @property
    @abstractmethod
    def lengths(self) -> Array:
        """(6,) true lengths [m]."""

    @property
    @abstractmethod
    def inwards(self) -> float:
        """The way to the middle of the legs' range, 1 or -1."""

    @abstractmethod
    def silence(self, seconds: float) -> None:
        """No cycles: the program has been killed."""

    @abstractmethod
    def close(self) -> None:
        """Put it away."""

    def unstoppable(self, way: str, leg: int) -> tuple[int, ...]:
        """Legs that no valve, drive or controller can stop."""
        return ()

    def cut_energy(self) -> Undo | None:
        """Switch off pump or motors by hand; None if that is not needed."""
        return None

    def recover(self) -> None:
        """Faults are acknowledged, and there are none."""
        for _ in range(200):
            if self.run(0.05, order=Order.RESET).fault is RigFault.NONE:
                return
        raise AssertionError(f"does not recover: {self.run(0.0)}")


def _nothing() -> None:
    """Nothing was unplugged."""


@final
class OnOff(Rig):
    """Valves behind data acquisition with a watchdog relay, fed by a power unit with a watchdog."""

    within = {
        "potentiometer": 0.2, "device": 0.4, "program": 0.4, "solenoid": 1.2, "spool": 1.2, "pump": 3.0,
        "line of the pump": 9.0,
    }  # fmt: skip
    seen = frozenset({"potentiometer", "device"})
    still = 1e-9

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.bench = Bench(Path(self._folder.name))
        self.bench.now, self.count = 0.0, 0
        self.pump, self.heard = SimulatedPowerUnit(watchdog=2.0), True
        self.pump.command(True)
        self.pump.advance(20.0)
        self._began = self.pump.time
        self.l = SHORTEST + self.bench.extensions()

    @property
    def lengths(self) -> Array:
        return SHORTEST + self.bench.extensions()

    @property
    def inwards(self) -> float:
        return 1.0 if self.bench.extensions().mean() < 0.15 else -1.0

    def _advance(self, now: float) -> None:
        if self.heard:
            self.pump.beat()
        self.pump.advance(self._began + now)
        self.bench.rig.supply = self.pump.share

    def run(self, seconds: float, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        promise = self.bench.promise
        for _ in range(max(round(seconds / promise.period), 1)):
            now, self.count = self.bench.now + promise.period, self.count + 1
            self.l = np.clip(self.l + v * promise.period, promise.least, promise.most)
            self._advance(now)
            answer = self.bench.cycle(now, Demand(self.count, self.l, np.full(6, v), go, order=order))
            order = Order.NONE
        return answer

    def ready(self) -> object:
        self.run(0.0, order=Order.ENABLE)
        answer = self.run(0.1)
        assert answer.all_are(LegState.READY), answer
        self.l = answer.l
        return self.run(0.0)

    def silence(self, seconds: float) -> None:
        self.heard = False  # the program is the one that feeds the pump's watchdog, too
        for _ in range(round(seconds / 0.005)):
            self._advance(self.bench.now + 0.005)
            self.bench.run(0.005)
        self.heard = True

    def unplug(self, way: str, leg: int, v: float) -> Undo:
        rig, forward, back = self.bench.rig, 2 * leg + (v < 0), 2 * leg + (v > 0)
        match way:
            case "potentiometer":
                rig.broken.add(leg)
                return rig.broken.clear
            case "device":
                rig.unplugged = True
                return lambda: setattr(rig, "unplugged", False)
            case "solenoid":
                rig.stuck[forward] = False
                return rig.stuck.clear
            case "spool":  # the other way: a law makes up for one that moves the leg as it should
                rig.stuck[back] = True
                return rig.stuck.clear
            case "pump" | "line of the pump":
                if way == "pump":
                    self.pump.pressure, self.pump.stuck = 0.0, True
                self.heard = False
                return self._started
        return _nothing

    def _started(self) -> None:
        """It runs again, without the seconds that this takes."""
        self.pump.stuck, self.heard = False, True
        self.pump.command(False)
        self.pump.command(True)
        self.pump.speed, self.pump.pressure = 1.0, 0.99 * self.pump.setting

    def unstoppable(self, way: str, leg: int) -> tuple[int, ...]:
        """A spool that sticks open is moved by nothing but oil; only the pump can be stopped."""
        return (leg,) if way == "spool" else ()

    def cut_energy(self) -> Undo | None:
        self.pump.command(False)
        while self.pump.pressure > 0:
            self.run(0.5, go=True)
        return self._started

    def recover(self) -> None:
        """Somebody moves the legs to the middle, so that none is at an end where it must not move anyway."""
        self.bench.rig.extensions[:] = np.linspace(0.13, 0.17, 6)
        self.run(0.5)
        super().recover()

    def close(self) -> None:
        self.bench.leave()
        self._folder.cleanup()


class _Drives(Rig):
    """Six drives and their master."""

    bench: AbstractBench

    @property
    def lengths(self) -> Array:
        return self.bench.lengths

    @property
    def inwards(self) -> float:
        setup = self.bench.setup
        return 1.0 if self.lengths.mean() < 0.5 * (setup.least + setup.most).mean() else -1.0

    def run(self, seconds: float, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        return self.bench.run(seconds, go=go, order=order, v=v)

    def ready(self) -> object:
        return self.bench.ready()


@final
class CanDrivesRig(_Drives):
    """Drives on a CAN bus."""

    within = {"drive": 0.3, "several drives": 0.3, "bus": 0.3, "program": 0.3, "power of a drive": 0.3}
    seen = frozenset({"drive", "several drives", "bus"})

    def __init__(self) -> None:
        self.can: CanBench = quick_bench(period=0.005)
        self.bench = self.can

    def silence(self, seconds: float) -> None:
        self.can.advance(self.can.now + seconds)

    def unplug(self, way: str, leg: int, v: float) -> Undo:
        b = self.can
        match way:
            case "drive" | "several drives":
                legs = [leg] if way == "drive" else [leg, (leg + 1) % 6, (leg + 3) % 6]
                for k in legs:
                    b.plug(k, False)
                return lambda: _plugged(b, legs)
            case "bus":
                b.bus.off = True
                return lambda: setattr(b.bus, "off", False)
            case "power of a drive":
                b.drives[leg].restart()
        return _nothing

    def close(self) -> None:
        self.can.leave()


def _plugged(bench: CanBench, legs: list[int]) -> None:
    for leg in legs:
        bench.plug(leg, True)


@final
class EtherCatDrivesRig(_Drives):
    """Drives on EtherCAT, whose cables lead from drive to drive; the test takes the stand-in for pysoem away."""

    within = {"cable": 0.3, "two cables": 0.3, "program": 0.3}
    seen = frozenset({"cable", "two cables"})

    def __init__(self) -> None:
        self.ether = EtherBench(jobs=Slow(), period=0.005)
        self.bench = self.ether

    def silence(self, seconds: float) -> None:
        self.ether.advance(self.ether.now + seconds)

    def unplug(self, way: str, leg: int, v: float) -> Undo:
        if way != "program":
            self.ether.wires.cuts |= {leg} if way == "cable" else {leg, (leg + 2) % 6}
        return self.ether.wires.cuts.clear

    def close(self) -> None:
        self.ether.close()


@final
class Serial(Rig):
    """Controllers on serial lines, which hold the last target whatever happens."""

    still = 2e-5
    enabling = 1.5e-3  # a reading: these controllers are told to hold what they measured, in steps of 4 counts

    within = {"line": 0.6, "motor": 1.2, "sensor": 0.6, "program": 0.6}
    seen = frozenset({"line", "sensor"})

    def __init__(self, kind: Kind) -> None:
        self.bench = SerialBench(kind)
        if not self.bench.promise.measures:
            self.within = {"line": 0.6, "program": 0.6}  # type: ignore[misc]  # of motors and sensors nothing is heard

    @property
    def lengths(self) -> Array:
        return self.bench.lengths

    @property
    def inwards(self) -> float:
        return 1.0 if self.lengths.mean() < 1.1 else -1.0

    def run(self, seconds: float, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        return self.bench.run(seconds, go=go, order=order, v=v)

    def ready(self) -> object:
        return self.bench.ready()

    def silence(self, seconds: float) -> None:
        self.bench.advance(self.bench.now + seconds)

    def unplug(self, way: str, leg: int, v: float) -> Undo:
        b = self.bench
        board, motor = b.boards[leg // b.setup.kind.legs], leg % b.setup.kind.legs
        match way:
            case "line":
                b.plug(leg, False)
                return lambda: b.plug(leg, True)
            case "motor":
                board.motors.stuck.add(motor)
                return board.motors.stuck.clear
            case "sensor":
                board.mute.add(motor)  # type: ignore[union-attr]
                return board.mute.clear  # type: ignore[union-attr]
        return _nothing

    def close(self) -> None:
        self.bench.close()


RIGS: dict[str, Callable[[], Rig]] = {
    "onoff": OnOff,
    "can": CanDrivesRig,
    "ethercat": EtherCatDrivesRig,
    "smc3": lambda: Serial(Kind.SMC3),
    "esp32": lambda: Serial(Kind.ESP32),
}
