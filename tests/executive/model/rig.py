"""The robot under the executive, step by step, with its operator in the test's own thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.executive.exchange import Exchange
from motionbase.executive.executive import Executive, Mode
from motionbase.executive.model.code import ModelCode
from motionbase.executive.model.orders import Timing
from motionbase.executive.model.robot import Robot
from motionbase.executive.model.run import ModelRun
from motionbase.multibody.manipulator.driven import DrivenModel, driven
from motionbase.multibody.models.robot import driven_robot
from motionbase.record.requests import Ack, Command, Kind
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer

DT = 5e-4


@cache
def arm() -> DrivenModel:
    """Of the robot."""
    return driven(driven_robot())


@cache
def robot(internal: bool = True) -> ModelCode:
    """With its law in the loop, or with that of another process."""
    if internal:
        return ModelCode.of(Robot(arm()), Timing(DT, 0.05, True))
    code, timing = robot(), Timing(DT, 0.05, False)
    return replace(code, timing=timing, command=compile(code.plant.command(timing)))


@dataclass
class Rig:
    """A run that goes when it is told to; a record is made of every tick."""

    run: ModelRun
    executive: Executive
    reader: Reader
    sender: CommandSender

    def step(self, seconds: float, every: int = 20) -> Array:
        """The records of so long a time; the operator is heard every 20 ticks, as a hundred times a second."""
        for _ in range(round(seconds / self.run.code.timing.dt / every)):
            self.run.listen()
            self.executive.step(every)
        rows = []
        while len(found := self.reader.read().rows):
            rows.append(np.array(found))
        return np.concatenate(rows)

    def ask(self, command: Command) -> Ack:
        """Send, let it be heard, and return the answer."""
        number = self.sender.send(command, valid=60.0)
        self.run.listen()
        ack = self.sender.wait(number, 1.0)
        assert ack is not None
        self.executive.step(1)
        return ack

    def tune(self, name: str, value: float) -> Ack:
        return self.ask(Command(Kind.TUNE, (float(self.run.code.plant.parameters.starts[name]), value)))

    def of(self, rows: Array, name: str) -> Array:
        return rows[:, self.run.code.plant.schema.place(name)]

    def joints(self, rows: Array, ending: str) -> Array:
        """(n, joints) such as `_torque` of all joints."""
        names = self.run.code.plant.schema.groups["positions"]
        return rows[:, self.run.code.plant.schema.places(f"{name}{ending}" for name in names)]


@contextmanager
def stepped(
    code: ModelCode | None = None, *, automatic: bool = True, capacity: int = 20_000, shared: bool = False,
    partner: Exchange | None = None,
) -> Iterator[Rig]:  # fmt: skip
    """Shared: the controller is reached through shared memory; partner: the exchange with a tail rotor."""
    code = code or robot()
    plant = code.plant
    header: dict[str, Any] = {"dt": code.timing.dt, "parameters": plant.parameters.json}
    with (
        Writer(plant.schema, name="rig", capacity=capacity, **header) as writer,
        Exchange.made(writer.backend, plant.form.blocks) if shared else nullcontext() as exchange,
    ):
        run = ModelRun(code, writer, print, automatic=automatic, exchange=exchange, partner=partner)
        executive = Executive(run.schedule, writer, Mode.STEPPED, channels=run.shown, clock=run.clock)
        with Reader("rig", start="oldest", batch=20_000) as reader, executive:
            yield Rig(run, executive, reader, CommandSender("rig", sender="test"))
