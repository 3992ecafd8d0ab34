"""Six simulated drives and their master on one virtual bus, in simulated time."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, final

import can
import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand, Promise
from motionbase.rig.drives.backend import CanDrives
from motionbase.rig.drives.line import TroubledBus
from motionbase.rig.drives.participant import SimulatedDrives
from motionbase.rig.drives.profile import State
from motionbase.rig.drives.setup import Axis, Setup
from motionbase.rig.drives.simulated import HERE, SimulatedDrive

STEP = 1e-3  # of the simulated drives [s]
STOPPED = (
    State.QUICK_STOP_ACTIVE, State.FAULT_REACTION_ACTIVE, State.FAULT, State.SWITCH_ON_DISABLED,
)  # fmt: skip
_CHANNELS = itertools.count()


def setup(**changes: Any) -> Setup:
    """Six cylinders of 100 mm, of different screws and gears."""
    sign, home = changes.pop("sign", 1), changes.pop("home", 0.999)
    axes = tuple(
        Axis(node=leg + 1, counts=4096, lead=0.005 + 0.001 * leg, gear=1.0 + 0.5 * (leg % 2), sign=sign, home=home)
        for leg in range(6)
    )
    values: dict[str, Any] = {"least": np.full(6, 1.0), "most": np.full(6, 1.1), "homing_fast": 0.05}
    return Setup(axes, **(values | changes))


class AbstractBench(ABC):
    """An `Actuators` whose machine moves on with the time of its cycles, and who works with it.

    Attributes:
        now: time [s]
        l: last demand [m]
    """

    def __init__(self, setup: Setup, begin: Array) -> None:
        self.setup, self.now, self.count, self.l = setup, 0.0, 0, begin

    @abstractmethod
    def cycle(self, now: float, demand: Demand) -> Answer: ...

    @property
    @abstractmethod
    def lengths(self) -> Array: ...

    @property
    @abstractmethod
    def why(self) -> str: ...

    def run(self, seconds: float, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        """Cycles for a time, the demand moving at a speed; an order is given once."""
        for _ in range(max(round(seconds / self.setup.period), 1)):
            self.count += 1
            self.l = np.clip(self.l + v * self.setup.period, self.setup.least, self.setup.most)
            answer = self.cycle(
                self.now + self.setup.period, Demand(self.count, self.l, np.full(6, v), go, order=order)
            )
            order = Order.NONE
        return answer

    def until(self, is_reached: Callable[[Answer], bool], within: float = 5.0, order: Order = Order.NONE) -> Answer:
        """Cycles without go until an answer is as wanted."""
        for _ in range(round(within / self.setup.period)):
            answer, order = self.run(0.0, order=order), Order.NONE
            if is_reached(answer):
                return answer
        raise AssertionError(f"not reached within {within} s: {answer}, {self.why}")

    def ready(self) -> Answer:
        """Switched on and homed."""
        self.until(lambda a: a.all_are(LegState.UNHOMED, LegState.READY), order=Order.ENABLE)
        if not self.run(0.0).all_are(LegState.READY):
            self.run(0.0, order=Order.HOME)
        answer = self.until(lambda a: a.all_are(LegState.READY))
        self.l = np.clip(answer.l, self.setup.least, self.setup.most)
        self.run(0.0)
        return answer

    def moving(self, seconds: float = 0.3, v: float = 0.05) -> Answer:
        """All legs follow a moving demand."""
        self.ready()
        answer = self.run(seconds, go=True, v=v)
        assert answer.all_are(LegState.FOLLOWING) and answer.fault is RigFault.NONE, (answer, self.why)
        return answer

    def stands(self, seconds: float = 0.5) -> None:
        """After the time of a stop nothing moves, whatever is demanded."""
        self.run(0.4, go=True, v=0.05)
        before = self.lengths
        answer = self.run(seconds, go=True, v=-0.05)
        assert LegState.FOLLOWING not in answer.states
        assert np.abs(self.lengths - before).max() < 1e-6


@final
class Bench(AbstractBench):
    """An `Actuators` whose machine moves on with the time of its cycles.

    Attributes:
        now: time [s]
        bus: the master's, into which faults can be put
        channel: of the virtual bus
    """

    def __init__(self, lengths: Array | None = None, made: Setup | None = None, **changes: Any) -> None:
        made = made or setup(**changes)
        super().__init__(made, np.full(6, made.axes[0].home) + 0.01 if lengths is None else lengths)
        self.channel = channel = f"bench-{next(_CHANNELS)}"
        self.bus = TroubledBus(can.Bus(interface="virtual", channel=channel), lambda: self.now)
        self.simulated = SimulatedDrives(self.setup, can.Bus(interface="virtual", channel=channel), self.l)
        self.master = CanDrives(self.setup, self.bus, pause=lambda s: self.advance(self.now + s))

    @property
    def promise(self) -> Promise:
        return self.master.promise

    @property
    def why(self) -> str:
        return self.master.why

    @property
    def lengths(self) -> Array:
        return self.simulated.lengths

    @property
    def drives(self) -> tuple[SimulatedDrive, ...]:
        return self.simulated.drives

    def cycle(self, now: float, demand: Demand) -> Answer:
        self.advance(now)
        answer = self.master.cycle(now, demand)
        self.simulated.step(now)
        return answer

    def close(self) -> None:
        self.master.close()

    def leave(self) -> None:
        """Nobody is on the bus any more."""
        self.master.close()
        self.simulated.close()

    def advance(self, until: float) -> None:
        """The machine goes on; what is late on the bus arrives."""
        while until - self.now > 1e-9:
            self.now = min(self.now + STEP, until)
            self.bus.deliver()
            self.simulated.step(self.now)

    def plug(self, leg: int, is_plugged: bool) -> None:
        self.drives[leg].plugged = is_plugged


def quick_bench(**changes: Any) -> Bench:
    """Homing takes the position as it is."""
    b = Bench(np.full(6, 0.999), **({"homing_method": HERE} | changes))
    for drive in b.drives:  # switches that no test here wants to meet
        drive.motor.low, drive.motor.high = -1e9, 1e9
    return b


def stopped(b: Bench, cycles: int) -> bool:
    """Whether no drive follows any more, after so many cycles."""
    for _ in range(cycles):
        b.run(0.0, go=True, v=0.05)
    return all(drive.state in STOPPED for drive in b.drives)


def reset(b: AbstractBench) -> None:
    """Faults are acknowledged, and no leg has one any more."""
    b.until(lambda a: a.fault is RigFault.NONE, order=Order.RESET)
