"""A world in real time: who steers it, when it waits, and what it tells after every step."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import final

from motionbase.executive.worlds.ears import Ear
from motionbase.record.world import NOBODY, SCRIPT
from motionbase.worlds.felt import held
from motionbase.worlds.hands.steering import Steering
from motionbase.worlds.library import NO_SCRIPT
from motionbase.worlds.world import Script, World


@final
class Running:
    """Steps a world and keeps it at its begin while nobody steers it and its base does not drive.

    Args:
        script: steers while no person does; "" is the usual one

    Attributes:
        is_waiting: at its begin
    """

    def __init__(self, world: World, script: str, ears: Sequence[Ear] = ()) -> None:
        self.world, self._ears = world, ears
        name = script or next(iter(world.scripts), NO_SCRIPT)
        self._script_of = None if name == NO_SCRIPT else world.scripts[name]
        self.begin()

    def begin(self) -> None:
        """The world's begin."""
        self.world.reset()
        self._steering = Steering(self.world.controls)
        self._script: Script | None = None if self._script_of is None else self._script_of()
        self.is_waiting = True

    def step(self, now: float, drives: bool) -> None:
        """One period.

        Args:
            now: of any clock [s]
            drives: whether the base follows its host; alone, a world is always driven
        """
        for ear in self._ears:
            ear.speak(lambda who, hand: self._steering.hear(who, hand, now))
        world = self.world
        script = None if self._script is None else self._script(world.t)
        controls = self._steering.step(now, world.dt, script)
        if drives or self.hand not in (NOBODY, SCRIPT):
            world.step(controls)
            self.is_waiting = False
            if not self._is_sound():
                print(f"{world.name}: its motion is no number any more; it begins again", file=sys.stderr, flush=True)
                self.begin()
        elif not self.is_waiting:
            self.begin()

    def _is_sound(self) -> bool:
        return all(map(math.isfinite, (*self.world.vehicle, *self.row)))

    @property
    def hand(self) -> int:
        """Who steers: NOBODY, SCRIPT or a device."""
        return self._steering.hand

    @property
    def vehicle(self) -> tuple[float, ...]:
        """A row of `record.vehicle.VEHICLE`; while it waits, of a vehicle that is held still."""
        row = self.world.vehicle
        return held(row) if self.is_waiting else row

    @property
    def row(self) -> tuple[float, ...]:
        """Values of `record.world.WORLD` and of its own channels; while it waits, it has no velocity."""
        world = self.world
        place = world.place
        if self.is_waiting:
            place = (*place[:7], 0.0, 0.0, 0.0)
        return (world.t, *place, float(self.hand), *world.told)
