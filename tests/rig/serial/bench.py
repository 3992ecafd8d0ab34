"""Simulated controllers and a backend for them, in simulated time."""

from __future__ import annotations

from functools import partial
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Answer, Demand, Promise
from motionbase.rig.serial import smc3
from motionbase.rig.serial.backend import SerialLegs
from motionbase.rig.serial.setup import Axis, Kind, Setup
from motionbase.rig.serial.simulated import SimulatedEsp32, SimulatedSmc3, Wire

LEAST, MOST = np.full(6, 1.0), np.full(6, 1.2)
BEGIN = np.linspace(1.03, 1.05, 6)


def setup(kind: Kind, **changes: Any) -> Setup:
    """Six legs of 200 mm, with different scales and signs."""
    axes = []
    for leg in range(6):
        scale, sign = (0.7 + 0.01 * leg) * kind.full / 0.2, -1 if leg % 3 == 1 else 1
        axes.append(Axis(scale, 1.1 - sign * 0.5 * kind.full / scale, sign))
    home = None if kind.measures else np.full(6, 1.04)
    return Setup(kind, tuple(axes), LEAST, MOST, **({"home": home, "homing": 1.0} | changes))


@final
class Bench:
    """An `Actuators` whose machine moves on with the time of its cycles.

    Attributes:
        boards: simulated controllers, of all legs or of legs 1 to 3 and 4 to 6
        legs: the backend
        now: time [s]
    """

    def __init__(self, kind: Kind, **changes: Any) -> None:
        self.setup, self.now, self.count, self.l = setup(kind, **changes), 0.0, 0, BEGIN
        axes = self.setup.axes
        self.boards: list[SimulatedSmc3] | list[SimulatedEsp32]
        if kind is Kind.SMC3:
            self.boards = [SimulatedSmc3(axes[k : k + 3], BEGIN[k : k + 3], seed=k) for k in (0, smc3.MOTORS)]
        else:
            self.boards = [SimulatedEsp32(axes, BEGIN)]
        self.legs = SerialLegs(self.setup, [partial(Wire, board) for board in self.boards])

    @property
    def promise(self) -> Promise:
        return self.legs.promise

    @property
    def lengths(self) -> Array:
        return np.concatenate([board.lengths for board in self.boards])

    def cycle(self, now: float, demand: Demand) -> Answer:
        self.advance(now)
        return self.legs.cycle(now, demand)

    def close(self) -> None:
        self.legs.close()

    def advance(self, until: float) -> None:
        """The machine goes on, in steps in which its boards look after themselves."""
        while self.now < until - 1e-9:
            self.now = min(self.now + 0.01, until)
            for board in self.boards:
                board.advance(self.now)

    def plug(self, leg: int, is_plugged: bool) -> None:
        """The line of a leg's controller."""
        self.boards[leg // self.setup.kind.legs].plugged = is_plugged

    # What an operator does

    def run(self, seconds: float, *, go: bool = False, order: Order = Order.NONE, v: float = 0.0) -> Answer:
        """Cycles for a time, the demand moving at a speed; an order is given once."""
        for _ in range(max(round(seconds / self.setup.period), 1)):
            self.count += 1
            self.l = np.clip(self.l + v * self.setup.period, LEAST, MOST)
            demand = Demand(self.count, self.l, np.full(6, v), go, order=order)
            answer, order = self.cycle(self.now + self.setup.period, demand), Order.NONE
        return answer

    def ready(self) -> Answer:
        """Switched on and homed."""
        answer = self.run(0.5, order=Order.ENABLE)
        if self.promise.homes and answer.all_are(LegState.UNHOMED):
            answer = self.run(self.setup.homing + 0.1, order=Order.HOME)
        assert answer.all_are(LegState.READY), (answer, self.legs.why)
        self.l = np.clip(answer.l, LEAST, MOST)
        return self.run(0.0)

    def moving(self, seconds: float = 0.5, v: float = 0.05) -> Answer:
        """All legs follow a moving demand."""
        self.ready()
        answer = self.run(seconds, go=True, v=v)
        assert answer.all_are(LegState.FOLLOWING) and answer.fault is RigFault.NONE, (answer, self.legs.why)
        return answer

    def stands(self, seconds: float = 0.5) -> Answer:
        """After the time of a stop nothing moves, whatever is demanded."""
        self.run(0.5, go=True, v=0.05)
        before = self.lengths
        answer = self.run(seconds, go=True, v=-0.05)
        assert LegState.FOLLOWING not in answer.states
        assert np.abs(self.lengths - before).max() < 1e-5
        return answer
