"""A world in real time without a base: it writes its own ring, and can send its motion to a base elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from secrets import randbits
from typing import Self, final

import numpy as np

from motionbase.executive.worlds.ears import Ear, page_ears
from motionbase.executive.worlds.pace import Pace
from motionbase.executive.worlds.running import Row, Running
from motionbase.executive.worlds.stick_ear import StickEar
from motionbase.executive.worlds.watchdog import Watchdog
from motionbase.host.format import Frame
from motionbase.host.relay import Sink
from motionbase.record.vehicle import vehicle_schema
from motionbase.record.world import worldly_schema
from motionbase.ring.hand import made_hand
from motionbase.ring.writer import Writer
from motionbase.worlds.hands.choice import ALL, NONE
from motionbase.worlds.library import Described, WorldUrl


@final
class Alone:
    """A world that writes its own ring; a context manager.

    Args:
        ring: its name; every step writes one record, of the vehicle's motion and the world's channels
        joystick: which devices of the machine steer, see `worlds.hands.choice`
        sink: also gets frames of the vehicle's motion
        every: steps from one frame to the next
        told: what a frame tells

    Attributes:
        steps: done so far
        missed: periods that were skipped because the world or the machine was too slow
    """

    def __init__(
        self, url: WorldUrl, ring: str, joystick: str = ALL, sink: Sink | None = None, every: int = 1,
        told: Callable[[Running], Row] = lambda running: running.vehicle,
    ) -> None:  # fmt: skip
        self.world, self._url, self._ring, self._sink, self._every = url.made(), url, ring, sink, every
        self._told = told
        self._joystick, self._run = joystick, randbits(63)
        self._stack = ExitStack()
        self.steps = self.missed = 0

    def run(self, stopped: Callable[[], bool]) -> None:
        """Simulate until `stopped`."""
        pace, world, running = Pace(self.world.dt), self.world, self._running
        with Watchdog(f"world {world.name!r}") as watchdog:
            while not stopped():
                running.step(pace.wait(), drives=True)
                self.steps, self.missed = self.steps + 1, pace.missed
                t = (self.steps + self.missed) * world.dt
                self._writer.write(np.array((t, *running.vehicle, *running.row)))
                if self._sink is not None and self.steps % self._every == 0:
                    self._sink.send(Frame(self._told(running), self.steps // self._every, t, self._run))
                    self._sink.wait(0.0)  # receives answers
                watchdog.steps = self.steps

    @property
    def hand(self) -> int:
        """Who steers: NOBODY, SCRIPT or a device."""
        return self._running.hand

    @property
    def vehicle(self) -> tuple[float, ...]:
        """The newest row of `record.vehicle.VEHICLE`."""
        return self._running.vehicle

    def __enter__(self) -> Self:
        self._running = Running(self.world, self._url.script)  # compiles, before readers see a ring
        described = Described.of(self.world, self._url.script)
        with ExitStack() as stack:
            schema = worldly_schema(vehicle_schema(), described.channels)
            self._writer = stack.enter_context(
                Writer(schema, name=self._ring, dt=self.world.dt, world=described.text, program="motionbase host")
            )
            stack.enter_context(made_hand(self._writer.backend))
            ears: list[Ear] = page_ears(self._writer.backend, stack)
            if self._joystick != NONE:
                ears.append(stack.enter_context(StickEar(self._joystick)))
            self._running.ears = ears
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # type: ignore[arg-type]
